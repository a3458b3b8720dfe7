"""min(max(x, 0), 6) with upstream's derivative at 6: that is 1 there (and 0 at 0), torch's is 0."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._tracing import is_tracing

__all__ = ["relu6"]

_hardtanh = torch._C._nn.hardtanh
_backward = torch.ops.aten.hardtanh_backward.default
_is_grad_enabled = torch.is_grad_enabled
_are_transforms_active = torch._C._are_functorch_transforms_active


class _ReLU6(torch.autograd.Function):
    """torch's kernels; the backward one excludes both bounds, so it is told the next number above 6."""

    only_operators = True  # Python in its backward pass looks at no value

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:  # type: ignore[override]
        ctx.save_for_backward(x)
        return _hardtanh(x, 0.0, 6.0)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        return _backward(grad, x, 0.0, 6.0 + 4 * torch.finfo(x.dtype).eps)


def relu6(x: torch.Tensor) -> torch.Tensor:
    """min(max(x, 0), 6)."""
    if not (x.requires_grad and _is_grad_enabled()):
        return _hardtanh(x, 0.0, 6.0)
    if is_tracing() or _are_transforms_active():  # twice the kernels, but of torch's own
        return torch.clamp(torch.relu(x), max=6.0)
    return _ReLU6.apply(x)  # type: ignore[no-any-return]
