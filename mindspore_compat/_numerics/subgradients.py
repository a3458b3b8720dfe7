"""Functions with MindSpore's derivatives at the points where they have none, which differ from torch's.

| | where | MindSpore | torch |
|---|---|---|---|
| leaky_relu | 0 | (1 + slope) / 2 | slope |
| hardtanh | its bounds | 1/2 | 0 |
| relu6 | 6 | 1 | 0 |
| hardswish | -3, 3 | -1/2, 3/2 | 0, 1 |
| clamp | its bounds | 1 | 1; since 2.14 0, at bounds that are tensors 1/2 |
| fmax, fmin of x and y | x = y | 1 by x, 0 by y | the same; since 2.14 1/2 by both |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._tensor.tracing import is_tracing

_aten = torch.ops.aten
_nn = torch._C._nn
_is_grad_enabled = torch.is_grad_enabled
_SHARES_BOUNDS = torch.__version__ >= (2, 14)
_is_batched = torch._C._functorch.is_legacy_batchedtensor  # by torch.autograd.grad(..., is_grads_batched=True)
_are_transforms_active = torch._C._are_functorch_transforms_active


class _Activation(NamedTuple):
    """Functions of x and its constants: the values, the derivative times ``grad``, and the values by operators that
    torch's transforms know, with the same derivative.
    """

    values: Callable[..., torch.Tensor]
    gradient: Callable[..., torch.Tensor]
    transformed: Callable[..., torch.Tensor]

    def __call__(self, x: torch.Tensor, *constants: float) -> torch.Tensor:
        if not (x.requires_grad and _is_grad_enabled()):
            return self.values(x, *constants)
        if is_tracing() or _are_transforms_active():
            return self.transformed(x, *constants)
        return _Differentiated.apply(x, self, constants)  # type: ignore[no-any-return]


class _Differentiated(torch.autograd.Function):
    """Autograd function with torch's kernels forward, MindSpore's derivative backward."""

    only_operators = True  # its backward reads no values in Python

    @staticmethod
    def forward(ctx: Any, x: Any, activation: _Activation, constants: tuple[float, ...]) -> Any:  # type: ignore[override]
        ctx.save_for_backward(x)
        ctx.activation, ctx.constants = activation, constants
        return activation.values(x, *constants)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        return ctx.activation.gradient(grad, x, *ctx.constants), None, None


def _next(bound: float, direction: int, dtype: torch.dtype) -> float:
    """Return the number of this dtype that follows ``bound``, upwards (1) or downwards (-1)."""
    numbers = torch.finfo(dtype)
    mantissa, exponent = math.frexp(abs(bound))
    if mantissa == 0:
        return direction * numbers.tiny * numbers.eps
    if numbers.bits == 16 and (2 * mantissa / numbers.eps) % 1:
        return bound  # kernels compare in float32: no number of this dtype is equal to it
    inwards = mantissa == 0.5 and direction * bound < 0  # from a power of two they are closer to each other
    return bound + direction * numbers.eps * 2.0 ** (exponent - (2 if inwards else 1))


def _leaky_relu_backward(grad: Any, x: Any, slope: float) -> Any:
    mean, distance = (1 + slope) / 2, abs(1 - slope)
    slopes = torch.sign(x.detach()).mul_(distance if slope <= 1 else -distance).add_(mean)
    slopes.clamp_(min(slope, 1), max(slope, 1))  # exactly 1 and the slope: both are well inside of what was added
    if _is_grad_enabled() or _is_batched(grad):
        return grad * slopes
    return slopes.mul_(grad)


def _leaky_relu_transformed(x: Any, slope: float) -> Any:
    return (torch.maximum if slope <= 1 else torch.minimum)(x, x * slope)  # share the gradient where they are equal


def _hardtanh_backward(grad: Any, x: Any, least: float, most: float) -> Any:
    without = _aten.hardtanh_backward(grad, x, least, most)
    within = _aten.hardtanh_backward(grad, x, _next(least, -1, x.dtype), _next(most, 1, x.dtype))
    return without.mul_(0.5).add_(within, alpha=0.5)  # without overflow


def _hardtanh_transformed(x: Any, least: float, most: float) -> Any:
    return torch.minimum(torch.maximum(x, torch.full_like(x, least)), torch.full_like(x, most))


def _relu6_backward(grad: Any, x: Any) -> Any:
    return _aten.hardtanh_backward(grad, x, 0.0, _next(6.0, 1, x.dtype))


def _hardswish_backward(grad: Any, x: Any) -> Any:
    within = torch.addcmul(grad * 0.5, grad, x, value=1 / 3)
    within = _aten.hardtanh_backward(within, x, _next(-3.0, -1, x.dtype), _next(3.0, 1, x.dtype))
    return within + _aten.threshold_backward(grad, x, 3.0)


def _is_differentiated(*values: Any) -> bool:
    return _is_grad_enabled() and any(isinstance(value, torch.Tensor) and value.requires_grad for value in values)


def hardsigmoid(x: torch.Tensor) -> torch.Tensor:
    """Return hardsigmoid, of which torch has no second derivative: inside of another one, by hardtanh."""
    return _nn.hardtanh(x + 3, 0, 6) / 6 if THREAD.running > 1 else _nn.hardsigmoid(x)


def clamp(x: torch.Tensor, min: Any = None, max: Any = None) -> torch.Tensor:
    """Return ``torch.clamp``."""
    if not (_SHARES_BOUNDS and _is_differentiated(x, min, max)):
        return torch.clamp(x, min, max)
    values = torch.clamp(*(item.detach() if isinstance(item, torch.Tensor) else item for item in (x, min, max)))
    inside = x >= min if max is None else x <= max if min is None else (x >= min) & (x <= max)
    result = torch.where(inside, x, values)
    if isinstance(min, torch.Tensor):
        result = torch.where(x < min if max is None else (x < min) & (min < max), min, result)
    if isinstance(max, torch.Tensor):
        result = torch.where(x > max if min is None else (x > max) | (max < min), max, result)
    return result


def _whole_to_first(kernel: Callable[..., Any], is_first: Callable[..., Any]) -> Callable[..., torch.Tensor]:
    """Return the kernel; of equal elements the first takes the whole gradient."""
    return lambda x, y: (
        torch.where(is_first(x, y) | torch.isnan(y), x, y)
        if _SHARES_BOUNDS and _is_differentiated(x, y)
        else kernel(x, y)
    )


fmax, fmin = _whole_to_first(torch.fmax, torch.ge), _whole_to_first(torch.fmin, torch.le)


leaky_relu = _Activation(_nn.leaky_relu, _leaky_relu_backward, _leaky_relu_transformed)
hardtanh = _Activation(_nn.hardtanh, _hardtanh_backward, _hardtanh_transformed)
relu6 = _Activation(lambda x: _nn.hardtanh(x, 0.0, 6.0), _relu6_backward, lambda x: clamp(torch.relu(x), max=6.0))
hardswish = _Activation(_nn.hardswish, _hardswish_backward, lambda x: x * clamp(x / 6 + 0.5, 0, 1))
