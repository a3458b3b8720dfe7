"""Convolutions. MindSpore: ``mindspore.nn.layer.conv``.

Weights have the layout (out, in / group, *kernel). Transposed ones have (in, out / group, *kernel), those of Conv2d
with NHWC (out, *kernel, in / group). The 1-D layers keep MindSpore's 2-D weights with a kernel of (1, k), for
checkpoints.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._api.validate import check_str_in
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.conv import in_fast_order
from mindspore_compat.common.initializer import HeUniform, Uniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import fixed_same_padding, pad_same, sizes, split_padding

__all__ = ["Conv2d", "Conv2dTranspose", "Conv1d", "Conv1dTranspose", "Conv3d", "Conv3dTranspose"]

_MODES = ("same", "valid", "pad")


def _check_input_3d(input_shape: Sequence[int], op_name: str = "Conv1d", axes: int = 3) -> None:
    """Raise ValueError unless the shape has this number of axes; programs import it."""
    if len(input_shape) != axes:
        raise ValueError(f"For '{op_name}', the dimension of input must be {axes}d, but got {len(input_shape)}.")


_check_input_5dims = functools.partial(_check_input_3d, axes=5)


def _deconv_output_length(
    is_valid: bool,
    is_same: bool,
    is_pad: bool,
    input_length: int,
    filter_size: int,
    stride_size: int,
    dilation_size: int,
    padding: int,
) -> int:
    """Return the length of an axis after a transposed convolution; MindNLP (`mindnlp/injection.py`) imports it."""
    beyond = filter_size + (filter_size - 1) * (dilation_size - 1) - stride_size
    rest = max(beyond, 0) if is_valid else beyond - padding if is_pad else 0
    return input_length * stride_size + rest


class _Conv(Cell):
    """Arguments, weight and bias of all convolutions. A class of a program that derives from it (MindNLP, `_count` 0)
    computes by operators of its own, over any number of axes.
    """

    _count = 0
    _formats: tuple[str, ...] = ("NCHW",)
    _operator: Any
    _skip = 0  # leading kernel axes that MindSpore has and torch does not
    _transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        transposed: bool = False,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.in_channels = in_channels
        self.out_channels = out_channels
        (self._groups,) = sizes(group, "group", owner, 1)
        self.group = group  # as the sizes: fixed from here on
        self.has_bias = has_bias
        check_str_in(data_format, "data_format", self._formats, owner)
        self.kernel_size = kernel_size = self._axes(kernel_size, "kernel_size")
        self.stride, self.dilation = self._axes(stride, "stride"), self._axes(dilation, "dilation")
        self.pad_mode = check_str_in(pad_mode, "pad_mode", _MODES, owner)
        self.padding, self.data_format, self.format = padding, data_format, data_format
        self._pairs = self._checked_padding(padding) if self._count else []
        shape = (
            (in_channels, out_channels // group, *kernel_size)
            if transposed or self._transposed
            else (out_channels, *kernel_size, in_channels // group)
            if data_format == "NHWC"
            else (out_channels, in_channels // group, *kernel_size)
        )
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.bias, self.bias_init = None, bias_init
        if has_bias:
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
            self.bias = Parameter(initializer(self.bias_init, (out_channels,), dtype), name="bias")

    def _axes(self, value: Any, name: str) -> tuple[int, ...]:
        if not self._count:
            return value
        wrong_length = TypeError if self._count == 2 else ValueError
        return sizes(value, name, type(self).__name__, self._count, wrong_length=wrong_length)

    def _checked_padding(self, padding: Any) -> list[tuple[int, int]]:
        """Return (before, after) for each kernel axis."""
        owner, count = type(self).__name__, 2 * len(self.kernel_size)
        flat = sizes(padding, "padding", owner, count, low=0)
        if self.pad_mode != "pad" and any(flat):
            raise ValueError(
                f"For '{owner}', the 'padding' must be zero when 'pad_mode' is not 'pad', but got 'padding': {padding} "
                f"and 'pad_mode': {self.pad_mode!r}. Set pad_mode='pad'."
            )
        return list(zip(flat[::2], flat[1::2]))

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


def _line_init(weight_init: Any) -> Any:
    """Return a 3-axis Tensor for the weight of a 1-D layer, in the 2-D layout."""
    if not isinstance(weight_init, torch.Tensor):
        return weight_init
    return torch.unsqueeze(weight_init, 2)


class _Forward(_Conv):
    """Convolution; `_spatial` picks the axes for torch's operator."""

    _count, _operator = 2, kernels.conv2d

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        skip = self._skip
        self._geometry = (self.kernel_size[skip:], self.stride[skip:], self.dilation[skip:])
        self._fixed: tuple[int, ...] | None = None
        if self.pad_mode == "same":
            self._fixed = fixed_same_padding(*self._geometry)
        elif all(before == after for before, after in self._pairs):
            self._fixed = tuple(before for before, _ in self._pairs[skip:])

    def _padded(self, x: Any) -> tuple[Any, tuple[int, ...]]:
        if self.pad_mode == "same":
            return pad_same(x, *self._geometry)
        return split_padding(x, self._pairs[self._skip :])

    def construct(self, x: Any) -> Any:
        return self._convolve(x, self.weight, self.bias if self.has_bias else None)

    def _convolve(self, x: Any, weight: Any, bias: Any) -> Any:
        padding = self._fixed
        if padding is None:
            x, padding = self._padded(x)
        _, stride, dilation = self._geometry
        return kernels.convolved(type(self)._operator, x, weight, bias, stride, padding, dilation, self._groups)


