"""Functions of ``mindspore.mint.nn.functional`` whose arguments differ from torch's of the same name."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from mindspore_compat._numerics import kernels
from mindspore_compat.ops.function import binary_cross_entropy as binary_cross_entropy_of_shares
from mindspore_compat.ops.function import nll_loss as nll_loss_of_weights
from mindspore_compat.ops.function import soft_margin_loss  # noqa: F401

_Base = torch._C.TensorBase


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    return functional.adaptive_avg_pool2d(input, output_size)  # it knows None, an axis's own size


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    return functional.adaptive_avg_pool3d(input, output_size)


def _constant(weight: Any) -> Any:
    """Return a weight of the loss, which has no gradient."""
    return weight.detach() if isinstance(weight, torch.Tensor) else weight


def binary_cross_entropy(input: Any, target: Any, weight: Any, reduction: str) -> Any:
    shares = input.detach()
    functional.binary_cross_entropy(shares, shares)  # torch's kernel refuses what is not in [0, 1], as MindSpore's
    return binary_cross_entropy_of_shares(input, target, weight, reduction)  # with MindSpore's cut at 1e-12


def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any, reduction: str, pos_weight: Any) -> Any:
    return functional.binary_cross_entropy_with_logits(
        input, target, _constant(weight), reduction=reduction, pos_weight=_constant(pos_weight)
    )


def cross_entropy(
    input: Any, target: Any, weight: Any, ignore_index: int, reduction: str, label_smoothing: float
) -> Any:
    if target.dtype.is_floating_point:
        ignore_index = -100  # a class: probabilities have none
    elif weight is not None and weight.requires_grad:
        logs = functional.log_softmax(input, 1 if input.dim() > 1 else 0)
        loss = nll_loss(logs, target, weight, ignore_index, reduction)
        if not label_smoothing:
            return loss
        smooth = nll_loss_of_weights(logs, target, weight, ignore_index, reduction, 1.0)
        return (1 - label_smoothing) * loss + label_smoothing * smooth
    target = _as_labels(target)
    return functional.cross_entropy(input, target, weight, None, ignore_index, None, reduction, label_smoothing)


def nll_loss(input: Any, target: Any, weight: Any, ignore_index: int, reduction: str) -> Any:
    return functional.nll_loss(input, _as_labels(target), _constant(weight), None, ignore_index, None, reduction)


def _as_labels(target: Any) -> Any:
    """Return labels of any integer type as int64, as torch needs."""
    return target.to(torch.int64) if target.dtype in (torch.int32, torch.int16, torch.int8, torch.uint8) else target


def one_hot(tensor: Any, num_classes: int) -> Any:
    return functional.one_hot(_as_labels(tensor), num_classes)


def grid_sample(input: Any, grid: Any, mode: str, padding_mode: str, align_corners: Any) -> Any:
    return functional.grid_sample(input, grid, mode, padding_mode, bool(align_corners))


def interpolate(
    input: Any, size: Any, scale_factor: Any, mode: str, align_corners: Any, recompute_scale_factor: Any
) -> Any:
    return kernels.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def softmax(input: Any, dim: Any, dtype: Any = None) -> Any:
    return functional.softmax(input, _axis(input, dim), dtype=dtype)


def log_softmax(input: Any, dim: Any, dtype: Any = None) -> Any:
    return functional.log_softmax(input, _axis(input, dim), dtype=dtype)


def _axis(input: Any, dim: Any) -> int:
    """Return the default axis, as in torch."""
    return dim if dim is not None else 0 if input.dim() in (0, 1, 3) else 1


def max_unpool2d(input: Any, indices: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any) -> Any:
    size = None if output_size is None else list(output_size)
    return functional.max_unpool2d(input, indices.to(torch.int64), kernel_size, stride, padding, size)


def relu(input: Any, inplace: bool) -> Any:
    return torch.relu_(input) if inplace else torch.relu(input)


def sigmoid_(input: Any) -> Any:
    return _Base.sigmoid_(input)


def upsample(input: Any, size: Any, scale_factor: Any, mode: str, align_corners: Any) -> Any:
    return kernels.interpolate(input, size, scale_factor, mode, align_corners)
