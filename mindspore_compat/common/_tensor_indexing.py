"""Where MindSpore's indexing goes beyond torch's: negative steps, ints beside index arrays, and copies of elements that
still write to the tensor they came from.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import torch
from torch.utils.weak import TensorWeakRef

from mindspore_compat._runtime.placement import constant
from mindspore_compat.common._graph_mode import in_graph
from mindspore_compat.common._refusals import AxisError, ShapeError, SliceError

__all__ = [
    "as_indices",
    "checked",
    "flipped",
    "numpy_index",
    "positive_steps",
    "refused",
    "remember_origin",
    "write_back",
]

_Base = torch._C.TensorBase
_get_shape = _Base.size
_SHORT = (torch.int8, torch.int16, torch.uint8)


def check_indices(index: Any) -> None:
    """TypeError for a Tensor of floats, complex numbers or bools: none is cut short to an index."""
    if isinstance(index, torch.Tensor):
        dtype = index.dtype
        if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
            raise TypeError(f"Indices must be a Tensor of int32 or int64, but got one of {dtype}.")


def as_indices(index: Any, like: torch.Tensor) -> torch.Tensor:
    """Indices as int64, where ``like`` lies.

    Raises:
        TypeError: for a Tensor of floats, complex numbers or bools.
    """
    check_indices(index)
    index = index if isinstance(index, torch.Tensor) and index.device == like.device else constant(index, like.device)
    return index if index.dtype is torch.int64 else _Base.to(index, torch.int64)


def numpy_index(index: tuple[Any, ...], reads: bool = True) -> tuple[Any, ...]:
    """``index`` with ints beside index arrays made arrays too: numpy, and upstream, broadcast them together, torch
    selects first.
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
        elif item is False and reads:
            raise IndexError("When a Tensor is indexed by a bool, only True is supported, but got False.")
        elif cls is list and any(isinstance(place, torch.Tensor) for place in item):
            return numpy_index(tuple(map(_without_tensors, index)), reads)
        elif cls is list or cls is np.ndarray:
            _check_list(item, reads)
            has_array = True
        elif item is not None and cls is not slice and isinstance(item, torch.Tensor):
            if item.dtype in _SHORT:
                return numpy_index(tuple(map(_lengthened, index)), reads)
            has_array |= _Base.dim(item) > 0
    if has_array and has_int:
        return tuple(torch.tensor([item]) if item.__class__ is int else item for item in index)
    return index


def checked(index: Any, reads: bool) -> Any:
    """``index`` for torch, after checks of what torch would take in another meaning."""
    cls = index.__class__
    if cls is tuple:
        return numpy_index(index, reads)
    if cls is list or cls is np.ndarray:
        _check_list(index, reads)
    elif index is False and reads:
        numpy_index((index,))
    return _lengthened(index)


def _lengthened(item: Any) -> Any:
    """Indices of 8 and 16 bits, which torch refuses; uint8, by which torch chooses as by a mask, is no index."""
    if not isinstance(item, torch.Tensor) or item.dtype not in _SHORT:
        return item
    if item.dtype is torch.uint8:
        raise IndexError("The tensor index must be int or bool type, but got uint8. Cast it to either.")
    return _Base.to(item, torch.int64)


def _check_list(index: Any, reads: bool) -> None:
    """Raise where torch would cut floats in a list or array of indices: TypeError for the list, IndexError for the
    array. IndexError, too, where a list to read by chooses nothing.
    """
    if index.__class__ is np.ndarray:
        if index.dtype.kind not in "iub" or index.dtype == np.uint8:  # by which torch chooses as by a mask
            raise IndexError(f"Arrays used as indices must be of ints or bools, but got {index.dtype}.")
        return
    if reads and all(item is False for item in index):
        raise IndexError(f"When tensor is indexed by list, the list can't be empty, but got {index!r:.200}.")
    for item in index:
        if item.__class__ is list:
            _check_list(item, reads)
        elif isinstance(item, (float, complex, str)):
            raise TypeError(f"For list index, the types only support int, bool and Tensor, but got {item!r}.")


