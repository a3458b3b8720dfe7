"""Normalizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as tf

from mindspore_compat._api.validate import check_str_in
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.autocast import cast_here
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import get_data
from mindspore_compat._ops.declare import Typed, classes, functions, op, primitive, primitive_class
from mindspore_compat._ops.other import assign
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


@op
def add_layer_norm(
    x1: Any, x2: Any, gamma: Any, beta: Any, epsilon: float = 1e-5, additional_output: bool = False
) -> Any:
    """Return (layer norm of x = x1 + x2 over the last axis, mean, 1 / standard deviation, x).

    The fourth is x whether ``additional_output`` asks for it or not, and passes a gradient if it does. mean and 1 /
    deviation are float32, without gradient, as all statistics beside a normalized tensor.
    """
    x = x1 + x2
    exact = torch.Tensor.float(x)
    variance, mean = torch.var_mean(exact, -1, correction=0, keepdim=True)
    deviation = torch.rsqrt(variance + epsilon)
    y = (exact - mean) * deviation * torch.Tensor.float(gamma) + torch.Tensor.float(beta)
    shown = x if additional_output else x.detach()
    return wrap((torch.Tensor.to(y, x.dtype), mean.detach(), deviation.detach(), shown))


AddLayerNormV2 = primitive_class(
    "AddLayerNormV2",
    lambda x1, x2, gamma, beta, epsilon=1e-05, additionalOut=False: add_layer_norm(
        x1, x2, gamma, beta, epsilon, additionalOut
    ),
)


@op
def add_rms_norm(x1: Any, x2: Any, gamma: Any, epsilon: float = 1e-6) -> Any:
    """Return (x / rms · gamma, 1 / rms in float32, x) of x = x1 + x2, over the axes of ``gamma``. x passes gradients,
    which it does not in MindSpore.
    """
    x = x1 + x2
    exact = torch.Tensor.float(x)
    axes = tuple(range(-gamma.dim(), 0))
    scale = torch.rsqrt(torch.mean(kernels.square(exact), axes, keepdim=True) + epsilon)
    return wrap((torch.Tensor.to(exact * scale * torch.Tensor.float(gamma), x.dtype), scale.detach(), x))


AddRmsNorm = primitive_class("AddRmsNorm", add_rms_norm)


@with_dtype_fallback
def batch_norm_outputs(
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    is_training: bool,
    epsilon: float,
    momentum: float,
    data_format: str = "NCHW",
) -> Any:
    """Return (y, mean, variance, mean, variance): in training the batch's (without gradient), and the moving ones
    (Parameters) are updated.
    """
    x = cast_here(torch.movedim(x, -1, 1) if data_format == "NHWC" else x)
    if is_training:
        axes = [axis for axis in range(x.dim()) if axis != 1]
        moving = get_data(mean), get_data(variance)
        scale, bias = (torch.Tensor.to(item, moving[0].dtype) for item in (scale, bias))
        y, batch_mean, _ = torch.native_batch_norm(x, scale, bias, *moving, True, momentum, epsilon)
        with torch.no_grad():
            batch_variance = torch.var(torch.Tensor.to(x, moving[0].dtype), axes, correction=0)
        outputs = (batch_mean, batch_variance, batch_mean, batch_variance)
    else:
        y = torch.batch_norm(x, scale, bias, mean.detach(), variance.detach(), False, momentum, epsilon, False)
        outputs = (cast_here(mean), cast_here(variance)) * 2
    return wrap((torch.movedim(y, 1, -1) if data_format == "NHWC" else y, *outputs))


BatchNorm = primitive_class(
    "BatchNorm",
    batch_norm_outputs,
    "(y, mean, variance, reserved, reserved) of (x, scale, bias, moving mean, moving variance).",
    is_training=(Typed[bool], False),
    epsilon=(float, 1e-05),
    momentum=(float, 0.1),
    data_format=(Literal["NCHW", "NHWC"], "NCHW"),
    inputs="input_x scale bias mean variance",
    settable=True,
)


@op
def batch_norm(
    input_x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any,
    bias: Any,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Any:
    """Normalize over all axes but the channels; in training by the batch's own statistics."""
    moving = get_data(running_mean), get_data(running_var)
    weight, bias = (item if item is None else torch.Tensor.to(item, moving[0].dtype) for item in (weight, bias))
    return wrap(torch.batch_norm(cast_here(input_x), weight, bias, *moving, training, momentum, eps, False))


@op
def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-05) -> Any:
    """Normalize over the last axes of ``normalized_shape``."""
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    return wrap(torch.layer_norm(input, shape, weight, bias, eps))


