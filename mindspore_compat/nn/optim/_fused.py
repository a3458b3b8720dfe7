"""Momentum and Adam in one pass over the memory, by torch's fused kernels where the tensors allow it.

A fused kernel makes no temporaries, and changes nothing if a flag on the device is set (``found_inf``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._random.lazy_init import unmoved
from mindspore_compat.nn.optim._device import _FUSED_DTYPES, Number, add_scaled_, as_weight, fused_sgd_, in_single

_contiguous, _is_contiguous = torch._C.TensorBase.contiguous, torch._C.TensorBase.is_contiguous
_dtype, _device, _layout = (torch._C.TensorBase.__dict__[name].__get__ for name in ("dtype", "device", "layout"))
_NARROW = frozenset((torch.float16, torch.bfloat16))
_FUSED_DEVICES = frozenset(("cpu", "cuda"))


def check_nesterov(nesterov: bool, momentum: float, dampening: float) -> None:
    """Raise for Nesterov's momentum with dampening: it is defined without only."""
    if nesterov and (momentum <= 0.0 or dampening != 0.0):
        raise ValueError(
            "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, "
            f"but got 'momentum' {momentum}, 'dampening' {dampening}."
        )


def momentum_step(
    parameters: Sequence[Any],
    gradients: Sequence[Any],
    buffers: Sequence[Any],
    rate: Number,
    momentum: float,
    dampening: float = 0.0,
    nesterov: bool = False,
    decay: float = 0.0,
    found_inf: torch.Tensor | None = None,
) -> None:
    """Compute buffer = momentum·buffer + (1 - dampening)·g; p -= rate·buffer, or with Nesterov p -= rate·(g +
    momentum·buffer); in place.

    Callers check `is_fusible` first. ``decay``·p is added to g, and ``found_inf`` (float32, one element) skips the step
    where it is 1.
    """
    # the kernel takes no momentum of 0 beside a buffer, but a first step, which puts the gradient into the buffer
    if (momentum or not (dampening or nesterov)) and is_fusible(parameters, gradients, buffers):
        fused_sgd_(
            *(parameters, gradients, buffers, rate, momentum or 1.0, decay, dampening, nesterov),
            is_first_step=not momentum,
            found_inf=found_inf,
        )
        return
    if not _NARROW.isdisjoint(map(_dtype, parameters)):
        with in_single((list(parameters), list(buffers)), list(gradients)) as (values, sums, slopes):
            momentum_step(values, slopes, sums, rate, momentum, dampening, nesterov)
        return
    torch._foreach_mul_(buffers, momentum)
    torch._foreach_add_(buffers, gradients, alpha=1.0 - dampening)
    if nesterov:
        add_scaled_(parameters, gradients, -rate)
        add_scaled_(parameters, buffers, -rate * momentum)
    else:
        add_scaled_(parameters, buffers, -rate)


def stat_step(
    parameters: Sequence[Any],
    gradients: Sequence[Any],
    accums: Sequence[Any],
    stats: Sequence[Any],
    rate: Number,
    momentum: float,
    dampening: float,
    nesterov: bool,
) -> None:
    """Run `momentum_step`; where ``stats`` are 1, the gradients themselves become ``accums``. Then ``stats`` are 0."""
    torch._foreach_addcmul_(accums, accums, stats, -1.0)
    if dampening:
        scaled = list(torch._foreach_mul(gradients, 1.0 - dampening))
        torch._foreach_addcmul_(scaled, gradients, stats, dampening)
        gradients = scaled
    torch._foreach_zero_(stats)
    momentum_step(parameters, gradients, accums, rate, momentum, nesterov=nesterov)


def clear_first(accums: Sequence[Any], stats: Sequence[Any]) -> None:
    """Set ``accums`` and ``stats`` to 0 where ``stats`` hold 1. Without dampening, `momentum_step` then computes what
    `stat_step` computes.
    """
    with program.unrecorded():
        for accum, stat in zip(map(unmoved, accums), map(unmoved, stats)):
            if stat.any():
                accum.zero_()
                stat.zero_()


_ENDLESS = 1e9  # a count of steps at which torch's bias corrections are 1


def adam_step(
    parameters: Sequence[Any],
    gradients: Sequence[Any],
    means: Sequence[Any],
    squares: Sequence[Any],
    maxima: Sequence[Any],
    rate: Number,
    betas: tuple[float, float],
    epsilon: float,
    decay: float = 0.0,
    is_decoupled: bool = False,
    found_inf: torch.Tensor | None = None,
    step: torch.Tensor | None = None,
    maximize: bool = False,
) -> None:
    """m, v as usual; p -= rate·m/(sqrt(v) + epsilon), in place; with torch's bias correction for the count ``step``
    (float32, shape ()), without it for None.

    ``decay``·p is added to g, or if it is decoupled to what is multiplied by the rate. ``maxima`` are those of v, or
    empty. ``found_inf`` as in `momentum_step`.
    """
    if step is None:
        step = torch.full((), _ENDLESS, dtype=torch.float32, device=parameters[0].device)
    kernel = torch._fused_adamw_ if is_decoupled else torch._fused_adam_
    kernel(
        parameters,
        list(map(_contiguous, gradients)),
        means,
        squares,
        maxima,
        [step] * len(parameters),
        lr=as_weight(rate),
        beta1=betas[0],
        beta2=betas[1],
        weight_decay=decay,
        eps=epsilon,
        amsgrad=bool(maxima),
        maximize=maximize,
        found_inf=found_inf,
    )


def average_(
    means: Sequence[Any], values: Sequence[Any], keep: float, scratch: Sequence[Any], found_inf: torch.Tensor | None
) -> None:
    """Compute means = keep·means + (1 - keep)·values, in place, by the kernel of SGD with a rate of 0; `momentum_step`
    on ``found_inf``. ``scratch`` may lose its values; it may be ``values``.
    """
    fused_sgd_(scratch, values, means, 0.0, keep, dampening=keep, found_inf=found_inf)


def descend_(parameters: Sequence[Any], updates: Sequence[Any], rate: Number, found_inf: torch.Tensor | None) -> None:
    """Compute parameters -= rate·updates, in place, by the kernel of SGD; `momentum_step` on ``found_inf``."""
    fused_sgd_(parameters, updates, [], rate, found_inf=found_inf)


def is_fusible(parameters: Sequence[Any], gradients: Sequence[Any], *states: Sequence[Any]) -> bool:
    """Return whether torch's fused kernels accept them: one dtype, one device, dense, updated tensors without gaps."""
    updated = [*parameters, *(item for state in states for item in state)]
    everything = [*updated, *gradients]
    dtypes = set(map(_dtype, everything))
    if len(dtypes) > 1 or not dtypes <= _FUSED_DTYPES or not all(map(_is_contiguous, updated)):
        return False
    devices = set(map(_device, everything))
    return (
        len(devices) == 1 and devices.pop().type in _FUSED_DEVICES and set(map(_layout, gradients)) == {torch.strided}
    )
