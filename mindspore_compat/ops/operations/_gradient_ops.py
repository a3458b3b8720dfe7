"""Gradients of other operators as operators: those element by element, and what all of them share.

Upstream shows them in ``mindspore.ops.auto_generate`` and ``mindspore.ops.operations._grad_ops``. Each is a formula, or
the derivative of the forward operator; both can be differentiated again, where upstream's mostly cannot.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat.common._overwritten import aside
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.ops._adapt import check_tensors, to_dtype
from mindspore_compat.ops._declare import plain, primitive

__all__ = """
    ACosGrad AbsGrad AcoshGrad AsinGrad AsinhGrad AtanGrad EluGrad FastGeLUGrad GeLUGrad HShrinkGrad HSigmoidGrad
    HSwishGrad InvGrad ReLU6Grad ReciprocalGrad ReluGrad RsqrtGrad SiLUGrad SigmoidGrad SoftShrinkGrad
    SoftmaxBackward SoftplusGrad SqrtGrad TanhGrad
""".split()

_Run = Callable[..., Any]


# --- what all share ---------------------------------------------------------------------------------------------------


def as_torch(tree: Any) -> Any:
    """torch.Tensors that keep their history, in lists and tuples too; other values unchanged."""
    if isinstance(tree, (tuple, list)):
        return tuple(as_torch(item) for item in tree)
    return torch.Tensor.as_subclass(tree, torch.Tensor) if isinstance(tree, torch.Tensor) else tree


def derivatives(function: _Run, inputs: Sequence[Any], cotangent: Any) -> tuple[Any, ...]:
    """Of ``function`` by each of ``inputs``, in the direction of its result; composes with derivatives around it."""
    with torch.enable_grad(), aside():
        _, pull = torch.func.vjp(lambda *items: as_torch(function(*items)), *as_torch(tuple(inputs)))
        found = pull(as_torch(cotangent))
    return tuple(wrap(item) for item in found)


def derivative(function: _Run, x: Any, cotangent: Any) -> Any:
    """Of ``function`` by ``x``, as `derivatives`."""
    return derivatives(function, (x,), cotangent)[0]


def adjoint(function: _Run, shape: tuple[int, ...], cotangent: Any) -> Any:
    """The derivative of a linear ``function`` of a tensor of this shape; integers go through float64."""
    dtype = cotangent.dtype
    cotangent = cotangent if dtype.is_floating_point or dtype.is_complex else to_dtype(cotangent, torch.float64)
    zeros = torch.zeros(shape, dtype=cotangent.dtype, device=cotangent.device)
    return wrap(to_dtype(derivative(lambda x: function(wrap(x)), zeros, cotangent), dtype))


def check_shapes(owner: str, **given: torch.Tensor) -> None:
    """ValueError unless the tensors have one shape: none is broadcast."""
    shapes = {name: tuple(x.shape) for name, x in given.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError(f"For '{owner}', the tensors must be of the same shape, but got {shapes}.")


#: letter -> dtypes: h 16 and 32 bit floats, f all floats, c complex, i signed and u unsigned integers, b bools
_KINDS = {
    "h": {torch.float16, torch.bfloat16, torch.float32},
    "f": {torch.float16, torch.bfloat16, torch.float32, torch.float64},
    "c": {torch.complex64, torch.complex128},
    "i": {torch.int8, torch.int16, torch.int32, torch.int64},
    "u": {torch.uint8, torch.uint16, torch.uint32, torch.uint64},
    "b": {torch.bool},
}


def check_kind(owner: str, name: str, x: torch.Tensor, kinds: str) -> None:
    """TypeError unless the dtype is of these kinds, a string of letters of the table above."""
    allowed = set().union(*(_KINDS[kind] for kind in kinds))
    if x.dtype not in allowed:
        names = ", ".join(sorted(dtype_name(dtype) for dtype in allowed))
        raise TypeError(
            f"For primitive[{owner}], the input argument[{name}] must be a type of {{{names}}}, but got "
            f"{dtype_name(x.dtype)}."
        )


def alike(owner: str, kinds: str, given: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    """Tensors of one shape and one dtype of these kinds, checked; "=" among the kinds refuses several dtypes, else all
    are cast to the first one's, as by upstream's kernels.
    """
    check_tensors(owner, **given)
    first, *others = given.values()
    for name, x in given.items():
        check_kind(owner, name, x, kinds.replace("=", ""))
        if "=" in kinds and x.dtype is not first.dtype:
            raise TypeError(f"For '{owner}', the tensors must be of one dtype, but '{name}' is of {x.dtype}.")
    check_shapes(owner, **given)
    return as_torch((first, *[to_dtype(other, first.dtype) for other in others]))


def in_float32(function: _Run) -> _Run:
    """The function of tensors computed in float32 for 16-bit floats, and rounded once."""

    def run(*items: torch.Tensor) -> Any:
        dtype = items[0].dtype
        if dtype not in (torch.float16, torch.bfloat16):
            return function(*items)
        return to_dtype(function(*[to_dtype(item, torch.float32) for item in items]), dtype)

    return run


# --- element by element -----------------------------------------------------------------------------------------------


def _checked(name: str, kinds: str, formula: _Run) -> _Run:
    """The formula with upstream's checks."""
    signature, compute = inspect.signature(formula), in_float32(formula)

    def run(*args: Any, **kwargs: Any) -> Any:
        return wrap(compute(*alike(name, kinds, signature.bind(*args, **kwargs).arguments)))

    run.__doc__ = f"The gradient of `{name.removesuffix('Grad')}`, element by element."
    run.__signature__ = signature  # type: ignore[attr-defined]
    return run


