"""Activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as tf

from mindspore_compat._numerics import subgradients
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype
from mindspore_compat._ops.adapt import as_axes, dtype_or_none, to_dtype
from mindspore_compat._ops.declare import Ints, Typed, classes, functions, named, op, primitive, primitive_class
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


def _unary(name: str, function: Any, doc: str, argument: str = "input", **options: Any) -> Any:
    """Declare ``name(input)``, or ``name(x)``, over a function of one tensor; ``options`` as of `op`."""

    def of_input(input: Any) -> Any:
        return wrap(function(input))

    def of_x(x: Any) -> Any:
        return wrap(function(x))

    return op(named(of_x if argument == "x" else of_input, name, doc), **options)


def _with_class(name: str, function: Any) -> tuple[Any, Any]:
    """Return the function, and the class over it."""
    return function, primitive_class(name, function)


@op(fallback=False, formerly="x=input")
def relu(input: Any, inplace: bool = False) -> Any:
    """Return max(0, x)."""
    if inplace:
        return wrap(torch.relu_(input))
    try:
        return wrap(torch.relu(input))
    except RuntimeError as error:
        return wrap(retry_in_wider_dtype(error, torch.relu, (input,), None, "relu"))


relu6, ReLU6 = _with_class("ReLU6", _unary("relu6", subgradients.relu6, "Return min(max(0, x), 6).", "x"))
sigmoid, Sigmoid = _with_class(
    "Sigmoid", _unary("sigmoid", torch.sigmoid, "Return 1 / (1 + exp(-x)).", fallback=False, formerly="input_x=input")
)
inplace_sigmoid = _unary("inplace_sigmoid", torch.sigmoid_, "Run `sigmoid` in place.")
tanh, Tanh = _with_class(
    "Tanh", _unary("tanh", torch.tanh, "Return the hyperbolic tangent.", fallback=False, formerly="input_x=input")
)
tanh_ = _unary("tanh_", torch.tanh_, "Run `tanh` in place.")


@op(fallback=False, formerly="x=input")
def softmax(input: Any, axis: Any = -1, *, dtype: Any = None) -> Any:
    """Return exp(x) normalized to sum 1 along ``axis``."""
    return wrap(torch.softmax(input, axis, dtype=dtype_or_none(dtype)))


def softmax_axes(input: Any, axis: Any = -1) -> Any:
    """Run `softmax` over one axis, given as int or 1-tuple, or over several together."""
    axis = as_axes(axis)
    if isinstance(axis, int):
        return softmax(input, axis)
    if axis is None:
        raise ValueError("For 'Softmax', the length of 'axis' must be greater than or equal to 1, but got 0.")
    shifted = torch.exp(input - torch.amax(input, axis, True))
    return wrap(shifted / torch.sum(shifted, axis, True))


@op
def softmin(x: Any, axis: int = -1, *, dtype: Any = None) -> Any:
    """Return softmax(-x)."""
    return wrap(tf.softmin(x, axis, dtype=dtype_or_none(dtype)))


@op(fallback=False)
def log_softmax(logits: Any, axis: int = -1) -> Any:
    """Return log(softmax(x))."""
    return wrap(torch.log_softmax(logits, axis))


logsigmoid = _unary("logsigmoid", tf.logsigmoid, "Return log(sigmoid(x)).", "x")


@op
def softplus(input: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    """Return log(1 + exp(beta x)) / beta, linear above the threshold."""
    return wrap(tf.softplus(input, float(beta), float(threshold)))


Softplus = primitive_class("Softplus", softplus, inputs="x")
softsign, Softsign = _with_class("Softsign", _unary("softsign", tf.softsign, "Return x / (1 + |x|).", "x"))


@op(formerly="x=input", method="soft_shrink")
def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """Return x moved towards 0 by ``lambd``, 0 in between."""
    return wrap(tf.softshrink(input, lambd))


SoftShrink = primitive_class(
    "SoftShrink", softshrink, "x moved towards 0 by ``lambd``.", lambd=(float, 0.5), settable=True
)


soft_shrink = softshrink


@op(formerly="x=input")
def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """Return x, and 0 where |x| <= lambd."""
    return wrap(tf.hardshrink(input, lambd))


HShrink = primitive_class("HShrink", hardshrink, lambd=(float, 0.5), settable=True)
hardsigmoid, HSigmoid = _with_class(
    "HSigmoid", _unary("hardsigmoid", subgradients.hardsigmoid, "Return relu6(x + 3) / 6.", formerly="input_x=input")
)
hardswish, HSwish = _with_class(
    "HSwish", _unary("hardswish", subgradients.hardswish, "Return x · relu6(x + 3) / 6.", formerly="x=input")
)


@op
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Return x cut to [min_val, max_val]."""
    return wrap(subgradients.hardtanh(input, min_val, max_val))


tanhshrink = _unary("tanhshrink", tf.tanhshrink, "Return x - tanh(x).")


