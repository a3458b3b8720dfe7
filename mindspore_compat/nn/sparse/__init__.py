"""Cells of sparse tensors. MindSpore: ``mindspore.nn.sparse``."""

from __future__ import annotations

from typing import Any

from mindspore_compat import ops
from mindspore_compat.common.sparse_tensor import COOTensor
from mindspore_compat.nn.cell import Cell

__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]


class SparseToDense(Cell):
    """The dense Tensor of a `COOTensor`."""

    def construct(self, sparse_tensor: COOTensor) -> Any:
        return ops.SparseToDense()(sparse_tensor.indices, sparse_tensor.values, sparse_tensor.shape)


class SparseTensorDenseMatmul(Cell):
    """The product of a sparse matrix in parts, (indices (n, 2), values (n,), shape), and a dense one.

    Args:
        adjoint_st, adjoint_dt: whether the sparse, or the dense one is transposed.
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        self.sparse_dense_matmul = ops.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(self, indices: Any, values: Any, sparse_shape: Any, dense: Any) -> Any:
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)
