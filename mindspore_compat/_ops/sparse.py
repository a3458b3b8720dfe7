"""Sparse tensors: functions of `COOTensor` and `CSRTensor`, and operators on their parts.

Functions of one argument work on the stored values, also where f(0) is not 0, as MindSpore's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.activation import relu, relu6, sigmoid, softsign, tanh
from mindspore_compat._ops.adapt import as_int, as_ints, checks_places, to_dtype
from mindspore_compat._ops.declare import Bool, Int, classes, functions, op, primitive, primitive_class
from mindspore_compat._ops.elementwise import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    cos,
    cosh,
    exp,
    expm1,
    floor,
    inv,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    neg,
    quotient,
    round,
    sin,
    sinh,
    sqrt,
    square,
    tan,
)
from mindspore_compat._ops.indexing import sparse_segment_mean, unsorted_segment_max
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.index_bounds import refuse_negative
from mindspore_compat._tensor.indexing import in_range, take_elements
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor, RowTensor, SparseTensor

_Run = Callable[..., Any]


_UNARY = {
    "abs": abs,
    "acos": acos,
    "acosh": acosh,
    "asin": asin,
    "asinh": asinh,
    "atan": atan,
    "atanh": atanh,
    "ceil": ceil,
    "cos": cos,
    "cosh": cosh,
    "exp": exp,
    "expm1": expm1,
    "floor": floor,
    "inv": inv,
    "isfinite": isfinite,
    "isinf": isinf,
    "isnan": isnan,
    "log": log,
    "log1p": log1p,
    "neg": neg,
    "relu": relu,
    "relu6": relu6,
    "round": round,
    "sigmoid": sigmoid,
    "sin": sin,
    "sinh": sinh,
    "softsign": softsign,
    "sqrt": sqrt,
    "square": square,
    "tan": tan,
    "tanh": tanh,
}
_PARTS: dict[str, Callable[[Any], Any]] = {
    "coo_tensor_get_dense_shape": lambda x: x.shape,
    "coo_tensor_get_indices": lambda x: x.indices,
    "coo_tensor_get_values": lambda x: x.values,
    "csr_tensor_get_dense_shape": lambda x: x.shape,
    "csr_tensor_get_indices": lambda x: x.indices,
    "csr_tensor_get_indptr": lambda x: x.indptr,
    "csr_tensor_get_values": lambda x: x.values,
    "row_tensor_get_dense_shape": lambda x: x.dense_shape,
    "row_tensor_get_indices": lambda x: x.indices,
    "row_tensor_get_values": lambda x: x.values,
}


def _unary(name: str, kind: str) -> Callable[[Any], Any]:
    function = _UNARY[name]
    of_coo = kind == "coo"

    def apply(x: Any) -> Any:
        values = function(x.values)
        return COOTensor(x.indices, values, x.shape) if of_coo else CSRTensor(x.indptr, x.indices, values, x.shape)

    apply.__name__ = apply.__qualname__ = f"{kind}_{name}"
    apply.__doc__ = f"`ops.{name}` of the values of a {'COO' if of_coo else 'CSR'}Tensor."
    return op(apply, fallback=False)


globals().update({f"{kind}_{name}": _unary(name, kind) for kind in ("coo", "csr") for name in _UNARY})

globals().update({name: op(part, fallback=False) for name, part in _PARTS.items()})


# --- making -----------------------------------------------------------------------------------------------------------
@op(fallback=False)
def make_coo_tensor(indices: Any, values: Any, dense_shape: Any) -> COOTensor:
    """Return a `COOTensor`."""
    return COOTensor(indices, values, as_ints(dense_shape))


@op(fallback=False)
def make_csr_tensor(indptr: Any, indices: Any, values: Any, dense_shape: Any) -> CSRTensor:
    """Return a `CSRTensor`."""
    return CSRTensor(indptr, indices, values, as_ints(dense_shape))


@op(fallback=False)
def make_sparse_tensor(indices: Any, values: Any, dense_shape: Any) -> SparseTensor:
    """Return a `SparseTensor`."""
    return SparseTensor(indices, values, as_ints(dense_shape))


@op(fallback=False)
def make_row_tensor(indices: Any, values: Any, dense_shape: Any) -> RowTensor:
    """Return a `RowTensor`."""
    return RowTensor(indices, values, as_ints(dense_shape))


make_row_tensor_inner = make_row_tensor


@op(fallback=False)
def row_tensor_add(row_tensor: RowTensor, dense: Any) -> Any:
    """Return the dense sum."""
    return wrap(row_tensor.to_dense() + dense)


# --- COOTensors -------------------------------------------------------------------------------------------------------
def _flat(indices: Any, shape: tuple[int, ...]) -> Any:
    """Return the place (n) in row-major order of each of ``indices`` (n, axes)."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return torch.sum(indices.long() * constant(strides, indices.device), 1)


