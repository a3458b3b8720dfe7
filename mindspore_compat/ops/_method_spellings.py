"""Call forms of Tensor methods in real MindSpore, or a release before it, that the methods themselves do not have:
argument names, and overloads. Found as in `_compiled_methods`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.former_names import accept_aliases, or_older_meaning
from mindspore_compat._ops.adapt import as_plain
from mindspore_compat._ops.former import FORMER
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._tensor.indexing import as_indices
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops import function as F

__all__ = ["install_spellings"]

_Base = torch._C.TensorBase
_Method = Callable[..., Any]

#: method -> {another name of an argument: its own name}
_NAMES: dict[str, dict[str, str]] = {
    "amax": {"keep_dims": "keepdims"},
    "amin": {"keep_dims": "keepdims"},
    "approximate_equal": {"other": "y"},
    "float_power": {"other": "exponent"},
    "index_select": {"dim": "axis"},
    "isclose": {"x2": "other"},
    "matmul": {"tensor2": "other"},
    "median": {"dim": "axis", "keepdim": "keepdims"},
    "remainder": {"divisor": "other"},
    "renorm": {"dim": "axis"},
    "sub": {"y": "other"},
    "where": {"other": "y"},
    # of earlier releases
    "add": {"y": "other"},
    **{name: {"value": "other", "y": "other"} for name in ("div", "divide", "mul")},
    "ger": {"x": "vec2"},
    "logsumexp": {"keepdims": "keepdim"},
    "masked_scatter": {"tensor": "source", "x": "source"},
    "addcdiv": {"x1": "tensor1", "x2": "tensor2"},
    "addcmul": {"x1": "tensor1", "x2": "tensor2"},
    **{name: {"y": "other"} for name in ("atan2", "xlogy")},
    **{name: {"x": "other"} for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "ge", "gt")},
    "index_fill": {"dim": "axis"},
    "pow": {"power": "exponent"},
    "true_divide": {"value": "divisor"},
}


def _times(value: Any, factor: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.dtype is torch.bool:
        return value if factor else torch.zeros_like(value)
    return value * factor


def _scaled(inner: _Method) -> _Method:
    """Return ``add`` and ``sub`` with ``alpha``, by which the operand is multiplied."""

    @functools.wraps(inner)
    def method(self: Any, *args: Any, alpha: Any = 1, **kwargs: Any) -> Any:
        if isinstance(alpha, torch.Tensor) or alpha != 1:
            args = tuple(_times(value, alpha) for value in args)
            kwargs = {name: _times(value, alpha) for name, value in kwargs.items()}
        elif args and args[0].__class__ in (list, tuple):
            args = (as_plain(args[0], like=self), *args[1:])
        return inner(self, *args, **kwargs)

    return method


def _index_add(inner: _Method) -> _Method:
    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Accept MindSpore's ``(indices, y, axis)``, and torch's ``(dim, index, source, *, alpha=1)``."""
        if (args and isinstance(args[0], int)) or "dim" in kwargs:
            given = {**dict(zip(("dim", "index", "source"), args)), **kwargs}
            given["index"] = as_indices(given["index"], self)
            return wrap(_Base.index_add(self, **given))
        return inner(self, *args, **kwargs)

    return method


def _permute(inner: _Method) -> _Method:
    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Permute; None, or nothing, reverses the axes."""
        axes = kwargs.get("dims", kwargs.get("axis")) if kwargs else (args[0] if args else None)
        if axes is None:
            return inner(self, tuple(range(_Base.dim(self) - 1, -1, -1)))
        return inner(self, axes) if kwargs else inner(self, *args)

    return method


def _ldexp(inner: _Method) -> _Method:
    @functools.wraps(inner)
    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, torch.Tensor):
            other = torch.as_tensor(int(other) if isinstance(other, bool) else other, device=self.device)
        return inner(self, other)

    return method


def _norm(inner: _Method) -> _Method:
    @functools.wraps(inner)
    def method(self: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Return the norm. Without an order it is the root of the squares, of ints, too. A float order without axes is
        that of all elements, an int order that of a matrix.
        """
        order = args[0] if args else kwargs.get("ord", kwargs.get("p"))
        if self.dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8) and order is None:
            self = _Base.to(self, torch.float32)
        if isinstance(order, float) and order == 2 and len(args) < 2 and kwargs.get("dim") is None:
            return method(self, dtype=dtype, keepdim=kwargs.get("keepdim", False))
        result = inner(self, *args, **kwargs)
        return result if dtype is None else wrap(_Base.to(result, to_torch_dtype(dtype)))

    return method


def _sum(inner: _Method) -> _Method:
    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 2 and args[1].__class__ is bool and "dtype" in kwargs:  # torch's sum(dim, keepdim, *, dtype)
            return inner(self, args[0], kwargs.pop("dtype"), args[1], **kwargs)
        return inner(self, *args, **kwargs)

    return method


def _to(inner: _Method) -> _Method:
    devices = {"CPU": lambda: CPU, "GPU": current_device, "Ascend": current_device}

    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args and args[0].__class__ is str and args[0] in devices:
            args = (devices[args[0]](), *args[1:])
        elif "other" in kwargs and not args:
            args = (kwargs.pop("other"),)
        return inner(self, *args, **kwargs)

    return method


def _round(inner: _Method) -> _Method:
    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not self.dtype.is_floating_point and not self.dtype.is_complex:
            places = args[0] if args else kwargs.get("decimals", 0)
            if places >= 0:
                return wrap(_Base.clone(self))
        return inner(self, *args, **kwargs)

    return method


_OVERLOADS: dict[str, Callable[[_Method], _Method]] = {
    "add": _scaled,
    "sub": _scaled,
    "index_add": _index_add,
    "permute": _permute,
    "ldexp": _ldexp,
    "norm": _norm,
    "sum": _sum,
    "to": _to,
    "round": _round,
}
#: method -> the function with an earlier release's signature, and when it is called
_FORMER: dict[str, tuple[Any, int, Any, str]] = {
    "bernoulli": (F.bernoulli, 0, (), "seed"),
    "median": FORMER["median"],
    "norm": (FORMER["norm"][0], 0, (), "axis keep_dims epsilon"),
    "split": (F.split, 0, (), "output_num"),
}


def install_spellings() -> None:
    """Wrap the methods of `Tensor`."""
    for name, names in _NAMES.items():
        setattr(Tensor, name, accept_aliases(getattr(Tensor, name), names))
    for name, overload in _OVERLOADS.items():
        setattr(Tensor, name, overload(getattr(Tensor, name)))
    for name, older in _FORMER.items():
        setattr(Tensor, name, or_older_meaning(*older)(getattr(Tensor, name)))
