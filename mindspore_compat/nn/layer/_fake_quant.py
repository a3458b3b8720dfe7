"""Observers for training: rounding to the grid of an integer type, and choice of the grid (formulas: docs/quant.md)."""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._api.validate import check_str_in
from mindspore_compat._ops import quant as arithmetic
from mindspore_compat.common.dtype import QuantDtype
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.ops import function as F

__all__ = ["FakeQuantWithMinMax", "FakeQuantWithMinMaxObserver", "QuantConfig", "quant_config_default"]

_BITS = {"DEFAULT": (4, 7, 8), "LEARNED_SCALE": (2, 3, 4, 5, 6, 7, 8)}


class Grid(NamedTuple):
    """Grid of values: ``(index - zero) * scale`` for the whole numbers from ``lowest`` to ``highest``.

    ``scale`` and ``zero`` are float32 Tensors of one element, or of one for each channel; with a scale of 0 the only
    value is 0.
    """

    scale: torch.Tensor
    zero: torch.Tensor
    lowest: int
    highest: int


def _num_bits(quant_dtype: Any, mode: str, owner: str) -> int:
    """Return 8 for ``QuantDtype.INT8``; an Enum member of another library works as well."""
    digits, allowed = "".join(filter(str.isdigit, getattr(quant_dtype, "name", str(quant_dtype)))), _BITS[mode]
    if not digits or int(digits) not in allowed:
        raise ValueError(
            f"For '{owner}', the 'quant_dtype' must have {', '.join(map(str, allowed))} bits, but got {quant_dtype}."
        )
    return int(digits)


