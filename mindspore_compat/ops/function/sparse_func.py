"""Functions of sparse tensors (`COOTensor`, `CSRTensor`). MindSpore: ``mindspore.ops.function.sparse_func`` and
``sparse_unary_func``.

Functions of one argument work on the stored values, also where f(0) is not 0, as MindSpore's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.index_bounds import refuse_negative
from mindspore_compat._tensor.indexing import in_range, take_elements
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor, RowTensor, SparseTensor
from mindspore_compat.ops._adapt import as_int, as_ints
from mindspore_compat.ops.function import _activation, _elementwise, _reduction
from mindspore_compat.ops.function import _arithmetic as arithmetic

_SOURCES = (_elementwise, arithmetic, _activation, _reduction)
_UNARY = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log log1p neg relu relu6
    round sigmoid sin sinh softsign sqrt square tan tanh
""".split()
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

__all__ = [
    *(f"{kind}_{name}" for kind in ("coo", "csr") for name in _UNARY),
    *_PARTS,
    *"""
    make_coo_tensor make_csr_tensor make_sparse_tensor make_row_tensor make_row_tensor_inner row_tensor_add coalesce
    coo_add coo_concat coo2csr csr2coo csr_add csr_div csr_gather csr_mm csr_mul csr_mv csr_reduce_sum csr_softmax
    csr_to_coo csr_to_dense dense_to_sparse_coo dense_to_sparse_csr
    """.split(),
]


def _unary(name: str, kind: str) -> Callable[[Any], Any]:
    function = next(getattr(source, name) for source in _SOURCES if hasattr(source, name))
    of_coo = kind == "coo"

    def apply(x: Any) -> Any:
        values = function(x.values)
        return COOTensor(x.indices, values, x.shape) if of_coo else CSRTensor(x.indptr, x.indices, values, x.shape)

    apply.__name__ = apply.__qualname__ = f"{kind}_{name}"
    apply.__doc__ = f"`ops.{name}` of the values of a {'COO' if of_coo else 'CSR'}Tensor."
    return apply


globals().update({f"{kind}_{name}": _unary(name, kind) for kind in ("coo", "csr") for name in _UNARY})
globals().update(_PARTS)


# --- making -----------------------------------------------------------------------------------------------------------


def make_coo_tensor(indices: Any, values: Any, dense_shape: Any) -> COOTensor:
    """Return a `COOTensor`."""
    return COOTensor(indices, values, as_ints(dense_shape))


def make_csr_tensor(indptr: Any, indices: Any, values: Any, dense_shape: Any) -> CSRTensor:
    """Return a `CSRTensor`."""
    return CSRTensor(indptr, indices, values, as_ints(dense_shape))


def make_sparse_tensor(indices: Any, values: Any, dense_shape: Any) -> SparseTensor:
    """Return a `SparseTensor`."""
    return SparseTensor(indices, values, as_ints(dense_shape))


def make_row_tensor(indices: Any, values: Any, dense_shape: Any) -> RowTensor:
    """Return a `RowTensor`."""
    return RowTensor(indices, values, as_ints(dense_shape))


make_row_tensor_inner = make_row_tensor


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


def coalesce(x_indices: Any, x_values: Any, x_shape: Any) -> tuple[Any, Any, Any]:
    """Return (indices (axes, n) in order and once each, sums of their values, the shape) of indices (axes, m)."""
    indices, values, _ = summed(torch.transpose(x_indices, 0, 1), x_values, as_ints(x_shape))
    return wrap((torch.transpose(indices, 0, 1).contiguous(), values, x_shape))


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


def dense_to_sparse_coo(tensor: Any) -> COOTensor:
    """Return the COOTensor of a matrix, with int32 indices."""
    places = torch.nonzero(tensor)
    return COOTensor(wrap(places.int()), wrap(take_elements(tensor, (places[:, 0], places[:, 1]))), tuple(tensor.shape))


# --- CSRTensors -------------------------------------------------------------------------------------------------------


def coo2csr(row_indices: Any, height: int) -> Any:
    """Return the indptr (height + 1,) of sorted row indices, in their dtype."""
    rows = torch.arange(height + 1, device=row_indices.device, dtype=row_indices.dtype)
    return wrap(torch.searchsorted(torch.Tensor.contiguous(row_indices), rows).to(row_indices.dtype))


def csr2coo(indptr: Any, nnz: int) -> Any:
    """Return the row of each of ``nnz`` values, in the dtype of ``indptr``."""
    rows = torch.arange(indptr.shape[0] - 1, device=indptr.device, dtype=indptr.dtype)
    return wrap(torch.repeat_interleave(rows, torch.diff(indptr.long()), output_size=nnz))


def _places(x: CSRTensor) -> tuple[Any, Any]:
    return csr2coo(x.indptr, x.indices.shape[0]).long(), torch.Tensor.long(x.indices)


def dense_to_sparse_csr(tensor: Any) -> CSRTensor:
    """Return the CSRTensor of a matrix, with int32 indices."""
    return as_csr(dense_to_sparse_coo(tensor))


def as_csr(x: COOTensor) -> CSRTensor:
    rows, columns = torch.unbind(x.indices, 1)
    return CSRTensor(coo2csr(rows.contiguous(), x.shape[0]), wrap(columns.contiguous()), x.values, x.shape)


def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """Return the COOTensor of a CSRTensor."""
    rows = csr2coo(tensor.indptr, tensor.indices.shape[0])
    return COOTensor(wrap(torch.stack((rows.to(tensor.indices.dtype), tensor.indices), 1)), tensor.values, tensor.shape)


def csr_to_dense(csr_tensor: CSRTensor) -> Any:
    """Return the dense Tensor."""
    return csr_tensor.to_dense()


def csr_add(a: CSRTensor, b: CSRTensor, alpha: Any, beta: Any) -> CSRTensor:
    """Return alpha · a + beta · b, with all places of both."""
    left, right = csr_to_coo(a), csr_to_coo(b)
    values = torch.cat((left.values * alpha, right.values * beta))
    indices, total, _ = summed(torch.cat((left.indices, right.indices)), values, a.shape)
    return as_csr(COOTensor(wrap(indices), wrap(total), a.shape))


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
    return apply


csr_mul = _csr_by("csr_mul", torch.mul)
csr_div = _csr_by("csr_div", torch.div)


def csr_mv(csr_tensor: CSRTensor, dense: Any) -> Any:
    """Return the product with a column (n, 1)."""
    return csr_mm(csr_tensor, dense)


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


def csr_softmax(logits: CSRTensor, dtype: Any) -> CSRTensor:
    """Return the softmax over the places of each row; ``dtype`` of the result."""
    rows, _ = _places(logits)
    shifted = logits.values.to(to_torch_dtype(dtype))
    high = shifted.new_full((logits.shape[0],), float("-inf")).scatter_reduce(0, rows, shifted.detach(), "amax")
    weights = torch.exp(shifted - high[rows])
    total = torch.index_add(weights.new_zeros(logits.shape[0]), 0, rows, weights)
    return CSRTensor(logits.indptr, logits.indices, wrap(weights / total[rows]), logits.shape)