class Conv2d(_Forward):
    """2-D convolution over (N, C, H, W), or (N, H, W, C) with ``data_format="NHWC"`` (on every device).

    Args:
        pad_mode: "same" (default), "valid", or "pad" with ``padding``: an int, or (top, bottom, left, right).

    Examples:
        >>> print(nn.Conv2d(3, 8, kernel_size=3, stride=2)(ops.ones((1, 3, 32, 32))).shape)
        (1, 8, 16, 16)
    """

    _formats = ("NCHW", "NHWC")

    @arguments_of(_Conv, without="transposed")
    def __init__(self, in_channels: int, out_channels: int, **given: Any) -> None:
        super().__init__(in_channels, out_channels, **given)
        self._channels = min(in_channels, out_channels)

    def construct(self, x: Any) -> Any:
        bias = self.bias if self.has_bias else None
        if self.data_format == "NCHW":
            return self._convolve(in_fast_order(x, self._channels), self.weight, bias)
        return torch.permute(
            self._convolve(torch.permute(x, (0, 3, 1, 2)), torch.permute(self.weight, (0, 3, 1, 2)), bias), (0, 2, 3, 1)
        )


class _Line(_Conv):
    """The arguments of convolutions over (N, C, L), as those over (N, C, 1, L)."""

    _skip = 1

    @arguments_of(_Conv, without="data_format transposed")
    def __init__(
        self,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        weight_init: Any = None,
        **given: Any,
    ) -> None:
        super().__init__(
            kernel_size=(1, kernel_size),
            stride=(1, stride),
            padding=(0, 0, padding, padding),
            dilation=(1, dilation),
            weight_init=_line_init(weight_init),
            **given,
        )


class Conv1d(_Line, _Forward):
    """1-D convolution over (N, C, L). ``weight`` has shape (out, in / group, 1, k), as MindSpore's."""

    _operator = kernels.conv1d

    def construct(self, x: Any) -> Any:
        return self._convolve(x, torch.squeeze(self.weight, 2), self.bias if self.has_bias else None)


class Conv3d(_Forward):
    """3-D convolution over (N, C, D, H, W); ``padding`` is an int or (head, tail, top, bottom, left, right)."""

    _operator = kernels.conv3d
    _count, _formats = 3, ("NCDHW",)

    @arguments_of(_Conv, without="transposed")
    def __init__(self, data_format: str = "NCDHW", **given: Any) -> None:
        super().__init__(data_format=data_format, **given)


