"""Gathering, scattering, selection and segments."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.saved_shapes import by_shape
from mindspore_compat._autograd.sparse_embedding_grads import look_up_rows
from mindspore_compat._numerics.autocast import cast_here
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import (
    as_int,
    as_ints,
    as_plain,
    behind,
    changed,
    check_keeps_dtype,
    checks_places,
    dtype_or_none,
    get_data,
    in_own_dtype,
    in_range,
    pair,
    passes_gradient,
    to_dtype,
)
from mindspore_compat._ops.declare import Int, Typed, classes, functions, op, primitive, primitive_class
from mindspore_compat._ops.elementwise import quotient
from mindspore_compat._ops.other import assign
from mindspore_compat._ops.reduction import searchsorted, topk
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.index_bounds import check_coordinates, count_from_end, refuse_negative
from mindspore_compat._tensor.indexing import check_indices, take_elements
from mindspore_compat._tensor.wrapping import plain, wrap

_Run = Callable[..., Any]


@op(fallback=False)
def sparse_segment_mean(x: Any, indices: Any, segment_ids: Any) -> Any:
    """Return the means of the rows ``x[indices]`` with one sorted segment number; 0 for numbers without rows.

    Raises:
        ValueError: for unsorted numbers.
    """
    segments = torch.Tensor.long(segment_ids)
    if bool(torch.any(torch.diff(segments) < 0)):
        raise ValueError("For 'sparse_segment_mean', the 'segment_ids' must be sorted. Sort both inputs by them.")
    count = int(segments[-1]) + 1 if segments.shape[0] else 0
    rows = torch.index_select(x, 0, torch.Tensor.long(indices))
    total = torch.index_add(rows.new_zeros((count, *rows.shape[1:])), 0, segments, rows)
    counts = torch.clamp(torch.bincount(segments, minlength=count), min=1).to(rows.dtype)
    return wrap(total / torch.reshape(counts, (-1, *(1,) * (rows.dim() - 1))))


_int64 = torch.int64


def as_long(indices: Any, like: torch.Tensor | None = None) -> torch.Tensor:
    """Return indices as int64 for torch's gathers and scatters."""
    check_indices(indices)
    return as_plain(indices, _int64, like)


@op
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


GatherV2 = primitive_class("GatherV2", gather, inputs="params indices axis")
Gather = primitive_class("Gather", gather, "Slices along an axis by index.", batch_dims=(Int, 0), settable=True)


def _gather_batched(x: torch.Tensor, indices: torch.Tensor, axis: int, batch_dims: int) -> Any:
    shape, batch = tuple(x.shape), tuple(indices.shape[:batch_dims])
    rest = tuple(indices.shape[batch_dims:])
    middle, tail = shape[batch_dims:axis], shape[axis + 1 :]
    count = indices[(0,) * batch_dims].numel() if all(batch) else 0
    places = torch.reshape(indices, (*batch, *(1,) * len(middle), count, *(1,) * len(tail)))
    places = torch.Tensor.expand(places, (*batch, *middle, count, *tail))
    result = count_from_end(lambda index: torch.gather(x, axis, index), places, shape[axis])
    return wrap(torch.reshape(result, (*batch, *middle, *rest, *tail)))


@op(formerly="x=input", method="gather_elements")
@checks_places("GatherD", "index", from_end=True)
def gather_elements(input: Any, dim: int, index: Any) -> Any:
    """Return out[i][j] = input[index[i][j]][j] for ``dim`` 0, and so on."""
    dim, index = as_int(dim), as_long(index)
    return wrap(count_from_end(lambda places: by_shape(torch.gather, input, dim, places), index, input.shape[dim]))


@op
def gather_d(x: Any, dim: int, index: Any) -> Any:
    """Return the same as `gather_elements`."""
    return gather_elements(x, dim, index)


GatherD = primitive_class("GatherD", gather_d)


@op(method="gather_nd")
@checks_places("GatherNd")
def gather_nd(input_x: Any, indices: Any) -> Any:
    """Return slices at coordinates: the last axis of ``indices`` holds one."""
    indices = as_long(indices, input_x)
    return wrap(take_elements(cast_here(input_x), tuple(torch.unbind(refuse_negative(indices), -1))))


