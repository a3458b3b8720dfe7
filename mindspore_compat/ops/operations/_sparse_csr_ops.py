"""Operators on matrices by rows, with a batch or without: (shape, batch pointers, row pointers, columns, values).

Part of ``sparse_ops``. Row pointers of batch b begin at b · (rows + 1) and count from 0 again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops._declare import Bool, plain, primitive
from mindspore_compat.ops.operations._sparse_coo_ops import coordinates, flat_places, softmax_by

__all__ = """
    CSRSparseMatrixToDense CSRSparseMatrixToSparseTensor DenseToCSRSparseMatrix SparseMatrixAdd SparseMatrixMatMul
    SparseMatrixNNZ SparseMatrixSoftmax SparseMatrixSparseMatMul SparseMatrixTranspose SparseTensorToCSRSparseMatrix
""".split()

_Run = Callable[..., Any]


def _rows(shape: tuple[int, ...], row_pointers: Any) -> torch.Tensor:
    """The row of each value, counted through all batches."""
    pointers = torch.reshape(torch.Tensor.long(row_pointers), (-1, shape[-2] + 1))
    return torch.repeat_interleave(
        torch.arange(pointers.shape[0] * shape[-2], device=pointers.device), torch.reshape(torch.diff(pointers), (-1,))
    )


def _places(shape: Any, row_pointers: Any, col_indices: Any) -> torch.Tensor:
    lengths = as_ints(shape)
    return _rows(lengths, row_pointers) * lengths[-1] + torch.Tensor.long(col_indices)


def _dense(shape: Any, row_pointers: Any, col_indices: Any, values: Any) -> torch.Tensor:
    lengths = as_ints(shape)
    zeros = torch.zeros(math.prod(lengths), dtype=values.dtype, device=values.device)
    return torch.reshape(torch.index_add(zeros, 0, _places(shape, row_pointers, col_indices), values), lengths)


def _by_rows(places: torch.Tensor, values: torch.Tensor, shape: Any, dtype: torch.dtype) -> Any:
    """The five parts, of positions in order; ``dtype`` is that of the integers."""
    lengths = as_ints(shape)
    batches = lengths[0] if len(lengths) == 3 else 1
    rows = torch.div(places, lengths[-1], rounding_mode="floor")
    counts = torch.reshape(torch.bincount(rows, minlength=batches * lengths[-2]), (batches, lengths[-2]))
    pointers = torch.nn.functional.pad(torch.cumsum(counts, 1), (1, 0))
    batch_pointers = torch.nn.functional.pad(torch.cumsum(torch.sum(counts, 1), 0), (1, 0))
    sizes = torch.tensor(lengths, dtype=dtype, device=places.device)
    parts = batch_pointers, torch.reshape(pointers, (-1,)), places % lengths[-1]
    return wrap((sizes, *[to_dtype(item, dtype) for item in parts], torch.clone(values)))


def _from_coordinates(x_indices: Any, x_values: Any, x_dense_shape: Any) -> Any:
    """(shape, batch pointers, row pointers, columns, values) of (indices (n, axes) in order, values, shape)."""
    return _by_rows(flat_places(x_indices, x_dense_shape), x_values, x_dense_shape, x_indices.dtype)


def _to_coordinates(
    x_dense_shape: Any, x_batch_pointers: Any, x_row_pointers: Any, x_col_indices: Any, x_values: Any
) -> Any:
    """(indices (n, axes), values, shape)."""
    found = coordinates(_places(x_dense_shape, x_row_pointers, x_col_indices), x_dense_shape)
    return wrap((to_dtype(found, x_col_indices.dtype), torch.clone(x_values), torch.clone(x_dense_shape)))


def _to_dense(x_dense_shape: Any, x_batch_pointers: Any, x_row_pointers: Any, x_col_indices: Any, x_values: Any) -> Any:
    """The dense matrices."""
    return wrap(_dense(x_dense_shape, x_row_pointers, x_col_indices, x_values))


def _from_dense(dense_input: Any, indices: Any) -> Any:
    """(shape, batch pointers, row pointers, columns, values) of the values at ``indices`` (n, axes), in order."""
    places = flat_places(indices, tuple(dense_input.shape))
    return _by_rows(places, torch.reshape(dense_input, (-1,))[places], tuple(dense_input.shape), indices.dtype)


def _count(x_dense_shape: Any, x_batch_pointers: Any, x_row_pointers: Any, x_col_indices: Any, x_values: Any) -> Any:
    """How many values each matrix has, int32."""
    return wrap(to_dtype(torch.diff(x_batch_pointers), torch.int32))


def _add(
    x1_dense_shape: Any, x1_batch_pointers: Any, x1_row_pointers: Any, x1_col_indices: Any, x1_values: Any,
    x2_dense_shape: Any, x2_batch_pointers: Any, x2_row_pointers: Any, x2_col_indices: Any, x2_values: Any,
    alpha: Any, beta: Any,
) -> Any:  # fmt: skip
    """alpha · x1 + beta · x2, with a value where either has one."""
    first = _places(x1_dense_shape, x1_row_pointers, x1_col_indices)
    second = _places(x2_dense_shape, x2_row_pointers, x2_col_indices)
    places, where = torch.unique(torch.cat((first, second)), return_inverse=True)
    zeros = torch.zeros(places.shape, dtype=x1_values.dtype, device=x1_values.device)
    values = torch.index_add(zeros, 0, where, torch.cat((alpha * x1_values, beta * x2_values)))
    return _by_rows(places, values, x1_dense_shape, x1_row_pointers.dtype)


CSRSparseMatrixToDense = plain("CSRSparseMatrixToDense", _to_dense)
CSRSparseMatrixToSparseTensor = plain("CSRSparseMatrixToSparseTensor", _to_coordinates)
DenseToCSRSparseMatrix = plain("DenseToCSRSparseMatrix", _from_dense)
SparseMatrixAdd = plain("SparseMatrixAdd", _add)
SparseMatrixNNZ = plain("SparseMatrixNNZ", _count)
SparseTensorToCSRSparseMatrix = plain("SparseTensorToCSRSparseMatrix", _from_coordinates)


@primitive
def SparseMatrixSoftmax(dtype: Any) -> _Run:
    """Softmax over the values of each row, in five parts; absent ones do not count."""

    def run(x_dense_shape: Any, x_batch_pointers: Any, x_row_pointers: Any, x_col_indices: Any, x_values: Any) -> Any:
        values = softmax_by(_rows(as_ints(x_dense_shape), x_row_pointers), x_values)
        rest = x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices
        return wrap((*[torch.clone(item) for item in rest], values))

    return run


@primitive
def SparseMatrixTranspose(conjugate: Bool = False) -> _Run:
    """Each matrix with rows and columns exchanged, in five parts; conjugated if asked."""

    def run(x_dense_shape: Any, x_batch_pointers: Any, x_row_pointers: Any, x_col_indices: Any, x_values: Any) -> Any:
        *batch, rows, columns = as_ints(x_dense_shape)
        at = coordinates(_places(x_dense_shape, x_row_pointers, x_col_indices), (*batch, rows, columns))
        shape = (*batch, columns, rows)
        places = flat_places(torch.cat((at[:, :-2], at[:, -1:], at[:, -2:-1]), 1), shape)
        order = torch.argsort(places)
        values = torch.conj(x_values).resolve_conj() if conjugate else x_values
        return _by_rows(places[order], values[order], shape, x_row_pointers.dtype)

    return run


def _turned(x: torch.Tensor, transpose: bool, adjoint: bool, owner: str, name: str) -> torch.Tensor:
    if transpose and adjoint:
        raise ValueError(f"For '{owner}', only one of 'transpose_{name}' and 'adjoint_{name}' may be True.")
    x = torch.transpose(x, -1, -2) if transpose or adjoint else x
    return torch.conj(x).resolve_conj() if adjoint else x


@primitive
def SparseMatrixMatMul(
    transpose_x1: Bool = False,
    transpose_x2: Bool = False,
    adjoint_x1: Bool = False,
    adjoint_x2: Bool = False,
    transpose_output: Bool = False,
    conjugate_output: Bool = False,
) -> _Run:
    """The dense product of sparse matrices in five parts and dense ones."""

    @kernels.as_given
    def run(
        x1_dense_shape: Any, x1_batch_pointers: Any, x1_row_pointers: Any, x1_col_indices: Any, x1_values: Any,
        x2_dense: Any,
    ) -> Any:  # fmt: skip
        left = _dense(x1_dense_shape, x1_row_pointers, x1_col_indices, x1_values)
        result = kernels.matmul(
            _turned(left, transpose_x1, adjoint_x1, "SparseMatrixMatMul", "x1"),
            _turned(x2_dense, transpose_x2, adjoint_x2, "SparseMatrixMatMul", "x2"),
        )
        result = torch.transpose(result, -1, -2) if transpose_output else result
        return wrap(torch.conj(result).resolve_conj() if conjugate_output else result)

    return run


@primitive
def SparseMatrixSparseMatMul(
    transpose_a: Bool = False, transpose_b: Bool = False, adjoint_a: Bool = False, adjoint_b: Bool = False
) -> _Run:
    """The product of sparse matrices, in five parts, with a value wherever a product of values stands."""

    def run(
        x1_dense_shape: Any, x1_batch_pointers: Any, x1_row_pointers: Any, x1_col_indices: Any, x1_values: Any,
        x2_dense_shape: Any, x2_batch_pointers: Any, x2_row_pointers: Any, x2_col_indices: Any, x2_values: Any,
    ) -> Any:  # fmt: skip
        given = (x1_dense_shape, x1_row_pointers, x1_col_indices), (x2_dense_shape, x2_row_pointers, x2_col_indices)
        flags = (transpose_a, adjoint_a, "a"), (transpose_b, adjoint_b, "b")

        def sides(*values: torch.Tensor) -> list[torch.Tensor]:
            return [
                _turned(_dense(*parts, item), transpose, adjoint, "SparseMatrixSparseMatMul", name)
                for parts, item, (transpose, adjoint, name) in zip(given, values, flags)
            ]

        result = kernels.matmul(*sides(x1_values, x2_values))
        ones = [torch.ones(item.shape, dtype=torch.float64, device=item.device) for item in (x1_values, x2_values)]
        places = torch.nonzero(torch.reshape(kernels.matmul(*sides(*ones)), (-1,)))[:, 0]
        return _by_rows(places, torch.reshape(result, (-1,))[places], tuple(result.shape), x1_row_pointers.dtype)

    return run