def refused(self: torch.Tensor, index: Any, error: Exception) -> Exception:
    """What MindSpore raises where torch refused to read or assign elements with ``error``."""
    text, shape = str(error), tuple(_get_shape(self))
    for item in index if isinstance(index, tuple) else (index,):
        if isinstance(item, torch.Tensor) and (item.dtype.is_floating_point or item.dtype.is_complex):
            return IndexError(f"The tensor index must be int or bool type, but got {item.dtype}.")
    if "out of bounds" in text:
        by_tensor = any(isinstance(item, torch.Tensor) for item in (index if isinstance(index, tuple) else (index,)))
        return (AxisError if by_tensor else IndexError)(re.sub(r"dimension \d+", "dimension", text))
    if "shape of the mask" in text or "shape mismatch: indexing" in text or text.startswith("too many indices"):
        return AxisError(f"The index does not fit to the Tensor of shape {shape}: {text}")
    if "shape mismatch" in text or "expanded size" in text or text.startswith("expand("):
        return ShapeError(f"The value can not be assigned to elements of the Tensor of shape {shape}: {text}")
    if "slice indices" in text:
        if in_graph():
            return SliceError(f"Slice indices must be integers or bool. The index is {index!r:.200}.")
        return RuntimeError(f"Slice index type must be int, tensor or none. The index is {index!r:.200}.")
    if isinstance(error, TypeError) or text.startswith("only integers, slices"):
        return _wrong_type(index)
    return error


def _wrong_type(index: Any) -> Exception:
    """What is raised where an index, or an element of it, is nothing that indexes: TypeError for a float in a tuple."""
    supported = "int, slice, '...', None, bool, list, tuple or Tensor"
    for item in index if isinstance(index, tuple) else ():
        if not isinstance(item, (int, slice, type(...), type(None), list, tuple, torch.Tensor, np.ndarray)):
            error = TypeError if isinstance(item, (float, complex)) else IndexError
            return error(f"For tuple index, elements must be {supported}, but got {item!r} in {index!r:.200}.")
    return IndexError(f"Tensor index must be {supported}, but got {index!r:.200} of type {type(index).__name__}.")


def _without_tensors(item: Any) -> Any:
    """A list with Tensors of one element among its ints as one Tensor, anything else as it is."""
    if item.__class__ is not list or not any(isinstance(place, torch.Tensor) for place in item):
        return item
    like = next(place for place in item if isinstance(place, torch.Tensor))
    return torch.cat([_Base.reshape(as_indices(place, like), (-1,)) for place in item])


def positive_steps(self: torch.Tensor, index: Any) -> Any:
    """``index`` with slices of negative step replaced by index tensors."""
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
    """Basic indexing with negative steps: each such axis first, by itself, so that no index tensors meet each other."""
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
    """Let ``result``, made by ``origin[index]``, know that: what is assigned to its elements is written to ``origin``
    too, as upstream does. A view has its origin's memory; what matters is where that origin came from.

    An origin that nobody holds any more can not be seen, so it is not kept, unless it is a view of what may be held or
    has an origin itself. What an operator of this package takes for its result is not the user's indexing.
    """
    if sys._getframe(2).f_globals.get("__name__", "").startswith(_OPERATORS):
        return
    before = origin._indexed_from
    if _same_memory(origin, result):
        result._indexed_from = (origin, None, True) if before is not None else None
    elif origin._is_view() or (before is not None and _alive(before)):
        result._indexed_from = (origin, index, False)
    else:
        result._indexed_from = (TensorWeakRef(origin), index, False)


def write_back(changed: Any) -> None:
    """Elements of ``changed`` have been assigned: the tensor that it was taken from gets them."""
    origin, index, is_view = changed._indexed_from
    if isinstance(origin, TensorWeakRef):
        origin = origin()
    if is_view:
        write_back(origin)
    elif origin is not None:
        origin[index] = changed


def _alive(link: tuple[Any, Any, bool]) -> bool:
    return not isinstance(link[0], TensorWeakRef) or link[0]() is not None


_OPERATORS = tuple(f"{__name__.partition('.')[0]}.{room}." for room in ("ops", "nn", "numpy", "mint", "scipy", "train"))
_same_memory = torch._C._is_alias_of  # unlike untyped_storage no recorder takes it for reading the contents
