"""MindSpore's indexing beyond torch's: negative steps, ints beside index arrays, writes through copied elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils.weak import TensorWeakRef

from mindspore_compat._runtime.placement import constant
from mindspore_compat.common.dtype import dtype_name

_Base = torch._C.TensorBase
_get_shape = _Base.size
_SHORT = (torch.int8, torch.int16, torch.uint8)


def check_indices(index: Any) -> None:
    """Raise TypeError for a Tensor of floats, complex numbers or bools: none is truncated to an index."""
    if isinstance(index, torch.Tensor):
        dtype = index.dtype
        if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
            raise TypeError(f"Indices must be a Tensor of int32 or int64, but got one of {dtype_name(dtype)}.")


def as_indices(index: Any, like: torch.Tensor) -> torch.Tensor:
    """Return indices as int64 on the device of ``like``."""
    check_indices(index)
    index = index if isinstance(index, torch.Tensor) and index.device == like.device else constant(index, like.device)
    return index if index.dtype is torch.int64 else _Base.to(index, torch.int64)


def in_range(axis: int, dims: int) -> int:
    """Return an axis counted from the front, for ``dims`` axes (a tensor without axes has a single element)."""
    if not -max(dims, 1) <= axis < max(dims, 1):
        raise ValueError(f"The 'axis' must be in the range of [{-dims}, {dims}), but got {axis}.")
    return axis % dims if dims else 0


def numpy_index(index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return ``index`` with ints beside index arrays as arrays. numpy and MindSpore broadcast them together, while
    torch selects first.
    """
    has_array = has_int = has_ellipsis = False
    for item in index:
        cls = item.__class__
        if cls is int:
            has_int = True
        elif item is Ellipsis:
            if has_ellipsis:
                raise IndexError("An index can only have a single ellipsis('...').")
            has_ellipsis = True
        elif cls is list and any(isinstance(place, torch.Tensor) for place in item):
            return numpy_index(tuple(map(_without_tensors, index)))
        elif cls is list or cls is np.ndarray:
            _check_list(item)
            has_array = True
        elif item is not None and cls is not slice and isinstance(item, torch.Tensor):
            if item.dtype in _SHORT:
                return numpy_index(tuple(map(_lengthened, index)))
            has_array |= _Base.dim(item) > 0
    if has_array and has_int:
        return tuple(torch.tensor([item]) if item.__class__ is int else item for item in index)
    return index


def checked(index: Any) -> Any:
    """Return ``index`` for torch; raise for indices that torch would understand differently."""
    cls = index.__class__
    if cls is tuple:
        return numpy_index(index)
    if cls is list or cls is np.ndarray:
        _check_list(index)
    return _lengthened(index)


def _lengthened(item: Any) -> Any:
    """Return indices of 8 and 16 bits, which torch refuses, as int64. Raise for uint8, which torch takes for a mask."""
    if not isinstance(item, torch.Tensor) or item.dtype not in _SHORT:
        return item
    if item.dtype is torch.uint8:
        raise IndexError("The tensor index must be int or bool type, but got uint8. Cast it to either.")
    return _Base.to(item, torch.int64)


def _check_list(index: Any) -> None:
    """Raise where torch would truncate floats: TypeError for a list, IndexError for an array."""
    if index.__class__ is np.ndarray:
        if index.dtype.kind not in "iub" or index.dtype == np.uint8:  # torch takes it for a mask
            raise IndexError(f"Arrays used as indices must be of ints or bools, but got {index.dtype}.")
        return
    for item in index:
        if item.__class__ is list:
            _check_list(item)
        elif isinstance(item, (float, complex, str)):
            raise TypeError(f"For list index, the types only support int, bool and Tensor, but got {item!r}.")


def _without_tensors(item: Any) -> Any:
    """Return a list with Tensors of one element among its ints as one Tensor, anything else unchanged."""
    if item.__class__ is not list or not any(isinstance(place, torch.Tensor) for place in item):
        return item
    like = next(place for place in item if isinstance(place, torch.Tensor))
    return torch.cat([_Base.reshape(as_indices(place, like), (-1,)) for place in item])


def positive_steps(self: torch.Tensor, index: Any) -> Any:
    """Return ``index`` with index tensors in place of slices of negative step."""
    items = index if isinstance(index, tuple) else (index,)
    consumed = sum(1 for item in items if item is not None and item is not Ellipsis)
    result, axis = [], 0
    for item in items:
        if item is Ellipsis:
            axis += _Base.dim(self) - consumed
        if isinstance(item, slice) and item.step is not None and item.step < 0:
            item = torch.arange(*item.indices(_get_shape(self)[axis]), device=self.device)
        result.append(item)
        if item is not None and item is not Ellipsis:
            axis += 1
    return tuple(result)


def flipped(self: torch.Tensor, index: Any) -> torch.Tensor:
    """Return the elements at a basic index with negative steps. Reverse each such axis first, so index tensors never
    meet.
    """
    items = list(index) if isinstance(index, tuple) else [index]
    consumed = sum(1 for item in items if item is not None and item is not Ellipsis)
    result, axis = self, 0
    for position, item in enumerate(items):
        if item is Ellipsis:
            axis += _Base.dim(self) - consumed
        elif item is not None:
            if isinstance(item, slice) and item.step is not None and item.step < 0:
                picks = torch.arange(*item.indices(_get_shape(self)[axis]), device=self.device)
                result = torch.index_select(result, axis, picks)
                items[position] = slice(None)
            axis += 1
    return _Base.__getitem__(result, tuple(items))


def remember_origin(origin: Any, index: Any, result: Any) -> None:
    """Remember that ``result`` is ``origin[index]``: assignments to its elements are written to ``origin`` too, as in
    MindSpore. A view shares its origin's memory, so it keeps only the link of that origin.

    The link is weak, unless the origin is a view or has a live origin itself. Operators use `take_elements`.
    """
    before = origin._indexed_from
    if _same_memory(origin, result):
        result._indexed_from = (origin, None, True) if before is not None else None
    elif origin._is_view() or (before is not None and _alive(before)):
        result._indexed_from = (origin, index, False)
    else:
        result._indexed_from = (TensorWeakRef(origin), index, False)


def take_elements(origin: torch.Tensor, index: Any) -> torch.Tensor:
    """Return ``origin[index]`` as an operator's result: assignments to its elements do not reach ``origin``."""
    return torch.Tensor.__getitem__(origin, index)


def write_back(changed: Any) -> None:
    """Write ``changed``, whose elements were assigned, back to its origin."""
    origin, index, is_view = changed._indexed_from
    if isinstance(origin, TensorWeakRef):
        origin = origin()
    if is_view:
        write_back(origin)
    elif origin is not None:
        origin[index] = changed


def _alive(link: tuple[Any, Any, bool]) -> bool:
    return not isinstance(link[0], TensorWeakRef) or link[0]() is not None


_same_memory = torch._C._is_alias_of  # recorders do not count it as a read, unlike untyped_storage
