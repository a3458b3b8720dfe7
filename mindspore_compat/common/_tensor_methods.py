"""Tensor methods whose name, arguments or meaning differ between MindSpore and torch.

Where both libraries have a method of one name, MindSpore's meaning wins and torch's call form still works where it can be told
apart. What is not listed here is torch's own method (``tensor.py`` adds those, returning Tensors).
"""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import to_torch_dtype

__all__ = ["TensorMethods"]

_Base = torch._C.TensorBase


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


class TensorMethods:
    """Mixin in front of ``torch.Tensor``; holds no state."""

    __slots__ = ()

    # --- dtype and copies ---

    def astype(self: Any, dtype: Any, copy: bool = True) -> Any:
        """The values in another dtype; ``copy=False`` returns self when nothing changes."""
        target = to_torch_dtype(dtype)
        if target is self.dtype:
            return wrap(_Base.clone(self)) if copy else self
        return wrap(_Base.to(self, target))

    def copy(self: Any) -> Any:
        """A copy on new storage."""
        return wrap(_Base.clone(self))

    def value(self: Any) -> Any:
        """The tensor itself."""
        return self

    # --- shape ---

    def view(self: Any, *shape: Any) -> Any:
        """The same values in another shape; copies only if it must."""
        if len(shape) == 1 and isinstance(shape[0], torch.dtype):
            return wrap(_Base.view(self, shape[0]))
        return wrap(_Base.reshape(self, *shape))

    def transpose(self: Any, *axes: Any, **kwargs: Any) -> Any:
        """Permute the axes: all of them, in one sequence or as arguments; none reverses them.

        Two ints on a tensor of other than 2 axes are torch's ``transpose(dim0, dim1)``.
        """
        if kwargs:
            return wrap(_Base.transpose(self, *axes, **kwargs))
        if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
            axes = tuple(axes[0])
        if not axes or axes == (None,):
            axes = tuple(range(_Base.dim(self) - 1, -1, -1))
        if len(axes) == 2 and _Base.dim(self) != 2:
            return wrap(_Base.transpose(self, *axes))
        return wrap(_Base.permute(self, axes))

    def expand_dims(self: Any, axis: int) -> Any:
        """A new axis of length 1 at ``axis``."""
        return wrap(_Base.unsqueeze(self, axis))

    # --- reductions ---

    def sum(self: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, **kwargs: Any) -> Any:
        """Sum over ``axis`` (None: all)."""
        keep = kwargs.pop("keepdim", kwargs.pop("keep_dims", keepdims))
        axis = kwargs.pop("dim", axis)
        return wrap(_Base.sum(self, _axes(axis), keep, dtype=None if dtype is None else to_torch_dtype(dtype), **kwargs))

    def mean(self: Any, axis: Any = None, keep_dims: bool = False, *, dtype: Any = None, **kwargs: Any) -> Any:
        """Mean over ``axis`` (None: all); ints give an int, as upstream's CPU does."""
        keep = kwargs.pop("keepdim", kwargs.pop("keepdims", keep_dims))
        axis = kwargs.pop("dim", axis)
        axis = None if axis == () else _axes(axis)
        if dtype is None and not self.dtype.is_floating_point and not self.dtype.is_complex:
            return wrap(_Base.to(_Base.mean(_Base.to(self, torch.float64), axis, keep), self.dtype))
        return wrap(_Base.mean(self, axis, keep, dtype=None if dtype is None else to_torch_dtype(dtype), **kwargs))