def summed(indices: Any, values: Any, shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Return (places (n, axes) in order, sums of the values there, how many each sums up)."""
    flat, place, count = torch.unique(_flat(indices, shape), return_inverse=True, return_counts=True)
    total = torch.index_add(values.new_zeros(flat.shape[0]), 0, place, values)
    return torch.stack(torch.unravel_index(flat, shape), 1).to(indices.dtype), total, count


def _pairs(left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """Return the numbers of equal places, len(right) or len(left) where there is none. As in MindSpore, the merge
    assumes sorted places without duplicates, and repeats places otherwise.
    """
    found, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        takes_left, takes_right = left[i] <= right[j], right[j] <= left[i]
        found.append((i if takes_left else len(left), j if takes_right else len(right)))
        i, j = i + takes_left, j + takes_right
    found += [(k, len(right)) for k in range(i, len(left))]
    return found + [(len(left), k) for k in range(j, len(right))]


def _added(x1: COOTensor, x2: COOTensor, indices: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """Return (places, sums, whether both have a value there)."""
    flat = [_flat(each, x1.shape) for each in indices]
    if all(bool((torch.diff(each) > 0).all()) for each in flat):
        values = torch.cat((x1.values, x2.values))
        places, total, count = summed(torch.cat(indices), values, x1.shape)
        return places, total, count > 1
    pairs = constant(_pairs(flat[0].tolist(), flat[1].tolist()), flat[0].device)
    left, right = torch.unbind(pairs, 1)
    total = torch.cat((x1.values, x1.values.new_zeros(1)))[left] + torch.cat((x2.values, x2.values.new_zeros(1)))[right]
    is_left, is_right = left < len(flat[0]), right < len(flat[1])
    places = torch.cat(indices)[torch.where(is_left, left, right + len(flat[0]))]
    return places, total, is_left & is_right


@op(fallback=False)
def coalesce(x_indices: Any, x_values: Any, x_shape: Any) -> tuple[Any, Any, Any]:
    """Return (indices (axes, n) in order and once each, sums of their values, the shape) of indices (axes, m)."""
    indices, values, _ = summed(torch.transpose(x_indices, 0, 1), x_values, as_ints(x_shape))
    return wrap((torch.transpose(indices, 0, 1).contiguous(), values, x_shape))


@op(fallback=False)
def coo_add(x1: COOTensor, x2: COOTensor, thresh: Any) -> COOTensor:
    """Return x1 + x2; sums of both below ``thresh`` in magnitude are left out, places of one of them stay, as
    MindSpore.

    Raises:
        ValueError: for different shapes.
    """
    if x1.shape != x2.shape:
        raise ValueError(f"For 'coo_add', the shapes must be the same, but got {x1.shape} and {x2.shape}.")
    indices, total, is_sum = _added(x1, x2, (x1.indices.long(), x2.indices.long()))
    kept = ~is_sum | (torch.abs(total) >= thresh)
    return COOTensor(wrap(indices[kept]), wrap(total[kept]), x1.shape)


@op(fallback=False)
def coo_concat(sp_input: Any, concat_dim: int = 0) -> COOTensor:
    """Join COOTensors along an axis.

    Raises:
        ValueError: if their shapes differ along another axis.
    """
    given = [(x.indices, x.values, x.shape) for x in sp_input]
    shape, start, moved = list(given[0][2]), 0, []
    axis = in_range(concat_dim, len(shape))
    for _, _, size in given[1:]:
        if len(size) != len(shape) or any(a != b for k, (a, b) in enumerate(zip(shape, size)) if k != axis):
            raise ValueError(
                f"For 'coo_concat', the shapes must be the same but for axis {axis}, but got {tuple(shape)} and {size}."
            )
    for indices, _, size in given:
        shift = torch.zeros(len(shape), dtype=indices.dtype, device=indices.device)
        shift[axis] = start
        moved.append(indices + shift)
        start += size[axis]
    shape[axis] = start
    indices, values = torch.cat(moved), torch.cat([item[1] for item in given])
    flat = indices[:, 0] * 0
    for number, size in enumerate(shape):
        flat = flat * size + indices[:, number]
    order = torch.argsort(flat, stable=True)
    return COOTensor(wrap(indices[order]), wrap(values[order]), tuple(shape))


@op(fallback=False)
def dense_to_sparse_coo(tensor: Any) -> COOTensor:
    """Return the COOTensor of a matrix, with int32 indices."""
    places = torch.nonzero(tensor)
    return COOTensor(wrap(places.int()), wrap(take_elements(tensor, (places[:, 0], places[:, 1]))), tuple(tensor.shape))


# --- CSRTensors -------------------------------------------------------------------------------------------------------
@op(fallback=False)
def coo2csr(row_indices: Any, height: int) -> Any:
    """Return the indptr (height + 1,) of sorted row indices, in their dtype."""
    rows = torch.arange(height + 1, device=row_indices.device, dtype=row_indices.dtype)
    return wrap(torch.searchsorted(torch.Tensor.contiguous(row_indices), rows).to(row_indices.dtype))


@op(fallback=False)
def csr2coo(indptr: Any, nnz: int) -> Any:
    """Return the row of each of ``nnz`` values, in the dtype of ``indptr``."""
    rows = torch.arange(indptr.shape[0] - 1, device=indptr.device, dtype=indptr.dtype)
    return wrap(torch.repeat_interleave(rows, torch.diff(indptr.long()), output_size=nnz))


def _places(x: CSRTensor) -> tuple[Any, Any]:
    return csr2coo(x.indptr, x.indices.shape[0]).long(), torch.Tensor.long(x.indices)


@op(fallback=False)
def dense_to_sparse_csr(tensor: Any) -> CSRTensor:
    """Return the CSRTensor of a matrix, with int32 indices."""
    return as_csr(dense_to_sparse_coo(tensor))


def as_csr(x: COOTensor) -> CSRTensor:
    rows, columns = torch.unbind(x.indices, 1)
    return CSRTensor(coo2csr(rows.contiguous(), x.shape[0]), wrap(columns.contiguous()), x.values, x.shape)


@op(fallback=False)
def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """Return the COOTensor of a CSRTensor."""
    rows = csr2coo(tensor.indptr, tensor.indices.shape[0])
    return COOTensor(wrap(torch.stack((rows.to(tensor.indices.dtype), tensor.indices), 1)), tensor.values, tensor.shape)


@op(fallback=False)
def csr_to_dense(csr_tensor: CSRTensor) -> Any:
    """Return the dense Tensor."""
    return csr_tensor.to_dense()


@op(fallback=False)
def csr_add(a: CSRTensor, b: CSRTensor, alpha: Any, beta: Any) -> CSRTensor:
    """Return alpha · a + beta · b, with all places of both."""
    left, right = csr_to_coo(a), csr_to_coo(b)
    values = torch.cat((left.values * alpha, right.values * beta))
    indices, total, _ = summed(torch.cat((left.indices, right.indices)), values, a.shape)
    return as_csr(COOTensor(wrap(indices), wrap(total), a.shape))


@op(fallback=False)
def csr_gather(indptr: Any, indices: Any, dense: Any, sparse_shape: Any) -> Any:
    """Return the values of ``dense``, broadcast to ``sparse_shape``, at the places of a CSRTensor."""
    full = torch.broadcast_to(dense, as_ints(sparse_shape))
    columns = refuse_negative(torch.Tensor.long(indices))
    return wrap(full[csr2coo(indptr, indices.shape[0]).long(), columns])


def _csr_by(name: str, operator: Callable[[Any, Any], Any]) -> Callable[[CSRTensor, Any], Any]:
    def apply(x: CSRTensor, y: Any) -> Any:
        if not isinstance(y, torch.Tensor) or y.numel() == 1:
            return wrap(torch.reshape(operator(x.values, y), tuple(x.values.shape)))
        values = operator(x.values, csr_gather(x.indptr, x.indices, y, x.shape))
        return CSRTensor(x.indptr, x.indices, wrap(values), x.shape)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = (
        f"x {'·' if name == 'csr_mul' else '/'} y at the places of ``x``, a CSRTensor; ``y`` is dense and broadcasts. "
        "The values alone if it is one number, as MindSpore."
    )
    return op(apply, fallback=False)


csr_mul = op(_csr_by("csr_mul", torch.mul), fallback=False)
csr_div = op(_csr_by("csr_div", torch.div), fallback=False)


@op(fallback=False)
def csr_mv(csr_tensor: CSRTensor, dense: Any) -> Any:
    """Return the product with a column (n, 1)."""
    return csr_mm(csr_tensor, dense)


@op(fallback=False)
def csr_mm(
    a: CSRTensor, b: Any, trans_a: bool = False, trans_b: bool = False, adjoint_a: bool = False, adjoint_b: bool = False
) -> Any:
    """Return the product: dense with a dense ``b``, a CSRTensor with another."""

    def turned(x: Any, transposed: bool, adjoint: bool) -> Any:
        x = torch.conj(x).resolve_conj() if adjoint else x
        return torch.transpose(x, 0, 1) if transposed or adjoint else x

    right = b.to_dense() if isinstance(b, CSRTensor) else b
    product = kernels.mm(turned(a.to_dense(), trans_a, adjoint_a), turned(right, trans_b, adjoint_b))
    return dense_to_sparse_csr(product) if isinstance(b, CSRTensor) else wrap(product)


@op(fallback=False)
def csr_reduce_sum(csr_tensor: CSRTensor, axis: int) -> Any:
    """Return sums along an axis, which stays with length 1."""
    return sum_by_rows(csr_tensor.indptr, csr_tensor.indices, csr_tensor.values, csr_tensor.shape, axis)


def sum_by_rows(indptr: Any, indices: Any, values: Any, dense_shape: Any, axis: Any) -> Any:
    """Return the parts of a CSRTensor summed along axis 0 or 1, which stays with length 1. Axes of ``values`` (places,
    ...) behind the first are the tensor's behind its second.
    """
    shape, axis = as_ints(dense_shape), as_int(axis)
    axis = axis + len(shape) if axis < 0 else axis
    if axis not in (0, 1):
        raise ValueError(f"For 'CSRReduceSum', the 'axis' must be 0 or 1, which are sparse, but got {axis}.")
    kept = torch.Tensor.long(indices if axis == 0 else csr2coo(indptr, indices.shape[0]))
    zeros = values.new_zeros((shape[1 - axis], *values.shape[1:]))
    return wrap(torch.unsqueeze(torch.index_add(zeros, 0, kept, values), axis))


@op(fallback=False)
def csr_softmax(logits: CSRTensor, dtype: Any) -> CSRTensor:
    """Return the softmax over the places of each row; ``dtype`` of the result."""
    rows, _ = _places(logits)
    shifted = logits.values.to(to_torch_dtype(dtype))
    high = shifted.new_full((logits.shape[0],), float("-inf")).scatter_reduce(0, rows, shifted.detach(), "amax")
    weights = torch.exp(shifted - high[rows])
    total = torch.index_add(weights.new_zeros(logits.shape[0]), 0, rows, weights)
    return CSRTensor(logits.indptr, logits.indices, wrap(weights / total[rows]), logits.shape)


@primitive(inputs="starts limits deltas")
def RaggedRange(Tsplits: Any) -> _Run:
    """(where each range begins and the last ends, all ranges joined) of (starts, limits, deltas)."""
    dtype = to_torch_dtype(Tsplits)

    def run(starts: Any, limits: Any, deltas: Any) -> Any:
        starts, limits, deltas = (torch.reshape(item, (-1,)) for item in (starts, limits, deltas))
        if bool(torch.any(deltas == 0)):
            raise ValueError("For 'RaggedRange', the 'deltas' must not be 0.")
        span, step = limits - starts, deltas
        exact = (
            span.double() / step.double()
            if starts.is_floating_point()
            else -torch.div(-span, step, rounding_mode="floor")
        )
        sizes = torch.clamp(torch.ceil(exact).long() if starts.is_floating_point() else exact.long(), min=0)
        ends = torch.cumsum(sizes, 0)
        owner = torch.repeat_interleave(torch.arange(sizes.shape[0], device=sizes.device), sizes)
        rank = torch.arange(owner.shape[0], device=sizes.device) - (ends - sizes)[owner]
        values = starts[owner] + to_dtype(rank, starts.dtype) * step[owner]
        return wrap((to_dtype(torch.cat((ends.new_zeros(1), ends)), dtype), values))

    return run


def flat_places(indices: Any, shape: Any) -> torch.Tensor:
    """Return the positions of coordinates (n, axes) in the flattened tensor, (n,) int64."""
    lengths = as_ints(shape)
    limits = torch.tensor(lengths, dtype=torch.int64, device=indices.device)
    indices = torch.Tensor.long(indices)
    if bool(torch.any((indices < 0) | (indices >= limits))):
        raise ValueError(f"The 'indices' must be at least 0 and below the shape {lengths}.")
    strides = [math.prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    return torch.sum(indices * torch.tensor(strides, dtype=torch.int64, device=indices.device), -1)


def coordinates(places: torch.Tensor, shape: Any) -> torch.Tensor:
    """Return the inverse of `flat_places`."""
    lengths = as_ints(shape)
    rest, found = places, []
    for length in reversed(lengths):
        found.append(rest % length)
        rest = torch.div(rest, length, rounding_mode="floor")
    return torch.stack(found[::-1], -1)


def united(
    x1_indices: Any, x1_values: Any, x2_indices: Any, x2_values: Any, shape: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return (places of either in order, values of the first there, of the second; 0 where one has none)."""
    first, second = flat_places(x1_indices, shape), flat_places(x2_indices, shape)
    places, where = torch.unique(torch.cat((first, second)), return_inverse=True)
    zeros = torch.zeros(places.shape, dtype=x1_values.dtype, device=x1_values.device)
    left = torch.index_add(zeros, 0, where[: len(first)], x1_values)
    right = torch.index_add(zeros, 0, where[len(first) :], x2_values)
    return places, left, right


def _sparse_add(
    x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any, thresh: Any
) -> Any:
    """Return (indices, values, shape) of the sum; sums below ``thresh`` in magnitude are left out."""
    shape = as_ints(x1_shape)
    if shape != as_ints(x2_shape):
        raise ValueError(f"For 'SparseAdd', the shapes must be equal, but got {shape} and {as_ints(x2_shape)}.")
    places, left, right = united(x1_indices, x1_values, x2_indices, x2_values, shape)
    total = left + right
    kept = torch.nonzero(torch.abs(total.detach()) >= thresh)[:, 0]
    return wrap((coordinates(places[kept], shape), total[kept], torch.clone(x1_shape)))


SparseAdd = primitive_class("SparseAdd", _sparse_add)


def _reorder(indices: Any, values: Any, shape: Any) -> Any:
    """Return (indices, values) with the last axis running fastest."""
    order = torch.argsort(flat_places(indices, shape), stable=True)
    return wrap((indices[order], values[order]))


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


def _coalesce(x_indices: Any, x_values: Any, x_shape: Any) -> Any:
    """Return (indices (axes, n) sorted and unique, sums of their values, the shape), of int64 indices (axes, m)."""
    return coalesce(x_indices, x_values, x_shape)


Coalesce = primitive_class("Coalesce", _coalesce)


@checks_places("SparseToDense")
def _dense(indices: Any, values: Any, shape: Any) -> torch.Tensor:
    """Return zeros with the values added at rows of indices."""
    indices = refuse_negative(torch.Tensor.long(indices))
    places = torch.unbind(indices, -1) if indices.dim() > 1 else (indices,)
    zeros = torch.zeros(as_ints(shape), dtype=values.dtype, device=values.device)
    return torch.index_put(zeros, places, values, accumulate=True)


SparseToDense = primitive_class(
    "SparseToDense",
    lambda indices, values, sparse_shape: wrap(_dense(indices, values, sparse_shape)),
    inputs="indices values dense_shape",
)
SparseTensorDenseAdd = primitive_class(
    "SparseTensorDenseAdd",
    lambda x1_indices, x1_values, x1_shape, x2: wrap(_dense(x1_indices, x1_values, x1_shape) + x2),
)


def _sparse_slice(indices: Any, values: Any, shape: Any, start: Any, size: Any) -> Any:
    """Return (indices (n, axes), values, shape) of the part from ``start`` on; the shape ends where the tensor does."""
    inside = torch.all((indices >= start) & (indices < start + size), 1)
    return wrap(
        (indices[inside] - start, take_elements(values, inside), torch.clamp(torch.minimum(size, shape - start), min=0))
    )


SparseSlice = primitive_class("SparseSlice", _sparse_slice)


@primitive
def SparseTensorDenseMatmul(adjoint_st: Bool = False, adjoint_dt: Bool = False) -> _Run:
    """The product of a sparse matrix (indices (n, 2), values, shape), and a dense one; each may be transposed."""

    @kernels.as_given
    def run(indices: Any, values: Any, sparse_shape: Any, dense: Any) -> Any:
        shape = as_ints(sparse_shape)
        if shape[0 if adjoint_st else 1] != dense.shape[1 if adjoint_dt else 0]:
            raise ValueError(
                f"For 'SparseTensorDenseMatmul', the shapes {shape} and {tuple(dense.shape)} do not fit a product."
            )
        left = _dense(indices, values, shape)
        left = torch.conj(left).resolve_conj().transpose(0, 1) if adjoint_st else left
        right = torch.transpose(torch.conj(dense).resolve_conj(), 0, 1) if adjoint_dt else dense
        return wrap(kernels.mm(left, right))

    return run


# --- of 1.8 to 1.10 ---------------------------------------------------------------------------------------------------


def _with_dense(operator: Any) -> Any:
    """Return the operator of a sparse tensor's values and what a dense tensor, broadcast, has at their places."""

    def run(x1_indices: Any, x1_values: Any, x1_shape: Any, x2: Any) -> Any:
        dense = torch.reshape(torch.broadcast_to(x2, as_ints(x1_shape)), (-1,))
        return wrap(operator(x1_values, dense[flat_places(x1_indices, x1_shape)]))

    return run


def _with_sparse(operator: Any) -> Any:
    """Return (indices, values) of the operator of two sparse tensors."""

    def run(x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any) -> Any:
        places, left, right = united(x1_indices, x1_values, x2_indices, x2_values, x1_shape)
        return wrap((coordinates(places, x1_shape), operator(left, right)))

    return run


def _segments(*, mean: bool) -> Any:
    """Return the operator of rows ``x[indices]`` with one sorted segment number, up to ``num_segments`` if given."""

    def run(x: Any, indices: Any, segment_ids: Any, num_segments: Any = None) -> Any:
        means, ids = sparse_segment_mean(x, indices, segment_ids), torch.Tensor.long(segment_ids)
        count = len(means) if num_segments is None else as_ints(torch.reshape(num_segments, (1,)))[0]
        filled = torch.cat((means, means.new_zeros((count - len(means), *means.shape[1:]))))
        total = torch.index_add(torch.zeros_like(filled), 0, ids, torch.index_select(x, 0, indices))
        return wrap(filled if mean else total)

    return run


def _sparse_softmax(indices: Any, values: Any, shape: Any) -> Any:
    rows = flat_places(indices[:, :-1], as_ints(shape)[:-1])
    found, rows = torch.unique(rows, return_inverse=True)
    powers = torch.exp(values - unsorted_segment_max(values, rows, len(found))[rows])
    return wrap(powers / torch.index_add(values.new_zeros(len(found)), 0, rows, powers)[rows])


def _sparse_to_dense_v2(indices: Any, output_shape: Any, values: Any, default_value: Any) -> Any:
    shape = as_ints(output_shape)
    places = flat_places(torch.reshape(indices, (-1, len(shape))), shape)
    filled = torch.broadcast_to(default_value, (torch.Size(shape).numel(),))
    return wrap(torch.reshape(torch.index_put(filled, (places,), torch.broadcast_to(values, places.shape)), shape))


SparseDenseCwiseAdd = primitive_class("SparseDenseCwiseAdd", _with_dense(torch.add))
SparseDenseCwiseDiv = primitive_class("SparseDenseCwiseDiv", _with_dense(quotient))
SparseDenseCwiseMul = primitive_class("SparseDenseCwiseMul", _with_dense(torch.mul))
SparseSegmentMean = primitive_class("SparseSegmentMean", sparse_segment_mean)
SparseSegmentMeanWithNumSegments = primitive_class("SparseSegmentMeanWithNumSegments", _segments(mean=True))
SparseSegmentSum = primitive_class("SparseSegmentSum", _segments(mean=False))
SparseSegmentSumWithNumSegments = primitive_class("SparseSegmentSumWithNumSegments", _segments(mean=False))
SparseSoftmax = primitive_class("SparseSoftmax", _sparse_softmax)
SparseSparseMaximum = primitive_class("SparseSparseMaximum", _with_sparse(torch.maximum))
SparseSparseMinimum = primitive_class("SparseSparseMinimum", _with_sparse(torch.minimum))
SparseToDenseV2 = primitive_class("SparseToDenseV2", _sparse_to_dense_v2)

__all__ = functions(globals())
PRIMITIVES = classes(globals())
