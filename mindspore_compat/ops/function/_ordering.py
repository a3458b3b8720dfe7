"""Order and uniqueness: sorting, largest elements, distinct elements, search, shuffling. Part of ``array_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._random.operator_engine import Engine, engine_of, with_seeds
from mindspore_compat._tensor.indexing import take_elements
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_int, as_ints, as_plain, in_range, to_dtype
from mindspore_compat.ops.function._numbers import generator_of

__all__ = """
    sort msort argsort topk top_k unique unique_consecutive unique_with_pad shuffle unravel_index searchsorted
    bucketize
""".split()

_int32 = torch.int32


def sort(input_x: Any, axis: int = -1, descending: bool = False) -> Any:
    """Return (sorted values, int32 indices)."""
    values, indices = torch.sort(input_x, axis, descending)
    return wrap(values), wrap(to_dtype(indices, _int32))


def msort(input: Any) -> Any:
    """Sort along the first axis."""
    return wrap(torch.msort(input))


def argsort(input: Any, axis: int = -1, descending: bool = False) -> Any:
    """Return the int32 indices that sort."""
    return wrap(to_dtype(torch.argsort(input, axis, descending), _int32))


def _as_they_are(input: Any, axis: int) -> tuple[torch.Tensor, torch.Tensor]:
    places = torch.arange(input.shape[axis], device=input.device).reshape(
        -1, *[1] * (input.dim() - 1 - axis % input.dim())
    )
    return input.clone(), places.expand(input.shape)


def topk(input: Any, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True) -> Any:
    """Return (the k largest or smallest values along ``dim``, their int32 indices)."""
    axis, k = -1 if dim is None else dim, as_int(k)
    if input.dim() and k == input.shape[in_range(axis, input.dim())]:
        # all: equal ones stay in their order, and without `sorted` all do
        values, indices = (
            torch.sort(input, dim=axis, descending=largest, stable=True) if sorted else _as_they_are(input, axis)
        )
    else:
        values, indices = torch.topk(input, k, axis, largest, sorted)
    return wrap(values), wrap(to_dtype(indices, _int32))


def top_k(input_x: Any, k: int, sorted: bool = True) -> Any:
    """Return (the k largest values of the last axis, their int32 indices)."""
    return topk(input_x, k, -1, True, sorted)


def unique(input: Any) -> Any:
    """Return (distinct elements in the order of first occurrence, index of each element in them)."""
    flat = torch.reshape(input, (-1,))
    values, inverse = torch.unique(flat, sorted=True, return_inverse=True)
    first = torch.full((values.numel(),), flat.numel(), dtype=torch.int64, device=input.device)
    first = torch.scatter_reduce(first, 0, inverse, torch.arange(flat.numel(), device=input.device), "amin")
    order = torch.argsort(first)
    place = torch.empty_like(order)
    place[order] = torch.arange(order.numel(), device=input.device)
    dtype = torch.int64 if input.dtype is torch.int64 else _int32
    return wrap(values[order]), wrap(to_dtype(torch.reshape(place[inverse], tuple(input.shape)), dtype))


def unique_with_pad(x: Any, pad_num: Any) -> Any:
    """Run `unique`, and pad the distinct elements by ``pad_num`` to the length of ``x``."""
    values, inverse = unique(x)
    result = torch.full_like(x, int(pad_num))
    result[: values.numel()] = values
    return wrap(result), inverse


def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return elements without consecutive repetitions, and the other requested results."""
    return wrap(torch.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim))


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Return the places to insert the values at, in order."""
    values = as_plain(values, sorted_sequence.dtype, sorted_sequence)
    return wrap(
        torch.searchsorted(sorted_sequence, values, out_int32=out_int32, right=right or side == "right", sorter=sorter)
    )


def bucketize(input: Any, boundaries: Any, *, right: bool = False) -> Any:
    """Return the number of the bucket of each element."""
    bounds = as_plain(list(boundaries) if isinstance(boundaries, tuple) else boundaries)
    return wrap(torch.bucketize(input, bounds, out_int32=True, right=right))


def unravel_index(indices: Any, dims: Any) -> Any:
    """Return coordinates of flat indices in a shape, one row each axis."""
    return wrap(torch.stack(torch.unravel_index(indices, as_ints(dims))))


def shuffle(x: Any, seed: int | None = None) -> Any:
    """Return the slices along the first axis in random order."""
    if not x.dim():
        return wrap(torch.clone(x))
    engine = engine_of(seed, "shuffle", with_seeds(Engine, "shuffle", seed), x)
    if engine is not None:
        return wrap(take_elements(x, torch.from_numpy(engine.shuffled(x.shape[0]))))
    return wrap(take_elements(x, torch.randperm(x.shape[0], generator=generator_of(seed, x.device), device=x.device)))


apply_dtype_fallback(globals(), __all__)
