"""Tensor methods with another result in compiled code (under ``jit``, in GRAPH_MODE) than in PyNative mode. The table
has all differences between real MindSpore's two modes, found by running its method table in both
(``tests/golden/make_modes.py``).

| method | PyNative | compiled | where |
|---|---|---|---|
| ``max(int)``, ``min(int)`` | (values, indices) | values | ``_tensor/methods_reduce.py`` |
| ``argmax()`` | of all | along the last axis | there |
| ``transpose(0, 1)`` of a matrix | the axes exchanged | a permutation: no change | ``_tensor/methods_shape.py`` |
| ``add_`` and the like, another dtype | that, ``self`` stays | ``self`` changes, the operand is cast | here |
| ``x += y`` and the like, another dtype | that | the dtype of ``x``, the operand is cast | here |
| ``fmod``, ``multiply`` of bools with an int | int64 | int32 | here |
| other names of arguments | refused | known | ``_method_spellings.py``, in both |
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.mode import in_graph
from mindspore_compat._tensor import tracing
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.tensor import Tensor

__all__ = ["install_compiled_methods"]

_Base = torch._C.TensorBase
#: methods that MindSpore's PyNative calls "in place", though the result has another dtype
_IN_PLACE = {"add_": "add", "mul_": "mul", "div_": "div", "floor_divide_": "floor_divide", "remainder_": "remainder"}


_AUGMENTED = {
    "iadd": "add",
    "isub": "sub",
    "imul": "mul",
    "itruediv": "div",
    "ifloordiv": "floor_divide",
    "imod": "remainder",
}


def _is_exact(dtype: torch.dtype) -> bool:
    return not dtype.is_floating_point and not dtype.is_complex


def _in_place(name: str, inner: Callable[..., Any]) -> Callable[..., Any]:
    plain_name = _IN_PLACE[name]

    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_exact(self.dtype) or len(args) + len(kwargs) != 1 or tracing.is_tracing():
            return inner(self, *args, **kwargs)
        other = args[0] if args else kwargs.get("other")
        compute = getattr(Tensor, plain_name)
        if not isinstance(other, (int, float, torch.Tensor)):
            return inner(self, *args, **kwargs)
        result = compute(self, other)
        if result.dtype is self.dtype:
            return inner(self, *args, **kwargs)
        if not in_graph():
            return result
        cast = torch.as_tensor(other, device=self.device).to(self.dtype)
        return wrap(_Base.copy_(self, _truncated(plain_name, self, cast)))

    return method


def _truncated(name: str, self: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    with torch._C.DisableTorchFunctionSubclass():
        if self.dtype is torch.bool:
            whole = _truncated(name, self.to(torch.int64), other.to(torch.int64))
            return whole.to(torch.bool)
        if name == "div":
            return torch.div(self, other, rounding_mode="trunc")
        return getattr(torch, name)(self, other)


def _augmented(name: str, inner: Callable[..., Any]) -> Callable[..., Any]:
    """Compute ``x += y``. In compiled code the result has the dtype of ``x``, and a ``y`` beside integers is truncated
    to an integer first.
    """
    plain_name = _AUGMENTED[name]

    def method(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        result = inner(self, other, alpha=alpha) if alpha != 1 else inner(self, other)
        if result is NotImplemented or result.dtype is self.dtype or not in_graph():
            return result
        if not _is_exact(self.dtype):
            return wrap(_Base.to(result, self.dtype))
        if self.dtype is torch.bool and plain_name not in ("mul", "floor_divide"):
            raise TypeError(
                f"For '{plain_name}', a Tensor of bools can not take the result of an assignment such as x += y in "
                f"compiled code, but got a {type(other).__name__}. Write x = x + y."
            )
        if alpha != 1:
            other = other * alpha
        return wrap(_truncated(plain_name, self, torch.as_tensor(other, device=self.device).to(self.dtype)))

    return method


def _int32_of_bools(inner: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "value" in kwargs or "other" in kwargs:
            args, kwargs = (*args, kwargs.pop("value", None) if "value" in kwargs else kwargs.pop("other")), kwargs
        result = inner(self, *args, **kwargs)
        if self.dtype is torch.bool and type(args[0]) is int and in_graph():
            return wrap(_Base.to(result, torch.int32))
        return result

    return method


def install_compiled_methods() -> None:
    """Wrap the methods of `Tensor`."""
    for name in _IN_PLACE:
        setattr(Tensor, name, _in_place(name, getattr(Tensor, name)))
    for name in _AUGMENTED:
        setattr(Tensor, f"__{name}__", _augmented(name, getattr(Tensor, f"__{name}__")))
        tracing.by_operator[name] = _augmented(name, tracing.by_operator[name])
    for name in ("fmod", "multiply"):
        setattr(Tensor, name, _int32_of_bools(getattr(Tensor, name)))
