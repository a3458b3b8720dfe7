"""Pooling to a given size and its inverse: the part of ``mindspore.nn.layer.pooling`` without padding modes."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import sizes
from mindspore_compat.ops import function as F

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveMaxPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]

_nn = torch._C._nn


class _AdaptiveLine(Cell):
    """Pooling of (N, C, L) to ``output_size`` places, which must divide L."""

    def __init__(self, output_size: int) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveAvgPool1d(_AdaptiveLine):
    """Means over equal parts of (N, C, L)."""

    def construct(self, input: Any) -> Any:
        return kernels.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveLine):
    """Largest values over equal parts of (N, C, L)."""

    def construct(self, input: Any) -> Any:
        return torch.adaptive_max_pool1d(input, self.output_size)[0]


class _AdaptiveNd(Cell):
    _count = 2

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size
        self._sizes = self._checked(output_size)

    def _checked(self, output_size: Any) -> tuple[int | None, ...]:
        items = (
            (output_size,) * self._count if isinstance(output_size, int) or output_size is None else tuple(output_size)
        )
        if len(items) != self._count:
            raise ValueError(f"The 'output_size' must be an int or {self._count} of them, but got {output_size}.")
        return items

    def _resolved(self, x: Any, sizes: tuple[int | None, ...]) -> tuple[int, ...]:
        return tuple(size if wanted is None else wanted for wanted, size in zip(sizes, x.shape[-self._count :]))


class AdaptiveAvgPool2d(_AdaptiveNd):
    """Means over ``output_size`` parts of (N, C, H, W); None keeps an axis."""

    def construct(self, input: Any) -> Any:
        return kernels.adaptive_avg_pool2d(input, self._resolved(input, self._sizes))


class AdaptiveAvgPool3d(_AdaptiveNd):
    """Means over ``output_size`` parts of (N, C, D, H, W); None keeps an axis."""

    _count = 3

    def construct(self, input: Any) -> Any:
        return kernels.adaptive_avg_pool3d(input, self._resolved(input, self._sizes))


class AdaptiveMaxPool2d(_AdaptiveNd):
    """Largest values over ``output_size`` parts of (N, C, H, W), with their places if wanted."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def construct(self, input: Any) -> Any:
        sizes = self._checked(self.output_size)  # the only one of them whose size may be set later
        result = _nn.adaptive_max_pool2d(input, self._resolved(input, sizes))
        return tuple(result) if self.return_indices else result[0]


class AdaptiveMaxPool3d(_AdaptiveNd):
    """Largest values over ``output_size`` parts of (N, C, D, H, W), with their places if wanted."""

    _count = 3

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def construct(self, input: Any) -> Any:
        return F.adaptive_max_pool3d(input, self._resolved(input, self._sizes), self.return_indices)


class _Fractional(Cell):
    _count = 2
    _operator: Any = _nn.fractional_max_pool2d

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        if (output_size is None) == (output_ratio is None):
            raise ValueError(
                f"For '{type(self).__name__}', exactly one of 'output_size' and 'output_ratio' must be given, "
                f"but got output_size: {output_size}, output_ratio: {output_ratio}."
            )
        self.kernel_size, self.output_size, self.output_ratio = kernel_size, output_size, output_ratio
        self.return_indices = return_indices
        self._random_samples = _random_samples
        if output_ratio is not None:
            self._ratios = (output_ratio,) * self._count if isinstance(output_ratio, float) else tuple(output_ratio)

    def construct(self, input: Any) -> Any:
        owner, count = type(self).__name__, self._count
        size = (
            sizes(self.output_size, "output_size", owner, count)
            if self.output_size is not None
            else tuple(int(width * ratio) for width, ratio in zip(input.shape[-count:], self._ratios))
        )
        batch, samples = input if input.dim() == count + 2 else torch.unsqueeze(input, 0), self._random_samples
        if samples is None:
            samples = torch.rand(*batch.shape[:2], count, dtype=input.dtype, device=input.device)
        else:  # as torch asks
            samples = samples.to(input.dtype)
        found = type(self)._operator(batch, sizes(self.kernel_size, "kernel_size", owner, count), size, samples)
        if input.dim() == count + 1:
            found = tuple(torch.squeeze(item, 0) for item in found)
        return tuple(found) if self.return_indices else found[0]


class FractionalMaxPool2d(_Fractional):
    """Largest values of windows at pseudo-random places of (N, C, H, W); give ``output_size`` or ``output_ratio``."""


class FractionalMaxPool3d(_Fractional):
    """Largest values of windows at pseudo-random places of (N, C, D, H, W); give ``output_size`` or
    ``output_ratio``.
    """

    _count = 3
    _operator = _nn.fractional_max_pool3d


class _MaxUnpool(Cell):
    """Values back at the ``indices`` that max pooling returned, zeros elsewhere."""

    _count = 2

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride

    def construct(self, x: Any, indices: Any, output_size: Any = None) -> Any:
        owner, count = type(self).__name__, self._count
        kernel = sizes(self.kernel_size, "kernel_size", owner, count)
        stride = sizes(self.stride, "stride", owner, count, 0)
        padding = sizes(self.padding, "padding", owner, count, 0)
        stride = tuple(step or width for step, width in zip(stride, kernel))
        size = (
            tuple(output_size[-count:])
            if output_size
            else tuple(
                (places - 1) * step - 2 * pad + width
                for places, step, pad, width in zip(x.shape[-count:], stride, padding, kernel)
            )
        )
        lead = x.shape[:-count]
        flat = torch.zeros((*lead, int(torch.Size(size).numel())), dtype=x.dtype, device=x.device)
        filled = torch.scatter(flat, -1, torch.flatten(indices.to(torch.int64), -count), torch.flatten(x, -count))
        return torch.reshape(filled, (*lead, *size))


class MaxUnpool1d(_MaxUnpool):
    """The inverse of `MaxPool1d`: (N, C, L)."""

    _count = 1


class MaxUnpool2d(_MaxUnpool):
    """The inverse of `MaxPool2d`: (N, C, H, W)."""


class MaxUnpool3d(_MaxUnpool):
    """The inverse of `MaxPool3d`: (N, C, D, H, W)."""

    _count = 3
