"""Operators on sparse tensors as coordinates: (indices (n, axes), values (n,), shape). Part of ``sparse_ops``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_int, as_ints, to_dtype
from mindspore_compat.ops._declare import Bool, Int, plain, primitive
from mindspore_compat.ops.function._arithmetic import quotient

__all__ = """
    SparseAdd SparseAddmm SparseConcat SparseCountSparseOutput SparseDenseCwiseAdd SparseDenseCwiseDiv
    SparseDenseCwiseMul SparseFillEmptyRows SparseReorder SparseReshape SparseSegmentMeanWithNumSegments
    SparseSegmentSqrtN SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments SparseSoftmax
    SparseSparseMaximum SparseSparseMinimum SparseSplit SparseToDenseV2 Sspaddmm
""".split()

_Run = Callable[..., Any]


def flat_places(indices: Any, shape: Any) -> torch.Tensor:
    """The positions of coordinates (n, axes) in the flattened tensor, (n,) int64.

    Raises:
        ValueError: if a coordinate is outside of the shape, or has another number of axes.
    """
    lengths = as_ints(shape)
    if indices.shape[-1] != len(lengths):
        raise ValueError(f"The 'indices' have {indices.shape[-1]} axes, but the shape {lengths} has {len(lengths)}.")
    limits = torch.tensor(lengths, dtype=torch.int64, device=indices.device)
    indices = torch.Tensor.long(indices)
    if bool(torch.any((indices < 0) | (indices >= limits))):
        raise ValueError(f"The 'indices' must be at least 0 and below the shape {lengths}.")
    strides = [math.prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    return torch.sum(indices * torch.tensor(strides, dtype=torch.int64, device=indices.device), -1)


def coordinates(places: torch.Tensor, shape: Any) -> torch.Tensor:
    """The inverse of `flat_places`."""
    lengths = as_ints(shape)
    rest, found = places, []
    for length in reversed(lengths):
        found.append(rest % length)
        rest = torch.div(rest, length, rounding_mode="floor")
    return torch.stack(found[::-1], -1)


def _check_pair(owner: str, x1_values: Any, x1_shape: Any, x2_values: Any, x2_shape: Any) -> tuple[int, ...]:
    shape = as_ints(x1_shape)
    if shape != as_ints(x2_shape):
        raise ValueError(f"For '{owner}', the shapes must be equal, but got {shape} and {as_ints(x2_shape)}.")
    return shape


def _united(
    x1_indices: Any, x1_values: Any, x2_indices: Any, x2_values: Any, shape: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(places of either in order, values of the first there, of the second; 0 where one has none)."""
    first, second = flat_places(x1_indices, shape), flat_places(x2_indices, shape)
    places, where = torch.unique(torch.cat((first, second)), return_inverse=True)
    zeros = torch.zeros(places.shape, dtype=x1_values.dtype, device=x1_values.device)
    left = torch.index_add(zeros, 0, where[: len(first)], x1_values)
    right = torch.index_add(zeros, 0, where[len(first) :], x2_values)
    return places, left, right


def _sparse_add(
    x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any, thresh: Any
) -> Any:
    """(indices, values, shape) of the sum; sums below ``thresh`` in magnitude are left out."""
    shape = _check_pair("SparseAdd", x1_values, x1_shape, x2_values, x2_shape)
    places, left, right = _united(x1_indices, x1_values, x2_indices, x2_values, shape)
    total = left + right
    kept = torch.nonzero(torch.abs(total.detach()) >= thresh)[:, 0]
    return wrap((coordinates(places[kept], shape), total[kept], torch.clone(x1_shape)))


def _extreme(name: str, function: Callable[[Any, Any], torch.Tensor]) -> Any:
    def run(
        x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any
    ) -> tuple[Any, Any]:
        shape = _check_pair(name, x1_values, x1_shape, x2_values, x2_shape)
        places, left, right = _united(x1_indices, x1_values, x2_indices, x2_values, shape)
        return wrap((coordinates(places, shape), function(left, right)))

    run.__doc__ = f"(indices, values) of the {name[12:].lower()} of two sparse tensors; what is absent counts as 0."
    return plain(name, run)


def _with_dense(name: str, function: Callable[[Any, Any], torch.Tensor]) -> Any:
    def run(x1_indices: Any, x1_values: Any, x1_shape: Any, x2: Any) -> Any:
        shape = as_ints(x1_shape)
        if any(length not in (1, whole) for length, whole in zip(tuple(x2.shape)[::-1], shape[::-1])):
            raise ValueError(f"For '{name}', the shape of 'x2' {tuple(x2.shape)} cannot be broadcast to {shape}.")
        dense = torch.Tensor.expand(x2, shape)
        return wrap(function(x1_values, torch.reshape(dense, (-1,))[flat_places(x1_indices, shape)]))

    run.__doc__ = "Values of a sparse tensor with those of a dense one, which is broadcast to its shape, at its places."
    return plain(name, run)


