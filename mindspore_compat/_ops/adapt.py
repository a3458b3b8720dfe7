"""Conversion of arguments for torch: axes, shapes, scalars beside tensors, dtypes."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import torch
from torch.overrides import _get_current_function_mode_stack

from mindspore_compat._graph.mode import in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._numerics import float8
from mindspore_compat._numerics.autocast import OperatorsIn, common_type
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import constant, sent
from mindspore_compat._tensor.aliasing import for_writing
from mindspore_compat._tensor.data import joined, plain_from
from mindspore_compat._tensor.index_bounds import with_given_indices
from mindspore_compat._tensor.indexing import in_range
from mindspore_compat._tensor.wrapping import memory, wrap
from mindspore_compat.common.dtype import dtype_name, to_torch_dtype
from mindspore_compat.context import is_graph_mode

_Base = torch._C.TensorBase


def behind(variable: Any) -> Any:
    """Return the variable, or the Parameter that a Cell shows in another dtype by it (`Cell.to_float`)."""
    return variable.__dict__.get("shows", variable)


def in_own_dtype(name: str, variable: Any, *args: Any) -> Any:
    """Return torch's operator ``name`` of a variable in its own dtype, also in a Cell of another."""
    variable = behind(variable)
    if OperatorsIn.innermost() is None:
        return getattr(torch, name)(variable, *args)
    return getattr(torch.clone(variable), name + "_")(*args)  # which the Cell's mode does not cast


def get_data(variable: torch.Tensor) -> torch.Tensor:
    """Return the tensor to write to, without its history."""
    program.values_written()
    variable = behind(variable)
    return memory(for_writing(variable) if isinstance(variable, torch.nn.Parameter) else variable)


def changed(variable: Any) -> Any:
    """Return an operator's result for a variable that it has written to: for a Parameter a Tensor of the same memory.
    Compiled code keeps the Parameter, and the program gets a Tensor of its own (`own_results`).
    """
    parameter = behind(variable)
    if parameter is not variable:
        memory(variable).copy_(memory(parameter))
        variable = parameter
    if not isinstance(variable, torch.nn.Parameter) or (is_graph_mode() and in_graph()):
        return variable
    return wrap(torch.ops.aten.alias(variable))


def as_axes(axis: Any) -> Any:
    """Return an int, a tuple of ints, or None for all axes: ``()``, ``[]`` and None mean all."""
    if axis is None or axis.__class__ is int:
        return axis
    if isinstance(axis, torch.Tensor):
        axis = axis.tolist()
    if isinstance(axis, (tuple, list)):
        return tuple([operator.index(item) for item in axis]) or None
    if isinstance(axis, bool):
        raise TypeError(f"The axis must be int, tuple, list or None, but got the bool {axis}.")
    return operator.index(axis)


def all_axes(axis: Any, dims: int) -> tuple[int, ...]:
    """Return `as_axes` as an explicit tuple of non-negative ints."""
    axis = as_axes(axis)
    if axis is None:
        return tuple(range(dims))
    return tuple([in_range(item, dims) for item in ((axis,) if isinstance(axis, int) else axis)])


def as_int(value: Any) -> int:
    """Return a Python int from an int, numpy int or Tensor."""
    return operator.index(value)


def as_ints(shape: Any) -> tuple[int, ...]:
    """Return a tuple of ints from an int, sequence, array or Tensor."""
    if shape.__class__ is tuple:
        for item in shape:
            if item.__class__ is not int:
                break
        else:
            return shape
    if isinstance(shape, (torch.Tensor, np.ndarray)):
        shape = shape.tolist()
    if isinstance(shape, (tuple, list)):
        return tuple([operator.index(item) for item in shape])
    return (operator.index(shape),)


def as_plain(value: Any, dtype: Any = None, like: torch.Tensor | None = None) -> torch.Tensor:
    """Return a tensor from a tensor, number, array or nested list. Python floats become float32; tensors pass."""
    if not isinstance(value, torch.Tensor):
        device = current_device() if like is None else like.device
        if isinstance(value, (tuple, list)):
            value = joined(value)
            if not isinstance(value, torch.Tensor):
                value = sent(plain_from(value, copy=False), device)
        elif isinstance(value, np.ndarray):
            value = constant(value, device)
        else:
            return (
                constant(value, device, dtype)
                if dtype is not torch.float8_e4m3fn
                else float8.to_dtype(constant(value, device), dtype)
            )
    return value if dtype is None or value.dtype is dtype else float8.to_dtype(value, dtype)


