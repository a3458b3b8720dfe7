"""MindSpore's parameter names and shapes for a torch module, by the types of its modules.

A norm's ``weight``, ``bias``, ``running_mean``, ``running_var`` are ``gamma``, ``beta``, ``moving_mean``,
``moving_variance``; an embedding's ``weight`` is ``embedding_table``, a PReLU's is ``w``; a one-dimensional convolution
has an axis more. Linear layers, two- and three-dimensional convolutions, transposed ones, LSTM, GRU, RNN and
MultiheadAttention have the same names, shapes and order of gates on both sides.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from mindspore_compat._random.lazy_init import unmoved
from mindspore_compat._runtime import module_tree
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell

_NORM = {
    "weight": "gamma",
    "bias": "beta",
    "running_mean": "moving_mean",
    "running_var": "moving_variance",
    "num_batches_tracked": None,
}
#: module types: {torch name: MindSpore name, None if MindSpore has none}
_NAMES: list[tuple[tuple[type, ...], Mapping[str, str | None]]] = [
    ((nn.BatchNorm3d,), {key: value and f"bn2d.{value}" for key, value in _NORM.items()}),
    ((nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm), _NORM),
    ((nn.Embedding, nn.EmbeddingBag), {"weight": "embedding_table"}),
    ((nn.PReLU,), {"weight": "w"}),
]
#: aliases: torch's own (as in mindspore.mint), those without the inner cell of BatchNorm3d, older
# ones
_ALSO = {
    "bn2d.gamma": "gamma",
    "bn2d.beta": "beta",
    "bn2d.moving_mean": "moving_mean",
    "bn2d.moving_variance": "moving_variance",
    "w": "a",
}
_CHILDREN = {(nn.TransformerEncoderLayer, nn.TransformerDecoderLayer): {"linear1": "dense1", "linear2": "dense2"}}
#: prefixes of a parameter's name in an optimizer's state, which is not the parameter
_STATE = re.compile(
    r"(moments?[12]?|vhat|adam_[mv]|lamb_[mv]|accum|accum_update|stat|mean_grad|mean_square|linear|prev|step_size|exp_avg(_sq)?|"
    r"momentum_buffer|ema|accumulated|loss_fn)\.$"
)
_CONV1D = (nn.Conv1d, nn.ConvTranspose1d)
_FLOATS = (torch.float16, torch.float32, torch.float64, torch.bfloat16)
_INTS = (torch.int8, torch.int16, torch.int32, torch.int64)


@dataclass
class Target:
    """A parameter or buffer of a torch module."""

    name: str
    tensor: torch.Tensor
    also: tuple[str, ...] = ()
    has_extra_axis: bool = False

    def as_mindspore(self) -> torch.Tensor:
        """Return the tensor in MindSpore's shape."""
        return self.tensor.unsqueeze(2) if self.has_extra_axis else self.tensor


def _own_name(module: nn.Module, name: str) -> str | None:
    if name == "num_batches_tracked" and getattr(module, "momentum", 0) is None:
        return name  # it is the weight of the next batch in the averages
    for types, names in _NAMES:
        if isinstance(module, types):
            return names.get(name, name)
    return name


def wrapped_module(module: nn.Module) -> nn.Module | None:
    """Return the module inside a wrapper of torch, None for any other module."""
    compiled = module._modules.get("_orig_mod")
    if compiled is not None:
        return compiled
    if isinstance(module, (nn.DataParallel, nn.parallel.DistributedDataParallel, torch.optim.swa_utils.AveragedModel)):
        return module.module
    return None


def _walk(module: nn.Module, path: str) -> Iterator[tuple[str, nn.Module]]:
    """Yield (MindSpore path with its dot, module) of a module and all inner ones; the module inside a wrapper of torch
    takes the wrapper's place.
    """
    yield path, module
    inner = wrapped_module(module)
    if inner is not None:
        yield from _walk(inner, path)
        return
    names = next((names for types, names in _CHILDREN.items() if isinstance(module, types)), {})
    for name, child in module.named_children():
        yield from _walk(child, f"{path}{names.get(name, name)}.")


def _saved(module: nn.Module) -> list[tuple[str, torch.Tensor | None]]:
    """Return the module's own parameters and the buffers of its state_dict."""
    buffers = [item for item in module._buffers.items() if item[0] not in module._non_persistent_buffers_set]
    return [*module._parameters.items(), *buffers]


