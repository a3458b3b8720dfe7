"""Gathering, writing at indices, masking, slicing and segments. Part of ``mindspore.ops.function.array_func``."""

from __future__ import annotations

import builtins
from typing import Any

import torch

from mindspore_compat._autograd.saved_shapes import by_shape
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback, with_dtype_fallback
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.index_bounds import count_from_end, refuse_negative
from mindspore_compat._tensor.indexing import check_indices, take_elements
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import (
    as_int,
    as_ints,
    as_plain,
    changed,
    checks_places,
    get_data,
    in_range,
    pair,
    to_dtype,
)

__all__ = """
    gather gather_d gather_elements gather_nd take index_select index_add index_fill inplace_add inplace_sub
    inplace_update inplace_index_add select where masked_fill masked_select masked_scatter nonzero argwhere slice
    tensor_slice strided_slice narrow slice_scatter select_scatter diagonal_scatter scatter unsorted_segment_sum
    unsorted_segment_max unsorted_segment_min unsorted_segment_prod index_put fill_diagonal put_
""".split()


_int64 = torch.int64


def as_long(indices: Any, like: torch.Tensor | None = None) -> torch.Tensor:
    """Return indices as int64 for torch's gathers and scatters."""
    check_indices(indices)
    return as_plain(indices, _int64, like)


@checks_places("Gather", "input_indices", from_end=True)
def gather(input_params: Any, input_indices: Any, axis: Any, batch_dims: int = 0) -> Any:
    """Return slices along ``axis`` by index: indices of any shape take the place of the axis. The first ``batch_dims``
    axes of both are one and the same.

    Indices below 0 count from the end.
    """
    axis = as_int(axis)
    check_indices(input_indices)
    x, indices = input_params, as_plain(input_indices, None, input_params)
    axis = in_range(axis, x.dim())
    if batch_dims:
        batch_dims += indices.dim() if batch_dims < 0 else 0
        if not 0 <= batch_dims <= min(axis, indices.dim()):
            raise ValueError(
                f"For 'Gather', the 'batch_dims' must be at most 'axis' ({axis}) and the number of axes of "
                f"'input_indices' ({indices.dim()}), but got {batch_dims}."
            )
        return _gather_batched(x, as_long(indices), axis, batch_dims)
    flat = indices if indices.dim() == 1 else torch.reshape(indices, (-1,))
    flat = flat if flat.dtype in (_int64, torch.int32) else to_dtype(flat, _int64)
    result = count_from_end(lambda places: torch.index_select(x, axis, places), flat, x.shape[axis])
    if indices.dim() == 1:
        return wrap(result)
    shape = tuple(x.shape)
    return wrap(torch.reshape(result, (*shape[:axis], *tuple(indices.shape), *shape[axis + 1 :])))


def _gather_batched(x: torch.Tensor, indices: torch.Tensor, axis: int, batch_dims: int) -> Any:
    shape, batch = tuple(x.shape), tuple(indices.shape[:batch_dims])
    rest = tuple(indices.shape[batch_dims:])
    middle, tail = shape[batch_dims:axis], shape[axis + 1 :]
    count = indices[(0,) * batch_dims].numel() if all(batch) else 0
    places = torch.reshape(indices, (*batch, *(1,) * len(middle), count, *(1,) * len(tail)))
    places = torch.Tensor.expand(places, (*batch, *middle, count, *tail))
    result = count_from_end(lambda index: torch.gather(x, axis, index), places, shape[axis])
    return wrap(torch.reshape(result, (*batch, *middle, *rest, *tail)))


@checks_places("GatherD", "index", from_end=True)
def gather_elements(input: Any, dim: int, index: Any) -> Any:
    """Return out[i][j] = input[index[i][j]][j] for ``dim`` 0, and so on."""
    dim, index = as_int(dim), as_long(index)
    return wrap(count_from_end(lambda places: by_shape(torch.gather, input, dim, places), index, input.shape[dim]))


def gather_d(x: Any, dim: int, index: Any) -> Any:
    """Return the same as `gather_elements`."""
    return gather_elements(x, dim, index)


@checks_places("GatherNd")
def gather_nd(input_x: Any, indices: Any) -> Any:
    """Return slices at coordinates: the last axis of ``indices`` holds one."""
    indices = as_long(indices, input_x)
    return wrap(take_elements(input_x, tuple(torch.unbind(refuse_negative(indices), -1))))


@checks_places("Take", "index", from_end=True)
def take(input: Any, index: Any) -> Any:
    """Return elements of the flattened tensor."""
    return wrap(by_shape(torch.take, input, as_long(index)))


