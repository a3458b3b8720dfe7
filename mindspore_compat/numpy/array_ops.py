"""Shapes, joining and selection as in numpy. MindSpore: ``mindspore.numpy.array_ops``."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import as_ints, checks_places
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.index_bounds import check_coordinates
from mindspore_compat._tensor.wrapping import copied, wrap
from mindspore_compat.numpy import _joining
from mindspore_compat.numpy._joining import *  # noqa: F403
from mindspore_compat.numpy._joining import _promoted
from mindspore_compat.numpy.utils import as_tensor, float32_of, on_device
from mindspore_compat.ops import function as F

__all__ = [
    *_joining.__all__,
    *"""
    reshape ravel transpose swapaxes moveaxis rollaxis expand_dims squeeze broadcast_to broadcast_arrays tile repeat
    flip fliplr flipud roll rot90 where select take take_along_axis choose size shape unique atleast_1d atleast_2d
    atleast_3d unravel_index ravel_multi_index apply_along_axis apply_over_axes piecewise array_str setdiff1d
    intersect1d norm
    """.split(),
]


def reshape(x: Any, new_shape: Any) -> Any:
    """Return the same values in another shape."""
    return F.reshape(as_tensor(x), as_ints(new_shape))


def ravel(x: Any) -> Any:
    """Return all elements in one axis."""
    return wrap(torch.reshape(as_tensor(x), (-1,)))


def transpose(a: Any, axes: Any = None) -> Any:
    """Permute the axes; reverse them by default."""
    source = as_tensor(a)
    return wrap(
        torch.permute(source, tuple(builtins.range(source.dim() - 1, -1, -1)) if axes is None else as_ints(axes))
    )


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Exchange two axes."""
    return wrap(torch.transpose(as_tensor(x), axis1, axis2))


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Move axes to other places."""
    return wrap(torch.movedim(as_tensor(a), source, destination))


def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    """Roll an axis back to ``start``."""
    tensor = as_tensor(x)
    axis, start = axis % tensor.dim(), start + tensor.dim() if start < 0 else start
    return wrap(torch.movedim(tensor, axis, start - 1 if axis < start else start))


def expand_dims(a: Any, axis: Any) -> Any:
    """Insert axes of length 1."""
    source = as_tensor(a)
    if isinstance(axis, int):
        return wrap(torch.unsqueeze(source, axis))
    for item in sorted(i % (source.dim() + len(axis)) for i in axis):
        source = torch.unsqueeze(source, item)
    return wrap(source)


def squeeze(a: Any, axis: Any = None) -> Any:
    """Remove axes of length 1, or those among ``axis``; axes of another length stay."""
    source = as_tensor(a)
    return wrap(torch.squeeze(source) if axis is None else torch.squeeze(source, axis))


def broadcast_to(array: Any, shape: Any) -> Any:
    """Broadcast to a shape."""
    return copied(F.broadcast_to(as_tensor(array), as_ints(shape)))


def broadcast_arrays(*args: Any) -> Any:
    """Broadcast all to their common shape."""
    return [copied(item) for item in torch.broadcast_tensors(*[as_tensor(item) for item in args])]


def tile(a: Any, reps: Any) -> Any:
    """Repeat as a whole."""
    return wrap(torch.tile(as_tensor(a), as_ints(reps)))


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeat each element."""
    repeats = constant(repeats, current_device()) if isinstance(repeats, (list, tuple)) else repeats
    return wrap(torch.repeat_interleave(as_tensor(a), repeats, axis))


def flip(m: Any, axis: Any = None) -> Any:
    """Reverse along axes (None: all)."""
    source = as_tensor(m)
    return wrap(torch.flip(source, tuple(builtins.range(source.dim())) if axis is None else as_ints(axis)))


def fliplr(m: Any) -> Any:
    """Reverse along the second axis."""
    return flip(m, 1)


def flipud(m: Any) -> Any:
    """Reverse along the first axis."""
    return flip(m, 0)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Shift with wrap-around."""
    if axis is not None:
        shifts, axes = (item if isinstance(item, (tuple, list)) else (item,) for item in (shift, axis))
        length = builtins.max(len(shifts), len(axes))
        if min(len(shifts), len(axes)) != length and min(len(shifts), len(axes)) != 1:
            raise ValueError(f"For 'roll', 'shift' and 'axis' do not fit to each other: {shift} and {axis}.")
        shift, axis = (tuple(item) * (length // len(item)) for item in (shifts, axes))
    return wrap(torch.roll(as_tensor(a), shift, axis))


def rot90(a: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turn by k·90°."""
    return wrap(torch.rot90(as_tensor(a), k, axes))


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return ``x`` where the condition holds, else ``y``."""
    if x is None or y is None:
        raise TypeError("For 'where', both 'x' and 'y' must be given. Use mindspore.ops.nonzero for the places alone.")
    return F.select(torch.Tensor.to(as_tensor(condition), torch.bool), *_promoted((x, y)))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return at each place the choice of the first condition that holds."""
    conditions = [torch.Tensor.to(as_tensor(item), torch.bool) for item in condlist]
    choices = _promoted(choicelist)
    result = as_tensor(default).to(choices[0].dtype)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = torch.where(condition, choice, result)
    return wrap(result)


def take(a: Any, indices: Any, axis: int | None = None, mode: str = "clip") -> Any:
    """Return elements along an axis (None: flattened)."""
    return wrap(as_tensor(a)).take(as_tensor(indices), axis, mode)