@with_dtype_fallback
def layer_norm_outputs(
    x: Any, gamma: Any, beta: Any, begin_norm_axis: int, begin_params_axis: int, epsilon: float
) -> Any:
    """Return (y, mean, variance) over the axes from ``begin_norm_axis``: y has x's type, others float32 for 16 bits."""
    begin = begin_norm_axis % x.dim()
    shape = tuple(x.shape[begin:])
    whole = begin_params_axis % x.dim() == begin and tuple(gamma.shape) == shape
    statistics = torch.float32 if x.dtype in (torch.float16, torch.bfloat16) else x.dtype
    # torch's kernel for CPUs gives float32 statistics of 16 bits beside float32 parameters, that of CUDA always
    kind = statistics if x.device.type == "cpu" else x.dtype
    gamma, beta = gamma.to(kind), beta.to(kind)
    y, mean, rstd = torch.native_layer_norm(x, shape, gamma if whole else None, beta if whole else None, epsilon)
    with torch.no_grad():
        if mean.dtype is statistics:
            variance = torch.reciprocal(kernels.square(rstd)) - epsilon
        else:  # of a device that is neither
            axes = tuple(range(begin, x.dim()))
            variance, mean = torch.var_mean(x.to(statistics), axes, correction=0, keepdim=True)
    return wrap(y if whole else (y * gamma + beta).to(x.dtype)), wrap(mean), wrap(variance)


LayerNorm = primitive_class(
    "LayerNorm",
    layer_norm_outputs,
    "(y, mean, variance).",
    begin_norm_axis=(Typed[int], 1),
    begin_params_axis=(int, 1),
    epsilon=(float, 1e-07),
    inputs="input_x gamma beta",
    settable=True,
)


@op
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-05) -> Any:
    """Normalize over groups of channels."""
    return wrap(kernels.group_norm(input, num_groups, weight, bias, eps))


@op
def rms_norm(x: Any, gamma: Any, epsilon: float = 1e-06) -> Any:
    """Return (x / rms · gamma, 1 / rms) over the axes of ``gamma``."""
    axes = tuple(range(-gamma.dim(), 0))
    inverse = torch.rsqrt(torch.mean(kernels.square(x.float()), axes, True) + epsilon)
    return wrap((x * inverse).to(x.dtype) * gamma), wrap(inverse.detach())


RmsNorm = primitive_class("RmsNorm", rms_norm, "(x / rms · gamma, 1 / rms).", epsilon=(float, 1e-06), settable=True)


@op
def lrn(
    x: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Any:
    """Return the local response normalization across channels: x / (bias + alpha · sum of squares of 2·depth_radius + 1
    channels)**beta.
    """
    check_str_in(norm_region, "norm_region", ("ACROSS_CHANNELS",), "LRN")
    squares = torch.unsqueeze(kernels.square(x), 1)
    summed = torch.squeeze(
        kernels.conv3d(
            tf.pad(squares, (0, 0, 0, 0, depth_radius, depth_radius)),
            torch.ones((1, 1, 2 * depth_radius + 1, 1, 1), dtype=x.dtype, device=x.device),
        ),
        1,
    )
    return wrap(x / kernels.pow(bias + alpha * summed, beta))


LRN = primitive_class(
    "LRN",
    lrn,
    "Local response normalization across channels.",
    depth_radius=(int, 5),
    bias=(float, 1.0),
    alpha=(float, 1.0),
    beta=(float, 0.5),
    norm_region=(str, "ACROSS_CHANNELS"),
)


@primitive
def InstanceNorm(epsilon: float = 1e-05, momentum: float = 0.1) -> _Run:
    """(y, mean, variance): float32 of each sample's channels, (N · C,); the moving ones are updated."""

    def run(x: Any, gamma: Any, beta: Any, mean: Any, variance: Any) -> Any:
        axes = tuple(range(2, x.dim()))
        with torch.no_grad():
            batch_variance, batch_mean = torch.var_mean(torch.Tensor.float(x), axes, correction=0)
            for moving, now in ((mean, batch_mean), (variance, batch_variance)):
                assign(moving, moving * (1 - momentum) + torch.mean(now, 0) * momentum)
        return wrap(
            (
                torch.instance_norm(x, gamma, beta, None, None, True, momentum, epsilon, False),
                torch.flatten(batch_mean),
                torch.flatten(batch_variance),
            )
        )

    return run


for _class in (AddLayerNormV2, AddRmsNorm):
    _class._is_listed = False

__all__ = functions(globals())
PRIMITIVES = classes(globals())