def _reorder(indices: Any, values: Any, shape: Any) -> Any:
    """(indices, values) with the last axis running fastest."""
    order = torch.argsort(flat_places(indices, shape), stable=True)
    return wrap((indices[order], values[order]))


def _reshape(indices: Any, shape: Any, new_shape: Any) -> Any:
    """(indices, shape) as of the dense tensor's reshape; one length may be -1."""
    before, after = as_ints(shape), list(as_ints(new_shape))
    if after.count(-1) > 1 or any(length < -1 for length in after):
        raise RuntimeError(f"For 'SparseReshape', at most one length of 'new_shape' may be -1, but got {after}.")
    if -1 in after:
        rest = math.prod(length for length in after if length != -1)
        after[after.index(-1)] = math.prod(before) // rest if rest else 0
    if math.prod(before) != math.prod(after):
        raise RuntimeError(f"For 'SparseReshape', a tensor of {before} cannot have the shape {tuple(after)}.")
    lengths = torch.tensor(after, dtype=torch.int64, device=indices.device)
    return wrap((coordinates(flat_places(indices, before), after), lengths))


SparseAdd = plain("SparseAdd", _sparse_add)
SparseSparseMaximum = _extreme("SparseSparseMaximum", torch.maximum)
SparseSparseMinimum = _extreme("SparseSparseMinimum", torch.minimum)
SparseDenseCwiseAdd = _with_dense("SparseDenseCwiseAdd", torch.add)
SparseDenseCwiseMul = _with_dense("SparseDenseCwiseMul", torch.mul)
SparseDenseCwiseDiv = _with_dense("SparseDenseCwiseDiv", quotient)
SparseReorder = plain("SparseReorder", _reorder)
SparseReshape = plain("SparseReshape", _reshape)


# --- sums over chosen rows --------------------------------------------------------------------------------------------


def _segments(name: str, power: float) -> Any:
    """Rows x[indices] added up by their segment, and divided by the number of rows to ``power``."""

    def run(x: Any, indices: Any, segment_ids: Any, num_segments: Any = None) -> Any:
        ids = torch.Tensor.long(segment_ids)
        count = (int(ids[-1]) + 1 if len(ids) else 0) if num_segments is None else as_int(num_segments)
        if num_segments is None and torch.unique_consecutive(ids).tolist() != list(range(count)):
            raise ValueError(f"For '{name}', indices in 'segment_ids' should be contiguous, but got {ids.tolist()}.")
        if len(ids) and (bool(torch.any(ids[1:] < ids[:-1])) or int(ids[0]) < 0 or int(ids[-1]) >= count):
            raise ValueError(
                f"For '{name}', the 'segment_ids' must be sorted, at least 0 and below {count}, but got {ids.tolist()}."
            )
        places = torch.Tensor.long(indices)
        if len(places) and not 0 <= int(places.min()) <= int(places.max()) < x.shape[0]:
            raise ValueError(
                f"For '{name}', the 'indices' must be at least 0 and below {x.shape[0]}, but got {places.tolist()}."
            )
        zeros = torch.zeros((count, *x.shape[1:]), dtype=x.dtype, device=x.device)
        total = torch.index_add(zeros, 0, ids, torch.index_select(x, 0, places))
        if not power:
            return wrap(total)
        rows = to_dtype(torch.clamp(torch.bincount(ids, minlength=count), min=1), x.dtype) ** power
        return wrap(total / torch.reshape(rows, (-1, *(1,) * (x.dim() - 1))))

    return run


def _segment_operators(name: str, power: float, doc: str) -> tuple[Any, Any]:
    run, run_to = _segments(name, power), _segments(name + "WithNumSegments", power)

    def alone(x: Any, indices: Any, segment_ids: Any) -> Any:
        return run(x, indices, segment_ids)

    def counted(x: Any, indices: Any, segment_ids: Any, num_segments: Any) -> Any:
        return run_to(x, indices, segment_ids, num_segments)

    alone.__doc__, counted.__doc__ = f"{doc} Ids are sorted.", f"{doc} Ids are sorted and below ``num_segments``."
    return plain(name, alone), plain(name + "WithNumSegments", counted)