def _targets(net: nn.Module) -> Iterator[Target]:
    seen: set[int] = set()
    for path, module in _walk(net, ""):
        for name, tensor in _saved(module):
            own = _own_name(module, name)
            if tensor is None or own is None or id(tensor) in seen:
                continue
            seen.add(id(tensor))
            also = tuple(path + item for item in (name, _ALSO.get(own, own)) if item != own)
            yield Target(path + own, tensor, also, isinstance(module, _CONV1D) and name == "weight")


def targets_in_cell(cell: Any) -> Iterator[Target]:
    """Yield the parameters and buffers of torch modules inside of a Cell by the parameters' names, which are torch's
    behind a prefix.
    """
    found = list(cell.cells_and_names())
    paths = [
        (f"{path}.{key}", p) for path, item in found if path for key, p in item._parameters.items() if p is not None
    ]
    # in a training Cell, names begin with the network
    around = next((path.removesuffix(p.name) for path, p in paths if path.endswith(f".{p.name}")), "")
    for path, parent in found:
        for key, root in parent._modules.items() if isinstance(parent, Cell) else ():
            if root is not None and not isinstance(root, Cell):
                names = ((p.name, key) for key, p in module_tree.named_parameters(root))
                prefix = next((name.removesuffix(key) for name, key in names if name.endswith(key)), None)
                yield from _targets_below(root, f"{path}.{key}".removeprefix(around) if prefix is None else prefix)


