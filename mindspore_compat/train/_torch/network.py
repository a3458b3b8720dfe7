"""Torch networks under `Model` with their loss: batches, the loss and the prediction among the outputs; the base of
`TorchTrainStep`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.utils import _pytree as pytree

from mindspore_compat._runtime import placement
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.train._torch.names import torch_targets, wrapped_module
from mindspore_compat.train.amp import LEVELS

OWNER = "TorchTrainStep"


def check_torch_parts(optimizer: Any) -> None:
    """Raise TypeError unless the optimizer can update a torch network."""
    if optimizer is not None and not isinstance(optimizer, torch.optim.Optimizer):
        hint = (
            "it holds MindSpore Parameters" if isinstance(optimizer, Optimizer) else f"it is {type(optimizer).__name__}"
        )
        raise TypeError(
            f"For 'Model', a torch.nn.Module network needs an optimizer of torch.optim, but {hint}. "
            "Build torch.optim.SGD(network.parameters(), ...) or write the network as nn.Cell."
        )
    if isinstance(optimizer, torch.optim.LBFGS):
        raise TypeError(
            "For 'Model', LBFGS needs a closure, which a step has not: call optimizer.step(closure) in a loop."
        )


def check_network(amp_level: Any, amp_dtype: Any) -> None:
    """Raise ValueError for a level or dtype that `TorchTrainStep` does not support."""
    if amp_level not in LEVELS:
        raise ValueError(f"For '{OWNER}', the 'amp_level' must be in {list(LEVELS)}, but got {amp_level!r}.")
    if amp_dtype not in (None, torch.float16, torch.bfloat16):
        raise ValueError(f"For '{OWNER}', the 'amp_dtype' must be float16, bfloat16 or None, but got {amp_dtype}.")


def check_clip_norm(clip_norm: float | None) -> None:
    """Raise ValueError for a norm that is not above 0."""
    if clip_norm is not None and not clip_norm > 0:
        raise ValueError(f"For '{OWNER}', 'clip_norm' must be a positive number, but got {clip_norm!r}.")


_LABELS = ("labels", "label")


class Batch:
    """Inputs of the network, and the labels (None if the network computes the loss)."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], labels: Any = None) -> None:
        self.args, self.kwargs, self.labels = args, kwargs, labels

    def through(self, network: Any) -> Any:
        """Return the network's outputs."""
        return network(*self.args, **self.kwargs)

    def loss(self, loss_fn: Any, outputs: Any) -> Any:
        """Return the loss function's value."""
        labels = tuple(self.labels) if isinstance(self.labels, (tuple, list)) else (self.labels,)
        return loss_fn(wrap(outputs), *wrap(labels)) if isinstance(loss_fn, Cell) else loss_fn(outputs, *labels)


def split(network: Any, columns: tuple[Any, ...], has_loss_fn: bool) -> Batch:
    """Return a batch as inputs and labels.

    With a loss function the last column is the label, in a dict the one named "labels" or "label", else the last.
    Inputs that are a tuple, or a dict of names of ``forward``'s arguments, are its arguments.

    Raises:
        ValueError: for a batch without a label.
    """
    columns = _without_nesting(columns)
    if len(columns) == 1 and isinstance(columns[0], Mapping):
        named = dict(columns[0])
        label = next((name for name in _LABELS if name in named), next(reversed(named), None))
        labels = named.get(label) if not has_loss_fn else named.pop(label, None)  # type: ignore[arg-type]
        args, kwargs = _arguments(network, named)
        _check_inputs(bool(named) or not has_loss_fn, columns)
        return Batch(args, kwargs, labels)
    if not has_loss_fn:
        return Batch(columns, {})
    *inputs, labels = columns if columns else (None,)
    _check_inputs(bool(inputs), columns)
    if len(inputs) == 1 and isinstance(inputs[0], Mapping):
        return Batch(*_arguments(network, dict(inputs[0])), labels)
    return Batch(_without_nesting(tuple(inputs)), {}, labels)


