"""What lets an optimizer's step run on a device without waiting for it: counts and rates that may be tensors there.

On a CPU counts and rates are read as numbers. On a device they stay tensors of shape () there, since a number that
Python reads is a wait, and whether a step is left out after an overflow is known on the device only.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat.common._shared_memory import Views
from mindspore_compat.common._wrap import memory, plain

__all__ = [
    "Number",
    "add_quotients_",
    "add_scaled",
    "add_scaled_",
    "as_weight",
    "counted",
    "divided",
    "in_single",
    "is_zero",
    "restore_if",
    "number",
    "on_device",
    "portions",
    "root",
    "single",
    "smaller",
    "unless",
    "widened",
]

Number = Any  # a float, or a tensor of shape () on the device

_Base = torch._C.TensorBase
_item = _Base.item
_dtype = _Base.__dict__["dtype"].__get__


def on_device(tensor: torch.Tensor) -> bool:
    """Whether reading its values would wait for a device."""
    return tensor.device.type != "cpu"


_LARGEST_PORTION, _SMALLEST_PORTION, _PORTIONS = 1 << 26, 1 << 20, 32


def portions(tensors: Sequence[torch.Tensor]) -> Iterator[slice]:
    """Slices of a list that are computed one after the other on a device, so that temporaries stay small beside the
    whole: 1/32 of it, at least 1 MB, at most 64 MB. On a CPU all at once.
    """
    if not tensors or not on_device(tensors[0]):
        yield slice(0, len(tensors))
        return
    sizes = [item.numel() * item.element_size() for item in tensors]
    limit = min(max(sum(sizes) // _PORTIONS, _SMALLEST_PORTION), _LARGEST_PORTION)
    start = held = 0
    for place, size in enumerate(sizes):
        if held and held + size > limit:
            yield slice(start, place)
            start, held = place, 0
        held += size
    yield slice(start, len(tensors))


def counted(count: torch.Tensor) -> Number:
    """The value of a count of one element: a Python number, or a float64 tensor of shape () on its device."""
    return _Base.to(plain(count), torch.float64).reshape(()) if on_device(count) else _item(count)


def number(constant: Any) -> float:
    """A constant as a number; upstream's optimizers keep most as Tensors of one element, which code reads and sets."""
    return _item(constant) if isinstance(constant, torch.Tensor) else constant


def single(value: float) -> float:
    """``value`` rounded to single precision, in which upstream keeps its constants."""
    return float(np.float32(value))


def root(value: Number) -> Number:
    """The square root."""
    return torch.sqrt(value) if isinstance(value, torch.Tensor) else math.sqrt(value)


def smaller(value: Number, limit: Number) -> Number:
    """The smaller of both; where ``value`` is a tensor, ``limit`` is one."""
    if not isinstance(limit, torch.Tensor):
        return min(value, limit)
    return torch.minimum(value, limit) if isinstance(value, torch.Tensor) else torch.clamp(limit, max=value)


def as_weight(value: Number) -> Number:
    """A number for arithmetic with float32 tensors."""
    return _Base.to(value, torch.float32) if isinstance(value, torch.Tensor) else value


def _as_factor(factor: torch.Tensor, targets: Sequence[torch.Tensor]) -> torch.Tensor:
    """A factor for torch's kernels over lists, in the type they would give a Python number."""
    is_double = bool(targets) and targets[0].dtype is torch.float64
    return factor if is_double else as_weight(factor)


def is_zero(value: Number) -> bool:
    """Whether it is certain to be 0; of a tensor that is not known."""
    return not isinstance(value, torch.Tensor) and value == 0


def divided(terms: Sequence[Any], divisor: Number) -> list[Any]:
    """terms / divisor."""
    by = _as_factor(divisor, terms) if isinstance(divisor, torch.Tensor) else divisor
    return list(torch._foreach_div(terms, by))


def add_scaled(terms: Sequence[Any], updates: Sequence[Any], factor: Number) -> Sequence[Any]:
    """terms + factor·updates."""
    if isinstance(factor, torch.Tensor):
        return torch._foreach_add(terms, torch._foreach_mul(updates, _as_factor(factor, terms)))
    return torch._foreach_add(terms, updates, alpha=factor)