@checks_places("Gather", "input_indices", from_end=True)
def index_select(input: Any, axis: int, index: Any) -> Any:
    """Return slices along ``axis`` at the 1-d indices; those below 0 count from the end."""
    return wrap(count_from_end(lambda places: torch.index_select(input, axis, places), index, input.shape[axis]))


# --- writing at indices -----------------------------------------------------------------------------------------------


@checks_places("IndexAdd")
def index_add(x: Any, indices: Any, y: Any, axis: int, use_lock: bool = True, check_index_bound: bool = True) -> Any:
    """Return ``x``, itself changed, with ``y`` added at the indices of ``axis``."""
    result = torch.index_add(x, axis, indices, y)
    get_data(x).copy_(result.detach())
    changed(x)
    return wrap(result)


@checks_places("IndexFill", "index", from_end=True)
def index_fill(x: Any, axis: int, index: Any, value: Any) -> Any:
    """Return ``x`` with one value at the indices of ``axis``."""
    value = value.item() if isinstance(value, torch.Tensor) else value
    return wrap(torch.index_fill(x, as_int(axis), torch.reshape(as_long(index, x), (-1,)), value))


@checks_places("IndexPut", from_end=True)
def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Return ``x`` with values at the index tensors."""
    return wrap(torch.index_put(x, [as_long(item) for item in indices], values, bool(accumulate)))


def _rows(indices: Any, like: torch.Tensor) -> torch.Tensor:
    return constant(as_ints(indices), like.device) if not isinstance(indices, torch.Tensor) else as_long(indices)


@checks_places("InplaceUpdate", from_end=True)
def inplace_update(x: Any, v: Any, indices: Any) -> Any:
    """Return a copy of ``x`` with its rows replaced by those of ``v``."""
    return wrap(count_from_end(lambda rows: torch.index_copy(x, 0, rows, v), _rows(indices, x), x.shape[0]))


@checks_places("InplaceAdd")
def inplace_add(x: Any, v: Any, indices: Any) -> Any:
    """Return a copy of ``x`` with ``v`` added to its rows."""
    return wrap(torch.index_add(x, 0, _rows(indices, x), v))


@checks_places("InplaceSub")
def inplace_sub(x: Any, v: Any, indices: Any) -> Any:
    """Return a copy of ``x`` with ``v`` subtracted from its rows."""
    return wrap(torch.index_add(x, 0, _rows(indices, x), v, alpha=-1))


def inplace_index_add(var: Any, indices: Any, updates: Any, axis: int) -> Any:
    """Run `index_add`."""
    return index_add(var, indices, updates, axis)


def fill_diagonal(input: Any, fill_value: float, wrap_around: bool = False) -> Any:
    """Return a copy with ``fill_value`` on the main diagonal."""
    result = torch.clone(input)
    return wrap(torch.Tensor.fill_diagonal_(result, fill_value, wrap_around))


def put_(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Put values at flat indices of the tensor itself; return it."""
    with torch.no_grad():
        torch.Tensor.put_(input, as_long(index), source, accumulate)
    return input