GatherNd = primitive_class("GatherNd", gather_nd)


@op
@checks_places("Take", "index", from_end=True)
def take(input: Any, index: Any) -> Any:
    """Return elements of the flattened tensor."""
    return wrap(by_shape(torch.take, input, as_long(index)))


@op(formerly="dim=axis", method="index_select")
@checks_places("Gather", "input_indices", from_end=True)
def index_select(input: Any, axis: int, index: Any) -> Any:
    """Return slices along ``axis`` at the 1-d indices; those below 0 count from the end."""
    return wrap(count_from_end(lambda places: torch.index_select(input, axis, places), index, input.shape[axis]))


# --- writing at indices -----------------------------------------------------------------------------------------------
@op(method="index_add")
@checks_places("IndexAdd")
def index_add(x: Any, indices: Any, y: Any, axis: int, use_lock: bool = True, check_index_bound: bool = True) -> Any:
    """Return ``x``, itself changed, with ``y`` added at the indices of ``axis``."""
    result = in_own_dtype("index_add", x, axis, indices, to_dtype(y, behind(x).dtype))
    get_data(x).copy_(result.detach())
    changed(x)
    return wrap(result)


@op(formerly="dim=axis", method="index_fill")
@checks_places("IndexFill", "index", from_end=True)
def index_fill(x: Any, axis: int, index: Any, value: Any) -> Any:
    """Return ``x`` with one value at the indices of ``axis``."""
    value = value.item() if isinstance(value, torch.Tensor) else value
    return wrap(torch.index_fill(x, as_int(axis), torch.reshape(as_long(index, x), (-1,)), value))


IndexFill = primitive_class("IndexFill", index_fill, inputs="x dim index value")


@op(listed=False, method="index_put")
@checks_places("IndexPut", from_end=True)
def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Return ``x`` with values at the index tensors."""
    return wrap(torch.index_put(x, [as_long(item) for item in indices], values, bool(accumulate)))


def _rows(indices: Any, like: torch.Tensor) -> torch.Tensor:
    return constant(as_ints(indices), like.device) if not isinstance(indices, torch.Tensor) else as_long(indices)


@op(method="inplace_update")
@checks_places("InplaceUpdate", from_end=True)
def inplace_update(x: Any, v: Any, indices: Any) -> Any:
    """Return a copy of ``x`` with its rows replaced by those of ``v``, without a gradient, as in MindSpore."""
    return wrap(count_from_end(lambda rows: torch.index_copy(x, 0, rows, v), _rows(indices, x), x.shape[0]).detach())


InplaceUpdate = primitive_class(
    "InplaceUpdate", inplace_update, "A copy with rows replaced.", indices=(Any, ...), inputs="x v"
)
InplaceUpdateV2 = primitive_class("InplaceUpdateV2", lambda x, indices, v: inplace_update(x, v, indices))


@op
@checks_places("InplaceAdd")
def inplace_add(x: Any, v: Any, indices: Any) -> Any:
    """Return a copy of ``x`` with ``v`` added to its rows, without a gradient, as in MindSpore."""
    return wrap(torch.index_add(x, 0, _rows(indices, x), v).detach())


InplaceAdd = primitive_class(
    "InplaceAdd", inplace_add, "A copy with ``input_v`` added to the rows.", indices=(Any, ...), inputs="x v"
)


@op
@checks_places("InplaceSub")
def inplace_sub(x: Any, v: Any, indices: Any) -> Any:
    """Return a copy of ``x`` with ``v`` subtracted from its rows, without a gradient, as in MindSpore."""
    return wrap(torch.index_add(x, 0, _rows(indices, x), v, alpha=-1).detach())


InplaceSub = primitive_class(
    "InplaceSub", inplace_sub, "A copy with ``input_v`` subtracted from the rows.", indices=(Any, ...), inputs="x v"
)


@op
def inplace_index_add(var: Any, indices: Any, updates: Any, axis: int) -> Any:
    """Run `index_add`."""
    return index_add(var, indices, updates, axis)


InplaceIndexAdd = primitive_class(
    "InplaceIndexAdd",
    inplace_index_add,
    "``updates`` added at the indices.",
    axis=(int, ...),
    inputs="var indices updates",
)


@with_dtype_fallback
def fill_diagonal(input: Any, fill_value: float, wrap_around: bool = False) -> Any:
    """Return a copy with ``fill_value`` on the main diagonal."""
    result = torch.clone(input)
    return wrap(torch.Tensor.fill_diagonal_(result, fill_value, wrap_around))


FillDiagonal = primitive_class(
    "FillDiagonal",
    fill_diagonal,
    "A copy with a value on the main diagonal.",
    fill_value=(float, ...),
    wrap=(bool, False, "wrap_around"),
    inputs="input_x",
)


@op
def put_(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Put values at flat indices of the tensor itself; return it."""
    with torch.no_grad():
        torch.Tensor.put_(input, as_long(index), source, accumulate)
    return input


