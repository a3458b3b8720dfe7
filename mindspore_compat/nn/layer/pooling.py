"""Pooling layers. MindSpore: ``mindspore.nn.layer.pooling``. All take inputs with or without the batch axis."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._api.validate import check_str_in
from mindspore_compat._numerics import kernels
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import fixed_same_padding, pad_same, sizes
from mindspore_compat.ops import function as F

__all__ = [
    "AvgPool3d",
    "MaxPool3d",
    "AvgPool2d",
    "MaxPool2d",
    "AvgPool1d",
    "MaxPool1d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "AdaptiveAvgPool1d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "LPPool1d",
    "LPPool2d",
    "AvgPool1dExt",
    "AvgPool2dExt",
    "AvgPool3dExt",
    "MaxPool2dExt",
]


_nn = torch._C._nn


class _AdaptiveLine(Cell):
    """Pooling of (N, C, L) to ``output_size`` places, which must divide L."""

    def __init__(self, output_size: int) -> None:
        super().__init__()
        (self.output_size,) = sizes(output_size, "output_size", type(self).__name__, 1)


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
    """Largest values of windows at random places of (N, C, D, H, W); give ``output_size`` or ``output_ratio``."""

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


class LPPool1d(Cell):
    """(sum of x ** norm_type over each window) ** (1 / norm_type), over (N, C, L)."""

    def __init__(self, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = float(norm_type)
        self.kernel_size, self.stride, self.ceil_mode = kernel_size, stride, ceil_mode

    def construct(self, x: Any) -> Any:
        stride = self.kernel_size if self.stride is None else self.stride
        mean = torch.avg_pool1d(kernels.pow(x, self.norm_type), self.kernel_size, stride, 0, self.ceil_mode)
        return _norm_root(mean, self.kernel_size, self.norm_type)


class LPPool2d(Cell):
    """(sum of x ** norm_type over each window) ** (1 / norm_type), over (N, C, H, W)."""

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = float(norm_type)
        self.kernel_size, self.stride, self.ceil_mode = kernel_size, stride, ceil_mode
        sizes(kernel_size, "kernel_size", "LPPool2d", 2)

    def construct(self, x: Any) -> Any:
        kernel = sizes(self.kernel_size, "kernel_size", "LPPool2d", 2)
        stride = kernel if self.stride is None else self.stride
        mean = _nn.avg_pool2d(kernels.pow(x, self.norm_type), kernel, stride, 0, self.ceil_mode)
        return _norm_root(mean, kernel[0] * kernel[1], self.norm_type)


def _norm_root(mean: Any, places: int, norm_type: float) -> Any:
    return kernels.pow(torch.mul(torch.mul(torch.sign(mean), torch.relu(torch.abs(mean))), places), 1.0 / norm_type)


class _PoolNd(Cell):
    """Windows of ``kernel_size`` every ``stride`` places; pad_mode "valid" (default), "same" or "pad" with ``padding``
    at both ends.
    """

    _count = 2

    def __init__(
        self, kernel_size: Any, stride: Any, pad_mode: str, padding: Any, ceil_mode: bool, data_format: str = "NCHW"
    ) -> None:
        super().__init__()
        owner, count = type(self).__name__, self._count
        if isinstance(padding, str):  # the fourth argument before 2.0
            padding, data_format = 0, padding
        self.pad_mode = check_str_in(pad_mode.upper(), "pad_mode", ("VALID", "SAME", "PAD"), owner)
        self.format = check_str_in(data_format, "data_format", ("NCHW", "NHWC"), owner)
        self.kernel_size, self.stride = kernel_size, stride
        self._kernel, self._stride = (
            self._sizes(value, name) for value, name in ((kernel_size, "kernel_size"), (stride, "stride"))
        )
        self.padding, self.ceil_mode = padding, ceil_mode
        self._padding = self._sizes(padding, "padding", low=0)
        if self.pad_mode != "PAD" and any(self._padding):
            raise ValueError(
                f"For '{owner}', the 'padding' must be zero when 'pad_mode' is not 'pad', but got 'padding': {padding} "
                f"and 'pad_mode': {pad_mode!r}. Set pad_mode='pad'."
            )
        if self.pad_mode == "SAME":
            fixed = fixed_same_padding(self._kernel, self._stride, (1,) * count)
            self._fixed = (
                fixed
                if fixed is not None and all(2 * pad <= width for pad, width in zip(fixed, self._kernel))
                else None
            )
        else:
            self._fixed = self._padding

    def _sizes(self, value: Any, name: str, low: int = 1) -> tuple[int, ...]:
        if isinstance(value, (tuple, list)) and len(value) == 1:
            value = value[0]
        return sizes(value, name, type(self).__name__, self._count, low)

    def construct(self, x: Any) -> Any:
        if self.format == "NHWC":
            return torch.permute(self._pool(torch.permute(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._pool(x)

    def _pool(self, x: Any) -> Any:
        raise NotImplementedError

    #: axes of size 1 that MindSpore puts before that of a 1-d window and prints
    _axes_before = {"VALID": 1, "SAME": 1, "PAD": 0}

    def extend_repr(self) -> str:
        kernel, stride = self.kernel_size, self.stride
        before = (1,) * self._axes_before[self.pad_mode] if self._count == 1 else ()
        if before:
            kernel, stride = (*before, kernel), (*before, stride)
        return f"kernel_size={kernel}, stride={stride}, pad_mode={self.pad_mode}"


class _MaxPool(_PoolNd):
    """Largest value of each window; padding counts as -inf. Dilation, ceil_mode, indices come with pad_mode "pad"."""

    _operator: Any = torch.max_pool2d
    _with_indices: Any = _nn.max_pool2d_with_indices

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        owner = type(self).__name__
        self._dilation = self._sizes(dilation, "dilation")
        self.return_indices = return_indices
        if self.pad_mode != "PAD" and (any(item != 1 for item in self._dilation) or return_indices or ceil_mode):
            raise ValueError(
                f"For '{owner}', the parameter 'padding', 'dilation', 'return_indices', 'ceil_mode' cannot be set to "
                f"non-default value when pad_mode is not 'pad', but got pad_mode:{pad_mode}."
            )
        if self.pad_mode == "PAD" and data_format == "NHWC":
            raise ValueError(f"For '{owner}', the 'NHWC' format is not supported when 'pad_mode' is 'pad'.")

    def _pool(self, x: Any) -> Any:
        padding = self._fixed
        if padding is None:
            x, padding = pad_same(x, self._kernel, self._stride, self._dilation, float("-inf"))
        gives_indices = self.return_indices and self.pad_mode == "PAD"
        operator = type(self)._with_indices if gives_indices else type(self)._operator
        return operator(x, self._kernel, self._stride, padding, self._dilation, self.ceil_mode)


class MaxPool2d(_MaxPool):
    """Largest value of each window of (N, C, H, W); with ``return_indices`` also its place, counted over H·W.

    Examples:
        >>> x = Tensor(np.arange(16).reshape(1, 1, 4, 4), ms.float32)
        >>> print(nn.MaxPool2d(kernel_size=2, stride=2)(x))
        [[[[ 5.  7.]
           [13. 15.]]]]
    """


class _ChannelsFirst(_MaxPool):
    """Pooling without ``data_format``."""

    @arguments_of(_MaxPool, without="data_format")
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)


class MaxPool1d(_ChannelsFirst):
    """Largest value of each window of (N, C, L)."""

    _count = 1
    _axes_before = {"VALID": 1, "SAME": 1, "PAD": 2}
    _operator = torch.max_pool1d
    _with_indices = torch.max_pool1d_with_indices


class MaxPool3d(_ChannelsFirst):
    """Largest value of each window of (N, C, D, H, W)."""

    _count = 3
    _operator = torch.max_pool3d
    _with_indices = _nn.max_pool3d_with_indices


class _AvgPool(_PoolNd):
    """Mean of each window. Padding counts unless ``count_include_pad`` is False; in mode "same" only in 3-D or with
    ``ceil_mode`` or ``divisor_override``.
    """

    _operator: Any = _nn.avg_pool2d

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override
        plain = self._count < 3 and self.pad_mode == "SAME" and not ceil_mode and divisor_override is None
        self._counted = count_include_pad and not plain

    def _pool(self, x: Any) -> Any:
        if self._fixed is None:
            return self._same(x)
        rest = () if self._count == 1 else (self.divisor_override,)
        return type(self)._operator(x, self._kernel, self._stride, self._fixed, self.ceil_mode, self._counted, *rest)

    def _same(self, x: Any) -> Any:
        """Pool in mode "same": sums over the padded input by the numbers of real places (or of all)."""
        count = self._count
        padded, padding = pad_same(x, self._kernel, self._stride, (1,) * count)
        means = type(self)._operator(padded, self._kernel, self._stride, padding, False, True)
        if self.divisor_override:
            return torch.mul(means, math.prod(self._kernel) / self.divisor_override)
        if self._counted:
            return means
        ones, padding = pad_same(
            torch.ones((1, 1, *x.shape[-count:]), dtype=x.dtype, device=x.device),
            self._kernel,
            self._stride,
            (1,) * count,
        )
        share = type(self)._operator(ones, self._kernel, self._stride, padding, False, True)
        return torch.div(means, share if x.dim() == count + 2 else share[0])


class AvgPool2d(_AvgPool):
    """Mean of each window of (N, C, H, W).

    Examples:
        >>> x = Tensor(np.arange(16).reshape(1, 1, 4, 4), ms.float32)
        >>> print(nn.AvgPool2d(kernel_size=2, stride=2)(x))
        [[[[ 2.5  4.5]
           [10.5 12.5]]]]
    """


class AvgPool1d(_AvgPool):
    """Mean of each window of (N, C, L)."""

    _count = 1
    _operator = torch.avg_pool1d

    @arguments_of(_AvgPool, without="divisor_override data_format")
    def __init__(self, kernel_size: int = 1, stride: int = 1, **given: Any) -> None:
        super().__init__(kernel_size, stride, **given)

    def _pool(self, x: Any) -> Any:
        first = x[..., : self._kernel[0]]
        if self.pad_mode == "SAME" and not self._counted and x.shape[-1] < self._kernel[0] + self._stride[0]:
            return torch.mean(first, -1, keepdim=True)  # as MindSpore, which pads no input of a single window
        return super()._pool(x)


class AvgPool3d(_AvgPool):
    """Mean of each window of (N, C, D, H, W)."""

    _count = 3
    _operator = kernels.avg_pool3d

    @arguments_of(_AvgPool, without="data_format")
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)


class MaxPool2dExt(Cell):
    """`MaxPool2d` with the arguments of ``mint.nn.MaxPool2d``: the stride defaults to the kernel size."""

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.return_indices, self.ceil_mode = padding, dilation, return_indices, ceil_mode

    def construct(self, input: Any) -> Any:
        operator = _nn.max_pool2d_with_indices if self.return_indices else torch.max_pool2d
        return operator(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class AvgPool1dExt(Cell):
    """`AvgPool1d` with the arguments of ``mint.nn.AvgPool1d``: the stride defaults to the kernel size."""

    _operator: Any = torch.avg_pool1d

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad

    def construct(self, input: Any) -> Any:
        return type(self)._operator(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class AvgPool2dExt(AvgPool1dExt):
    """`AvgPool2d` with the arguments of ``mint.nn.AvgPool2d``."""

    _operator = _nn.avg_pool2d

    @arguments_of(AvgPool1dExt, divisor_override="count_include_pad")
    def __init__(self, divisor_override: int | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.divisor_override = divisor_override

    def construct(self, input: Any) -> Any:
        return type(self)._operator(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3dExt(AvgPool2dExt):
    """`AvgPool3d` with the arguments of ``mint.nn.AvgPool3d``."""

    _operator = kernels.avg_pool3d