@op
def elu(input_x: Any, alpha: float = 1.0) -> Any:
    """Return x for x > 0, else alpha (exp(x) - 1)."""
    return wrap(tf.elu(input_x, alpha))


Elu = primitive_class("Elu", elu, alpha=(float, 1.0), settable=True)


@op
def selu(input_x: Any) -> Any:
    """Return the self-normalizing exponential linear unit."""
    if not input_x.dtype.is_floating_point:  # MindSpore's factors are integers then, and exp(x) - 1 is cut to 0
        return wrap(torch.relu(input_x))
    return wrap(torch.selu(input_x))


SeLU = primitive_class("SeLU", selu)


@op
def celu(x: Any, alpha: float = 1.0) -> Any:
    """Return the continuously differentiable exponential linear unit."""
    return wrap(torch.celu(x, alpha))


CeLU = primitive_class(
    "CeLU", celu, "max(0, x) + min(0, alpha (exp(x / alpha) - 1)).", alpha=(float, 1.0), settable=True
)


@op(fallback=False, formerly="input_x=input")
def gelu(input: Any, approximate: str = "none") -> Any:
    """Return x · Φ(x); "tanh" approximates."""
    return wrap(tf.gelu(input, approximate=approximate))


GeLU = primitive_class("GeLU", lambda input: gelu(input, "tanh"))
Gelu = primitive_class("Gelu", lambda input: gelu(input, "tanh"), inputs="x")


@op
def fast_gelu(x: Any) -> Any:
    """Return x / (1 + exp(-1.702 |x|)) · exp(0.851 (x - |x|))."""
    return wrap(x * torch.sigmoid(1.702 * x))


FastGeLU = primitive_class("FastGeLU", fast_gelu)
FastGelu = primitive_class("FastGelu", fast_gelu)
silu = _unary("silu", tf.silu, "Return x · sigmoid(x).", fallback=False, formerly="x=input")
mish, Mish = _with_class("Mish", _unary("mish", tf.mish, "Return x · tanh(softplus(x)).", "x"))


@op
def glu(x: Any, axis: int = -1) -> Any:
    """Return the first half · sigmoid(second half)."""
    return wrap(tf.glu(x, axis))


GLU = primitive_class("GLU", glu, axis=(int, -1), settable=True)


@op
def swiglu(input: Any, dim: int = -1) -> Any:
    """Return silu(first half) · second half."""
    first, second = torch.chunk(input, 2, dim)
    return wrap(tf.silu(first) * second)


@op
def leaky_relu(input: Any, alpha: Any = 0.2) -> Any:
    """Return x for x > 0, else alpha x; of integers by the whole part of ``alpha``."""
    if not input.dtype.is_floating_point and input.dtype is not torch.bool:
        return wrap(torch.where(input > 0, input, torch.mul(input, int(alpha))))
    return wrap(subgradients.leaky_relu(input, float(alpha)))


@op(formerly="x=input")
def prelu(input: Any, weight: Any) -> Any:
    """Return x for x > 0, else weight · x, one weight or one for each channel."""
    return wrap(torch.prelu(input, to_dtype(weight, input.dtype)))


PReLU = primitive_class("PReLU", prelu)


@op
def rrelu(input: Any, lower: float = 0.125, upper: float = 1 / 3) -> Any:
    """Return x for x > 0, else x · a random slope; the derivative at 0 is 0."""
    slopes = torch.empty_like(input).uniform_(lower, upper)
    return wrap(input * torch.where(input > 0, 1, slopes * (input < 0)))


@op
def threshold(input: Any, thr: Any, value: Any) -> Any:
    """Return x where x > thr, else value."""
    return wrap(torch.threshold(input, thr, value))


@op
def gumbel_softmax(logits: Any, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Any:
    """Return a differentiable sample of one class."""
    return wrap(tf.gumbel_softmax(logits, tau, hard, dim=dim))


@op(fallback=False)
def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Any:
    """Return rows of ``weight`` by index."""
    return wrap(tf.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq))


def _relu(input: Any) -> Any:
    """Return max(0, x)."""
    return relu(input)


ReLU = primitive_class("ReLU", _relu)
ReLUV3 = primitive_class("ReLUV3", _relu, inputs="x")

LogSoftmax = primitive_class("LogSoftmax", log_softmax, axis=(Typed[int], -1), settable=True)
LogSoftmaxExt = primitive_class(
    "LogSoftmaxExt",
    lambda input, dim=None, dtype=None: wrap(torch.log_softmax(input, -1 if dim is None else dim, dtype=dtype)),
)


@primitive(settable=True)
def Softmax(axis: Ints[int | tuple] = -1) -> _Run:
    """exp(x) normalized to sum 1 along one axis or several."""
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, int):
        return lambda input: softmax(input, axis)
    return lambda input: softmax_axes(input, axis)


__all__ = functions(globals())
PRIMITIVES = classes(globals())