def _without_nesting(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(columns[0]) if len(columns) == 1 and isinstance(columns[0], (tuple, list)) else columns


def _check_inputs(is_fine: bool, columns: tuple[Any, ...]) -> None:
    if not is_fine:
        raise ValueError(
            f"With a 'loss_fn', the dataset must return inputs and a label, but got {len(columns)} column(s)."
        )


def _arguments(network: Any, named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return (positional, by name): by name if ``forward`` has all of the names, else in their order."""
    forward = getattr(_innermost(network), "construct" if isinstance(network, Cell) else "forward")
    parameters = inspect.signature(forward).parameters.values()
    names = {
        parameter.name
        for parameter in parameters
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL)
    }
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters) or names.issuperset(named):
        return (), named
    return tuple(named.values()), {}


def _innermost(network: Any) -> Any:
    """Return the module in a wrapper of torch (compiled, DataParallel, DistributedDataParallel, AveragedModel)."""
    while (inner := wrapped_module(network)) is not None:
        network = inner
    return network


def loss_of(outputs: Any) -> Any:
    """Return the loss in a network's output: the output itself, or its entry "loss".

    Raises:
        TypeError: if there is none.
    """
    if not isinstance(outputs, torch.Tensor):
        found = outputs.get("loss") if isinstance(outputs, Mapping) else getattr(outputs, "loss", None)
        if not isinstance(found, torch.Tensor):
            described = (
                f"a {type(outputs).__name__} of {len(outputs)} elements"
                if isinstance(outputs, (tuple, list))
                else type(outputs).__name__
            )
            raise TypeError(
                f"For 'Model.train', the network must return the loss as one Tensor, but got {described}. "
                "Give Model a 'loss_fn', or a network that returns the loss alone, or an object with a 'loss'."
            )
        return found
    return outputs


def prediction_of(outputs: Any) -> Any:
    """Return the prediction for loss functions and metrics: the "logits" of an object with them, else the outputs."""
    if isinstance(outputs, Mapping):
        return outputs.get("logits", outputs)
    return getattr(outputs, "logits", outputs)


def wrapped(outputs: Any) -> Any:
    """Return outputs of any structure that torch knows, with `Tensor` for each tensor."""
    return pytree.tree_map_only(torch.Tensor, wrap, outputs)


class TorchStep(torch.nn.Module):
    """Network with its loss, and the attributes that callbacks use of a train network.

    Args:
        amp_level: but for "O0", the network runs under ``torch.autocast``, and its outputs are returned in float32.
        amp_dtype: torch.float16 or torch.bfloat16; None is float16 on a GPU, bfloat16 elsewhere.
    """

    def __init__(
        self, network: torch.nn.Module, loss_fn: Any, amp_level: str = "O0", amp_dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        self.network = network
        self.loss_fn = loss_fn
        self.amp_level, self.amp_dtype = amp_level, amp_dtype
        placement.adopted(self)  # torch creates modules on the CPU

    def device_type(self) -> str:
        """Return the device type of the network's first parameter."""
        first = next(self.network.parameters(), None)
        return "cpu" if first is None else first.device.type

    def outputs_for(self, batch: Any) -> Any:
        """Return the network's outputs in its precision, as float32 if that is lower."""
        if self.amp_level == "O0":
            return batch.through(self.network)
        device_type = self.device_type()
        dtype = self.amp_dtype or (torch.float16 if device_type == "cuda" else torch.bfloat16)
        with torch.autocast(device_type, dtype):
            outputs = batch.through(self.network)
        return _as_float32(outputs)

    def set_train(self, mode: bool = True) -> TorchStep:
        self.train(mode)
        return self

    def set_grad(self, requires_grad: bool = True) -> TorchStep:
        return self

    def get_parameters(self, expand: bool = True) -> Iterator[torch.Tensor]:
        """Return the network's parameters."""
        return iter(self.network.parameters(expand))

    def trainable_params(self, recurse: bool = True) -> list[torch.Tensor]:
        """Return the network's parameters with requires_grad."""
        return [parameter for parameter in self.network.parameters(recurse) if parameter.requires_grad]

    def checkpoint_targets(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield (MindSpore name, tensor) of all entries of a checkpoint."""
        yield from torch_targets(self.network)


def _as_float32(outputs: Any) -> Any:
    return pytree.tree_map_only(
        torch.Tensor, lambda item: item.to(torch.float32) if item.is_floating_point() else item, outputs
    )


placement.follow(TorchStep)  # also networks built before the device was chosen


class TorchEvalStep(TorchStep):
    """Cell that returns (loss, outputs, label) as Tensors, for metrics."""

    def forward(self, *inputs: Any) -> Any:
        batch = split(self.network, inputs, self.loss_fn is not None)
        outputs = self.outputs_for(batch)
        predicted = prediction_of(outputs)
        loss = loss_of(outputs) if self.loss_fn is None else batch.loss(self.loss_fn, predicted)
        return wrapped((loss, predicted, batch.labels))


class TorchPredict(TorchStep):
    """The network's outputs as Tensors."""

    def forward(self, *inputs: Any) -> Any:
        return wrapped(self.outputs_for(split(self.network, inputs, False)))
