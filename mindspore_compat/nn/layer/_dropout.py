"""Dropout. Upstream: ``mindspore.nn.layer.basic``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common.seed import _get_graph_seed
from mindspore_compat.nn.cell import Cell
from mindspore_compat.ops import function as F

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "DropoutExt", "Dropout2dExt"]


class Dropout(Cell):
    """Zeroes elements with probability ``p`` and scales the rest by 1 / (1 - p), in training only.

    ``keep_prob`` is 1.x's spelling: p = 1 - keep_prob; it counts only if ``p`` is None. As upstream's, the layer is
    switched off by ``p = 0`` or ``keep_prob = 1`` set later, and no other value set later counts.

    Examples:
        >>> net = nn.Dropout(p=0.5)
        >>> print(net.set_train(False)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = torch.float32) -> None:
        super().__init__()
        self._rate, kept = (1.0 - keep_prob, keep_prob) if p is None else (float(p), 1.0 - p)
        if not 0 <= self._rate < 1:
            raise ValueError(f"For 'Dropout', the rate of zeroed elements must be in [0, 1), but got {self._rate}.")
        self.p, self.keep_prob = p, keep_prob
        self._stream = F.dropout_stream(kept, *_get_graph_seed(0, "dropout"))

    def construct(self, x: Any) -> Any:
        if not self.training or not self._rate or self.p == 0 or self.keep_prob == 1:
            return x
        return F.dropped(x, self._rate, self._stream)

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class DropoutExt(Cell):
    """`Dropout` with the arguments of ``mint.nn.Dropout``."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input: Any) -> Any:
        return (
            (torch.dropout_ if self.inplace else torch.dropout)(input, self.p, True)
            if self.training and self.p
            else input
        )


class _ChannelDropout(Cell):
    """Zeroes whole channels with probability ``p`` and scales the rest by 1 / (1 - p), in training only."""

    _ndims: tuple[int, ...] = ()
    _function: Callable[..., Any]

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = self._rate = p
        self.keep_prob = 1.0 - p

    def construct(self, x: Any) -> Any:
        if not self.training or not self._rate or self.p == 0 or self.keep_prob == 1:
            return x
        if x.dim() not in self._ndims:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have {' or '.join(map(str, self._ndims))} axes, but got "
                f"{x.dim()}."
            )
        return type(self)._function(x, self._rate)

    def extend_repr(self) -> str:
        return f"p={self.p}"


class Dropout1d(_ChannelDropout):
    """Channels of (N, C, L) or (C, L)."""

    _ndims, _function = (2, 3), F.dropout1d

    def extend_repr(self) -> str:
        return ""


class Dropout2d(_ChannelDropout):
    """Channels of (N, C, H, W)."""

    _ndims, _function = (4,), F.dropout2d


class Dropout3d(_ChannelDropout):
    """Channels of (N, C, D, H, W)."""

    _ndims, _function = (5,), F.dropout3d


class Dropout2dExt(Cell):
    """`Dropout2d` with the arguments of ``mint.nn.Dropout2d``."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input: Any) -> Any:
        return (
            (torch.feature_dropout_ if self.inplace else torch.feature_dropout)(input, self.p, True)
            if self.training and self.p
            else input
        )