def items_of_cell(cell: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what a checkpoint of a Cell holds: (name, Parameter), then the buffers of torch modules inside."""
    yield from ((parameter.name, parameter) for parameter in cell.get_parameters())
    yield from ((item.name, item.tensor) for item in targets_in_cell(cell) if not isinstance(item.tensor, Parameter))


def _targets_below(root: nn.Module, prefix: str) -> Iterator[Target]:
    for path, module in module_tree.walk(root, set(), prefix.strip(".")):
        for name, tensor in [] if isinstance(module, Cell) else _saved(module):
            own, start = _own_name(module, name), f"{path}." if path else ""
            if tensor is not None and own is not None:
                has_extra_axis = isinstance(module, _CONV1D) and name == "weight"
                yield Target(start + name, tensor, (start + own,), has_extra_axis)


def torch_targets(net: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield (MindSpore name, parameter or buffer) of everything in the module that a MindSpore checkpoint may hold,
    each tensor once.
    """
    if hasattr(net, "checkpoint_targets"):  # a training step of Model: the network and the optimizer's state
        yield from net.checkpoint_targets()
    else:
        yield from ((target.name, target.tensor) for target in _targets(net))


def _all_targets(net: nn.Module) -> list[Target]:
    if not hasattr(net, "checkpoint_targets"):
        return list(_targets(net))
    known = {id(target.tensor): target for target in _targets(net.network)}  # type: ignore[arg-type]
    return [known.get(id(tensor), Target(name, tensor)) for name, tensor in torch_targets(net)]


def mindspore_items(net: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the items that `save_checkpoint` writes for a torch module."""
    yield from ((target.name, target.as_mindspore()) for target in _all_targets(net))
    if hasattr(net, "checkpoint_extras"):
        yield from net.checkpoint_extras()


# --- loading ----------------------------------------------------------------------------------------------------------


def misfit(name: str, what: str, own: Any, given: Any) -> RuntimeError:
    """Return the error for a value that does not fit its parameter."""
    return RuntimeError(
        f"For 'load_param_into_net', {name} has the {what} {own} in the 'net', but {given} in the 'parameter_dict'. Is "
        "it the checkpoint of this network?"
    )


def check_dtype(name: str, own: torch.dtype, given: torch.dtype, strict_load: bool) -> None:
    """Raise RuntimeError for another dtype; one of the same kind is cast if not ``strict_load``."""
    is_same_kind = any(own in kind and given in kind for kind in (_FLOATS, _INTS))
    if own is not given and (strict_load or not is_same_kind):
        raise misfit(name, "type", dtype_name(own), dtype_name(given))


def _matched(target: Target, value: Parameter, strict_load: bool) -> torch.Tensor:
    """Return the value in the tensor's shape.

    Raises:
        RuntimeError: if shape or dtype do not fit.
    """
    data, tensor = unmoved(value), target.tensor
    if target.has_extra_axis and tuple(data.shape) == tuple(target.as_mindspore().shape):
        data = data.squeeze(2)
    if tuple(data.shape) != tuple(tensor.shape):
        raise misfit(target.name, "shape", tuple(target.as_mindspore().shape), tuple(data.shape))
    check_dtype(target.name, tensor.dtype, data.dtype, strict_load)
    return data


def _flat_weights(net: nn.Module, parameter_dict: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dict with the flat ``weight`` of an LSTM, GRU or RNN of old releases split into torch's parameters."""
    result = dict(parameter_dict)
    for path, module in _walk(net, ""):
        flat = result.get(f"{path}weight")
        if not isinstance(module, nn.RNNBase) or not isinstance(flat, Parameter):
            continue
        own = dict(module.named_parameters())
        weights, biases = [[name for name in own if name.startswith(kind)] for kind in ("weight", "bias")]
        with_both = sum(own[name].numel() for name in own)
        single = [name for name in biases if name.startswith("bias_ih")]
        with_one = sum(own[name].numel() for name in weights + single)
        data, place = plain(flat).reshape(-1), 0
        if data.numel() not in (with_both, with_one):
            continue
        if data.numel() == with_one and biases:
            result.update(
                {
                    path + name: Parameter(torch.zeros_like(own[name]), path + name)
                    for name in biases
                    if name not in single
                }
            )
            biases = single
        for name in weights + biases:  # all weights first, then all biases, as cuDNN has them
            count = own[name].numel()
            result[path + name] = Parameter(data[place : place + count].reshape(own[name].shape), path + name)
            place += count
        del result[f"{path}weight"]
    return result


def _prefixes(targets: list[Target], values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (prefix of the dict's names, prefix of the net's) to try for a missing name: prefixes of that name in the
    dict, or in the net.
    """
    tried: set[tuple[str, str]] = set()

    def is_state(ahead: str) -> bool:
        """Return whether such names exist also without the prefix: an optimizer's state, whatever its name."""
        return bool(_STATE.match(ahead)) or any(ahead + name in values for name in values)

    for target in targets:
        for name in values:
            if name != target.name and name.endswith("." + target.name):
                pair = (name[: -len(target.name)], "")
            elif name != target.name and target.name.endswith("." + name):
                pair = ("", target.name[: -len(name)])
            else:
                continue
            if pair not in tried:
                tried.add(pair)
                if not pair[0] or not is_state(pair[0]):
                    yield pair


def load_into_module(
    net: nn.Module, parameter_dict: dict[str, Any], strict_load: bool, by_prefix: bool = True
) -> tuple[list[str], list[str]]:
    """Copy the values into the module's parameters and buffers, for `load_param_into_net` of torch modules.

    Nothing is changed if anything does not fit. With ``by_prefix``, names are also searched behind a prefix, and
    missing ones are logged with the nearest unused names.
    """
    body = getattr(net, "network", net) if hasattr(net, "checkpoint_targets") else net
    values = _flat_weights(body, parameter_dict)
    used: set[str] = set()
    pairs: list[tuple[torch.Tensor, torch.Tensor]] = []

    def take(target: Target, names: tuple[str, ...]) -> bool:
        name = next((name for name in names if isinstance(values.get(name), Parameter)), None)
        if name is not None:
            used.add(name)
            pairs.append((target.tensor, _matched(target, values[name], strict_load)))
        return name is not None

    missing = [target for target in _all_targets(net) if not take(target, (target.name, *target.also))]
    if missing and by_prefix and not strict_load:
        for ahead, behind in _prefixes(missing, values):
            missing = [
                target
                for target in missing
                if not (
                    target.name.startswith(behind)
                    and take(target, tuple(ahead + name[len(behind) :] for name in (target.name, *target.also)))
                )
            ]
    if hasattr(net, "check_optimizer_state"):
        net.check_optimizer_state(parameter_dict)
    with torch.no_grad():
        for tensor, data in pairs:
            tensor.copy_(data)
    unused = [name for name in parameter_dict if name in values and name not in used]
    if hasattr(net, "restore_optimizer_state"):
        restored = set(net.restore_optimizer_state({name: parameter_dict[name] for name in unused}))
        unused = [name for name in unused if name not in restored]
    if by_prefix:
        _tell_nearest(missing, {name: parameter_dict[name] for name in unused})
    return [target.name for target in missing], unused


def load_inner(
    cell: Any, values: Mapping[str, Any], missing: list[Parameter], unused: dict[str, Any], strict_load: bool
) -> list[str]:
    """Copy the values of `targets_in_cell` into the buffers, and under MindSpore's names into parameters of
    ``missing``; return the names of buffers without a value. Names that were found leave both lists.
    """
    lost = []
    for target in targets_in_cell(cell):
        is_buffer = not isinstance(target.tensor, Parameter)
        if is_buffer or any(item is target.tensor for item in missing):
            names = (target.name, *target.also)
            name = next((name for name in names if isinstance(values.get(name), Parameter)), None)
            if name is not None:
                with torch.no_grad():
                    target.tensor.copy_(_matched(target, values[name], strict_load))
                unused.pop(name, None)
                missing[:] = [item for item in missing if item is not target.tensor]
            elif is_buffer:
                lost.append(target.name)
    return lost


def nearest(name: str, shape: tuple[int, ...], values: Mapping[str, Any]) -> list[str]:
    """Return up to three candidates in the dict for a name: of the same shape first, then by their letters."""
    fitting = [
        key
        for key, value in values.items()
        if tuple(getattr(value, "shape", ())) == shape and not isinstance(value, str)
    ]
    return difflib.get_close_matches(name, fitting, 3, 0.3) or difflib.get_close_matches(name, list(values), 3, 0.6)


def _tell_nearest(missing: list[Target], unused: dict[str, Any]) -> None:
    lines = []
    for target in missing[:20]:
        shape = tuple(target.as_mindspore().shape)
        close = [
            f"{name} {tuple(unused[name].shape) if isinstance(unused[name], torch.Tensor) else ''}".rstrip()
            for name in nearest(target.name, shape, unused)
        ]
        lines.append(
            f"  {target.name} {shape}: "
            + (f"nearest unused {', '.join(close)}" if close else "nothing like it is left")
        )
    if lines:
        more = f"\n  and {len(missing) - 20} more" if len(missing) > 20 else ""
        logger.warning("For 'load_param_into_net', not found in the 'parameter_dict':\n%s%s", "\n".join(lines), more)


# --- names without a module -------------------------------------------------------------------------------------------


def from_torch_names(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return a torch ``state_dict`` under MindSpore's names, guessed from names and shapes, without the module.

    A layer with ``running_mean``, or with a one-dimensional ``weight``, is a norm; one with only a two-dimensional
    ``weight`` and "emb" in its name, or named ``wte`` or ``wpe``, is an embedding. Saving the module itself needs no
    guess.
    """
    result: dict[str, torch.Tensor] = {}
    for name, tensor in state.items():
        path, _, own = name.rpartition(".")
        dot = path + "." * bool(path)
        weight = state.get(dot + "weight")
        is_norm = f"{dot}running_mean" in state or (weight is not None and weight.dim() == 1 and weight.numel() > 1)
        layer = path.rpartition(".")[2].lower()
        is_embedding = (
            own == "weight"
            and tensor.dim() == 2
            and f"{dot}bias" not in state
            and ("emb" in layer or layer in ("wte", "wpe"))
        )
        new: str | None = _NORM.get(own, own) if is_norm else "embedding_table" if is_embedding else own
        if new is not None and own != "num_batches_tracked":
            result[dot + new] = tensor
    return result


_TO_TORCH = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
}


def to_torch_names(name: str) -> str:
    """Return the torch name for a MindSpore name, if it is unambiguous without a module."""
    path, dot, own = re.sub(r"(^|\.)bn2d\.", r"\1", name).rpartition(".")
    return path + dot + _TO_TORCH.get(own, own)


def to_torch_state(
    values: Mapping[str, torch.Tensor], like: Mapping[str, torch.Tensor] | None = None
) -> tuple[dict[str, torch.Tensor], list[str]]:
    """Return a checkpoint under torch's names and in torch's shapes, and the names whose shape depends on the network.

    Those are weights that may be of a one-dimensional convolution (MindSpore's extra axis is removed) or of a
    two-dimensional one, and the flat weights of recurrent layers of MindSpore 1.x. With ``like``, a checkpoint of the
    torch network, those with its shapes are not among them.
    """
    is_planar = any(value.dim() == 4 and value.shape[2] > 1 for value in values.values())
    state, doubtful = {}, []
    for name, value in values.items():
        new = to_torch_names(name)
        if re.search(r"(^|\.)w$", name) and value.dim() == 1 and (like is None or name not in like):  # of a PReLU
            new = name.removesuffix("w") + "weight"
        known = None if like is None or new not in like else tuple(like[new].shape)
        may_be_line = value.dim() == 4 and value.shape[2] == 1 and (value.shape[3] > 1 or not is_planar)
        if known is None and (may_be_line or (value.dim() == 3 and tuple(value.shape[1:]) == (1, 1))):
            doubtful.append(name)
        if value.dim() == 4 and known != tuple(value.shape) and (may_be_line or known is not None):
            value = value.squeeze(2)
        state[new] = value
    return state, doubtful
