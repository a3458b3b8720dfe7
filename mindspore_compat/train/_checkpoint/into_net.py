"""`load_param_into_net`: loading of checkpoint values into the Parameters of a Cell. MindSpore:
``mindspore.load_param_into_net``.
"""

from __future__ import annotations

import logging
from typing import Any

import torch

from mindspore_compat._api.validate import check_bool, check_isinstance
from mindspore_compat._random.lazy_init import is_unmoved, unmoved
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._checkpoint.reading import VIEWS_FILE
from mindspore_compat.train._checkpoint.redundancy import require_parallel, share_loaded
from mindspore_compat.train._torch.names import load_into_module

__all__ = ["load_param_into_net"]

_log = logging.getLogger("mindspore_compat")
_FLOATS = (torch.float16, torch.float32, torch.float64, torch.bfloat16)
_INTS = (torch.int8, torch.int16, torch.int32, torch.int64)


def _update_param(param: Parameter, new_param: Parameter, strict_load: bool) -> None:
    """Set ``param`` to the values of ``new_param``: shared memory if dtypes agree, as in MindSpore; but not a file's
    memory, nor that of a single number, which `Parameter.set_data` writes in place.
    """
    old, new = tuple(param.shape), tuple(new_param.shape)
    if param.sliced and new == param._cut.shape:  # type: ignore[attr-defined]
        old = new
    if old != new and not (len(new) > len(old) and new[: len(old)] == old and all(dim == 1 for dim in new[len(old) :])):
        raise RuntimeError(
            f"For 'load_param_into_net', {param.name} in the argument 'net' should have the same shape as {param.name} "
            f"in the argument 'parameter_dict'. But got its shape {old} in the argument 'net' and shape {new} in the "
            "argument 'parameter_dict'. May you need to check whether the checkpoint you loaded is correct or the "
            "batch size and so on in the 'net' and 'parameter_dict' are same."
        )
    if param.dtype is not new_param.dtype:
        same_kind = any(param.dtype in kind and new_param.dtype in kind for kind in (_FLOATS, _INTS))
        if strict_load or not same_kind:
            raise RuntimeError(
                f"For 'load_param_into_net', {param.name} in the argument 'net' should have the same type as "
                f"{param.name} in the argument 'parameter_dict'. But got its type {dtype_name(param.dtype)} in the "
                f"argument 'net' and type {dtype_name(new_param.dtype)} in the argument 'parameter_dict'. May you need "
                "to check whether the checkpoint you loaded is correct, or load it with strict_load=False."
            )
        _log.warning(
            "load_param_into_net: %s is converted from %s to %s.",
            param.name,
            dtype_name(new_param.dtype),
            dtype_name(param.dtype),
        )
    if is_unmoved(param) and not getattr(param, VIEWS_FILE, False):  # a state that no step has used
        unmoved(param).copy_(unmoved(new_param).reshape(old))
        return
    data = plain(new_param) if param.dtype is new_param.dtype or param.sliced else unmoved(new_param)
    if param.sliced:  # of the whole its part
        param.set_data(data)
        return
    if data.dtype is param.dtype and data.is_cpu and param.is_cpu and getattr(new_param, VIEWS_FILE, False):
        data = data.clone()  # a net keeps no file mapped, and its elements are aligned
        Tensor.data.fset(new_param, data)  # type: ignore[attr-defined]
        delattr(new_param, VIEWS_FILE)
    if data.dtype is param.dtype and data.device == param.device:
        data = data if data.dim() else data.clone()
        Tensor.data.fset(param, data)  # type: ignore[attr-defined]
    elif old == new:
        param.set_data(data)
    else:
        Tensor.data.fset(param, data.to(param.device, param.dtype))  # type: ignore[attr-defined]


