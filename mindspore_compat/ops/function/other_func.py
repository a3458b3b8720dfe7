"""Sequencing, parameters and Python values. MindSpore: ``mindspore.ops.function.other_func``, ``parameter_func``,
``functional``.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.float_status import note_status
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._graph.mutable import isconstant as isconstant
from mindspore_compat._numerics.dtype_families import is_subclass, type_of
from mindspore_compat._tensor.wrapping import unaliased, wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.ops._adapt import changed, check_keeps_dtype, fitting, get_data, passes_gradient, to_dtype

__all__ = """
    depend identity partial assign assign_add assign_sub make_range make_tuple make_list make_slice make_dict
    tuple_getitem list_getitem dict_getitem tuple_setitem list_setitem dict_setitem tuple_len list_len
    tuple_reversed tuple_div tuple_equal list_equal in_dict not_in_dict is_ is_not string_eq string_concat bool_not
    bool_or bool_and bool_eq scalar_add scalar_sub scalar_mul scalar_div scalar_floordiv scalar_mod scalar_pow
    scalar_eq scalar_ne scalar_lt scalar_le scalar_gt scalar_ge scalar_log scalar_uadd scalar_usub scalar_max
    scalar_min array_to_scalar typeof isconstant mixed_precision_cast shape_mul switch move_to hastype
    is_tensor_bool_cond float_status
""".split()


def depend(value: Any, expr: Any) -> Any:
    """Return ``value``; eager execution has already evaluated ``expr``.

    Examples:
        >>> x = Tensor([1.0])
        >>> print(ops.depend(x, x + 1))
        [1.]
    """
    note_status(expr)
    return value


def identity(x: Any) -> Any:
    """Return the argument itself."""
    return x


def partial(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Return ``fn`` with its first arguments bound.

    Examples:
        >>> add_one = ops.partial(ops.Add(), 1)
        >>> print(add_one(Tensor([1.0, 2.0])))
        [2. 3.]
    """
    return functools.partial(fn, *args, **kwargs)


# --- parameters -------------------------------------------------------------------------------------------------------


def assign(variable: Any, value: Any) -> Any:
    """Write ``value`` to the variable itself; return its present values. Raise ValueError for another shape."""
    data = get_data(variable)
    check_keeps_dtype("Assign", data, value)
    data.copy_(unaliased(data, fitting("Assign", data, value, data.dtype).detach()))
    result = changed(variable)
    return result if result is variable else wrap(torch.clone(result))  # later assignments do not change it


def _accumulated(owner: str, name: str, variable: Any, value: Any) -> Any:
    data = get_data(variable)
    check_keeps_dtype(owner, data, value)
    change = fitting(owner, data, value)
    if variable.grad_fn is not None and "shows" not in variable.__dict__ and torch.is_grad_enabled() and in_graph():
        # an intermediate value: compiled code differentiates what comes after by what it was changed by
        return wrap(getattr(torch.Tensor, name + "_")(variable, change))
    if not passes_gradient(value):
        getattr(data, name + "_")(unaliased(data, change.detach()))
        return changed(variable)
    result = getattr(torch, name)(variable, change).to(data.dtype)
    data.copy_(result.detach())
    changed(variable)
    return wrap(result)


def assign_add(variable: Any, value: Any) -> Any:
    """Add ``value`` to the variable itself; return it, or where ``value`` has a gradient a Tensor that passes it on to
    both.
    """
    return _accumulated("AssignAdd", "add", variable, value)


