"""Tensor's arithmetic, comparison and bit operators: MindSpore's promotion and errors around torch's functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._graph.mode import in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.autocast import common_type
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor import tracing
from mindspore_compat._tensor.data import operand_from
from mindspore_compat._tensor.indexing import flipped, numpy_index
from mindspore_compat._tensor.wrapping import wrap

_Base = torch._C.TensorBase
_NUMBERS = (int, float, bool, complex)
Tensor: Any = None  # set by `install_operators`: a global is the quickest name for the operators to find


def promoted(left: Any, right: Any) -> tuple[Any, Any]:
    """Return both operands, with 0-d tensors as full members of type promotion (in torch they give way)."""
    if isinstance(right, torch.Tensor) and right.dtype is not left.dtype and (right.dim() == 0 or left.dim() == 0):
        common = common_type(left.dtype, right.dtype)
        return _Base.to(left, common), _Base.to(right, common)
    return left, right


#: Python types that no operator takes; their own reflected operators are not tried (``"a" * x`` repeats)
_REFUSED = (str, bytes, bytearray, dict, set, frozenset, type, type(None))


def _operand(value: Any, like: torch.Tensor, name: str) -> Any:
    """Return ``value`` as an operand of torch, NotImplemented if MindSpore would refuse it."""
    if isinstance(value, _REFUSED):
        raise TypeError(f"The operator '{name}' takes Tensors and numbers, but got {type(value).__name__}.")
    if isinstance(value, (np.number, np.bool_)):
        return value.item()
    if isinstance(value, (list, tuple, np.ndarray)):
        return operand_from(value, like.device)
    return NotImplemented


def _binary(
    name: str, op: Callable[[Any, Any], torch.Tensor], promotes_0d: bool = True, traced: bool = False
) -> Callable[..., Any]:
    def method(self: Tensor, other: Any, *, alpha: Any = 1) -> Any:
        if alpha != 1:
            other = _scaled(op, other, alpha)
        if isinstance(other, torch.Tensor):
            if promotes_0d and other.dtype is not self.dtype and (_Base.dim(other) == 0 or _Base.dim(self) == 0):
                self, other = promoted(self, other)
        elif not isinstance(other, _NUMBERS):
            other = _operand(other, self, name)
            if other is NotImplemented:
                return NotImplemented
            return method(self, other)
        try:
            result = op(self, other)
        except RuntimeError as error:
            result = retry_in_wider_dtype(error, op, (self, other), None, name)
        if traced:
            return wrap(result)
        result.__class__ = Tensor
        return result

    return method


def _scaled(op: Callable[..., Any], other: Any, alpha: Any) -> Any:
    """Return ``other`` · ``alpha``; ``x.__add__`` and ``x.__sub__`` accept ``alpha`` by name."""
    if op is not _Base.add and op is not _subtract:
        raise TypeError("The operator takes no argument 'alpha': only '+' and '-' do. Multiply the operand.")
    return other * alpha


def _by_integers(function: Callable[[Any, Any], torch.Tensor], is_quotient: bool) -> Callable[[Any, Any], torch.Tensor]:
    """Compute with integers as MindSpore where torch refuses to divide by 0. A quotient is the largest or smallest
    number by the sign of ``left``, or 0. A remainder is the smallest number, or 0 with 8 and 16 bits.
    """

    def divided(left: Any, right: Any) -> torch.Tensor:
        if program.recorder_here() is None or torch.result_type(left, right).is_floating_point:
            try:
                return function(left, right)
            except RuntimeError as error:
                if "ZeroDivisionError" not in str(error):
                    raise
        common = torch.result_type(left, right)  # a recorded step must also work for a later 0
        left, right = (torch.as_tensor(item).to(common) for item in (left, right))
        zero = torch.eq(right, 0)
        result = function(left, torch.where(zero, torch.ones_like(right), right))
        info = torch.iinfo(common)
        least = info.min if common.itemsize > 2 else 0  # as C++ casts NaN
        at_zero = torch.where(left > 0, info.max, torch.where(left < 0, info.min, 0)) if is_quotient else least
        return torch.where(zero, at_zero, result).to(common)

    return divided


#: the quotient rounded down; unlike torch.floor_divide it has a gradient, which is 0
floor_quotient = _by_integers(lambda left, right: torch.div(left, right, rounding_mode="floor"), True)
truncated_quotient = _by_integers(lambda left, right: torch.div(left, right, rounding_mode="trunc"), True)
remainder = _by_integers(torch.remainder, False)
truncated_remainder = _by_integers(torch.fmod, False)


def _subtract(left: Any, right: Any) -> torch.Tensor:
    """Return left - right. torch refuses bools: two of them give their difference, one is cast to the other's dtype."""
    try:
        return torch.sub(left, right) if isinstance(left, torch.Tensor) else torch.rsub(right, left)
    except RuntimeError as error:
        if "bool tensor" not in str(error):
            raise
    common = torch.result_type(left, right)
    operands = [torch.as_tensor(item).to(common) for item in (left, right)]
    return torch.logical_xor(*operands) if common is torch.bool else torch.sub(*operands)