def _cosine(x: torch.Tensor) -> torch.Tensor:
    """The derivative of asin, conjugated as torch and upstream multiply complex gradients."""
    return torch.conj(torch.rsqrt(1 - x * x))


def _silu(dout: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    share = torch.sigmoid(x)
    return dout * share * (1 + x * (1 - share))


def _gelu(dy: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    cube, scale = 0.044715, 0.7978845608028654  # sqrt(2 / pi)
    inner = torch.tanh(scale * (x + cube * x * x * x))
    return dy * 0.5 * (1 + inner + x * (1 - inner * inner) * scale * (1 + 3 * cube * x * x))


def _fast_gelu(dy: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    share = torch.sigmoid(1.702 * x)
    return dy * share * (1 + 1.702 * x * (1 - share))


def _hard_swish(y_grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    inner = y_grad * (2 * x + 3) / 6
    return torch.where(x <= -3, torch.zeros_like(y_grad), torch.where(x >= 3, y_grad, to_dtype(inner, x.dtype)))


def _hard_sigmoid(grads: torch.Tensor, input_x: torch.Tensor) -> torch.Tensor:
    inside = (input_x > -3) & (input_x < 3)
    return torch.where(inside, to_dtype(grads / 6, grads.dtype), torch.zeros_like(grads))


def _kept(gradient: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The gradient where the mask is, else 0."""
    return torch.where(mask, gradient, torch.zeros_like(gradient))


#: name -> (dtypes, the formula over tensors with upstream's names; ``y``, ``out`` and ``result`` are the forward value)
_FORMULAS: dict[str, tuple[str, _Run]] = {
    "AbsGrad": ("fi", lambda x, dout: dout * torch.sign(x)),
    "ACosGrad": ("fc", lambda x, dout: -dout * _cosine(x)),
    "AsinGrad": ("fc", lambda x, dout: dout * _cosine(x)),
    "AtanGrad": ("fc", lambda x, dout: dout / (1 + torch.conj(x * x))),
    "AcoshGrad": ("fc", lambda out, dout: dout / torch.conj(torch.sinh(out))),
    "AsinhGrad": ("fc", lambda out, dout: dout / torch.conj(torch.cosh(out))),
    "ReciprocalGrad": ("fc", lambda y, dy: -dy * torch.conj(y * y)),
    # x is the value, for complex ones not conjugated, as upstream's
    "InvGrad": ("fci=", lambda x, grad: -grad * x * x),
    # the first argument is the value, the second its gradient
    "RsqrtGrad": ("fc", lambda y_backprop, x: -0.5 * x * torch.conj(y_backprop * y_backprop * y_backprop)),
    "SqrtGrad": ("fc", lambda dy, y: 0.5 * y / torch.conj(dy)),
    "SigmoidGrad": ("fc", lambda y, dy: dy * torch.conj(y * (1 - y))),
    "TanhGrad": ("fc", lambda y, dy: dy * (1 - y * y)),
    "SiLUGrad": ("f=", _silu),
    "EluGrad": ("f", lambda dout, out: torch.where(out < 0, dout * (out + 1), dout)),
    "ReluGrad": ("fiub", lambda y_backprop, x: _kept(y_backprop, x > 0)),
    "ReLU6Grad": ("f", lambda y_backprop, x: _kept(y_backprop, (x > 0) & (x <= 6))),  # at 6 it still passes
    "GeLUGrad": ("f", _gelu),
    "FastGeLUGrad": ("h", _fast_gelu),
    "HSwishGrad": ("f=", _hard_swish),
    "HSigmoidGrad": ("fi=", _hard_sigmoid),
    "SoftplusGrad": ("f=", lambda gradients, features: gradients * torch.sigmoid(features)),
}
globals().update({name: plain(name, _checked(name, *formula), __name__) for name, formula in _FORMULAS.items()})


def _shrink(owner: str, lambd: Any, names: tuple[str, str]) -> _Run:
    """The gradient where x is further than ``lambd`` from 0, else 0."""
    if isinstance(lambd, bool) or not isinstance(lambd, (int, float)):
        raise TypeError(f"For '{owner}', the 'lambd' must be a number, but got {type(lambd).__name__}.")

    def run(gradient: Any, x: Any) -> Any:
        gradient, x = alike(owner, "h=", dict(zip(names, (gradient, x))))
        return wrap(_kept(gradient, torch.abs(x) > lambd))

    return run


@primitive
def HShrinkGrad(lambd: float = 0.5) -> _Run:
    """The gradient of `HShrink` by x, its second input."""
    return _shrink("HShrinkGrad", lambd, ("gradients", "features"))


@primitive
def SoftShrinkGrad(lambd: float = 0.5) -> _Run:
    """The gradient of `SoftShrink` by x, its second input."""
    return _shrink("SoftShrinkGrad", lambd, ("input_grad", "input_x"))


# --- of tensors as a whole --------------------------------------------------------------------------------------------


def _softmax(dout: Any, out: Any, dim: int = -1) -> Any:
    """The gradient of softmax by its value ``out``."""
    return wrap(out * (dout - torch.sum(dout * out, dim, keepdim=True)))


SoftmaxBackward = plain("SoftmaxBackward", _softmax)
