"""Optimizer steps on a device without waiting for it: counts and rates may be tensors there.

On a CPU counts and rates are read as numbers. On a device they stay tensors of shape (), since reading a number in
Python waits. Also, only the device knows whether a step is skipped after an overflow.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._graph.program import program
from mindspore_compat._tensor.wrapping import memory, plain

Number = Any  # a float, or a tensor of shape () on the device
Tensors = list[Any]
Picks = list[int] | None  # places of the parameters that are updated; None: of all

_Base = torch._C.TensorBase
_item = _Base.item
_dtype, _is_cpu = (_Base.__dict__[name].__get__ for name in ("dtype", "is_cpu"))


def on_device(tensor: torch.Tensor) -> bool:
    """Return whether reading its values would wait for a device."""
    return not _is_cpu(tensor)


def counted(count: torch.Tensor) -> Number:
    """Return the value of a count of one element: a Python number, or a float64 tensor of shape () on its device."""
    return _Base.to(plain(count), torch.float64).reshape(()) if on_device(count) else _item(count)


def number(constant: Any) -> float:
    """Return a constant as a number; MindSpore's optimizers keep most as Tensors of one element, which code reads and
    sets.
    """
    return _item(constant) if isinstance(constant, torch.Tensor) else constant


def single(value: float) -> float:
    """Return ``value`` rounded to single precision, in which MindSpore keeps its constants."""
    return float(np.float32(value))


def root(value: Number) -> Number:
    """Return the square root."""
    return torch.sqrt(value) if isinstance(value, torch.Tensor) else math.sqrt(value)


def smaller(value: Number, limit: Number) -> Number:
    """Return the smaller of both; where ``value`` is a tensor, ``limit`` is one."""
    if not isinstance(limit, torch.Tensor):
        return min(value, limit)
    return torch.minimum(value, limit) if isinstance(value, torch.Tensor) else torch.clamp(limit, max=value)


def as_weight(value: Number) -> Number:
    """Return a number for arithmetic with float32 tensors."""
    return _Base.to(value, torch.float32) if isinstance(value, torch.Tensor) else value


def _as_factor(factor: torch.Tensor, targets: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return a factor for torch's kernels over lists, in the type that they give a Python number."""
    is_double = bool(targets) and targets[0].dtype is torch.float64
    return factor if is_double else as_weight(factor)


def is_zero(value: Number) -> bool:
    """Return whether it is certainly 0; for a tensor this is unknown."""
    return not isinstance(value, torch.Tensor) and value == 0


def divided(terms: Sequence[Any], divisor: Number) -> list[Any]:
    """Return terms / divisor."""
    by = _as_factor(divisor, terms) if isinstance(divisor, torch.Tensor) else divisor
    return list(torch._foreach_div(terms, by))


def add_scaled(terms: Sequence[Any], updates: Sequence[Any], factor: Number) -> Sequence[Any]:
    """Return terms + factor·updates."""
    if isinstance(factor, torch.Tensor):
        return torch._foreach_add(terms, torch._foreach_mul(updates, _as_factor(factor, terms)))
    return torch._foreach_add(terms, updates, alpha=factor)


def add_scaled_(targets: Sequence[Any], updates: Sequence[Any], factor: Number) -> None:
    """Compute targets += factor·updates, in place."""
    if isinstance(factor, torch.Tensor):
        torch._foreach_add_(targets, torch._foreach_mul(updates, _as_factor(factor, targets)))
    else:
        torch._foreach_add_(targets, updates, alpha=factor)


def add_quotients_(targets: Sequence[Any], numerators: Sequence[Any], divisors: Sequence[Any], factor: Number) -> None:
    """Compute targets += factor·numerators/divisors, in place."""
    if isinstance(factor, torch.Tensor):
        quotients = torch._foreach_div(numerators, divisors)
        torch._foreach_mul_(quotients, _as_factor(factor, targets))
        torch._foreach_add_(targets, quotients)
    else:
        torch._foreach_addcdiv_(targets, numerators, divisors, factor)


def widened(gradients: list[Any], parameters: Sequence[Any]) -> list[Any]:
    """Return gradients narrower than their parameters (of a network in 16 bits) in the parameters' dtype."""
    if list(map(_dtype, gradients)) == list(map(_dtype, parameters)):
        return gradients
    return [
        gradient.to(parameter.dtype) if gradient.element_size() < parameter.element_size() else gradient
        for gradient, parameter in zip(gradients, parameters)
    ]


_NARROW = (torch.float16, torch.bfloat16)
# torch's fused kernel for a CPU leaves parameters of 16 bits as they are, but for the last few elements
_FUSED_DTYPES = frozenset((torch.float32, torch.float64))


def fused_sgd_(
    parameters: Sequence[Any],
    gradients: Sequence[Any],
    buffers: Sequence[Any],
    rate: Number,
    momentum: float = 0.0,
    decay: float = 0.0,
    dampening: float = 0.0,
    nesterov: bool = False,
    maximize: bool = False,
    is_first_step: bool = False,
    found_inf: torch.Tensor | None = None,
) -> None:
    """Run torch's fused kernel of SGD, in place; it changes nothing where ``found_inf`` (float32, one element) is 1.

    It walks the memory of all lists side by side; a convolution may give its gradient in channels-last order.
    """
    torch._fused_sgd_(
        *(parameters, list(map(_Base.contiguous, gradients)), buffers),
        weight_decay=decay,
        momentum=momentum,
        lr=as_weight(rate),
        dampening=dampening,
        nesterov=nesterov,
        maximize=maximize,
        is_first_step=is_first_step,
        found_inf=found_inf,
    )