def _reflected(
    name: str,
    op: Callable[[Any, Any], Any],
    numpy_op: Callable[[Any, Any], Any],
    promotes_0d: bool = True,
    traced: bool = False,
) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        if isinstance(other, np.ndarray):  # numpy on the left decides, as in MindSpore
            return numpy_op(other, self.asnumpy())
        if not isinstance(other, (torch.Tensor, *_NUMBERS)):
            other = _operand(other, self, name)
            if other is NotImplemented:
                return NotImplemented
        if promotes_0d and isinstance(other, torch.Tensor):
            other, self = promoted(other, self)
        try:
            result = op(other, self)
        except RuntimeError as error:
            result = retry_in_wider_dtype(error, op, (other, self), None, name)
        if traced:
            return wrap(result)
        result.__class__ = Tensor
        return result

    return method


#: what computes ``x += y`` of whole numbers in compiled code
_TRUNCATED: dict[str, Callable[[Any, Any], torch.Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "truediv": lambda left, right: torch.div(left, right, rounding_mode="trunc"),
    "floordiv": torch.floor_divide,
    "mod": torch.remainder,
}


def truncated(name: str, self: torch.Tensor, other: Any) -> torch.Tensor:
    """Return the result in the dtype of ``self``, a whole one, after ``other`` is cast to it."""
    with torch._C.DisableTorchFunctionSubclass():
        other = torch.as_tensor(other, device=self.device).to(self.dtype)
        if self.dtype is torch.bool:
            return _TRUNCATED[name](self.to(torch.int64), other.to(torch.int64)).to(torch.bool)
        return _TRUNCATED[name](self, other)


def _augmented(name: str, inner: Callable[..., Any]) -> Callable[..., Any]:
    """Compute ``x += y``: in compiled code in the dtype of ``x``, and a ``y`` beside integers is truncated first."""

    def method(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        result = inner(self, other, alpha=alpha) if alpha != 1 else inner(self, other)
        if result is NotImplemented or result.dtype is self.dtype or not in_graph():
            return result
        if self.dtype.is_floating_point or self.dtype.is_complex:
            return wrap(_Base.to(result, self.dtype))
        if self.dtype is torch.bool and name not in ("mul", "floordiv"):
            raise TypeError(
                f"For '{name}', a Tensor of bools cannot take the result of an assignment such as x += y in "
                f"compiled code, but got a {type(other).__name__}. Write x = x + y."
            )
        return wrap(truncated(name, self, other if alpha == 1 else other * alpha))

    return method


def install_operators(cls: type) -> None:
    """Install the operators on a class; one row each."""
    global Tensor
    Tensor = cls
    b = _Base
    # MindSpore's products and quotients let a 0-d tensor give way, as torch does; its other operators do not
    as_torch = ("mul", "truediv", "rmul", "rtruediv")
    for name, op in {
        "add": b.add,
        "sub": _subtract,
        "mul": b.mul,
        "truediv": b.true_divide,
        "floordiv": floor_quotient,
        "mod": remainder,
        "pow": kernels.pow,
        "matmul": kernels.matmul,
        "lt": b.lt,
        "le": b.le,
        "gt": b.gt,
        "ge": b.ge,
        "and": b.__and__,
        "or": b.__or__,
        "xor": b.__xor__,
        "lshift": b.__lshift__,
        "rshift": b.__rshift__,
    }.items():
        method = _binary(name, op, name not in as_torch)
        method.__name__ = f"__{name}__"
        setattr(Tensor, f"__{name}__", method)
        tracing.by_operator[name] = _binary(name, op, name not in as_torch, traced=True)
        if name not in ("lt", "le", "gt", "ge"):  # x += y is x = x + y, never in place
            augmented = functools.partial(_augmented, name) if name in _TRUNCATED else lambda inner: inner
            setattr(Tensor, f"__i{name}__", augmented(method))
            tracing.by_operator[f"i{name}"] = augmented(tracing.by_operator[name])
    _install_reflected(as_torch)
    for name, unary in {"neg": b.neg, "pos": b.positive, "abs": b.abs, "invert": b.logical_not}.items():
        tracing.by_operator[name] = _unary(unary, traced=True)
        setattr(Tensor, f"__{name}__", _unary(unary))
    tracing.by_operator.update(eq=Tensor.__eq__, ne=Tensor.__ne__, getitem=_traced_getitem)


def _install_reflected(as_torch: tuple[str, ...]) -> None:
    """Install the operators with the Tensor on the right; in those of ``as_torch`` a 0-d tensor gives way."""
    b = _Base

    def lift(op: Callable[[Any, Any], torch.Tensor]) -> Callable[[Any, Any], torch.Tensor]:
        def lifted(left: Any, right: torch.Tensor) -> torch.Tensor:
            return op(left if isinstance(left, torch.Tensor) else constant(left, right.device), right)

        return lifted

    rows: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
        "radd": (lambda left, right: b.add(right, left), np.add),
        "rmul": (lambda left, right: b.mul(right, left), np.multiply),
        "rsub": (_subtract, np.subtract),
        "rtruediv": (
            lambda left, right: (
                torch.div(left, right) if isinstance(left, torch.Tensor) else b.mul(b.reciprocal(right), left)
            ),
            np.true_divide,
        ),
        "rfloordiv": (lift(floor_quotient), np.floor_divide),
        "rmod": (remainder, np.mod),
        "rpow": (kernels.pow, np.power),
        "rmatmul": (lift(kernels.matmul), np.matmul),
        "rand": (lambda left, right: b.__and__(right, left), np.bitwise_and),
        "ror": (lambda left, right: b.__or__(right, left), np.bitwise_or),
        "rxor": (lambda left, right: b.__xor__(right, left), np.bitwise_xor),
    }
    for name, (op, numpy_op) in rows.items():
        setattr(Tensor, f"__{name}__", _reflected(name[1:], op, numpy_op, name not in as_torch))
        tracing.by_operator[name] = _reflected(name[1:], op, numpy_op, name not in as_torch, traced=True)


def _unary(op: Callable[[Any], torch.Tensor], traced: bool = False) -> Callable[[Tensor], Any]:
    def of_trace(self: Tensor) -> Any:
        return wrap(op(self))

    def method(self: Tensor) -> Any:
        try:
            return wrap(op(self))
        except RuntimeError as error:
            return wrap(retry_in_wider_dtype(error, op, (self,)))

    return of_trace if traced else method


def _traced_getitem(self: Tensor, index: Any) -> Any:
    """Return ``x[index]`` in a trace, where an error cannot be caught."""
    if isinstance(index, tuple):
        index = numpy_index(index)
    items = index if isinstance(index, tuple) else (index,)
    if any(isinstance(item, slice) and item.step is not None and item.step < 0 for item in items):
        return wrap(flipped(self, index))
    return wrap(_Base.__getitem__(self, index))