class _Transposed(_Conv):
    """Gradient of a convolution with respect to its input, as a layer.

    Output places along an axis of n: "same" n·stride; "valid" (n - 1)·stride + reach, at least n·stride; "pad" the
    former minus the padding, where reach = dilation·(kernel - 1) + 1.
    """

    _count, _operator = 2, kernels.conv_transpose2d
    _transposed = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        skip = self._skip
        self._steps, self._gaps = self.stride[skip:], self.dilation[skip:]
        reach = [gap * (width - 1) + 1 for width, gap in zip(self.kernel_size, self.dilation)]
        pairs = self._pairs
        if self.pad_mode == "same":
            totals = [max(width - step, 0) for width, step in zip(reach, self.stride)]
            pairs = [(total // 2, total - total // 2) for total in totals]
        # torch takes off the same number at both ends; what one end has more is cut off afterwards.
        self._both = tuple(min(pair) for pair in pairs[skip:])
        self._cuts = [(before - both, after - both) for (before, after), both in zip(pairs[skip:], self._both)]
        short = [max(step - width, 0) if self.pad_mode != "pad" else 0 for width, step in zip(reach, self.stride)]
        self._missing = tuple(short[skip:])

    def _convolve(self, x: Any, weight: Any) -> Any:
        bias = self.bias if self.has_bias else None
        y = kernels.convolved(
            type(self)._operator, x, weight, bias, self._steps, self._both, self._missing, self._groups, self._gaps
        )
        for axis, (before, after) in enumerate(self._cuts, y.dim() - len(self._cuts)):
            if before or after:
                y = torch.narrow(y, axis, before, y.shape[axis] - before - after)
        return y

    def construct(self, x: Any) -> Any:
        return self._convolve(x, self.weight)


class Conv2dTranspose(_Transposed):
    """2-D transposed convolution over (N, C, H, W).

    ``output_padding`` (with pad_mode "pad" only) appends rows and columns of zeros, as MindSpore; torch computes them.

    Examples:
        >>> print(nn.Conv2dTranspose(3, 8, kernel_size=4, stride=2)(ops.ones((1, 3, 16, 16))).shape)
        (1, 8, 32, 32)
    """

    @arguments_of(_Conv, without="data_format transposed", output_padding="padding")
    def __init__(self, pad_mode: str = "same", output_padding: Any = 0, **given: Any) -> None:
        super().__init__(pad_mode=pad_mode, **given)
        owner = type(self).__name__
        self.output_padding = output_padding
        self._appended = sizes(output_padding, "output_padding", owner, 2, low=0)
        if any(self._appended) and pad_mode != "pad":
            raise ValueError(
                f"For '{owner}', when 'output_padding' is not zero, 'pad_mode' must be 'pad', but got {pad_mode!r}."
            )

    def construct(self, x: Any) -> Any:
        y = self._convolve(x, self.weight)
        if any(self._appended):
            y = torch._C._nn.pad(y, (0, self._appended[1], 0, self._appended[0]))
        return y


class Conv1dTranspose(_Line, _Transposed):
    """1-D transposed convolution over (N, C, L). ``weight`` has shape (in, out / group, 1, k), as MindSpore's."""

    _operator = kernels.conv_transpose1d

    def construct(self, x: Any) -> Any:
        _check_input_3d(x.shape, "Conv1dTranspose")
        return self._convolve(x, torch.squeeze(self.weight, 2))


class Conv3dTranspose(_Transposed):
    """3-D transposed convolution over (N, C, D, H, W); ``output_padding`` (pad_mode "pad" only) enlarges the output as
    torch's does.
    """

    _operator = kernels.conv_transpose3d
    _count, _formats = 3, ("NCDHW",)

    @arguments_of(_Conv, without="transposed", output_padding="group")
    def __init__(
        self, pad_mode: str = "same", output_padding: Any = 0, data_format: str = "NCDHW", **given: Any
    ) -> None:
        super().__init__(pad_mode=pad_mode, data_format=data_format, **given)
        owner = type(self).__name__
        self.output_padding = sizes(output_padding, "output_padding", owner, 3, low=0)
        if any(self.output_padding):
            if pad_mode != "pad":
                raise ValueError(
                    f"For '{owner}', the 'output_padding' must be zero when 'pad_mode' is not 'pad', but got "
                    f"{output_padding}."
                )
            self._missing = self.output_padding