SparseSegmentSum, SparseSegmentSumWithNumSegments = _segment_operators(
    "SparseSegmentSum", 0, "Sums of the rows ``indices`` of x by their segment."
)
SparseSegmentSqrtN, SparseSegmentSqrtNWithNumSegments = _segment_operators(
    "SparseSegmentSqrtN", 0.5, "Sums of the rows ``indices`` of x by their segment over the root of their number."
)
SparseSegmentMeanWithNumSegments = _segment_operators(
    "SparseSegmentMean", 1, "Means of the rows ``indices`` of x by their segment."
)[1]


# --- dense results, joining and splitting -----------------------------------------------------------------------------


@primitive
def SparseToDenseV2(validate_indices: Bool = True) -> _Run:
    """A dense tensor with values at (indices, output_shape, values, default_value); the default elsewhere."""

    def run(indices: Any, output_shape: Any, values: Any, default_value: Any) -> Any:
        shape = as_ints(output_shape)
        rows = torch.reshape(indices, (-1, len(shape)))
        places = flat_places(rows, shape)
        if validate_indices and bool(torch.any(places[1:] <= places[:-1])):
            raise RuntimeError("For 'SparseToDenseV2', the 'indices' must be in order and once each.")
        dense = torch.Tensor.expand(default_value, (math.prod(shape),))
        filled = torch.index_put(dense, (places,), torch.Tensor.expand(values, places.shape))
        return wrap(torch.reshape(filled, shape))

    return run


def _softmax(indices: Any, values: Any, shape: Any) -> Any:
    """Softmax over the values of each row of the last axis; absent ones do not count."""
    lengths = as_ints(shape)
    rows = torch.div(flat_places(indices, lengths), lengths[-1], rounding_mode="floor")
    return wrap(softmax_by(rows, values))