def pair(left: Any, right: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two tensors of one dtype. A Python number takes the other's dtype if that can hold its kind; 0-d tensors
    count fully.
    """
    if isinstance(left, torch.Tensor):
        if isinstance(right, torch.Tensor):
            if left.dtype is right.dtype:
                return left, right
            common = common_type(left.dtype, right.dtype)
        else:
            common = torch.result_type(left, right) if isinstance(right, (int, float, bool, complex)) else left.dtype
        return as_plain(left, common), as_plain(right, common, left)
    if isinstance(right, torch.Tensor):
        swapped = pair(right, left)
        return swapped[1], swapped[0]
    return pair(as_plain(left), right)


def dtype_or_none(dtype: Any) -> torch.dtype | None:
    """Return None, or the torch dtype."""
    return None if dtype is None else dtype if dtype.__class__ is torch.dtype else to_torch_dtype(dtype)


def to_dtype(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the values in ``dtype``."""
    return value if value.dtype is dtype else float8.to_dtype(value, dtype)


def is_cast_by_operator() -> bool:
    """Return whether mixed precision casts operators' inputs, so that dtypes here are not the program's."""
    return torch.is_autocast_enabled() or bool(_get_current_function_mode_stack())


def check_keeps_dtype(owner: str, variable: torch.Tensor, value: Any) -> None:
    """Raise MindSpore's TypeError if ``variable``, written with ``value``, would lose values of its dtype."""
    given = torch.result_type(variable, value) if isinstance(value, float) else getattr(value, "dtype", variable.dtype)
    if given is variable.dtype:
        return
    if torch.promote_types(variable.dtype, given) is not variable.dtype and not is_cast_by_operator():
        raise TypeError(
            "Data type conversion is not supported for a 'Parameter', nor for the input tensor of an in-place "
            f"operator, the argument[x]'s data type of primitive[{owner}] is {dtype_name(variable.dtype)}, which "
            f"cannot be converted to data type {dtype_name(given)} automatically. Cast the value."
        )


def fitting(owner: str, variable: torch.Tensor, value: Any, dtype: Any = None) -> torch.Tensor:
    """Return ``value`` as a tensor of the variable's shape, in a dtype where one is given. Nothing is broadcast; one
    element fits another without axes.
    """
    found = as_plain(value, dtype, variable)
    if found.shape == variable.shape:
        return found
    if found.numel() == 1 == variable.numel() and found.dim() + variable.dim() == 1:
        return found.reshape(variable.shape)
    begin = f"For '{owner}','value' must have the same"
    if found.dim() != variable.dim():
        raise ValueError(
            f"{begin} rank as 'variable'. But got 'value' rank: {found.dim()}, 'variable' rank: {variable.dim()}. "
            "Reshape or broadcast the value first."
        )
    shapes = [f"({', '.join(map(str, one.shape))})" for one in (found, variable)]
    raise ValueError(
        f"{begin} shape as 'variable'. But got 'value' shape: {shapes[0]}, 'variable' shape: {shapes[1]}. Reshape or "
        "broadcast the value first."
    )


def check_same_shape(owner: str, **given: Any) -> None:
    """Raise ValueError unless all have one shape."""
    shapes = {name: tuple(value.shape) for name, value in given.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError(
            f"For '{owner}', {' and '.join(repr(name) for name in given)} must have one shape, but got {shapes}."
        )


def check_reduction(reduction: str, owner: str) -> None:
    """Raise ValueError unless it is "mean", "sum" or "none"."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"For '{owner}', the 'reduction' must be in ['mean', 'sum', 'none'], but got {reduction!r}.")


def passes_gradient(change: Any) -> bool:
    """Return whether the operand of a Parameter's update gets a gradient; the updated Parameter passes none on."""
    return isinstance(change, torch.Tensor) and change.requires_grad and torch.is_grad_enabled()


F = TypeVar("F", bound=Callable[..., Any])


def checks_places(owner: str, argument: str = "indices", from_end: bool = False) -> Callable[[F], F]:
    """Decorate with `with_dtype_fallback`, and add a note where torch refuses an index.

    Args:
        from_end: indices below 0 count from the end.
    """
    advice = (
        "Indices below 0 count from the end."
        if from_end
        else "Indices below 0 do not count from the end: drop or replace padding first."
    )
    expected = f"For '{owner}', the '{argument}' must lie in the axis that they index. {advice}"

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (IndexError, RuntimeError) as error:
                if "out of bounds" in str(error):  # on a CUDA device it is the device's assertion
                    raise IndexError(f"{expected} But got: {with_given_indices(str(error))}") from None
                return retry_in_wider_dtype(error, checked, args, kwargs, owner)

        checked._has_dtype_fallback = True  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return decorate


def reduced(loss: torch.Tensor, reduction: str, owner: str) -> Any:
    """Return ``loss`` by "mean", "sum" or "none"."""
    if reduction == "mean":
        return wrap(torch.mean(loss))
    if reduction == "sum":
        return wrap(torch.sum(loss))
    check_reduction(reduction, owner)
    return wrap(loss)
