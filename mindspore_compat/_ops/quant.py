"""Fake quantization for quantization-aware training; docs/quant.md has the formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import torch

from mindspore_compat._api.validate import check_float_range, check_non_negative_int, check_positive_float
from mindspore_compat._numerics import subgradients
from mindspore_compat._ops.declare import Bool, Int, classes, functions, primitive
from mindspore_compat._ops.other import assign
from mindspore_compat._ops.primitive import Primitive, prim_attr_register
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


def grid(low: Any, high: Any, lowest: int, highest: int, symmetric: bool) -> tuple[Any, Any]:
    """Return the scale and the zero point with which the integers from ``lowest`` to ``highest`` cover ``low`` to
    ``high``, and 0; the scale is 0 for an empty range.
    """
    if symmetric:
        scale = 2 * torch.maximum(high, -low) / (highest - lowest)
        # halfway, exactly: no rounding error decides
        return scale, torch.full_like(scale, (lowest + highest + 1) // 2)
    scale = (high - low) / (highest - lowest)
    zero = subgradients.clamp(lowest - low / torch.where(scale == 0, 1, scale), lowest, highest)
    return scale, torch.floor(zero + 0.5)


def rounded(x: Any, first: Any, last: Any, scale: Any) -> Any:
    """Return ``x`` at the nearest of the values from ``first`` to ``last``, in steps of ``scale``. The gradient passes
    unchanged where they cover ``x``, else it is 0.
    """
    inside = subgradients.clamp(x, first, last)
    nearest = torch.floor((inside.detach() - first) / torch.where(scale == 0, 1, scale) + 0.5) * scale + first
    return (nearest + (inside - inside.detach())).to(x.dtype)


def scaled(x: Any, largest: Any, count: Any, neg_trunc: bool) -> Any:
    """Return ``x`` at the nearest of ``count`` steps up to ``largest``, and down to -largest or 0. The gradient of
    ``largest`` is the rounding difference inside the range, and the bound outside.
    """
    inside = subgradients.clamp(x / largest, 0 if neg_trunc else -1, 1)
    nearest = torch.floor(inside.detach() * count + 0.5) / count + (inside - inside.detach())
    return (nearest * largest).to(x.dtype)


def followed(x: Any, axes: list[int], low: Any, high: Any, decay: float | None) -> list[Any]:
    """Return the range of ``x`` over its axes, in the shape and type of ``low`` and ``high``; with ``decay`` a moving
    average with these.
    """
    found = [item.reshape(low.shape).to(low.dtype) for item in (torch.amin(x, axes), torch.amax(x, axes))]
    if decay is None:
        return found
    return [(1 - decay) * new + decay * before for new, before in zip(found, (low, high))]


def spread(values: Any, axis: int, x: Any) -> Any:
    """Return one value for each channel, along ``axis``, in a shape that broadcasts with ``x``."""
    return values.reshape([-1 if place == axis % x.dim() else 1 for place in range(x.dim())])


_Decay = Annotated[float, lambda value, name, owner: check_float_range(value, name, owner, 0, 1)]
_Positive = Annotated[float, check_positive_float]
_Count = Annotated[int, check_non_negative_int]


class FakeQuantParam(Primitive):
    """Identity of a tensor; its attributes describe the quantization for a converter.

    Args:
        quant_dtype: a `QuantDtype`.
        quant_algo_name: e.g. ``attr_value_linear_quant_algo_name``.
        is_per_channel: whether there is a scale for each channel.
        kwargs: more attributes.
    """

    attr_key_linear_quant_scale = "linear_quant_scale"
    attr_key_linear_quant_zero_point = "linear_quant_zero_point"
    attr_value_linear_quant_algo_name = "linear_quant_algo"

    @prim_attr_register
    def __init__(self, quant_dtype: Any, quant_algo_name: str, is_per_channel: bool, **kwargs: Any) -> None:
        for name, value in {"quant_dtype": quant_dtype.value(), **kwargs}.items():
            self.add_prim_attr(name, value)

    @classmethod
    def linear_quant_param(
        cls, quant_dtype: Any, scale: Any, zp: Any, is_per_channel: bool = False, **kwargs: Any
    ) -> FakeQuantParam:
        """Set a scale and a zero point, or tuples of one for each channel. Raises: TypeError for others"""
        kwargs[cls.attr_key_linear_quant_scale] = [scale] if isinstance(scale, float) else scale
        kwargs[cls.attr_key_linear_quant_zero_point] = [zp] if isinstance(zp, int) else zp
        return cls(quant_dtype, cls.attr_value_linear_quant_algo_name, is_per_channel, **kwargs)

    def __call__(self, input_x: Any) -> Any:
        return wrap(torch.clone(input_x))


# --- ranges -----------------------------------------------------------------------------------------------------------
@primitive
def MinMaxUpdatePerLayer(ema: Bool = False, ema_decay: _Decay = 0.999) -> _Run:
    """(x, min (1,), max (1,)) -> the range of ``x`` and 0, or its moving average: (min, max)."""
    return _follows(ema, ema_decay, None)


@primitive
def MinMaxUpdatePerChannel(ema: Bool = False, ema_decay: _Decay = 0.999, channel_axis: _Count = 1) -> _Run:
    """(x, min (C,), max (C,)) -> for each channel its range and 0, or its moving average: (min, max)."""
    return _follows(ema, ema_decay, channel_axis)


def _follows(ema: bool, decay: float, channel_axis: int | None) -> _Run:
    def run(x: Any, min: Any, max: Any) -> Any:
        kept = None if channel_axis is None else channel_axis % x.dim()
        axes = [axis for axis in range(x.dim()) if axis != kept]
        low, high = followed(x, axes, min, max, decay if ema else None)
        return wrap((torch.clamp(low, max=0), torch.clamp(high, min=0)))

    return run


# --- rounding ---------------------------------------------------------------------------------------------------------
def _delayed(quant_delay: int, training: bool, rounds: _Run) -> _Run:
    """Return the operator that leaves ``x`` unchanged in training for the first ``quant_delay`` calls."""
    if not (training and quant_delay):
        return lambda x, *range: wrap(rounds(x, *range))
    calls = torch.zeros((), dtype=torch.int64)  # a tensor, so that replays count too

    def run(x: Any, *range: Any) -> Any:
        nonlocal calls
        calls = calls.to(x.device)
        calls.add_(1)
        return wrap(torch.where(calls > quant_delay, rounds(x, *range), x))

    return run


def _rounds(num_bits: int, symmetric: bool, narrow_range: bool, channel_axis: int | None) -> _Run:
    lowest, highest = int(narrow_range), (1 << num_bits) - 1

    def rounds(x: Any, min: Any, max: Any) -> Any:
        scale, zero = grid(min.detach(), max.detach(), lowest, highest, symmetric)
        ends = [(lowest - zero) * scale, (highest - zero) * scale, scale]
        if channel_axis is not None:
            axis = 0 if x.dim() == 1 else channel_axis
            ends = [spread(item, axis, x) for item in ends]
        return rounded(x, *ends)

    return rounds


@primitive(inputs="x min max")
def FakeQuantPerLayer(
    num_bits: Int = 8,
    ema: Bool = False,
    ema_decay: _Decay = 0.999,
    quant_delay: _Count = 0,
    symmetric: Bool = False,
    narrow_range: Bool = False,
    training: Bool = True,
) -> _Run:
    """(x, min (1,), max (1,)) -> ``x`` rounded to the values of ``num_bits`` between them. In training the first
    ``quant_delay`` calls leave it unchanged.
    """
    return _delayed(quant_delay, training, _rounds(num_bits, symmetric, narrow_range, None))


@primitive(inputs="x min max")
def FakeQuantPerChannel(
    num_bits: Int = 8,
    ema: Bool = False,
    ema_decay: _Decay = 0.999,
    quant_delay: _Count = 0,
    symmetric: Bool = False,
    narrow_range: Bool = False,
    training: Bool = True,
    channel_axis: _Count = 1,
) -> _Run:
    """(x, min (C,), max (C,)) -> as `FakeQuantPerLayer`, each channel in its own range."""
    return _delayed(quant_delay, training, _rounds(num_bits, symmetric, narrow_range, channel_axis))


@primitive(inputs="input_x alpha quant_max")
def FakeLearnedScaleQuantPerLayer(quant_delay: _Count = 0, neg_trunc: Bool = False, training: Bool = True) -> _Run:
    """(x, alpha (1,), quant_max (1,)) -> ``x`` rounded to ``quant_max`` steps up to ``alpha``, and down to -alpha, or 0
    with ``neg_trunc``. ``alpha`` has a gradient.
    """
    return _delayed(quant_delay, training, lambda x, alpha, count: scaled(x, alpha, count, neg_trunc))


@primitive(inputs="input_x alpha quant_max")
def FakeLearnedScaleQuantPerChannel(
    quant_delay: _Count = 0, neg_trunc: Bool = False, training: Bool = True, channel_axis: _Count = 1
) -> _Run:
    """(x, alpha (C,), quant_max (1,)) -> as `FakeLearnedScaleQuantPerLayer`, each channel with its own ``alpha``."""

    def rounds(x: Any, alpha: Any, count: Any) -> Any:
        axis = 0 if x.dim() == 1 else channel_axis
        return scaled(x, spread(alpha, axis, x), count, neg_trunc)

    return _delayed(quant_delay, training, rounds)


# --- batch norms folded into convolutions -----------------------------------------------------------------------------
@primitive
def BatchNormFold(
    momentum: _Decay = 0.9, epsilon: _Positive = 1e-5, is_training: Bool = True, freeze_bn: Int = 0
) -> _Run:
    """(x (N, C, ...), mean (C,), variance (C,), global_step (1,)) -> mean and deviation of the batch, and those given.

    In training, before step ``freeze_bn``, ``mean`` and ``variance`` move towards the batch's by 1 - ``momentum``;
    else the batch's are 0 and 1.
    """

    def run(x: Any, mean: Any, variance: Any, global_step: Any) -> Any:
        before = torch.clone(mean.detach()), torch.sqrt(variance.detach() + epsilon)
        if not is_training:
            return wrap((torch.zeros_like(mean), torch.ones_like(mean), *before))
        axes = [axis for axis in range(x.dim()) if axis != 1]
        found, spread = torch.mean(x, axes), torch.var(x, axes, unbiased=False)
        live = torch.reshape(global_step, ()) < freeze_bn
        count = x.numel() // x.shape[1]
        unbiased = spread.detach() * (count / max(count - 1, 1))
        for moving, batch in ((mean, found.detach()), (variance, unbiased)):
            assign(moving, torch.where(live, momentum * moving + (1 - momentum) * batch, moving))
        deviation = torch.sqrt(spread + epsilon)
        return wrap((torch.where(live, found, 0), torch.where(live, deviation, 1), *before))

    return run


@primitive
def CorrectionMul(channel_axis: _Count = 0) -> _Run:
    """(x, batch_std (C,), running_std (C,)) -> x · batch_std / running_std, by channel."""
    return lambda x, batch_std, running_std: wrap(x * spread(batch_std / running_std, channel_axis, x))


@primitive
def BatchNormFold2(freeze_bn: Int = 0) -> _Run:
    """(x (N, C, ...), beta, gamma, batch_std, batch_mean, running_std, running_mean, global_step): the result of a
    convolution with corrected weights, after the batch norm; from step ``freeze_bn`` on with the running values.
    """

    def run(
        x: Any,
        beta: Any,
        gamma: Any,
        batch_std: Any,
        batch_mean: Any,
        running_std: Any,
        running_mean: Any,
        global_step: Any,
    ) -> Any:
        live = torch.reshape(global_step, ()) < freeze_bn
        factor = torch.where(live, running_std / batch_std, 1)
        shift = beta - gamma * torch.where(live, batch_mean / batch_std, running_mean / running_std)
        return wrap(x * spread(factor, 1, x) + spread(shift, 1, x))

    return run


__all__ = functions(globals())
PRIMITIVES = classes(globals())
