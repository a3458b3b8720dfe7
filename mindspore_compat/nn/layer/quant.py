"""Fake quantization for training. Upstream: ``mindspore.nn.layer.quant`` of MindSpore 1.x; later versions dropped it, and none runs it on a CPU."""
from __future__ import annotations

import functools
from collections import namedtuple
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_bool, check_float_range, check_non_negative_int, check_positive_int, check_str_in, check_type
from mindspore_compat.common.dtype import QuantDtype
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.ops import function as F

__all__ = ["FakeQuantWithMinMaxObserver", "QuantConfig", "quant_config_default"]

_BITS = (4, 7, 8)


def _num_bits(quant_dtype: Any, owner: str) -> int:
    """8 of ``QuantDtype.INT8``; an Enum member of another library serves as well."""
    digits = "".join(filter(str.isdigit, getattr(quant_dtype, "name", str(quant_dtype))))
    if not digits or int(digits) not in _BITS:
        raise ValueError(f"For '{owner}', the 'quant_dtype' must have {', '.join(map(str, _BITS))} bits, but got {quant_dtype}.")
    return int(digits)


class _Partial:
    """A constructor with some arguments given, of which more can be given; for `QuantConfig`."""

    def __init__(self, build: Any) -> None:
        self._build = build

    def partial_init(self, **kwargs: Any) -> _Partial:
        return _Partial(functools.partial(self._build, **kwargs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._build(*args, **kwargs)


class FakeQuantWithMinMaxObserver(Cell):
    """Rounds to the values that an integer type could hold; the gradient passes unchanged where they cover ``x``, else it is 0.

    Args:
        min_init, max_init: the range at first; one number, or a list of one for each channel.
        ema: in training the range follows the data: by a moving average with ``ema_decay``, or without it jumps to each batch's.
            It always holds 0.
        per_channel: a range for each of ``num_channels`` along ``channel_axis``.
        quant_dtype: of 4, 7 or 8 bits.
        symmetric: the range is made symmetric. narrow_range: one value less.
        quant_delay: steps of training before which ``x`` passes unchanged.
        mode: "DEFAULT", or "LEARNED_SCALE": ``maxq`` is a parameter to train; needs ``symmetric``, and ``narrow_range`` or else
            ``neg_trunc``, which cuts negative values off.

    Inputs and output: a Tensor of any shape. The parameters ``minq`` and ``maxq`` are trained in the other mode only.

    Raises:
        TypeError, ValueError: for arguments that are not as above, or ``max_init`` not above ``min_init``.
    """

    def __init__(self, min_init: Any = -6, max_init: Any = 6, ema: bool = False, ema_decay: float = 0.999, per_channel: bool = False,
                 channel_axis: int = 1, num_channels: int = 1, quant_dtype: Any = QuantDtype.INT8, symmetric: bool = False,
                 narrow_range: bool = False, quant_delay: int = 0, neg_trunc: bool = False, mode: str = "DEFAULT") -> None:
        super().__init__()
        owner = type(self).__name__
        self.min_init = check_type(min_init, "min_init", (int, float, list), owner)
        self.max_init = check_type(max_init, "max_init", (int, float, list), owner)
        self.ema, self.per_channel = check_bool(ema, "ema", owner), check_bool(per_channel, "per_channel", owner)
        self.symmetric, self.narrow_range = check_bool(symmetric, "symmetric", owner), check_bool(narrow_range, "narrow_range", owner)
        self.neg_trunc = check_bool(neg_trunc, "neg_trunc", owner)
        self.ema_decay = check_float_range(ema_decay, "ema_decay", owner, 0, 1)
        self.num_channels = check_positive_int(num_channels, "num_channels", owner)
        self.channel_axis = check_type(channel_axis, "channel_axis", int, owner)
        self.quant_delay = check_non_negative_int(quant_delay, "quant_delay", owner)
        self.mode = check_str_in(mode, "mode", ("DEFAULT", "LEARNED_SCALE"), owner)
        self.quant_dtype, self.num_bits = quant_dtype, _num_bits(quant_dtype, owner)
        if self.mode == "LEARNED_SCALE":
            self._check_learned_scale()
        low, high = self._ranges()
        if self.mode == "DEFAULT":
            self.minq = Parameter(Tensor(low), name="quant_min", requires_grad=False)
            self.maxq = Parameter(Tensor(high), name="quant_max", requires_grad=False)
        else:
            self.minq, self.maxq = Parameter(Tensor(low), name="minq"), Parameter(Tensor(high), name="maxq")
            self.quant_max = Parameter(Tensor(self._largest()), name="quant_max", requires_grad=False)
        self.register_buffer("_step", torch.zeros_like(self.minq.data, dtype=torch.int64), persistent=False)  # a tensor, so that replays count too

    def _check_learned_scale(self) -> None:
        where = f"For '{type(self).__name__}', the mode 'LEARNED_SCALE' needs"
        if not self.symmetric:
            raise ValueError(f"{where} 'symmetric' to be True, but got False.")
        if self.neg_trunc == self.narrow_range:
            raise ValueError(f"{where} either 'narrow_range' or 'neg_trunc', but got {self.narrow_range} and {self.neg_trunc}.")

    def _ranges(self) -> tuple[np.ndarray, np.ndarray]:
        owner, count = type(self).__name__, self.num_channels if self.per_channel else 1
        found = []
        for name, value in (("min_init", 0 if self.mode == "LEARNED_SCALE" and self.neg_trunc else self.min_init), ("max_init", self.max_init)):
            values = value if isinstance(value, list) else [value] * count
            if len(values) != count:
                raise ValueError(f"For '{owner}', the length of the list '{name}' must be {count}, but got {len(values)}.")
            found.append(np.array(values, np.float32))
        if not (found[1] > found[0]).all():
            raise ValueError(f"For '{owner}', the 'max_init' must be greater than 'min_init', but got {self.max_init} and {self.min_init}.")
        return found[0], found[1]

    def _largest(self) -> np.ndarray:
        return np.array([(1 << (self.num_bits if self.neg_trunc else self.num_bits - 1)) - 1], np.float32)

    @classmethod
    def partial_init(cls, **kwargs: Any) -> _Partial:
        """A constructor with these arguments given."""
        return _Partial(functools.partial(cls, **kwargs))

    def reset(self, quant_dtype: Any = QuantDtype.INT8, min_init: Any = -6, max_init: Any = 6) -> None:
        """Another type and range. Raises: ValueError in DEFAULT mode, or for a wrong range."""
        if self.mode != "LEARNED_SCALE":
            raise ValueError(f"For '{type(self).__name__}', only the mode 'LEARNED_SCALE' can be reset, but got {self.mode}.")
        self.quant_dtype, self.num_bits = quant_dtype, _num_bits(quant_dtype, type(self).__name__)
        self.min_init, self.max_init = min_init, max_init
        for parameter, value in zip((self.minq, self.maxq, self.quant_max), (*self._ranges(), self._largest()), strict=True):
            parameter.set_data(Tensor(value))

    def extend_repr(self) -> str:
        return (f"quant_dtype={self.quant_dtype}, symmetric={self.symmetric}, narrow_range={self.narrow_range}, ema={self.ema}({self.ema_decay}), "
                f"per_channel={self.per_channel}({self.channel_axis}, {self.num_channels}), quant_delay={self.quant_delay}, "
                f"min_init={self.min_init}, max_init={self.max_init}")

    def construct(self, x: Any) -> Any:
        if self.per_channel and x.shape[self.channel_axis] != self.num_channels:
            raise ValueError(f"For '{type(self).__name__}', axis {self.channel_axis} of the input must have {self.num_channels} channels, "
                             f"but got shape {tuple(x.shape)}.")
        if self.mode == "DEFAULT" and self.training:
            self._follow(x.detach())
        rounded = self._rounded(x) if self.mode == "DEFAULT" else self._scaled(x)
        if not (self.quant_delay and self.training):
            return rounded
        self._step.add_(1)
        return torch.where((self._step > self.quant_delay).all(), rounded, x)

    def _spread(self, values: Any, x: Any) -> Any:
        """One value for each channel, in a shape that goes with ``x``."""
        return values.reshape([-1 if axis == self.channel_axis % x.dim() else 1 for axis in range(x.dim())]) if self.per_channel else values

    def _follow(self, x: Any) -> None:
        axes = [axis for axis in range(x.dim()) if not (self.per_channel and axis == self.channel_axis % x.dim())]
        for parameter, found in ((self.minq, torch.amin(x, axes)), (self.maxq, torch.amax(x, axes))):
            value = found.reshape(parameter.shape).to(parameter.dtype)
            if self.ema:
                value = (1 - self.ema_decay) * value + self.ema_decay * parameter.detach()
            F.assign(parameter, torch.clamp(value, max=0) if parameter is self.minq else torch.clamp(value, min=0))

    def _rounded(self, x: Any) -> Any:
        """Of the range's ends that which is rounded to the grid, so that 0 stays 0, bounds ``x``."""
        lowest, highest = int(self.narrow_range), (1 << self.num_bits) - 1
        low, high = self.minq.detach(), self.maxq.detach()
        if self.symmetric:
            high = torch.maximum(high, -low)
            low = -high
        scale = (high - low) / (highest - lowest)
        divisor = torch.where(scale == 0, 1, scale)
        zero = torch.floor(torch.clamp(lowest - low / divisor, lowest, highest) + 0.5)
        low, scale, divisor, high = (self._spread(value, x) for value in ((lowest - zero) * scale, scale, divisor, (highest - zero) * scale))
        inside = torch.clamp(x, low, high)
        grid = torch.floor((inside.detach() - low) / divisor + 0.5) * scale + low
        return (grid + (inside - inside.detach())).to(x.dtype)

    def _scaled(self, x: Any) -> Any:
        """The gradient of ``maxq`` follows from the arithmetic: what rounding moved inside the range, the bound outside."""
        largest, count = self._spread(self.maxq, x), self.quant_max
        inside = torch.clamp(x / largest, 0 if self.neg_trunc else -1, 1)
        grid = torch.floor(inside.detach() * count + 0.5) / count + (inside - inside.detach())
        if self.training and not self.neg_trunc:
            F.assign(self.minq, -self.maxq)
        return (grid * largest).to(x.dtype)


#: What one layer quantizes with: constructors of the Cells for its weights and its activations.
QuantConfig = namedtuple("QuantConfig", ["weight", "activation"])
quant_config_default = QuantConfig(FakeQuantWithMinMaxObserver.partial_init(), FakeQuantWithMinMaxObserver.partial_init())