def softmax_by(rows: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """exp(values) over its sum among those of one row; ``rows`` (n,) are any numbers."""
    number, where = torch.unique(rows, return_inverse=True)
    low = torch.full(number.shape, -math.inf, dtype=values.dtype, device=values.device)
    top = torch.scatter_reduce(low, 0, where, values.detach(), "amax")
    powers = torch.exp(values - top[where])
    return powers / torch.index_add(torch.zeros_like(top), 0, where, powers)[where]


SparseSoftmax = plain("SparseSoftmax", _softmax)


@primitive
def SparseConcat(concat_dim: Int = 0) -> _Run:
    """(indices, values, shape) of sparse tensors joined along an axis: lists of indices, of values, of shapes."""

    def run(sp_input_indices: Any, sp_input_values: Any, sp_input_shapes: Any) -> Any:
        shapes = [list(as_ints(shape)) for shape in sp_input_shapes]
        axis = concat_dim % len(shapes[0])
        moved, begin = [], 0
        for indices, shape in zip(sp_input_indices, shapes):
            step = torch.zeros(len(shape), dtype=indices.dtype, device=indices.device)
            step[axis] = begin
            moved.append(indices + step)
            begin += shape[axis]
        shape = shapes[0][:axis] + [begin] + shapes[0][axis + 1 :]
        indices, values = _reorder(torch.cat(moved), torch.cat(list(sp_input_values)), shape)
        return indices, values, wrap(torch.tensor(shape, dtype=torch.int64, device=indices.device))

    return run


@primitive
def SparseSplit(num_split: Int = 1) -> _Run:
    """(indices, values, shapes) of the parts along ``split_dim``, three tuples; the first parts are the longer."""

    def run(split_dim: Any, indices: Any, values: Any, shape: Any) -> Any:
        lengths = as_ints(shape)
        axis = as_int(split_dim) % len(lengths)
        each, longer = divmod(lengths[axis], num_split)
        parts, begin = [], 0
        for number in range(num_split):
            size = each + (number < longer)
            inside = torch.nonzero((indices[:, axis] >= begin) & (indices[:, axis] < begin + size))[:, 0]
            part = indices[inside] + 0
            part[:, axis] -= begin
            own = torch.tensor([*lengths[:axis], size, *lengths[axis + 1 :]], dtype=torch.int64, device=indices.device)
            parts.append((part, values[inside], own))
            begin += size
        return wrap(tuple(zip(*parts)))

    return run


def _fill_empty_rows(indices: Any, values: Any, dense_shape: Any, default_value: Any) -> Any:
    """(indices, values, whether a row was empty, where each given value is now); empty rows get the default."""
    rows = as_ints(dense_shape)[0]
    filled = torch.bincount(torch.Tensor.long(indices[:, 0]), minlength=rows) > 0
    empty = torch.nonzero(torch.logical_not(filled))
    added = torch.nn.functional.pad(empty, (0, indices.shape[1] - 1))
    together = torch.cat((indices, to_dtype(added, indices.dtype)))
    order = torch.argsort(together[:, 0], stable=True)
    whole = torch.cat((values, torch.Tensor.expand(torch.reshape(default_value, (-1,)), (len(empty),))))
    place = torch.argsort(order)[: len(indices)]
    return wrap((together[order], whole[order], torch.logical_not(filled), place))


SparseFillEmptyRows = plain("SparseFillEmptyRows", _fill_empty_rows)


# --- products and counts ----------------------------------------------------------------------------------------------


def _dense_matrix(places: torch.Tensor, values: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    zeros = torch.zeros(math.prod(shape), dtype=values.dtype, device=values.device)
    return torch.reshape(torch.index_add(zeros, 0, places, values), shape)


def _addmm(indices: Any, values: Any, sparse_shape: Any, x2_dense: Any, x3_dense: Any, alpha: Any, beta: Any) -> Any:
    """alpha · sparse @ x2 + beta · x3."""
    shape = as_ints(sparse_shape)
    left = _dense_matrix(flat_places(indices, shape), values, shape)
    if shape[1] != x2_dense.shape[0]:
        raise RuntimeError(f"For 'SparseAddmm', the shapes {shape} and {tuple(x2_dense.shape)} do not fit a product.")
    return wrap(alpha * kernels.mm(left, x2_dense) + beta * x3_dense)


def _sspaddmm(
    x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any, x3_dense: Any,
    alpha: Any, beta: Any,
) -> Any:  # fmt: skip
    """(indices (2, n), values, shape) of beta · x1 + alpha · x2 @ x3: first x1's, then a row for each value of x2."""
    rows, columns = torch.Tensor.long(x2_indices)
    width = x3_dense.shape[1]
    products = torch.unsqueeze(x2_values, 1) * x3_dense[columns]
    across = torch.arange(width, dtype=torch.int64, device=x3_dense.device)
    made = torch.stack((torch.repeat_interleave(rows, width), torch.Tensor.repeat(across, len(rows))))
    indices = torch.cat((torch.Tensor.long(x1_indices), made), 1)
    alpha, beta = to_dtype(alpha, x1_values.dtype), to_dtype(beta, x1_values.dtype)
    values = torch.cat((x1_values * beta, torch.reshape(products * alpha, (-1,))))
    return wrap((indices, values, torch.Tensor.long(x1_shape)))


SparseAddmm = plain("SparseAddmm", _addmm)
Sspaddmm = plain("Sspaddmm", _sspaddmm)


@primitive
def SparseCountSparseOutput(binary_output: Bool = False, minlength: Int = -1, maxlength: Int = -1) -> _Run:
    """(indices, values, shape) of how often each row's values occur, from (indices, values, dense_shape, weights)."""

    def run(indices: Any, values: Any, dense_shape: Any, weights: Any) -> Any:
        shape = as_ints(dense_shape)
        limits = torch.tensor(shape, dtype=torch.int64, device=indices.device)
        if bool(torch.any((indices < 0) | (indices >= limits))):
            raise RuntimeError(f"For 'SparseCountSparseOutput', the 'indices' must lie in the shape {shape}.")
        if len(values) != len(indices) or (weights.numel() and len(weights) != len(values)):
            raise RuntimeError(
                "For 'SparseCountSparseOutput', indices, values and weights must be as many, but got "
                f"{len(indices)}, {len(values)} and {len(weights)}."
            )
        rows = torch.Tensor.long(indices[:, 0]) if len(shape) > 1 else torch.zeros_like(torch.Tensor.long(values))
        numbers = torch.Tensor.long(values)
        length = int(numbers.max()) + 1 if len(numbers) else 0
        kept = numbers < maxlength if maxlength >= 0 else numbers >= 0
        rows, numbers = rows[kept], numbers[kept]
        length = max(length if maxlength < 0 else min(length, maxlength), minlength)
        places, where = torch.unique(rows * max(length, 1) + numbers, return_inverse=True)
        if binary_output or not weights.numel():
            total = torch.ones(places.shape, dtype=weights.dtype, device=values.device)
            counted = total if binary_output else to_dtype(torch.bincount(where, minlength=len(places)), weights.dtype)
        else:
            zeros = torch.zeros(places.shape, dtype=weights.dtype, device=values.device)
            counted = torch.index_add(zeros, 0, where, weights[kept])
        found = coordinates(places, (shape[0] if len(shape) > 1 else 1, max(length, 1)))
        sizes = torch.tensor((shape[0], length) if len(shape) > 1 else (length,), device=indices.device)
        return wrap((found if len(shape) > 1 else found[:, 1:], counted, sizes))

    return run