def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract ``value`` from the variable itself; return it, or where ``value`` has a gradient a Tensor that passes it
    on to both.
    """
    return _accumulated("AssignSub", "sub", variable, value)


def move_to(input: Any, to: str = "CPU", blocking: bool = True) -> Any:
    """Return ``input`` on another device: "CPU" or "Ascend" / "GPU" (CUDA)."""
    device = {"CPU": "cpu", "GPU": "cuda", "Ascend": "cuda"}[to]
    return wrap(input.to(device, non_blocking=not blocking))


def mixed_precision_cast(dst_dtype: Any, x: Any) -> Any:
    """Cast float tensors (in tuples, lists and dicts too) to another float dtype; the rest is unchanged. As in
    MindSpore, a list becomes a tuple.
    """
    if isinstance(x, torch.Tensor):
        return wrap(to_dtype(x, to_torch_dtype(dst_dtype))) if x.dtype.is_floating_point else x
    if isinstance(x, (tuple, list)):
        return tuple(mixed_precision_cast(dst_dtype, item) for item in x)
    if isinstance(x, dict):
        return {key: mixed_precision_cast(dst_dtype, item) for key, item in x.items()}
    return x


def float_status(x: Any) -> Any:
    """Return float32 [1.] if any element is nan or infinite, else [0.]."""
    return wrap(torch.reshape(to_dtype(torch.logical_not(torch.all(torch.isfinite(x))), torch.float32), (1,)))


# --- Python values: names of MindSpore's graph language ---------------------------------------------------------------


def make_range(*args: int) -> tuple[int, ...]:
    """Return the ints of ``range`` as a tuple."""
    return tuple(builtins.range(*[int(item) for item in args]))


def make_tuple(*items: Any) -> tuple:
    """Return a tuple of the arguments."""
    return items


def make_list(*items: Any) -> list:
    """Return a list of the arguments."""
    return list(items)


def make_dict(keys: Any, values: Any) -> dict:
    """Return a dict of keys and values."""
    return dict(zip(keys, values))


def make_slice(start: Any, stop: Any, step: Any) -> builtins.slice:
    """Return a slice."""
    return builtins.slice(start, stop, step)


def _with_item(sequence: Any, index: Any, value: Any) -> Any:
    items = dict(sequence) if isinstance(sequence, dict) else list(sequence)
    items[index] = value
    return tuple(items) if isinstance(sequence, tuple) else items


def array_to_scalar(x: Any) -> Any:
    """Return the only element as a Python number."""
    return x.item()


def typeof(x: Any) -> Any:
    """Return the MindSpore type of a value: ``Tensor[Float32]``, or ``Tuple[Int64*2]`` of a tuple of two integers."""
    return type_of(x)


def hastype(x: Any, kind: Any) -> bool:
    """Return whether `typeof` is ``kind`` or of its family."""
    return is_subclass(type_of(x), kind)


def is_tensor_bool_cond(x: Any) -> bool:
    """Return whether it is a tensor that a condition can take."""
    return isinstance(x, torch.Tensor) and x.numel() == 1


def shape_mul(shape: Any) -> int:
    """Return the product of a shape."""
    return math.prod(shape)


def switch(condition: Any, true_branch: Any, false_branch: Any) -> Any:
    """Return one of two values by a condition."""
    return true_branch if condition else false_branch


tuple_getitem = list_getitem = dict_getitem = operator.getitem
tuple_setitem = list_setitem = dict_setitem = _with_item
tuple_len = list_len = len
tuple_equal = list_equal = string_eq = bool_eq = scalar_eq = operator.eq
string_concat = scalar_add = operator.add
is_, is_not, bool_not = operator.is_, operator.is_not, operator.not_
scalar_sub, scalar_mul, scalar_div, scalar_floordiv = operator.sub, operator.mul, operator.truediv, operator.floordiv
scalar_mod, scalar_pow = operator.mod, operator.pow
scalar_ne, scalar_lt, scalar_le, scalar_gt, scalar_ge = operator.ne, operator.lt, operator.le, operator.gt, operator.ge
scalar_log, scalar_uadd, scalar_usub, scalar_max = math.log, operator.pos, operator.neg, builtins.max
scalar_min = builtins.min


def tuple_reversed(items: tuple) -> tuple:
    """Return the tuple from its end."""
    return items[::-1]


def tuple_div(items: tuple, other: tuple) -> tuple:
    """Return exact quotients of ints, element by element.

    Raises:
        ValueError: if the tuples differ in length. RuntimeError: for a rest.
    """
    for a, b in zip(items, other, strict=True):
        if a % b:
            raise RuntimeError(f"The inputs of 'tuple_div' operator should be divisible, but they are {a} and {b}.")
    return tuple(a // b for a, b in zip(items, other))


def in_dict(key: Any, items: dict) -> bool:
    """Return whether the dict has the key."""
    return key in items


def not_in_dict(key: Any, items: dict) -> bool:
    """Return whether the dict does not have the key."""
    return key not in items


def bool_or(left: Any, right: Any) -> Any:
    """Return ``left or right``."""
    return left or right


def bool_and(left: Any, right: Any) -> Any:
    """Return ``left and right``."""
    return left and right
