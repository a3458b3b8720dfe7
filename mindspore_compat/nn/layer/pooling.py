"""Pooling layers. Upstream: ``mindspore.nn.layer.pooling``."""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.conv import pair, same_padding

__all__ = ["MaxPool2d", "AvgPool2d"]


class _Pool2d(Cell):
    def __init__(self, kernel_size: Any = 1, stride: Any = 1, pad_mode: str = "valid", padding: Any = 0, data_format: str = "NCHW") -> None:
        super().__init__()
        where = type(self).__name__
        self._kernel, self._stride = pair(kernel_size, "kernel_size", where), pair(stride, "stride", where)
        self.kernel_size, self.stride = kernel_size, stride
        if pad_mode.upper() not in ("SAME", "VALID", "PAD"):
            raise ValueError(f"For '{where}', the 'pad_mode' must be one of 'same', 'valid', 'pad', but got {pad_mode!r}.")
        self.pad_mode, self.padding, self.data_format = pad_mode.upper(), padding, data_format

    def _pads(self, x: Any) -> tuple[int, int, int, int]:
        """(left, right, top, bottom)."""
        if self.pad_mode == "VALID":
            return 0, 0, 0, 0
        if self.pad_mode == "SAME":
            top, bottom = same_padding(x.shape[-2], self._kernel[0], self._stride[0], 1)
            left, right = same_padding(x.shape[-1], self._kernel[1], self._stride[1], 1)
            return left, right, top, bottom
        rows, columns = (self.padding, self.padding) if isinstance(self.padding, int) else self.padding
        return columns, columns, rows, rows

    def construct(self, x: Any) -> Any:
        if self.data_format == "NHWC":
            return torch.permute(self._pool(torch.permute(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._pool(x)

    def _pool(self, x: Any) -> Any:
        raise NotImplementedError

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class MaxPool2d(_Pool2d):
    """Largest value of each window; padding counts as -inf."""

    def _pool(self, x: Any) -> Any:
        pads = self._pads(x)
        if any(pads):
            x = torch._C._nn.pad(x, pads, value=float("-inf"))
        return torch.max_pool2d(x, self._kernel, self._stride)


class AvgPool2d(_Pool2d):
    """Mean of each window; "same" padding does not count."""

    def _pool(self, x: Any) -> Any:
        left, right, top, bottom = self._pads(x)
        if left == right and top == bottom:
            return torch._C._nn.avg_pool2d(x, self._kernel, self._stride, (top, left), False, False)
        ones = torch.ones((1, 1, *x.shape[-2:]), dtype=x.dtype, device=x.device)
        padded = [torch._C._nn.pad(item, (left, right, top, bottom)) for item in (x, ones)]
        total, share = [torch._C._nn.avg_pool2d(item, self._kernel, self._stride) for item in padded]
        return total / share
