"""Convolutions of ``mindspore.mint.nn``: torch's layers, initial values and names, as Cells."""

from __future__ import annotations

import math
from typing import Any

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.common.initializer import HeUniform, Uniform
from mindspore_compat.mint.nn import functional
from mindspore_compat.mint.nn._shared import each, parameter
from mindspore_compat.nn.cell import Cell

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d"]


class _Convolution(Cell):
    """Base of the convolutions. ``weight``: (out, in / groups, *kernel); ``bias``: (out,)."""

    _axes: int
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: Any = None,
        output_padding: Any = 0,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.groups = groups
        if in_channels % groups or out_channels % groups:
            raise ValueError(
                f"For '{owner}', 'in_channels' {in_channels} and 'out_channels' {out_channels} must be multiples of "
                f"'groups' {groups}."
            )
        modes = ("zeros",) if self.transposed else ("zeros", "reflect", "replicate", "circular")
        if padding_mode not in modes:
            raise ValueError(f"For '{owner}', the 'padding_mode' must be one of {list(modes)}, but got {padding_mode}.")
        axes = self._axes
        self.kernel_size, self.stride = each(kernel_size, axes), each(stride, axes)
        self.dilation, self.output_padding = each(dilation, axes), each(output_padding, axes)
        self.padding: Any = padding if isinstance(padding, str) else each(padding, axes)
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (first, second // groups, *self.kernel_size)
        self.weight = parameter(HeUniform(math.sqrt(5)), shape, dtype, "weight")
        self._reversed_padding = self._ends()  # Cells derived from MindSpore's layer read it
        bound = 1 / math.sqrt(math.prod(shape[1:]))
        self.bias = parameter(Uniform(bound), (out_channels,), dtype, "bias") if bias else None

    def construct(self, input: Any) -> Any:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._reversed_padding, self.padding_mode)
            padding = 0
        return getattr(self, f"conv{self._axes}d")(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def _ends(self) -> tuple[int, ...]:
        """Return the padding of both ends of each axis, the last one first."""
        if isinstance(self.padding, str):
            totals = [0 if self.padding == "valid" else d * (k - 1) for k, d in zip(self.kernel_size, self.dilation)]
            return tuple(end for total in reversed(totals) for end in (total // 2, total - total // 2))
        return tuple(size for size in reversed(self.padding) for _ in range(2))

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, groups={self.groups}, "
            f"bias={self.bias is not None}"
        )


def _convolution(axes: int) -> type:
    @arguments_of(_Convolution.__init__, without="output_padding")
    def __init__(self: Any, **given: Any) -> None:
        _Convolution.__init__(self, **given)

    doc = f"torch's ``Conv{axes}d``."
    name = f"conv{axes}d"  # MindSpore's layers keep their function, and Cells derived from them call it
    members = {"__init__": __init__, "_axes": axes, "__doc__": doc, name: staticmethod(getattr(functional, name))}
    return type(f"Conv{axes}d", (_Convolution,), members)


Conv1d, Conv2d, Conv3d = (_convolution(axes) for axes in (1, 2, 3))


class ConvTranspose2d(_Convolution):
    """torch's ``ConvTranspose2d``. ``weight``: (in, out / groups, *kernel)."""

    _axes, transposed = 2, True

    @arguments_of(_Convolution, dilation="bias", output_padding="padding")
    def __init__(self, dilation: Any = 1, output_padding: Any = 0, **given: Any) -> None:
        super().__init__(dilation=dilation, output_padding=output_padding, **given)

    def construct(self, input: Any, output_size: Any = None) -> Any:
        extra = self.output_padding
        if output_size is not None:
            sizes = tuple(input.shape[-2:])
            least = [
                (size - 1) * stride - 2 * pad + dilation * (kernel - 1) + 1
                for size, stride, pad, dilation, kernel in zip(
                    sizes, self.stride, self.padding, self.dilation, self.kernel_size
                )
            ]
            extra = tuple(wanted - size for wanted, size in zip(tuple(output_size)[-2:], least))
        return functional.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )
