"""Batches for a torch network and its loss, and the loss and the prediction among its outputs."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import torch
from torch.utils import _pytree as pytree

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._torch.names import wrapped_module

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
