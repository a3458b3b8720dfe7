"""Normalization layers of ``mindspore.mint.nn``: torch's, as Cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.communication._collectives import all_reduce
from mindspore_compat.communication._groups import find
from mindspore_compat.mint.nn import functional
from mindspore_compat.mint.nn._shared import parameter
from mindspore_compat.nn.cell import Cell

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "SyncBatchNorm"]


class _BatchNorm(Cell):
    """torch's batch norm: ``momentum`` is the share of the new batch; None averages over all batches."""

    _ndims: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps, self.momentum, self.affine = eps, momentum, affine
        self.track_running_stats = track_running_stats
        shape = (num_features,)
        self.weight = parameter("ones", shape, dtype, "weight") if affine else None
        self.bias = parameter("zeros", shape, dtype, "bias") if affine else None
        tracks = track_running_stats
        self.running_mean = parameter("zeros", shape, dtype, "running_mean", False) if tracks else None
        self.running_var = parameter("ones", shape, dtype, "running_var", False) if tracks else None
        count = Parameter(Tensor(0, torch.int64), name="num_batches_tracked", requires_grad=False)
        self.num_batches_tracked = count if tracks else None

    def construct(self, input: Any) -> Any:
        if input.dim() not in self._ndims:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have {' or '.join(map(str, self._ndims))} axes, but got "
                f"{input.dim()}."
            )
        uses_batch = self.training or not self.track_running_stats
        share = self.momentum or 0.0
        if self.training and self.track_running_stats:
            with torch.no_grad():
                torch._C.TensorBase.add_(self.num_batches_tracked, 1)
            if self.momentum is None:
                share = 1.0 / float(self.num_batches_tracked)  # type: ignore[arg-type]
        return self._normalized(input, uses_batch, share)

    def _normalized(self, input: Any, uses_batch: bool, share: float) -> Any:
        # a program may have put Parameters in their places; what is moved has no derivative
        mean, var = (item if item is None else item.detach() for item in (self.running_mean, self.running_var))
        return functional.batch_norm(input, mean, var, self.weight, self.bias, uses_batch, share, self.eps)

    def reset_running_stats(self) -> None:
        """Reset the averages: mean 0, variance 1, no batch seen."""
        for item, value in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
            if item is not None:
                item.set_data(Tensor(np.full(tuple(item.shape), value), item.dtype))

    def reset_parameters(self) -> None:
        """Reset to the initial state: without averages, weight 1, bias 0."""
        self.reset_running_stats()
        for item, value in ((self.weight, 1), (self.bias, 0)):
            if item is not None:
                item.set_data(Tensor(np.full(tuple(item.shape), value), item.dtype))

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """torch's ``BatchNorm1d``: input (N, C) or (N, C, L)."""

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """torch's ``BatchNorm2d``: input (N, C, H, W)."""

    _ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """torch's ``BatchNorm3d``: input (N, C, D, H, W)."""

    _ndims = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch norm over the batches of all processes of ``process_group`` (a group's name)."""

    _ndims = (2, 3, 4, 5)

    @arguments_of(_BatchNorm, process_group="track_running_stats")
    def __init__(self, process_group: str | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.process_group = process_group or "hccl_world_group"

    def _normalized(self, input: Any, uses_batch: bool, share: float) -> Any:
        group = find(self.process_group)
        if not uses_batch or len(group.ranks) == 1:
            return super()._normalized(input, uses_batch, share)
        axes = [axis for axis in range(input.dim()) if axis != 1]
        values = input.to(torch.float32)
        size = torch.full((1,), input.numel() / input.shape[1], device=input.device)
        total = all_reduce(torch.cat([values.sum(axes), (values * values).sum(axes), size]), "sum", group)
        number, count = total[-1], self.num_features
        mean = total[:count] / number
        variance = total[count:-1] / number - mean * mean
        if self.training and self.track_running_stats:
            unbiased = variance * number / (number - 1)
            with torch.no_grad():
                averages: Any = (self.running_mean, self.running_var)
                for average, new in zip(averages, (mean, unbiased)):
                    torch._C.TensorBase.lerp_(average, new.detach().to(average.dtype), share)
        shape = [1, count] + [1] * (input.dim() - 2)
        scale = torch.rsqrt(variance + self.eps)
        scale = scale if self.weight is None else scale * self.weight
        shift = -mean * scale if self.bias is None else self.bias - mean * scale
        return wrap((values * scale.reshape(shape) + shift.reshape(shape)).to(input.dtype))


class GroupNorm(Cell):
    """torch's ``GroupNorm``."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-05, affine: bool = True, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps, self.affine = eps, affine
        self.weight = Parameter(initializer("ones", (num_channels,), dtype or torch.float32), "weight", affine)
        self.bias = Parameter(initializer("zeros", (num_channels,), dtype or torch.float32), "bias", affine)

    def construct(self, input: Any) -> Any:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}, affine={self.affine}"