def slice_scatter(
    input: Any, src: Any, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Return ``input`` with a slice of ``axis`` replaced."""
    return wrap(torch.slice_scatter(input, src, axis, start, end, step))


def select_scatter(input: Any, src: Any, axis: int, index: int) -> Any:
    """Return ``input`` with one slice of ``axis`` replaced."""
    return wrap(torch.select_scatter(input, src, axis, index))


def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return ``input`` with a diagonal replaced."""
    return wrap(torch.diagonal_scatter(input, src, offset, dim1, dim2))


@checks_places("Scatter", "index", from_end=True)
def scatter(input: Any, axis: int, index: Any, src: Any) -> Any:
    """Set out[index[i][j]][j] = src[i][j] for ``axis`` 0, and so on."""
    index, axis = as_long(index), in_range(axis, input.dim())
    return wrap(count_from_end(lambda places: torch.scatter(input, axis, places, src), index, input.shape[axis]))


# --- masks ------------------------------------------------------------------------------------------------------------


def select(condition: Any, input: Any, other: Any) -> Any:
    """Return ``input`` where the condition holds, else ``other``; numbers are taken for either."""
    input, other = pair(input, other)
    return wrap(torch.where(as_plain(condition), input, other))


where = select


def masked_fill(input_x: Any, mask: Any, value: Any) -> Any:
    """Return ``input_x`` with ``value`` where the mask holds."""
    if isinstance(value, torch.Tensor):
        return wrap(torch.where(mask, to_dtype(value, input_x.dtype), input_x))
    return wrap(torch.masked_fill(input_x, mask, value))


def masked_select(input: Any, mask: Any) -> Any:
    """Return the elements where the mask holds, in one axis."""
    return wrap(by_shape(torch.masked_select, input, mask))


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Return ``input`` with the elements of ``source`` in order where the mask holds."""
    if mask.dtype is torch.uint8:
        mask = to_dtype(mask, torch.bool)
    return wrap(torch.masked_scatter(input, mask, source))


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return int64 coordinates of elements that are not zero, one row each; or a tuple of a tensor for each axis."""
    return wrap(torch.nonzero(input, as_tuple=as_tuple))


def argwhere(input: Any) -> Any:
    """Return coordinates of the elements that are not zero, one row each."""
    return wrap(torch.argwhere(input))


# --- slices -----------------------------------------------------------------------------------------------------------


def slice(input_x: Any, begin: Any, size: Any) -> Any:
    """Return ``size`` elements from ``begin`` on each axis; -1 is all the rest."""
    index = tuple(
        builtins.slice(first, None if count == -1 else first + count)
        for first, count in zip(as_ints(begin), as_ints(size))
    )
    return wrap(torch.Tensor.__getitem__(input_x, index))


tensor_slice = slice


def strided_slice(
    input_x: Any,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Return input_x[begin:end:stride, ...]; bit i of a mask changes the meaning of position i.

    begin/end mask: from the start / to the end; ellipsis: ``...``; new axis: ``None``; shrink axis: the one element at
    ``begin``.
    """
    begin, end, strides = as_ints(begin), as_ints(end), as_ints(strides)
    index: list[Any] = []
    for position, (first, last, step) in enumerate(zip(begin, end, strides)):
        bit = 1 << position
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(first)
        else:
            index.append(builtins.slice(None if begin_mask & bit else first, None if end_mask & bit else last, step))
    found = wrap(input_x)[tuple(index)]
    found._indexed_from = None  # as of `take_elements`, with negative steps
    return found


def narrow(input: Any, axis: int, start: Any, length: int) -> Any:
    """Return ``length`` slices of ``axis`` from ``start``."""
    return wrap(torch.narrow(input, axis, as_int(start), length))


# --- segments ---------------------------------------------------------------------------------------------------------


@with_dtype_fallback
def _segments(x: torch.Tensor, segment_ids: torch.Tensor, num_segments: Any, kind: str, start: Any) -> Any:
    """Reduce the slices at positions of one id; ids below 0 are left out."""
    count, lead = as_int(num_segments), segment_ids.dim()
    rest = tuple(x.shape[lead:])
    ids = torch.reshape(as_long(segment_ids), (-1,))
    rows = torch.reshape(x, (ids.numel(), *rest))
    if x.device.type == "cpu" and ids.numel() and int(ids.max()) >= count:
        raise ValueError(f"For 'UnsortedSegment', the 'segment_ids' must be below {count}, but got {int(ids.max())}.")
    # below 0: to a row that is cut off again; that row's own: to one that torch's kernels refuse; no value is read
    ids = torch.where(ids < 0, count, torch.where(ids == count, count + 1, ids))
    result = torch.full((count + 1, *rest), start, dtype=x.dtype, device=x.device)
    if kind == "sum":
        return wrap(torch.index_add(result, 0, ids, rows)[:count])
    index = torch.Tensor.expand(torch.reshape(ids, (-1, *(1,) * len(rest))), tuple(rows.shape))
    return wrap(torch.scatter_reduce(result, 0, index, rows, kind)[:count])


def _bound(dtype: torch.dtype, low: bool) -> Any:
    info: Any = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    return info.min if low else info.max


def unsorted_segment_sum(input_x: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return sums of the slices with one id; segments without any are 0."""
    return _segments(input_x, segment_ids, num_segments, "sum", 0)


def unsorted_segment_max(x: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return maxima of the slices with one id; segments without any are the dtype's minimum."""
    return _segments(x, segment_ids, num_segments, "amax", _bound(x.dtype, True))


def unsorted_segment_min(x: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return minima of the slices with one id; segments without any are the dtype's maximum."""
    return _segments(x, segment_ids, num_segments, "amin", _bound(x.dtype, False))


def unsorted_segment_prod(x: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return products of the slices with one id; segments without any are 1."""
    return _segments(x, segment_ids, num_segments, "prod", 1)


apply_dtype_fallback(globals(), __all__)