@op(method="slice_scatter")
def slice_scatter(
    input: Any, src: Any, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Return ``input`` with a slice of ``axis`` replaced."""
    return wrap(torch.slice_scatter(input, src, axis, start, end, step))


@op(method="select_scatter")
def select_scatter(input: Any, src: Any, axis: int, index: int) -> Any:
    """Return ``input`` with one slice of ``axis`` replaced."""
    return wrap(torch.select_scatter(input, src, axis, index))


@op
def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return ``input`` with a diagonal replaced; of mixed dtypes the higher."""
    return wrap(torch.diagonal_scatter(*pair(input, src), offset, dim1, dim2))


@op
@checks_places("Scatter", "index", from_end=True)
def scatter(input: Any, axis: int, index: Any, src: Any) -> Any:
    """Set out[index[i][j]][j] = src[i][j] for ``axis`` 0, and so on."""
    index, axis = as_long(index), in_range(axis, input.dim())
    return wrap(count_from_end(lambda places: torch.scatter(input, axis, places, src), index, input.shape[axis]))


# --- masks ------------------------------------------------------------------------------------------------------------
@op(formerly="x=input y=other cond=condition")
def select(condition: Any, input: Any, other: Any) -> Any:
    """Return ``input`` where the condition holds, else ``other``; numbers are taken for either."""
    input, other = pair(input, other)
    return wrap(torch.where(as_plain(condition), input, other))


Select = primitive_class("Select", select)
where = select


@op(formerly="inputs=input_x", method="masked_fill")
def masked_fill(input_x: Any, mask: Any, value: Any) -> Any:
    """Return ``input_x`` with ``value`` where the mask holds."""
    if isinstance(value, torch.Tensor):
        return wrap(torch.where(mask, to_dtype(value, input_x.dtype), input_x))
    return wrap(torch.masked_fill(input_x, mask, value))


MaskedFill = primitive_class("MaskedFill", masked_fill)


@op(formerly="x=input", method="masked_select")
def masked_select(input: Any, mask: Any) -> Any:
    """Return the elements where the mask holds, in one axis."""
    return wrap(by_shape(torch.masked_select, input, mask))


MaskedSelect = primitive_class("MaskedSelect", masked_select)


@op(listed=False, formerly="tensor=source x=source", method="masked_scatter")
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Return ``input`` with the elements of ``source`` in order where the mask holds."""
    if mask.dtype is torch.uint8:
        mask = to_dtype(mask, torch.bool)
    return wrap(torch.masked_scatter(input, mask, source))


MaskedScatter = primitive_class("MaskedScatter", masked_scatter)


@op(formerly="x=input", method="nonzero")
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return int64 coordinates of elements that are not zero, one row each; or a tuple of a tensor for each axis."""
    return wrap(torch.nonzero(input, as_tuple=as_tuple))


NonZero = primitive_class("NonZero", nonzero)


@op
def argwhere(input: Any) -> Any:
    """Return coordinates of the elements that are not zero, one row each."""
    return wrap(torch.argwhere(input))


# --- slices -----------------------------------------------------------------------------------------------------------
@op
def slice(input_x: Any, begin: Any, size: Any) -> Any:
    """Return ``size`` elements from ``begin`` on each axis; -1 is all the rest."""
    index = tuple(
        builtins.slice(first, None if count == -1 else first + count)
        for first, count in zip(as_ints(begin), as_ints(size))
    )
    return wrap(torch.Tensor.__getitem__(input_x, index))


Slice = primitive_class("Slice", slice, inputs="input begin size")


tensor_slice = op(slice, name="tensor_slice", shown="input")


@op
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


@op(formerly="inputs=input")
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


@op
def unsorted_segment_sum(input_x: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return sums of the slices with one id; segments without any are 0."""
    return _segments(input_x, segment_ids, num_segments, "sum", 0)


UnsortedSegmentSum = primitive_class("UnsortedSegmentSum", unsorted_segment_sum)


@op(method="unsorted_segment_max")
def unsorted_segment_max(x: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return maxima of the slices with one id; segments without any are the dtype's minimum."""
    return _segments(x, segment_ids, num_segments, "amax", _bound(x.dtype, True))


UnsortedSegmentMax = primitive_class("UnsortedSegmentMax", unsorted_segment_max)


@op(method="unsorted_segment_min")
def unsorted_segment_min(x: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return minima of the slices with one id; segments without any are the dtype's maximum."""
    return _segments(x, segment_ids, num_segments, "amin", _bound(x.dtype, False))


UnsortedSegmentMin = primitive_class("UnsortedSegmentMin", unsorted_segment_min)


@op(method="unsorted_segment_prod")
def unsorted_segment_prod(x: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return products of the slices with one id; segments without any are 1."""
    return _segments(x, segment_ids, num_segments, "prod", 1)


UnsortedSegmentProd = primitive_class("UnsortedSegmentProd", unsorted_segment_prod)


def sparse_gather(params: Any, indices: Any, axis: Any) -> Any:
    """Run `gather`; along a Parameter's first axis record a lookup for its optimizer (sparse_embedding_grads.py)."""
    result = gather(params, indices, axis)
    if as_int(axis) in (0, -params.dim()):
        look_up_rows(params, as_long(indices, params))
    return result


SparseGatherV2 = primitive_class("SparseGatherV2", sparse_gather, inputs="params indices axis")


def embedding_lookup(input_params: Any, input_indices: Any, offset: int) -> Any:
    """Return rows ``input_indices - offset``; those out of range are zero."""
    places = as_long(input_indices) - offset
    inside = (places >= 0) & (places < input_params.shape[0])
    places = torch.where(inside, places, torch.zeros_like(places))
    rows = input_params[places]
    look_up_rows(input_params, places, inside)
    return wrap(
        rows * to_dtype(torch.reshape(inside, (*inside.shape, *(1,) * (rows.dim() - inside.dim()))), rows.dtype)
    )


EmbeddingLookup = primitive_class("EmbeddingLookup", embedding_lookup, inputs="params indices offset")


_ELEMENTWISE = {"none": "", "add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


@op
@checks_places("TensorScatterElements", from_end=True)
def tensor_scatter_elements(input_x: Any, indices: Any, updates: Any, axis: int = 0, reduction: str = "none") -> Any:
    """Run `scatter`, or with values reduced by "add", "mul", "max" or "min"."""
    indices, axis = as_long(indices), in_range(axis, input_x.dim())

    def scatter(places: torch.Tensor) -> torch.Tensor:
        if reduction == "none":
            return torch.scatter(input_x, axis, places, updates)
        if reduction == "sub":
            return torch.scatter_add(input_x, axis, places, -updates)
        return torch.scatter_reduce(input_x, axis, places, updates, _ELEMENTWISE[reduction])

    return wrap(count_from_end(scatter, indices, input_x.shape[axis]))


TensorScatterElements = primitive_class(
    "TensorScatterElements",
    tensor_scatter_elements,
    "A copy with values put or reduced at indices along ``axis``.",
    axis=(int, 0),
    reduction=(str, "none"),
    inputs="data indices updates",
)


@op
@checks_places("ScatterNd")
def scatter_nd(indices: Any, updates: Any, shape: Any) -> Any:
    """Return zeros of ``shape`` with the updates added at coordinates.

    Raises:
        ValueError: unless there is one update for each index.
    """
    lengths = as_ints(shape)
    zero = torch.zeros(lengths, dtype=updates.dtype, device=updates.device)
    indices = as_long(indices)
    _check_updates("ScatterNd", lengths, indices, updates)
    return wrap(torch.index_put(zero, _coordinates(indices), updates, True))


ScatterNd = primitive_class("ScatterNd", scatter_nd)


def _coordinates(indices: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the last axis of int64 ``indices`` as one tensor for each indexed axis; indices below zero are refused."""
    return tuple(torch.unbind(refuse_negative(indices), -1))


_Combine = Callable[[torch.Tensor, tuple, torch.Tensor], torch.Tensor]


def _reduce_at(kind: str) -> _Combine:
    """Reduce ``x`` with updates at coordinates by "amax", "amin" or "prod", over flat positions of slices."""

    def combine(x: torch.Tensor, places: tuple, updates: torch.Tensor) -> torch.Tensor:
        depth = len(places)
        lead, rest = tuple(x.shape[:depth]), tuple(x.shape[depth:])
        flat = places[0]
        if depth > 1:
            flat = check_coordinates(places, lead)
            for length, place in zip(lead, places):
                flat = flat * length + place
        rows = torch.reshape(x, (-1, *rest))
        updates = torch.reshape(torch.Tensor.expand(updates, (*places[0].shape, *rest)), (-1, *rest))
        index = torch.Tensor.expand(torch.reshape(flat, (-1, *(1,) * len(rest))), tuple(updates.shape))
        return torch.reshape(torch.scatter_reduce(rows, 0, index, updates, kind), tuple(x.shape))

    return combine


def _div_at(x: torch.Tensor, places: tuple, updates: torch.Tensor) -> torch.Tensor:
    factor = _reduce_at("prod")(torch.ones_like(x), places, updates)
    return quotient(x, factor)


_COMBINE: dict[str, _Combine] = {
    "update": lambda x, places, updates: torch.index_put(x, places, updates),
    "add": lambda x, places, updates: torch.index_put(x, places, updates, True),
    "sub": lambda x, places, updates: torch.index_put(x, places, torch.neg(updates), True),
    "mul": _reduce_at("prod"),
    "div": _div_at,
    "max": _reduce_at("amax"),
    "min": _reduce_at("amin"),
}


def _check_updates(owner: str, shape: Any, indices: torch.Tensor, updates: Any, by_coordinates: bool = True) -> None:
    """Raise ValueError unless there is one update for each row of indices: torch would repeat missing ones."""
    if by_coordinates and indices.dim() < 2:
        raise ValueError(
            f"For primitive[{owner}], the dimension of 'indices' must be greater than or equal to 2, but got "
            f"{indices.dim()}. Its last axis holds coordinates: give indices of shape (n, {indices.numel()})."
        )
    batch, taken = (indices.shape[:-1], indices.shape[-1]) if by_coordinates else (indices.shape, 1)
    wanted = (*batch, *shape[taken:])
    if tuple(updates.shape) != wanted:
        raise ValueError(
            f"For '{owner}', the shape of 'updates' must be {wanted}, by the shapes {tuple(indices.shape)} of "
            f"'indices' and {tuple(shape)} of 'input_x', but got {tuple(updates.shape)}."
        )


def _tensor_scatter(kind: str) -> Callable[[Any, Any, Any], Any]:
    combine = _COMBINE[kind]

    @checks_places(f"TensorScatter{kind.capitalize()}")
    def compute(input_x: Any, indices: Any, updates: Any) -> Any:
        owner = f"TensorScatter{kind.capitalize()}"
        indices = as_long(indices)
        _check_updates(owner, input_x.shape, indices, updates)
        return wrap(combine(input_x, _coordinates(indices), updates))

    compute.__name__ = compute.__qualname__ = f"tensor_scatter_{kind}"
    compute.__doc__ = f"A copy of ``input_x`` with the updates combined ({kind}) at coordinates."
    return compute


def _store(variable: torch.Tensor, result: torch.Tensor) -> Any:
    """Write the result to the variable itself and return it, as MindSpore does with Parameters."""
    get_data(variable).copy_(result.detach())
    return changed(variable)


def _scatter_into(kind: str, by_coordinates: bool) -> Callable[..., Any]:
    combine, owner = _COMBINE[kind], f"Scatter{'Nd' if by_coordinates else ''}{kind.capitalize()}"

    @checks_places(owner)
    def compute(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
        indices = as_long(indices)
        check_keeps_dtype(owner, input_x, updates)
        before = get_data(input_x).detach()  # in a Cell of another dtype `input_x` is read in that
        updates = to_dtype(updates, before.dtype)
        _check_updates(owner, input_x.shape, indices, updates, by_coordinates)
        places = _coordinates(indices) if by_coordinates else (refuse_negative(indices),)
        with torch.no_grad():
            result = combine(before, places, plain(updates))
            del before  # else it counts as an alias of the Parameter
            stored = _store(input_x, result)
        if not passes_gradient(updates) or kind not in (("update",) if by_coordinates else ("update", "max", "min")):
            return stored  # of the other kinds MindSpore has no gradient
        data = get_data(stored).detach()
        moved = _COMBINE["update"](data, places, updates)
        if kind != "update":  # each update gets the gradient of its place, chosen or not
            moved.detach().copy_(data)
        return wrap(moved)

    compute.__name__ = compute.__qualname__ = f"scatter_{'nd_' if by_coordinates else ''}{kind}"
    compute.__doc__ = (
        f"Combine ({kind}) the updates into ``input_x`` itself, at "
        f"{'coordinates' if by_coordinates else 'rows'}; returns it. "
        "Those of a lower dtype are cast."
    )
    return compute


scatter_update = op(_scatter_into("update", False), hidden="use_locking")
scatter_add = op(_scatter_into("add", False), hidden="use_locking")
_scatter_sub = _scatter_into("sub", False)
scatter_mul = op(_scatter_into("mul", False), hidden="use_locking")
scatter_div = op(_scatter_into("div", False), hidden="use_locking")
scatter_max = op(_scatter_into("max", False), hidden="use_locking")
scatter_min = op(_scatter_into("min", False), hidden="use_locking")
scatter_nd_update = op(_scatter_into("update", True))
scatter_nd_add = op(_scatter_into("add", True))
ScatterNonAliasingAdd = primitive_class("ScatterNonAliasingAdd", scatter_nd_add)
scatter_nd_sub = op(_scatter_into("sub", True))
scatter_nd_mul = op(_scatter_into("mul", True))
scatter_nd_div = op(_scatter_into("div", True))
scatter_nd_max = op(_scatter_into("max", True))
scatter_nd_min = op(_scatter_into("min", True))
tensor_scatter_update = op(_tensor_scatter("update"))
TensorScatterUpdate = primitive_class("TensorScatterUpdate", tensor_scatter_update)
tensor_scatter_add = op(_tensor_scatter("add"))
TensorScatterAdd = primitive_class("TensorScatterAdd", tensor_scatter_add)
tensor_scatter_sub = op(_tensor_scatter("sub"), method="scatter_sub")
TensorScatterSub = primitive_class("TensorScatterSub", tensor_scatter_sub)
tensor_scatter_mul = op(_tensor_scatter("mul"), method="scatter_mul")
TensorScatterMul = primitive_class("TensorScatterMul", tensor_scatter_mul)
tensor_scatter_div = op(_tensor_scatter("div"), method="scatter_div")
TensorScatterDiv = primitive_class("TensorScatterDiv", tensor_scatter_div)
tensor_scatter_max = op(_tensor_scatter("max"), method="scatter_max")
TensorScatterMax = primitive_class("TensorScatterMax", tensor_scatter_max)
tensor_scatter_min = op(_tensor_scatter("min"), method="scatter_min")
TensorScatterMin = primitive_class("TensorScatterMin", tensor_scatter_min)


@checks_places("UnravelIndex")
def _unravel_index(indices: Any, dims: Any) -> Any:
    """Return coordinates, a row for each axis, of flat indices into a tensor of lengths ``dims``."""
    lengths = as_ints(dims)
    places = refuse_negative(torch.Tensor.long(indices))
    places = places + check_coordinates((places,), (math.prod(lengths),))
    return wrap(to_dtype(torch.stack(torch.unravel_index(places, lengths)), indices.dtype))


UnravelIndex = primitive_class("UnravelIndex", _unravel_index)
InvertPermutation = primitive_class(
    "InvertPermutation",
    lambda x: (
        tuple(int(i) for i in torch.argsort(torch.as_tensor(x)))
        if isinstance(x, (tuple, list))
        else wrap(to_dtype(torch.argsort(x), x.dtype))
    ),
)


def _copy_slices(x: Any, value: Any, begin: Any, end: Any, strides: Any) -> Any:
    """Return a copy of ``x`` with x[begin:end:strides] set to ``value``."""
    result = torch.clone(x)
    places = tuple(builtins.slice(*item) for item in zip(as_ints(begin), as_ints(end), as_ints(strides)))
    result[places] = torch.Tensor.expand(torch.Tensor.to(value, x.dtype), result[places].shape)
    return wrap(result)


TensorCopySlices = primitive_class("TensorCopySlices", _copy_slices)


@primitive
def ConfusionMatrix(num_classes: int, dtype: str = "int32") -> _Run:
    """Counts of (label, prediction) pairs."""
    target = dtype_or_none(dtype) or torch.int32

    def run(labels: Any, predictions: Any, weights: Any = None) -> Any:
        flat = labels.long() * num_classes + predictions.long()
        counts = torch.bincount(flat, weights, num_classes * num_classes)
        return wrap(to_dtype(torch.reshape(counts, (num_classes, num_classes)), target))

    return run


def _segment(kind: str, empty: float) -> _Run:
    def run(input_x: Any, segment_ids: Any) -> Any:
        count = int(segment_ids[-1]) + 1
        rest = tuple(input_x.shape[1:])
        index = torch.Tensor.expand(torch.reshape(segment_ids.long(), (-1, *(1,) * len(rest))), tuple(input_x.shape))
        result = torch.full((count, *rest), empty, dtype=input_x.dtype, device=input_x.device)
        reduced = torch.scatter_reduce(result, 0, index, input_x, kind, include_self=False)
        return wrap(reduced)

    run.__doc__ = f"Slices with one id reduced ({kind}); ids are sorted."
    return run


SegmentSum, SegmentMean, SegmentMax, SegmentMin, SegmentProd = (
    primitive_class(f"Segment{name}", _segment(kind, empty))
    for name, kind, empty in (
        ("Sum", "sum", 0),
        ("Mean", "mean", 0),
        ("Max", "amax", 0),
        ("Min", "amin", 0),
        ("Prod", "prod", 1),
    )
)


@primitive(inputs="input k")
def TopK(sorted: Typed[bool] = True) -> _Run:
    """(the k largest values of the last axis, their int32 indices)."""

    def run(input_x: Any, k: Any) -> Any:
        return topk(input_x, as_int(k), -1, True, sorted)

    return run


@primitive(inputs="sorted_sequence values sorter", settable=True)
def SearchSorted(dtype: Any = torch.int64, right: bool = False) -> _Run:
    """Places to insert values at; before 2.0 ``dtype`` was whether in int32."""
    return lambda sequence, values, sorter=None: searchsorted(
        sequence, values, out_int32=dtype in (torch.int32, True), right=right, sorter=sorter
    )


@primitive
def LowerBound(out_type: Any = torch.int32) -> _Run:
    """The first place where each value could be inserted, row by row."""
    return lambda sorted_x, values: searchsorted(sorted_x, values, out_int32=out_type is torch.int32)


@primitive
def UpperBound(out_type: Any = torch.int32) -> _Run:
    """The last place where each value could be inserted, row by row."""
    return lambda sorted_x, values: searchsorted(sorted_x, values, out_int32=out_type is torch.int32, right=True)


@primitive
def NthElement(reverse: bool = False) -> _Run:
    """The n-th smallest (or largest) value of the last axis; equal elements share its gradient."""

    def run(input: Any, n: Any) -> Any:
        found = torch.sort(input.detach(), -1, reverse)[0][..., as_int(n)]
        if not input.dtype.is_floating_point:
            return wrap(found)
        is_found = input.detach() == found.unsqueeze(-1)
        shared = torch.where(is_found, input, 0).sum(-1) / is_found.sum(-1)
        return wrap(found + (shared - shared.detach()))

    return run


@primitive
def ListDiff(out_idx: Any = torch.int32) -> _Run:
    """(elements of x that are not in y, their places)."""

    def run(x: Any, y: Any) -> Any:
        places = torch.nonzero(torch.logical_not(torch.isin(x, y)))[:, 0]
        return wrap(take_elements(x, places)), wrap(to_dtype(places, dtype_or_none(out_idx) or torch.int32))

    return run


@primitive(settable=True)
def UniqueConsecutive(return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> _Run:
    """Elements without consecutive repetitions, with int64 inverse and counts, 0 unless asked for."""

    def run(input: Any) -> Any:
        values, inverse, counts = torch.unique_consecutive(input, return_inverse=True, return_counts=True, dim=dim)
        nothing = inverse.new_zeros(())
        return wrap((values, inverse if return_inverse else nothing, counts if return_counts else nothing))

    return run


def _scatter(name: str, function: Callable[..., Any], *, locks: bool = False, inputs: str = "") -> Any:
    """Return an operator that writes into a Parameter; ``locks`` is the default of an argument without effect."""

    def constructor(use_locking: bool = locks) -> _Run:
        return lambda input_x, indices, updates: function(input_x, indices, updates)

    constructor.__name__, constructor.__doc__ = name, function.__doc__
    return primitive(constructor, inputs=inputs)


ScatterUpdate = _scatter("ScatterUpdate", scatter_update, locks=True, inputs="x indices updates")
ScatterAdd = _scatter("ScatterAdd", scatter_add, inputs="x indices updates")
ScatterSub = _scatter("ScatterSub", _scatter_sub)
ScatterMul = _scatter("ScatterMul", scatter_mul)
ScatterDiv = _scatter("ScatterDiv", scatter_div)
ScatterMax = _scatter("ScatterMax", scatter_max)
ScatterMin = _scatter("ScatterMin", scatter_min)
ScatterNdUpdate = _scatter("ScatterNdUpdate", scatter_nd_update, locks=True, inputs="input_x indices value")
ScatterNdAdd = _scatter("ScatterNdAdd", scatter_nd_add, inputs="x indices updates")
ScatterNdSub = _scatter("ScatterNdSub", scatter_nd_sub)
ScatterNdMul = _scatter("ScatterNdMul", scatter_nd_mul)
ScatterNdDiv = _scatter("ScatterNdDiv", scatter_nd_div)
ScatterNdMax = _scatter("ScatterNdMax", scatter_nd_max)
ScatterNdMin = _scatter("ScatterNdMin", scatter_nd_min)


@primitive
def ScatterAddWithAxis(axis: int = 0) -> _Run:
    """A copy with values added at indices along ``axis``."""
    return lambda input_x, indices, updates: tensor_scatter_elements(input_x, indices, updates, axis, "add")


@primitive
def IndexPut(accumulate: int = 0) -> _Run:
    """A copy with values at index tensors."""
    return lambda x1, x2, indices: index_put(x1, indices, x2, bool(accumulate))


@primitive(inputs="x y")
def CopyWithSlice() -> _Run:
    """Write ``y`` into ``x``."""
    return assign


@primitive(inputs="input_x indices input_y")
def IndexAdd(axis: int, use_lock: bool = True, check_index_bound: bool = True) -> _Run:
    """``y`` added at the indices; a Parameter is changed."""
    return lambda x, indices, y: index_add(x, indices, y, axis)


SelectView = primitive_class(
    "SelectView",
    lambda input, index, axis: wrap(torch.select(input, axis, index)),
    inputs="input_tensor input_indices axis",
)

__all__ = functions(globals())
PRIMITIVES = classes(globals())
