"""Pooling by p-norms. Upstream: ``mindspore.nn.layer.pooling``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import sizes

__all__ = ["LPPool1d", "LPPool2d"]

_nn = torch._C._nn


class LPPool1d(Cell):
    """(sum of x ** norm_type over each window) ** (1 / norm_type), over (N, C, L)."""

    def __init__(self, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = _norm_type(norm_type, "LPPool1d")
        self.kernel_size, self.stride, self.ceil_mode = kernel_size, stride, ceil_mode

    def construct(self, x: Any) -> Any:
        stride = self.kernel_size if self.stride is None else self.stride
        mean = torch.avg_pool1d(kernels.pow(x, self.norm_type), self.kernel_size, stride, 0, self.ceil_mode)
        return _norm_root(mean, self.kernel_size, self.norm_type)


class LPPool2d(Cell):
    """(sum of x ** norm_type over each window) ** (1 / norm_type), over (N, C, H, W)."""

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = _norm_type(norm_type, "LPPool2d")
        self.kernel_size, self.stride, self.ceil_mode = kernel_size, stride, ceil_mode
        sizes(kernel_size, "kernel_size", "LPPool2d", 2)

    def construct(self, x: Any) -> Any:
        kernel = sizes(self.kernel_size, "kernel_size", "LPPool2d", 2)
        stride = kernel if self.stride is None else self.stride
        mean = _nn.avg_pool2d(kernels.pow(x, self.norm_type), kernel, stride, 0, self.ceil_mode)
        return _norm_root(mean, kernel[0] * kernel[1], self.norm_type)


def _norm_type(norm_type: Any, owner: str) -> float:
    if float(norm_type) == 0:
        raise ValueError(f"For '{owner}', the value of 'norm_type' can not be 0.")
    return float(norm_type)


def _norm_root(mean: Any, places: int, norm_type: float) -> Any:
    return kernels.pow(torch.mul(torch.mul(torch.sign(mean), torch.relu(torch.abs(mean))), places), 1.0 / norm_type)