@checks_places("take_along_axis", from_end=True)
def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Any:
    """Return elements by index along an axis, element by element."""
    source, places = as_tensor(arr), as_tensor(indices).to(torch.int64)
    length = source.numel() if axis is None else source.shape[axis]
    places = torch.where(places < 0, places + length, places)
    places = places + check_coordinates((places,), (length,))  # torch takes the remainder of what is out of range
    return wrap(torch.take_along_dim(source, places, axis))


def choose(a: Any, choices: Any, mode: str = "clip") -> Any:
    """Return at each place the element of ``choices[a]``."""
    return wrap(as_tensor(a)).choose(
        choices if isinstance(choices, torch.Tensor) else [as_tensor(item) for item in choices], mode
    )


def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements, or the length of an axis."""
    source = as_tensor(a)
    return source.numel() if axis is None else source.shape[axis]


def shape(a: Any) -> tuple[int, ...]:
    """Return the shape."""
    return tuple(as_tensor(a).shape)


def unique(x: Any, return_inverse: bool = False) -> Any:
    """Return the distinct elements, as they come first, and the index in them of each element of the flat input."""
    found = F.unique(torch.reshape(as_tensor(x), (-1,)))
    return found if return_inverse else found[0]


def _at_least(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(*arys: Any) -> Any:
        results = [wrap(function(as_tensor(item))) for item in arys]
        return results[0] if len(results) == 1 else results

    op.__name__, op.__doc__ = name, f"numpy's ``{name}``."
    return op


atleast_1d, atleast_2d, atleast_3d = (
    _at_least(f"atleast_{n}d", function)
    for n, function in enumerate((torch.atleast_1d, torch.atleast_2d, torch.atleast_3d), 1)
)


def unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    """Return the coordinates of flat indices."""
    lengths = as_ints(shape)
    most = builtins.max(int(np.prod(lengths)) - 1, 0)
    given = as_tensor(indices)
    places = torch.clamp(given.to(torch.int64), 0, most)
    found = torch.unravel_index(places, lengths if order == "C" else lengths[::-1])
    return tuple(wrap(item.to(given.dtype)) for item in (found if order == "C" else found[::-1]))


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "clip", order: str = "C") -> Any:
    """Return the flat indices of coordinates, as float32 (as in MindSpore)."""
    lengths = as_ints(dims)
    places = [as_tensor(item) for item in multi_index]
    places = [
        torch.remainder(item, n) if mode == "wrap" else torch.clamp(item, 0, n - 1) for item, n in zip(places, lengths)
    ]
    strides = np.cumprod([1, *(lengths[:0:-1] if order == "C" else lengths[:-1])]).tolist()
    strides = strides[::-1] if order == "C" else strides
    flat: Any = builtins.sum(item * stride for item, stride in zip(places, strides))
    return wrap(flat.to(torch.float32))


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Apply a function of 1-d tensors to all slices along an axis."""
    source = torch.movedim(as_tensor(arr), axis, -1)
    lead = tuple(source.shape[:-1])
    results = [as_tensor(func1d(wrap(row), *args, **kwargs)) for row in torch.reshape(source, (-1, source.shape[-1]))]
    result = torch.reshape(torch.stack(results), (*lead, *results[0].shape))
    added, axis = results[0].dim(), axis % (len(lead) + 1)
    return wrap(torch.movedim(result, tuple(range(-added, 0)), tuple(range(axis, axis + added))) if added else result)


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """Apply a function ``func(a, axis)`` for one axis after the other; restore lost axes."""
    result = wrap(as_tensor(a))
    for axis in (axes,) if isinstance(axes, int) else axes:
        reduced = func(result, axis)
        result = reduced if reduced.dim() == result.dim() else wrap(torch.unsqueeze(reduced, axis))
    return result


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Apply each function (or value) where its condition holds; one more function is for the rest."""
    source = as_tensor(x)
    conditions = [as_tensor(item) for item in (condlist if isinstance(condlist, (list, tuple)) else [condlist])]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        rest = torch.logical_not(torch.stack(torch.broadcast_tensors(*conditions)).any(0))
        conditions.append(rest)
    result = torch.zeros_like(source, dtype=torch.bool)
    for condition, function in zip(conditions, functions):
        value = as_tensor(function(wrap(source), *args, **kw) if callable(function) else function)
        common = torch.promote_types(value.dtype, result.dtype)
        result = torch.where(condition, torch.Tensor.to(value, common), torch.Tensor.to(result, common))
    return wrap(result)


def array_str(a: Any) -> str:
    """Return the values as a str."""
    return str(as_tensor(a).detach().cpu().numpy())


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return the sorted elements of the first that are not in the second."""
    first, second = torch.reshape(as_tensor(ar1), (-1,)), torch.reshape(as_tensor(ar2), (-1,))
    first = first if assume_unique else torch.unique(first)
    return wrap(first[torch.logical_not(torch.isin(first, second))])


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Return the sorted common elements, with their places if asked for."""
    first, second = (torch.reshape(as_tensor(item), (-1,)).detach().cpu().numpy() for item in (ar1, ar2))
    found = np.intersect1d(first, second, assume_unique, return_indices=return_indices)  # type: ignore[call-overload]
    if return_indices:
        return wrap(on_device(found[0])), *(wrap(on_device(item.astype(np.int32))) for item in found[1:])
    return wrap(on_device(found))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return a vector or matrix norm."""
    source = as_tensor(x)
    found = kernels.norm(float32_of(source), ord, axis, keepdims)
    is_element = ord in (np.inf, -np.inf) and not source.dtype.is_floating_point
    return wrap(torch.Tensor.to(found, source.dtype) if is_element else found)
