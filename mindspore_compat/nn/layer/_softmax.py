"""Softmax and its kin. Upstream: ``mindspore.nn.layer.activation``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.nn.cell import Cell

__all__ = ["Softmin", "Softmax", "Softmax2d", "LogSoftmax", "LogSoftmaxExt"]


def _checked_axis(axis: Any, owner: str) -> Any:
    """An int, or a tuple of ints."""
    items = axis if isinstance(axis, tuple) else (axis,)
    if not items:
        raise ValueError(f"For '{owner}', the length of 'axis' must not be 0.")
    return items[0] if len(items) == 1 else axis


class Softmax(Cell):
    """softmax along ``axis``, an int or a tuple of ints.

    Examples:
        >>> print(nn.Softmax()(Tensor([1.0, 1.0])))
        [0.5 0.5]
    """

    def __init__(self, axis: Any = -1) -> None:
        super().__init__()
        self.axis = _checked_axis(axis, "Softmax")

    def construct(self, input: Any) -> Any:
        if isinstance(self.axis, int):
            return torch.softmax(input, self.axis)
        return torch.exp(torch.sub(input, kernels.logsumexp(input, self.axis, True)))


class Softmin(Cell):
    """softmax of -x along ``axis``."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        return torch.softmax(torch.neg(x), self.axis)


class Softmax2d(Cell):
    """softmax over the channels of (C, H, W) or (N, C, H, W)."""

    def construct(self, x: Any) -> Any:
        return torch.softmax(x, -3)


class LogSoftmax(Cell):
    """log(softmax(x)) along ``axis``."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        return torch.log_softmax(x, self.axis)


class LogSoftmaxExt(Cell):
    """log(softmax(x)) along ``dim``; None takes 0 for 0, 1 and 3 axes, else 1."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, x: Any) -> Any:
        dim = self.dim if self.dim is not None else 0 if x.dim() in (0, 1, 3) else 1
        return torch.log_softmax(x, dim)
