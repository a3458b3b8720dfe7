"""Gradients of layers, losses and gathering as operators. Parts of ``mindspore.ops.operations._grad_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import all_axes, as_int, to_dtype
from mindspore_compat.ops._declare import Bool, Int, Typed, declared, plain, primitive, row
from mindspore_compat.ops.operations._gradient_ops import alike, as_torch, check_shapes, in_float32

__all__ = """
    BatchNormGrad BiasAddGrad BinaryCrossEntropyGrad GatherDGradV2 L2NormalizeGrad LayerNormGrad LogSoftmaxGrad
    MedianGrad PReLUGrad SmoothL1LossGrad
""".split()

_Run = Callable[..., Any]
_Reduction = Literal["none", "mean", "sum"]


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
        single = [to_dtype(item, torch.promote_types(item.dtype, torch.float32)) for item in (dy, x, as_torch(weight))]
        by_x, by_weight = compute(*single)
        return wrap((to_dtype(by_x, x.dtype), to_dtype(by_weight, weight.dtype)))

    return run


@primitive
def LogSoftmaxGrad(axis: Int = -1) -> _Run:
    """The gradient of `LogSoftmax` by its value, the first input."""

    def run(logits: Any, grad: Any) -> Any:
        value, dy = alike("LogSoftmaxGrad", "f", {"logits": logits, "grad": grad})
        return wrap(in_float32(lambda y, dy: dy - torch.exp(y) * torch.sum(dy, axis, keepdim=True))(value, dy))

    return run


# --- sums, normal lengths ---------------------------------------------------------------------------------------------


@primitive
def BiasAddGrad(data_format: Literal["NCHW", "NHWC", "NCDHW"] = "NCHW") -> _Run:
    """The gradient of a bias of channels: the sum over all other axes."""

    def run(dout: Any) -> Any:
        channels = dout.dim() - 1 if data_format == "NHWC" else 1
        return wrap(torch.sum(dout, [axis for axis in range(dout.dim()) if axis != channels], dtype=dout.dtype))

    return run


@primitive
def L2NormalizeGrad(axis: Any = 0, epsilon: float = 0.0001) -> _Run:
    """The gradient of `L2Normalize` by x, with its value ``y``: (dy - y · sum(y · dy)) / norm."""

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


def _in_float32(items: tuple[Any, ...]) -> tuple[torch.Tensor, ...]:
    return tuple(to_dtype(item, torch.promote_types(item.dtype, torch.float32)) for item in as_torch(items))


@primitive
def LayerNormGrad(begin_norm_axis: Int = 1, begin_params_axis: Int = 1) -> _Run:
    """(by x, gamma, beta) of `LayerNorm`, from the statistics that it gave."""
    axes = begin_norm_axis, begin_params_axis

    def run(x: Any, dy: Any, variance: Any, mean: Any, gamma: Any) -> Any:
        check_shapes("LayerNormGrad", x=x, dy=dy)
        found = _layer_norm_gradient(*axes)(*_in_float32((x, dy, gamma, variance, mean)))
        by_x, *others = [to_dtype(item, like.dtype) for item, like in zip(found, (x, gamma, gamma))]
        return wrap((by_x, *map(torch.clone, others)))  # `dy` itself, where there is nothing to add up

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


@primitive
def BatchNormGrad(
    is_training: Bool = False, epsilon: float = 1e-05, data_format: Literal["NCHW", "NHWC", "NCDHW"] = "NCHW"
) -> _Run:
    """(by x, scale, bias) of `BatchNorm`, from the statistics that it gave; ``reserve`` is not read."""

    def run(dout: Any, x: Any, scale: Any, saved_mean: Any, saved_variance: Any, reserve: Any) -> Any:
        channels = x.dim() - 1 if data_format == "NHWC" else 1
        check_shapes("BatchNormGrad", dout=dout, x=x)
        function = _batch_norm_gradient(is_training, epsilon, channels)
        found = function(*_in_float32((dout, x, scale, saved_mean, saved_variance)))
        return wrap(tuple(to_dtype(item, like.dtype) for item, like in zip(found, (x, scale, scale))))

    return run


# --- gathering --------------------------------------------------------------------------------------------------------


def _gather(x: Any, dim: Any, index: Any, dout: Any) -> Any:
    """The gradient of `GatherD` by x, of which only the shape counts: ``dout`` added at the indices."""
    zeros = torch.zeros(tuple(x.shape), dtype=dout.dtype, device=dout.device)
    return wrap(torch.scatter_add(zeros, as_int(dim), as_torch(index).to(torch.int64), as_torch(dout)))


GatherDGradV2 = plain("GatherDGradV2", _gather)


@primitive
def MedianGrad(global_median: Bool = False, axis: Int = 0, keep_dims: Bool = False) -> _Run:
    """The gradient of `Median` by x: at the median's place along the axis; of all elements, shared by those equal to
    it.
    """

    def run(y_grad: Any, x: Any, y: Any, indices: Any) -> Any:
        dy, x, y, places = as_torch((y_grad, x, y, indices))
        if global_median:
            equal = to_dtype(x == y, dy.dtype)
            return wrap(to_dtype(equal * (dy / torch.sum(equal)), dy.dtype))
        if not keep_dims and x.dim():
            dy, places = torch.unsqueeze(dy, axis), torch.unsqueeze(places, axis)
        zeros = torch.zeros_like(x, dtype=dy.dtype)
        return wrap(torch.scatter_add(zeros, axis, places.to(torch.int64), dy))

    return run


# --- losses -----------------------------------------------------------------------------------------------------------


def _of_each(owner: str, dy: Any, like: torch.Tensor, reduction: str) -> torch.Tensor:
    """The gradient of a loss as that of each element's: as it is, or one number for all, divided for "mean"."""
    dy = to_dtype(as_torch(dy), like.dtype)
    if reduction == "none":
        check_shapes(owner, x=like, dout=dy)
        return dy
    if dy.numel() != 1:
        raise ValueError(
            f"For '{owner}', the gradient of one number was expected, but got the shape {tuple(dy.shape)}."
        )
    return torch.reshape(dy, (1,) * like.dim()) / (max(like.numel(), 1) if reduction == "mean" else 1)