@contextlib.contextmanager
def in_single(written: Sequence[list[Any]], read: list[Any]) -> Iterator[list[list[Any]]]:
    """Yield ``[*written, read]`` with float32 copies of 16-bit tensors; write those of ``written`` back at the end.

    So a step rounds once, as MindSpore's kernels do: in float16 an epsilon of 1e-8 is 0, and the square of 1e-4, too.
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
    """Run one step of ``optimizer``, unless ``skipped`` (bool, or a bool tensor of one element).

    On a device the decision is made there, by `Drafts` of the optimizer. A user's own optimizer may do more than write
    tensors, so the host waits for its decision.
    """
    if isinstance(skipped, torch.Tensor) and on_device(skipped):
        state = optimizer.__dict__
        if "_drafts" in state and optimizer._skips_on_device:
            recorder = program.recorder_here()
            if recorder is not None and not optimizer._is_recorded:  # a replay calls it with a flag of its own
                recorder.updates = True
                recorder.python(optimizer._unless, (skipped, gradients))
                return
            state["_drafts"] = Drafts(plain(skipped).reshape(()))
            try:
                optimizer(gradients)
            finally:
                state["_drafts"] = None
            return
    if not skipped:
        optimizer(gradients)


class Drafts:
    """Copies of the tensors that a step on a device writes. At the end they replace the originals, unless ``flag``
    (bool, on the device) is set, which skips the step.
    """

    def __init__(self, flag: torch.Tensor) -> None:
        self.flag = flag
        self.found_inf = flag.to(torch.float32).reshape(1)  # the flag for torch's fused kernels
        self.is_in_kernel = True
        self._pairs: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def of(self, targets: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return copies to write to in place of the targets; targets on the host are returned unchanged."""
        if self.is_in_kernel:
            return list(targets)
        for group in _by_kind([item for item in targets if on_device(item) and id(item) not in self._pairs]):
            places = list(map(memory, group))
            self._pairs.update(zip(map(id, group), zip(places, torch._foreach_mul(places, 1))))
        return [self._pairs[id(item)][1] if id(item) in self._pairs else item for item in targets]

    def store(self) -> None:
        """Write the present copies back, and forget them."""
        pairs = list(self._pairs.values())
        self._pairs.clear()
        for group in _by_kind([target for target, _ in pairs]):
            places = set(map(id, group))
            _store_unless(self.flag, self.found_inf, group, [copy for target, copy in pairs if id(target) in places])


def _store_unless(
    flag: torch.Tensor, found_inf: torch.Tensor, targets: list[torch.Tensor], values: Sequence[torch.Tensor]
) -> None:
    if targets[0].dtype in _FUSED_DTYPES and all(item.is_contiguous() for item in (*targets, *values)):
        # the kernel's first step puts the gradient into the buffer, unless a gradient overflowed
        fused_sgd_(values, values, targets, 0.0, 1.0, is_first_step=True, found_inf=found_inf)
        return
    for target, value in zip(targets, values):
        _Base.copy_(target, torch.where(flag, target, value))


def _by_kind(tensors: Sequence[torch.Tensor]) -> Iterator[list[torch.Tensor]]:
    """Return the tensors in lists of one dtype and device."""
    kinds: dict[Any, list[torch.Tensor]] = {}
    for tensor in tensors:
        kinds.setdefault((tensor.dtype, tensor.device), []).append(tensor)
    return iter(kinds.values())


_NOTHING = contextlib.nullcontext()


class Skipping:
    """Mixin of optimizers whose step `unless` can skip on a device. ``_drafts`` is set meanwhile.

    Parameters and their states are copied in `portions`, counts and other written tensors for the whole step.
    """

    parameters: Any
    _is_recorded = False  # whether a recorded step holds the update's operators

    def _unless(self, skipped: Any, gradients: Any) -> None:
        unless(skipped, self, gradients)

    def _drafted(self, tensors: Sequence[Any]) -> list[Any]:
        """Return the tensors, or their copies in a step that may be skipped; pass the same objects each time."""
        drafts = self.__dict__.get("_drafts")
        return list(tensors) if drafts is None else drafts.of(tensors)

    def _store_drafts(self) -> None:
        """Finish the update of a portion of the parameters."""
        drafts = self.__dict__["_drafts"]
        if drafts is not None:
            drafts.store()

    def _others_restored(self, is_in_kernel: bool = False) -> contextlib.AbstractContextManager[None]:
        """Restore tensors beside parameters and their states after a skipped step.

        Args:
            is_in_kernel: whether `Drafts.found_inf` goes to a kernel that writes those.
        """
        drafts = self.__dict__["_drafts"]
        return _NOTHING if drafts is None else self._restoring(drafts, is_in_kernel)

    @contextlib.contextmanager
    def _restoring(self, drafts: Drafts, is_in_kernel: bool) -> Iterator[None]:
        drafts.is_in_kernel = is_in_kernel
        parts = {
            id(item)
            for value in (self.parameters, *self.__dict__.values())
            if isinstance(value, (tuple, list)) and len(value) == len(self.parameters)
            for item in value
        }
        others = {id(item): item for item in self._written() if id(item) not in parts}  # type: ignore[attr-defined]
        groups = [(group, torch._foreach_mul(group, 1)) for group in _by_kind(list(map(memory, others.values())))]
        yield
        if groups:
            is_done = ~drafts.flag
            found_inf = is_done.to(torch.float32).reshape(1)
            for targets, before in groups:
                _store_unless(is_done, found_inf, targets, before)