class _Partial:
    """Constructor with some arguments given, which accepts more; for `QuantConfig`."""

    def __init__(self, build: Any) -> None:
        self._build = build

    def partial_init(self, **kwargs: Any) -> _Partial:
        return _Partial(functools.partial(self._build, **kwargs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._build(*args, **kwargs)


class FakeQuantWithMinMaxObserver(Cell):
    """Rounding to the values of an integer type; the gradient passes unchanged where they cover ``x``, else it is 0.

    Args:
        min_init, max_init: the range at first; one number, or a list of one for each channel.
        ema: in training the range follows the data: by a moving average with ``ema_decay``, or without it jumps to each
            batch's. It always holds 0.
        per_channel: a range for each of ``num_channels`` along ``channel_axis``.
        quant_dtype: of 4, 7 or 8 bits; with a learned scale of 2 to 8.
        symmetric: the range is made symmetric. narrow_range: one value less.
        quant_delay: steps of training before which ``x`` passes unchanged.
        mode: "DEFAULT", or "LEARNED_SCALE": ``maxq`` is a parameter to train; needs ``symmetric``, and ``narrow_range``
            or else ``neg_trunc``, which cuts negative values off.

    Inputs and output: a Tensor of any shape. The parameters ``minq`` and ``maxq`` are trained in the other mode only.

    ``starts_at_batch`` (an attribute, False) makes the moving average begin with the first batch's range instead of
    ``min_init`` and ``max_init``: so do the observers that a converted network gets. Whether there was a batch yet is
    seen by the range itself, so that one from a checkpoint goes on.

    Raises:
        TypeError, ValueError: for arguments that are not as above, or ``max_init`` not above ``min_init``.
    """

    starts_at_batch = False

    def __init__(
        self,
        min_init: Any = -6,
        max_init: Any = 6,
        ema: bool = False,
        ema_decay: float = 0.999,
        per_channel: bool = False,
        channel_axis: int = 1,
        num_channels: int = 1,
        quant_dtype: Any = QuantDtype.INT8,
        symmetric: bool = False,
        narrow_range: bool = False,
        quant_delay: int = 0,
        neg_trunc: bool = False,
        mode: str = "DEFAULT",
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.min_init = min_init
        self.max_init = max_init
        self.ema, self.per_channel = ema, per_channel
        self.symmetric = symmetric
        self.narrow_range = narrow_range
        self.neg_trunc = neg_trunc
        self.ema_decay = ema_decay
        self.num_channels = num_channels
        self.channel_axis = channel_axis
        self.quant_delay = quant_delay
        self.mode = check_str_in(mode, "mode", ("DEFAULT", "LEARNED_SCALE"), owner)
        self.quant_dtype, self.num_bits = quant_dtype, _num_bits(quant_dtype, self.mode, owner)
        if self.mode == "LEARNED_SCALE":
            self._check_learned_scale()
        low, high = self._ranges()
        if self.mode == "DEFAULT":
            self.minq = Parameter(Tensor(low), name="quant_min", requires_grad=False)
            self.maxq = Parameter(Tensor(high), name="quant_max", requires_grad=False)
            self.register_buffer(
                "_first", torch.stack([self.minq.data.detach(), self.maxq.data.detach()]), persistent=False
            )
        else:
            self.minq, self.maxq = Parameter(Tensor(low), name="minq"), Parameter(Tensor(high), name="maxq")
            self.quant_max = Parameter(Tensor(self._largest()), name="quant_max", requires_grad=False)
        self.register_buffer(
            "_step", torch.zeros_like(self.minq.data, dtype=torch.int64), persistent=False
        )  # a tensor, so that replays count too

    def _check_learned_scale(self) -> None:
        where = f"For '{type(self).__name__}', the mode 'LEARNED_SCALE' needs"
        if not self.symmetric:
            raise ValueError(f"{where} 'symmetric' to be True, but got False.")
        if self.neg_trunc == self.narrow_range:
            raise ValueError(
                f"{where} either 'narrow_range' or 'neg_trunc', but got {self.narrow_range} and {self.neg_trunc}."
            )

    def _ranges(self) -> tuple[np.ndarray, np.ndarray]:
        count = self.num_channels if self.per_channel else 1
        start = 0 if self.mode == "LEARNED_SCALE" and self.neg_trunc else self.min_init
        found = [
            np.array(value if isinstance(value, list) else [value] * count, np.float32)
            for value in (start, self.max_init)
        ]
        if not (found[1] > found[0]).all():
            raise ValueError(
                f"The 'max_init' must be greater than 'min_init', but got {self.max_init} and {self.min_init}."
            )
        return found[0], found[1]

    def _largest(self) -> np.ndarray:
        return np.array([(1 << (self.num_bits if self.neg_trunc else self.num_bits - 1)) - 1], np.float32)

    @classmethod
    def partial_init(cls, **kwargs: Any) -> _Partial:
        """Return a constructor with these arguments given."""
        return _Partial(functools.partial(cls, **kwargs))

    def reset(self, quant_dtype: Any = QuantDtype.INT8, min_init: Any = -6, max_init: Any = 6) -> None:
        """Set another type and range. Raises: ValueError in DEFAULT mode, or for a wrong range."""
        self.quant_dtype, self.num_bits = quant_dtype, _num_bits(quant_dtype, self.mode, type(self).__name__)
        self.min_init, self.max_init = min_init, max_init
        for parameter, value in zip(
            (self.minq, self.maxq, self.quant_max), (*self._ranges(), self._largest()), strict=True
        ):
            parameter.set_data(Tensor(value))

    def extend_repr(self) -> str:
        return (
            f"quant_dtype={self.quant_dtype}, symmetric={self.symmetric}, narrow_range={self.narrow_range}, "
            f"ema={self.ema}({self.ema_decay}), per_channel={self.per_channel}({self.channel_axis}, "
            f"{self.num_channels}), quant_delay={self.quant_delay}, min_init={self.min_init}, max_init={self.max_init}"
        )

    def construct(self, x: Any) -> Any:
        if self.mode == "DEFAULT" and self.training:
            self._follow(x.detach())
        rounded = self._rounded(x) if self.mode == "DEFAULT" else self._scaled(x)
        if not (self.quant_delay and self.training):
            return rounded
        self._step.add_(1)
        return torch.where((self._step > self.quant_delay).all(), rounded, x)

    def _spread(self, values: Any, x: Any) -> Any:
        """Return one value for each channel, in a shape that broadcasts with ``x``."""
        return arithmetic.spread(values, self.channel_axis, x) if self.per_channel else values

    def _follow(self, x: Any) -> None:
        axes = [axis for axis in range(x.dim()) if not (self.per_channel and axis == self.channel_axis % x.dim())]
        old = (self.minq.detach(), self.maxq.detach())
        batch = arithmetic.followed(x, axes, *old, self.ema_decay if self.ema else None)
        if self.ema and self.starts_at_batch:
            untouched = torch.all((old[0] == self._first[0]) & (old[1] == self._first[1]))
            first = arithmetic.followed(x, axes, *old, None)
            batch = [torch.where(untouched, new, later) for new, later in zip(first, batch)]
        F.assign(self.minq, torch.clamp(batch[0], max=0))
        F.assign(self.maxq, torch.clamp(batch[1], min=0))

    def grid(self) -> Grid:
        """Return the present grid."""
        if self.mode != "DEFAULT":
            count = int(self.quant_max.detach())
            scale = torch.abs(self.maxq.detach()) / count
            return Grid(scale, torch.zeros_like(scale), 0 if self.neg_trunc else -count, count)
        lowest, highest = int(self.narrow_range), (1 << self.num_bits) - 1
        scale, zero = arithmetic.grid(self.minq.detach(), self.maxq.detach(), lowest, highest, self.symmetric)
        return Grid(scale, zero, lowest, highest)

    def indices(self, x: Any) -> Any:
        """Return the indices of ``x``, from the grid's ``lowest`` to its ``highest``; in float32."""
        if self.mode == "DEFAULT":
            low, high, scale = self._bounds(x)
            return torch.floor(
                (torch.clamp(x.detach(), low, high) - low) / torch.where(scale == 0, 1, scale) + 0.5
            ) + int(self.narrow_range)
        share = torch.clamp(x.detach() / self._spread(self.maxq.detach(), x), 0 if self.neg_trunc else -1, 1)
        return torch.floor(share * self.quant_max.detach() + 0.5)

    def _bounds(self, x: Any) -> tuple[Any, Any, Any]:
        """Return the first and the last value of the grid, and its scale, in shapes that broadcast with ``x``."""
        scale, zero, lowest, highest = self.grid()
        return (
            self._spread((lowest - zero) * scale, x),
            self._spread((highest - zero) * scale, x),
            self._spread(scale, x),
        )

    def _rounded(self, x: Any) -> Any:
        """Round ``x``, clipped to the ends of the grid, which holds 0."""
        return arithmetic.rounded(x, *self._bounds(x))

    def _scaled(self, x: Any) -> Any:
        if self.training and not self.neg_trunc:
            F.assign(self.minq, -self.maxq)
        return arithmetic.scaled(x, self._spread(self.maxq, x), self.quant_max, self.neg_trunc)


class FakeQuantWithMinMax(FakeQuantWithMinMaxObserver):
    """`FakeQuantWithMinMaxObserver` with MindSpore 1.0's ``num_bits``."""

    @arguments_of(FakeQuantWithMinMaxObserver, without="quant_dtype neg_trunc mode", num_bits="num_channels")
    def __init__(self, num_bits: int = 8, **given: Any) -> None:
        super().__init__(quant_dtype=f"INT{num_bits}", **given)


#: Quantization of one layer: constructors of the Cells for its weights and its activations.
QuantConfig = namedtuple("QuantConfig", ["weight", "activation"])
quant_config_default = QuantConfig(
    FakeQuantWithMinMaxObserver.partial_init(), FakeQuantWithMinMaxObserver.partial_init()
)
