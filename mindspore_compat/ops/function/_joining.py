"""Joining and splitting tensors. Parts of ``array_func``, ``math_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_int

__all__ = """
    concat cat stack unstack unbind split chunk tensor_split hsplit vsplit dsplit hstack vstack row_stack dstack
    column_stack
""".split()

_split, _split_with_sizes = torch._VF.split, torch._VF.split_with_sizes  # type: ignore[attr-defined]


def concat(tensors: Any, axis: int = 0) -> Any:
    """Join tensors along an axis."""
    return wrap(torch.cat(tuple(tensors), as_int(axis)))


cat = concat


def stack(tensors: Any, axis: int = 0, *, dim: int | None = None) -> Any:
    """Join tensors along a new axis."""
    return wrap(torch.stack(tuple(tensors), axis if dim is None else dim))


def unstack(input_x: Any, axis: int = 0) -> Any:
    """Return the slices along ``axis``, without it, as a tuple."""
    return wrap(tuple(torch.unbind(input_x, as_int(axis))))


def unbind(input: Any, dim: int = 0) -> Any:
    """Return the slices along ``dim``, without it, as a tuple."""
    return unstack(input, dim)


def split(
    tensor: Any = None,
    split_size_or_sections: Any = None,
    axis: int = 0,
    output_num: int | None = None,
    *,
    input_x: Any = None,
) -> Any:
    """Split along ``axis``: of an equal length, or of the lengths given.

    ``output_num`` (1.x; also ``split(x, axis, output_num)``) is the number of equal pieces instead.
    """
    tensor = input_x if tensor is None else tensor
    if output_num is not None:
        axis = axis if split_size_or_sections is None else int(split_size_or_sections)
        return chunks_of(tensor, axis, output_num)
    if isinstance(split_size_or_sections, (tuple, list)):
        return wrap(tuple(_split_with_sizes(tensor, [int(item) for item in split_size_or_sections], axis)))
    return wrap(tuple(_split(tensor, split_size_or_sections, axis)))


def chunks_of(x: Any, axis: int, output_num: int) -> Any:
    """Return ``output_num`` pieces of equal length."""
    length = x.shape[axis]
    if output_num <= 0 or length % output_num:
        raise ValueError(
            f"For 'Split', the length of axis {axis} ({length}) must be a multiple of 'output_num', but got "
            f"{output_num}."
        )
    return wrap(tuple(_split(x, length // output_num, axis)))


def chunk(input: Any, chunks: int, axis: int = 0) -> Any:
    """Split into at most ``chunks`` pieces of equal length, the last may be shorter."""
    return wrap(tuple(torch.chunk(input, chunks, axis)))


def tensor_split(input: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Split into a number of nearly equal ones, or cut at the indices."""
    return wrap(tuple(torch.tensor_split(input, indices_or_sections, axis)))


def hsplit(input: Any, indices_or_sections: Any) -> Any:
    """Run `tensor_split` along the second axis (the first if there is only one)."""
    return tensor_split(input, indices_or_sections, 0 if input.dim() == 1 else 1)


def vsplit(input: Any, indices_or_sections: Any) -> Any:
    """Run `tensor_split` along the first axis."""
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input: Any, indices_or_sections: Any) -> Any:
    """Run `tensor_split` along the third axis."""
    return tensor_split(input, indices_or_sections, 2)


def hstack(tensors: Any) -> Any:
    """Join along the second axis (the first for 1-d)."""
    return wrap(torch.hstack(tuple(tensors)))


def vstack(inputs: Any) -> Any:
    """Join along the first axis as rows."""
    return wrap(torch.vstack(tuple(inputs)))


row_stack = vstack


def dstack(tensors: Any) -> Any:
    """Join along the third axis."""
    return wrap(torch.dstack(tuple(tensors)))


def column_stack(tensors: Any) -> Any:
    """Return 1-d tensors as columns."""
    return wrap(torch.column_stack(tuple(tensors)))


apply_dtype_fallback(globals(), __all__, skip="concat stack unstack unbind split chunk")  # torch has all dtypes