def add_scaled_(targets: Sequence[Any], updates: Sequence[Any], factor: Number) -> None:
    """targets += factor·updates, in place."""
    if isinstance(factor, torch.Tensor):
        torch._foreach_add_(targets, torch._foreach_mul(updates, _as_factor(factor, targets)))
    else:
        torch._foreach_add_(targets, updates, alpha=factor)


def add_quotients_(targets: Sequence[Any], numerators: Sequence[Any], divisors: Sequence[Any], factor: Number) -> None:
    """targets += factor·numerators/divisors, in place."""
    if isinstance(factor, torch.Tensor):
        add_scaled_(targets, torch._foreach_div(numerators, divisors), factor)
    else:
        torch._foreach_addcdiv_(targets, numerators, divisors, factor)


def widened(gradients: list[Any], parameters: Sequence[Any]) -> list[Any]:
    """Gradients that are narrower than their parameters (of a network in 16 bits), in the parameters' dtype."""
    if list(map(_dtype, gradients)) == list(map(_dtype, parameters)):
        return gradients
    return [
        gradient.to(parameter.dtype) if gradient.element_size() < parameter.element_size() else gradient
        for gradient, parameter in zip(gradients, parameters)
    ]


_NARROW = (torch.float16, torch.bfloat16)


@contextlib.contextmanager
def in_single(written: Sequence[list[Any]], read: list[Any]) -> Iterator[list[list[Any]]]:
    """``[*written, read]`` with float32 copies of what has 16 bits; those of ``written`` are written back in the end.

    A step rounds once so, as upstream's kernels do: in float16 an epsilon of 1e-8 is 0, and the square of 1e-4, too.
    """
    lists = [*written, read]
    if not any(dtype in _NARROW for items in lists for dtype in map(_dtype, items)):
        yield lists
        return
    copies = [[_Base.to(item, torch.float32) if _dtype(item) in _NARROW else item for item in items] for items in lists]
    yield copies
    for items, wide in zip(written, copies):
        for item, copy in zip(items, wide):
            if copy is not item:
                _Base.copy_(item, copy)


def unless(skipped: Any, optimizer: Any, gradients: Any) -> None:
    """One step of ``optimizer``, unless ``skipped`` (bool, or a bool tensor of one element).

    On a device that is decided there: by the optimizer for each part of its update, or for all that it writes. An
    optimizer of the user's own may do more than write tensors, so the host waits for its decision.
    """
    if isinstance(skipped, torch.Tensor) and on_device(skipped):
        flag = plain(skipped).reshape(())
        if hasattr(type(optimizer), "_skips_on_device") and optimizer._skips_on_device:
            optimizer.__dict__["_skip_flag"] = flag
            try:
                optimizer(gradients)
            finally:
                optimizer.__dict__["_skip_flag"] = None
            return
        written = optimizer._written()
        if written is not None:
            with torch.no_grad(), restore_if(flag, written):
                optimizer(gradients)
            return
    if not skipped:
        optimizer(gradients)


@contextlib.contextmanager
def restore_if(flag: torch.Tensor, written: Sequence[torch.Tensor]) -> Iterator[None]:
    """Put back in the end what the tensors held before, where ``flag`` (bool, on the device) is True."""
    groups = [Views(group) for group in _by_kind(written)]  # no aliases of the program's
    before = [_joined(group) for group in groups]
    yield
    for group, old in zip(groups, before):
        torch.where(flag, old, _joined(group), out=old)
        parts = torch.split(old, [item.numel() for item in group])
        torch._foreach_copy_(group, [part.view(item.shape) for part, item in zip(parts, group)])


def _by_kind(tensors: Sequence[torch.Tensor]) -> Iterator[list[torch.Tensor]]:
    """The tensors' `memory`, in lists of one dtype and device; each tensor once."""
    kinds: dict[Any, list[torch.Tensor]] = {}
    for tensor in {id(item): item for item in tensors}.values():
        kinds.setdefault((tensor.dtype, tensor.device), []).append(memory(tensor))
    return iter(kinds.values())


def _joined(tensors: list[torch.Tensor]) -> torch.Tensor:
    return torch.cat([item.reshape(-1) for item in tensors])