def _smooth(prediction: Any, target: Any, dout: Any, beta: float = 1.0, reduction: str = "none") -> Any:
    """The gradient of `SmoothL1Loss` by the prediction: d / beta within beta, else the sign of d."""

    def compute(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
        d = x - y
        return dy * torch.where(torch.abs(d) < beta, d / beta, torch.sign(d))

    x, y = alike("SmoothL1LossGrad", "f=", {"prediction": prediction, "target": target})
    return wrap(in_float32(compute)(x, y, _of_each("SmoothL1LossGrad", dout, x, reduction)))


def _binary(input: Any, target: Any, grad_output: Any, weight: Any = None, reduction: str = "mean") -> Any:
    owner, weight = "BinaryCrossEntropyGrad", torch.ones_like(as_torch(input)) if weight is None else weight
    x, y, weight = alike(owner, "f", {"input": input, "target": target, "weight": weight})
    dy = _of_each(owner, grad_output, x, reduction)
    return wrap(
        in_float32(lambda x, y, dy, weight: weight * dy * (x - y) / torch.clamp(x * (1 - x), min=1e-12))(
            x, y, dy, weight
        )
    )


globals().update(
    declared(
        {
            "BinaryCrossEntropyGrad": row(
                _binary, "The gradient of `BinaryCrossEntropy` by shares: weight · (x - y) / (x · (1 - x)).",
                reduction=(_Reduction, "mean"),
            ),
            "SmoothL1LossGrad": row(
                _smooth, beta=(Typed[float | int], 1.0), reduction=(_Reduction, "none"),  # type: ignore[misc]
            ),
        },
        __name__,
    )
)  # fmt: skip
