"""Gradients of other operators as operators, where upstream shows them in ``mindspore.ops.auto_generate``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops._declare import Bool, plain, primitive

__all__ = "CdistGrad SoftmaxBackward TanhGrad TraceV2Grad UpsampleNearest3DGrad UpsampleTrilinear3DGrad".split()

_Run = Callable[..., Any]


def _tanh(y: Any, dy: Any) -> Any:
    """The gradient of tanh by its value ``y``: dy · (1 - y²)."""
    return wrap(dy * (1 - kernels.square(y)))


def _softmax(dout: Any, out: Any, dim: int = -1) -> Any:
    """The gradient of softmax by its value ``out``."""
    return wrap(out * (dout - torch.sum(dout * out, dim, keepdim=True)))


def _trace(dout: Any, shape: Any, offset: int = 0, axis1: int = 1, axis2: int = 0) -> Any:
    """The gradient of a sum over diagonals: ``dout`` on the diagonal of zeros in ``shape``."""
    diagonal = torch.diagonal(torch.zeros(as_ints(shape)), offset, axis1, axis2)
    spread = torch.Tensor.expand(torch.unsqueeze(dout, -1), tuple(diagonal.shape))
    zeros = torch.zeros(as_ints(shape), dtype=dout.dtype, device=dout.device)
    return wrap(torch.diagonal_scatter(zeros, spread, offset, axis1, axis2))


TanhGrad = plain("TanhGrad", _tanh)
SoftmaxBackward = plain("SoftmaxBackward", _softmax)
TraceV2Grad = plain("TraceV2Grad", _trace)


@primitive
def CdistGrad(p: float = 2.0) -> _Run:
    """The gradient of p-norm distances (…, n, m) by the first points, from their gradient, both points, and their
    values.
    """
    return lambda grad, input_x, input_y, cdist: wrap(
        torch.ops.aten._cdist_backward(grad.contiguous(), input_x.contiguous(), input_y.contiguous(), p, cdist)
    )


def _sizes(input_size: Any, output_size: Any, scales: Any) -> tuple[tuple[int, ...], tuple[int, ...], tuple]:
    """(the result's shape, the gradient's lengths, three factors or None)."""
    shape = as_ints(input_size)
    if output_size is not None:
        return shape, as_ints(output_size), (None, None, None)
    return shape, tuple(int(length * factor) for length, factor in zip(shape[2:], scales)), tuple(scales)


@primitive
def UpsampleNearest3DGrad() -> _Run:
    """The gradient of `UpsampleNearest3D` from that of its result (N, C, D, H, W): of ``input_size``."""

    def run(dy: Any, input_size: Any, output_size: Any = None, scales: Any = None) -> Any:
        shape, lengths, factors = _sizes(input_size, output_size, scales)
        return wrap(torch.ops.aten.upsample_nearest3d_backward(dy, lengths, shape, *factors))

    return run


@primitive
def UpsampleTrilinear3DGrad(align_corners: Bool = False) -> _Run:
    """The gradient of `UpsampleTrilinear3D` from that of its result (N, C, D, H, W): of ``input_size``."""

    def run(dy: Any, input_size: Any, output_size: Any = None, scales: Any = None) -> Any:
        shape, lengths, factors = _sizes(input_size, output_size, scales)
        return wrap(torch.ops.aten.upsample_trilinear3d_backward(dy, lengths, shape, align_corners, *factors))

    return run
