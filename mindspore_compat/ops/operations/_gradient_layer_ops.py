"""Gradients of layers as operators. Parts of ``mindspore.ops.operations._grad_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.validate import check_float_range
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import all_axes, check_tensors, to_dtype
from mindspore_compat.ops._declare import Bool, Int, declared, primitive, row
from mindspore_compat.ops.operations._gradient_ops import (
    alike,
    as_torch,
    check_kind,
    check_shapes,
    derivatives,
    in_float32,
)

__all__ = """
    BatchNormGrad BatchNormGradGrad BiasAddGrad DropoutGrad L2NormalizeGrad LayerNormGrad
    LayerNormGradGrad LogSoftmaxGrad MaximumGrad MaximumGradGrad MinimumGrad MinimumGradGrad PReLUGrad SoftmaxGrad
""".split()

_Run = Callable[..., Any]


# --- the larger and the smaller of two --------------------------------------------------------------------------------


def _check_both(owner: str, one_dtype: bool, **given: Any) -> Any:
    """TypeError for other dtypes than numbers, and for several of them where upstream casts none."""
    check_tensors(owner, **given)
    for name, item in given.items():
        check_kind(owner, name, item, "fi")
        if one_dtype and item.dtype is not next(iter(given.values())).dtype:
            raise TypeError(f"For '{owner}', the inputs must be of one dtype, but '{name}' is of {item.dtype}.")
    return as_torch(tuple(given.values()))


def _chosen(owner: str, first: Callable[..., torch.Tensor], one_dtype: bool) -> Any:
    """The gradient goes to the first where ``first(x, y)``, else to the second, half to each where they are equal;
    summed over broadcast axes.
    """

    def run(x: Any, y: Any, grads: Any, grad_x: bool, grad_y: bool) -> Any:
        x, y, grads = _check_both(owner, one_dtype, x=x, y=y, grads=grads)
        takes, half, nothing = first(x, y), to_dtype(grads / 2, grads.dtype), torch.zeros_like(grads)
        check_shapes(owner, grads=grads, result=takes)
        by_x = torch.where(x == y, half, torch.where(takes, grads, nothing))
        by_y = torch.where(x == y, half, torch.where(takes, nothing, grads))
        return wrap((to_dtype(by_x.sum_to_size(x.shape), x.dtype), to_dtype(by_y.sum_to_size(y.shape), y.dtype)))

    return row(run, f"(by x, by y) of `{owner[:7]}`; both are always given, as on upstream's CPU.", **_BOTH)


def _chosen_again(owner: str, first: Callable[..., torch.Tensor], one_dtype: bool) -> _Run:
    def run(x: Any, y: Any, dx: Any, dy: Any, grad_x: bool = True, grad_y: bool = True) -> Any:
        """(zeros, zeros, the gradient's gradient): the choice itself has no derivative."""
        x, y, dx, dy = _check_both(owner, one_dtype, x=x, y=y, dx=dx, dy=dy)
        chosen = torch.where(first(x, y), dx, to_dtype(dy, dx.dtype))
        return wrap((torch.zeros_like(x), torch.zeros_like(y), chosen))

    return run


_BOTH = {"grad_x": (Bool, True), "grad_y": (Bool, True)}
globals().update(
    declared(
        {
            "MaximumGrad": _chosen("MaximumGrad", torch.ge, False),
            "MinimumGrad": _chosen("MinimumGrad", torch.le, True),
            "MaximumGradGrad": row(_chosen_again("MaximumGradGrad", torch.ge, False), **_BOTH),
            "MinimumGradGrad": _chosen_again("MinimumGradGrad", torch.le, True),
        },
        __name__,
    )
)


# --- activations over channels or along an axis -----------------------------------------------------------------------


@primitive
def PReLUGrad() -> _Run:
    """(by x, by the channels' weights) of `PReLU`."""

    def compute(dy: torch.Tensor, x: torch.Tensor, weight: torch.Tensor) -> Any:
        channels = weight if weight.numel() == 1 else torch.reshape(weight, (1, -1, *(1,) * (x.dim() - 2)))
        by_x = torch.where(x > 0, dy, dy * channels)
        by_weight = torch.where(x > 0, torch.zeros_like(dy), dy * x)
        return by_x, torch.reshape(by_weight.sum_to_size(channels.shape), weight.shape)

    def run(dy: Any, x: Any, weight: Any) -> Any:
        x, dy = alike("PReLUGrad", "f", {"x": x, "dy": dy})
        check_tensors("PReLUGrad", weight=weight)
        channels = x.shape[1] if x.dim() > 1 else 1
        if weight.dim() != 1 or weight.numel() not in (1, channels):
            raise RuntimeError(
                f"For 'PReLUGrad', 'weight' must have 1 or {channels} elements, but got the shape "
                f"{tuple(weight.shape)}."
            )
        single = [to_dtype(item, torch.promote_types(item.dtype, torch.float32)) for item in (dy, x, as_torch(weight))]
        by_x, by_weight = compute(*single)
        return wrap((to_dtype(by_x, x.dtype), to_dtype(by_weight, weight.dtype)))

    return run


@primitive
def LogSoftmaxGrad(axis: Int = -1) -> _Run:
    """The gradient of `LogSoftmax` by its value, the first input."""

    def run(logits: Any, grad: Any) -> Any:
        value, dy = alike("LogSoftmaxGrad", "f", {"logits": logits, "grad": grad})
        if not -value.dim() <= axis < value.dim():
            raise ValueError(
                f"For primitive[LogSoftmaxGrad], the axis must be in [-{value.dim()},{value.dim()}), but got {axis}."
            )
        return wrap(in_float32(lambda y, dy: dy - torch.exp(y) * torch.sum(dy, axis, keepdim=True))(value, dy))

    return run


@primitive
def SoftmaxGrad() -> _Run:
    """The gradient of softmax along the last axis by its value ``y``."""

    def run(y: Any, dy: Any) -> Any:
        value, dy = alike("SoftmaxGrad", "f", {"y": y, "dy": dy})
        return wrap(in_float32(lambda y, dy: y * (dy - torch.sum(dy * y, -1, keepdim=True)))(value, dy))

    return run


# --- sums, dropout, normal lengths ------------------------------------------------------------------------------------


@primitive
def BiasAddGrad(data_format: Literal["NCHW", "NHWC", "NCDHW"] = "NCHW") -> _Run:
    """The gradient of a bias of channels: the sum over all other axes."""

    def run(dout: Any) -> Any:
        check_tensors("BiasAddGrad", dout=dout)
        check_kind("BiasAddGrad", "input_x", dout, "fciu")
        if not 2 <= dout.dim() <= 5:
            raise ValueError(f"For primitive[BiasAddGrad], the rank of input_x must be in [2,5], but got {dout.dim()}.")
        channels = dout.dim() - 1 if data_format == "NHWC" else 1
        return wrap(torch.sum(dout, [axis for axis in range(dout.dim()) if axis != channels], dtype=dout.dtype))

    return run


@primitive
def DropoutGrad(keep_prob: float = 0.5) -> _Run:
    """dy · mask / keep_prob."""
    if not isinstance(keep_prob, float):
        raise TypeError(f"For 'DropoutGrad', the 'keep_prob' must be 'float',  but got '{type(keep_prob).__name__}'.")
    check_float_range(keep_prob, "keep_prob", "DropoutGrad", 0, 1, (False, True))

    def run(dy: Any, mask: Any) -> Any:
        check_tensors("DropoutGrad", dy=dy, mask=mask)
        check_shapes("DropoutGrad", dy=dy, mask=mask)
        return wrap(dy * (to_dtype(mask.detach(), dy.dtype) / keep_prob))

    return run


@primitive
def L2NormalizeGrad(axis: Any = 0, epsilon: float = 0.0001) -> _Run:
    """The gradient of `L2Normalize` by x, with its value ``y``: (dy - y · sum(y · dy)) / norm."""
    if isinstance(axis, bool) or not isinstance(axis, (int, list, tuple)):
        raise TypeError(
            "For 'L2NormalizeGrad', the type of 'axis' should be one of '['list', 'tuple']', but got type "
            f"'{type(axis).__name__}'."
        )
    if not isinstance(axis, int) and len(axis) != 1:
        raise TypeError(f"For 'L2NormalizeGrad', the length of 'axis' must be 1, but got {axis}.")

    def run(x: Any, y: Any, dy: Any) -> Any:
        x, y, dy = alike("L2NormalizeGrad", "f=", {"x": x, "y": y, "dy": dy})
        along = all_axes(axis, x.dim())

        def compute(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
            squares = torch.clamp(torch.sum(x * x, along, keepdim=True), min=epsilon)
            return (dy - y * torch.sum(y * dy, along, keepdim=True)) * torch.rsqrt(squares)

        return wrap(in_float32(compute)(x, y, dy))

    return run


# --- normalization ----------------------------------------------------------------------------------------------------


def _moves(given: torch.Tensor, of_x: torch.Tensor) -> torch.Tensor:
    """A given statistic that has the derivative of what it is of x."""
    return given.detach() + (of_x - of_x.detach())


def _layer_norm_gradient(axis: int, parameters_axis: int) -> _Run:
    """(by x, gamma, beta) of x, dy and gamma with given statistics."""

    def run(x: torch.Tensor, dy: torch.Tensor, gamma: torch.Tensor, variance: Any, mean: Any) -> Any:
        axes = tuple(range(axis % x.dim(), x.dim()))
        others = tuple(range(parameters_axis % x.dim()))
        of_x = torch.var_mean(x, axes, correction=0, keepdim=True)
        spread = torch.rsqrt(_moves(torch.reshape(variance, of_x[0].shape), of_x[0]) + 1e-12)
        normal = (x - _moves(torch.reshape(mean, of_x[1].shape), of_x[1])) * spread
        scaled = dy * gamma
        centred = normal - torch.mean(normal, axes, True)
        share = torch.mean(scaled, axes, True) + centred * torch.mean(scaled * normal, axes, True)
        by_gamma, by_beta = dy * normal, dy
        if others:  # torch takes no axes for all of them
            by_gamma, by_beta = torch.sum(by_gamma, others), torch.sum(by_beta, others)
        return spread * (scaled - share), by_gamma, by_beta

    return run


def _check_layer_norm(owner: str, x: Any, dy: Any, variance: Any, mean: Any, gamma: Any, axes: tuple[int, int]) -> None:
    check_tensors(owner, x=x, dy=dy, variance=variance, mean=mean, gamma=gamma)
    check_kind(owner, "x", x, "f")
    for axis in axes:
        if not -x.dim() <= axis < x.dim():
            raise RuntimeError(
                f"For '{owner}', the begin axes must be in [-{x.dim()}, {x.dim()}), but got {axis} for x of shape "
                f"{tuple(x.shape)}."
            )
    check_shapes(owner, x=x, dy=dy)
    if tuple(gamma.shape) != tuple(x.shape)[axes[1] % x.dim() :]:
        raise ValueError(
            f"For '{owner}', 'gamma' must be {tuple(x.shape)[axes[1] % x.dim() :]}, but got {tuple(gamma.shape)}."
        )


def _in_float32(items: tuple[Any, ...]) -> tuple[torch.Tensor, ...]:
    return tuple(to_dtype(item, torch.promote_types(item.dtype, torch.float32)) for item in as_torch(items))


@primitive
def LayerNormGrad(begin_norm_axis: Int = 1, begin_params_axis: Int = 1) -> _Run:
    """(by x, gamma, beta) of `LayerNorm`, from the statistics that it gave."""
    axes = begin_norm_axis, begin_params_axis

    def run(x: Any, dy: Any, variance: Any, mean: Any, gamma: Any) -> Any:
        _check_layer_norm("LayerNormGrad", x, dy, variance, mean, gamma, axes)
        found = _layer_norm_gradient(*axes)(*_in_float32((x, dy, gamma, variance, mean)))
        by_x, *others = [to_dtype(item, like.dtype) for item, like in zip(found, (x, gamma, gamma))]
        return wrap((by_x, *map(torch.clone, others)))  # `dy` itself, where there is nothing to add up

    return run


@primitive
def LayerNormGradGrad(begin_norm_axis: Int = 1, begin_params_axis: Int = 1) -> _Run:
    """Of `LayerNormGrad`, from gradients of its three results: (by x, by dy, by gamma)."""
    axes = begin_norm_axis, begin_params_axis

    def run(x: Any, dy: Any, variance: Any, mean: Any, gamma: Any, d_dx: Any, d_dg: Any, d_db: Any) -> Any:
        _check_layer_norm("LayerNormGradGrad", x, dy, variance, mean, gamma, axes)
        x32, dy32, gamma32, *statistics = _in_float32((x, dy, gamma, variance, mean))
        function = _layer_norm_gradient(*axes)
        found = derivatives(
            lambda *items: function(*items, *statistics), (x32, dy32, gamma32), _in_float32((d_dx, d_dg, d_db))
        )
        return wrap(tuple(to_dtype(item, like.dtype) for item, like in zip(found, (x, dy, gamma))))

    return run


def _batch_norm_gradient(is_training: bool, epsilon: float, channels: int) -> _Run:
    """(by x, scale, bias) of dout, x and scale with given statistics; in training they move with x."""

    def run(dout: torch.Tensor, x: torch.Tensor, scale: torch.Tensor, mean: Any, variance: Any) -> Any:
        axes = tuple(axis for axis in range(x.dim()) if axis != channels)
        around = [x.shape[channels] if axis == channels else 1 for axis in range(x.dim())]
        scale, mean, variance = (torch.reshape(item, around) for item in (scale, mean.detach(), variance.detach()))
        if is_training:
            of_x = torch.var_mean(x, axes, correction=0, keepdim=True)
            mean, variance = _moves(mean, of_x[1]), _moves(variance, of_x[0])
        spread = torch.rsqrt(variance + epsilon)
        normal = (x - mean) * spread
        by_scale, by_bias = torch.sum(dout * normal, axes), torch.sum(dout, axes)
        if is_training:
            share = torch.mean(dout, axes, True) + normal * torch.mean(dout * normal, axes, True)
            return scale * spread * (dout - share), by_scale, by_bias
        return scale * spread * dout, by_scale, by_bias

    return run


def _check_batch_norm(owner: str, dout: Any, x: Any, channels: int, **statistics: Any) -> None:
    check_tensors(owner, dout=dout, x=x, **statistics)
    check_kind(owner, "x", x, "f")
    check_shapes(owner, dout=dout, x=x)
    for name, item in statistics.items():
        if tuple(item.shape) != (x.shape[channels],):
            raise RuntimeError(f"For '{owner}', '{name}' must be ({x.shape[channels]},), but got {tuple(item.shape)}.")


@primitive
def BatchNormGrad(
    is_training: Bool = False, epsilon: float = 1e-05, data_format: Literal["NCHW", "NHWC", "NCDHW"] = "NCHW"
) -> _Run:
    """(by x, scale, bias) of `BatchNorm`, from the statistics that it gave; ``reserve`` is not read."""

    def run(dout: Any, x: Any, scale: Any, saved_mean: Any, saved_variance: Any, reserve: Any) -> Any:
        channels = x.dim() - 1 if data_format == "NHWC" else 1
        given = {"scale": scale, "saved_mean": saved_mean, "saved_variance": saved_variance}
        _check_batch_norm("BatchNormGrad", dout, x, channels, **given)
        function = _batch_norm_gradient(is_training, epsilon, channels)
        found = function(*_in_float32((dout, x, scale, saved_mean, saved_variance)))
        return wrap(tuple(to_dtype(item, like.dtype) for item, like in zip(found, (x, scale, scale))))

    return run


@primitive
def BatchNormGradGrad(
    is_training: Bool = False, epsilon: float = 1e-05, data_format: Literal["NCHW", "NHWC"] = "NCHW"
) -> _Run:
    """Of `BatchNormGrad`, from gradients of its three results: (by x, by dy, by scale)."""

    def run(
        x: Any, dy: Any, scale: Any, saved_mean: Any, saved_variance: Any, dout_dx: Any, dout_dscale: Any,
        dout_dbias: Any,
    ) -> Any:  # fmt: skip
        channels = x.dim() - 1 if data_format == "NHWC" else 1
        given = {"scale": scale, "saved_mean": saved_mean, "saved_variance": saved_variance}
        _check_batch_norm("BatchNormGradGrad", dy, x, channels, **given)
        x32, dy32, scale32, *statistics = _in_float32((x, dy, scale, saved_mean, saved_variance))
        function = _batch_norm_gradient(is_training, epsilon, channels)
        found = derivatives(
            lambda x, dy, scale: function(dy, x, scale, *statistics),
            (x32, dy32, scale32),
            _in_float32((dout_dx, dout_dscale, dout_dbias)),
        )
        return wrap(tuple(to_dtype(item, like.dtype) for item, like in zip(found, (x, dy, scale))))

    return run
