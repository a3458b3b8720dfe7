"""numpy's functions that join and split arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.numpy.utils import as_tensor
from mindspore_compat.ops import function as F

__all__ = """
    concatenate append stack column_stack vstack hstack dstack split array_split vsplit hsplit dsplit chunk
""".split()


def _promoted(arrays: Any) -> list[torch.Tensor]:
    tensors = [as_tensor(item) for item in arrays]
    dtype = tensors[0].dtype
    for item in tensors[1:]:
        dtype = torch.promote_types(dtype, item.dtype)
    return [torch.Tensor.to(item, dtype) for item in tensors]


def concatenate(arrays: Any, axis: int | None = 0) -> Any:
    """Join along an axis; None flattens first."""
    tensors = _promoted(arrays)
    if axis is None:
        tensors, axis = [torch.reshape(item, (-1,)) for item in tensors], 0
    return wrap(torch.cat(tensors, axis))


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Join; without an axis flatten first."""
    return concatenate((arr, values), axis)


def stack(arrays: Any, axis: int = 0) -> Any:
    """Join along a new axis."""
    return wrap(torch.stack(_promoted(arrays), axis))


def _stacking(name: str, function: Callable[..., Any]) -> Callable[[Any], Any]:
    def op(tup: Any) -> Any:
        return wrap(function(_promoted(tup)))

    op.__name__, op.__doc__ = name, f"numpy's ``{name}``."
    return op


column_stack, vstack = _stacking("column_stack", torch.column_stack), _stacking("vstack", torch.vstack)

hstack, dstack = _stacking("hstack", torch.hstack), _stacking("dstack", torch.dstack)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Split into n nearly equal pieces, a tuple, or at the indices, a list."""
    if isinstance(indices_or_sections, int):
        return wrap(tuple(torch.tensor_split(as_tensor(x), indices_or_sections, axis)))
    return wrap(list(torch.tensor_split(as_tensor(x), list(indices_or_sections), axis)))


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Split into n equal pieces, or at the indices.

    Raises:
        ValueError: if the length cannot be divided.
    """
    length = as_tensor(x).shape[axis]
    if isinstance(indices_or_sections, int) and length % indices_or_sections:
        raise ValueError(
            f"For 'split', the length of axis {axis} ({length}) must be a multiple of {indices_or_sections}. Use "
            "array_split."
        )
    return array_split(x, indices_or_sections, axis)


def chunk(x: Any, chunks: int, axis: int = 0) -> Any:
    """Split into at most ``chunks`` pieces of equal length."""
    return F.chunk(as_tensor(x), chunks, axis)


def vsplit(x: Any, indices_or_sections: Any) -> Any:
    """Run `split` along the first axis."""
    return split(x, indices_or_sections, 0)


def hsplit(x: Any, indices_or_sections: Any) -> Any:
    """Run `split` along the second axis."""
    return split(x, indices_or_sections, 1)


def dsplit(x: Any, indices_or_sections: Any) -> Any:
    """Run `split` along the third axis."""
    return split(x, indices_or_sections, 2)