class _Unloaded(tuple):
    """The two lists, false if every parameter of the net got a value: MindSpore 1.x returned the first list alone, and
    its scripts check ``if not_loaded: raise``.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        return bool(self[0])


def load_param_into_net(
    net: Any, parameter_dict: dict[str, Any], strict_load: bool = False, remove_redundancy: bool = False
) -> tuple[list[str], list[str]]:
    """Load parameters by name; return (names of the net without a value, unused names of the dict), a tuple that is
    false if the first is empty.

    Args:
        net: a Cell, or a torch module, whose parameters and buffers are found by MindSpore names.
        parameter_dict: {name: Parameter or str}, as `load_checkpoint` returns.
        remove_redundancy: in data parallel training, get what this process's file does not hold from the other
            processes.
        strict_load: also refuse other dtypes, and do not look for names with a common prefix in front.

    Raises:
        TypeError: for a net or dict of the wrong type. RuntimeError: if shapes, or dtypes, do not fit.

    Examples:
        >>> ms.save_checkpoint(nn.Dense(3, 2), "net.ckpt")
        >>> print(ms.load_param_into_net(nn.Dense(3, 2), ms.load_checkpoint("net.ckpt")))
        ([], [])
    """
    if not isinstance(net, torch.nn.Module):
        raise TypeError(
            f"For 'load_param_into_net', the argument 'net' should be a Cell, but got {type(net)}. "
            "A torch.nn.Module serves as well."
        )
    if not isinstance(parameter_dict, dict):
        raise TypeError(
            "For 'load_param_into_net', the argument 'parameter_dict' should be a dict, but got "
            f"{type(parameter_dict)}."
        )
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, (Parameter, str, list)):
            raise TypeError(
                "For 'parameter_dict', the element in the argument 'parameter_dict' should be a 'str' and 'Parameter' "
                ", but got "
                f"{type(name)} and {type(value)}. It is that of the key {name!r}, given to load_param_into_net."
            )
    check_bool(strict_load, "strict_load", "load_param_into_net")
    check_isinstance(remove_redundancy, "remove_redundancy", bool, "load_param_into_net")
    load = _load_into_cell if isinstance(net, Cell) else load_into_module
    if not remove_redundancy:
        missing, unused = load(net, parameter_dict, strict_load)
        _warn_of_missing(missing)
        return _Unloaded((missing, unused))
    require_parallel("loading")
    missing, unused = load(
        net, parameter_dict, strict_load, by_prefix=False
    )  # the state "moments.w" is not the "w" of another process
    missing = share_loaded(net, missing)
    _warn_of_missing(missing)
    return _Unloaded((missing, unused))


def _warn_of_missing(names: list[str]) -> None:
    if names:
        _log.warning(
            "For 'load_param_into_net', %d parameters in the 'net' are not loaded, because they are not in the "
            "'parameter_dict', "
            "please check whether the network structure is consistent when training and loading checkpoint: %s",
            len(names),
            ", ".join(names),
        )


def _load_into_cell(
    net: Cell, parameter_dict: dict[str, Any], strict_load: bool, by_prefix: bool = True
) -> tuple[list[str], list[str]]:
    missing: list[Parameter] = []
    unused = dict.fromkeys(parameter_dict)
    for parameter in net.get_parameters():
        value = parameter_dict.get(parameter.name)
        if isinstance(value, Parameter):
            unused.pop(parameter.name, None)  # two parameters may have one name
            _update_param(parameter, value, strict_load)
        elif value is None and not parameter.name.startswith("accu_grads"):
            missing.append(parameter)
    if missing and by_prefix and not strict_load:
        missing = _load_by_prefix(missing, parameter_dict)
    return [parameter.name for parameter in missing], list(unused)


def _load_dismatch_prefix_params(
    net: Cell, parameter_dict: dict[str, Any], param_not_load: list[str], strict_load: bool
) -> None:
    """Run `_load_by_prefix` for libraries that use it: remove the loaded names from ``param_not_load``."""
    missing = [parameter for parameter in net.get_parameters() if parameter.name in param_not_load]
    loaded = {*missing} - {*_load_by_prefix(missing, parameter_dict, strict_load)}
    for parameter in loaded:
        param_not_load.remove(parameter.name)


def _load_by_prefix(
    missing: list[Parameter], parameter_dict: dict[str, Any], strict_load: bool = False
) -> list[Parameter]:
    """Fill parameters with names in the dict behind some prefix; return those still missing."""
    tried: set[str] = set()
    while missing:
        prefix = next(
            (
                name[: -len(p.name)]
                for p in missing
                for name, value in parameter_dict.items()
                if name.endswith(p.name) and isinstance(value, Parameter) and name[: -len(p.name)] not in tried
            ),
            None,
        )
        if prefix is None:
            break
        tried.add(prefix)
        rest = []
        for parameter in missing:
            value = parameter_dict.get(prefix + parameter.name)
            if isinstance(value, Parameter):
                _update_param(parameter, value, strict_load)
            else:
                rest.append(parameter)
        if prefix:
            _log.warning(
                "For 'load_param_into_net', remove the prefix %r of the names in the checkpoint to load %d parameters.",
                prefix,
                len(missing) - len(rest),
            )
        missing = rest
    return missing
