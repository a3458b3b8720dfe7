"""Sparse tensors as plain records of their parts. Upstream: ``mindspore.RowTensor``, ``COOTensor``, ``CSRTensor``.

Layers and optimizers here work on dense Tensors; these let code that mentions sparse ones be imported and take them
apart.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._wrap import wrap

__all__ = ["RowTensor", "COOTensor", "SparseTensor", "CSRTensor"]


class RowTensor:
    """Rows ``values`` of a tensor of ``shape`` at the places ``indices`` of its first axis.

    Raises:
        TypeError: if indices or values are no Tensors.
    """

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: Any = None) -> None:
        if row_tensor is not None:
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.dense_shape
        for name, value in (("indices", indices), ("values", values)):
            if not isinstance(value, torch.Tensor):
                raise TypeError(
                    f"For '{type(self).__name__}', the '{name}' must be a Tensor, but got {type(value).__name__}."
                )
        self.indices, self.values, self.dense_shape = indices, values, tuple(shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the dense tensor."""
        return self.dense_shape

    @property
    def dtype(self) -> torch.dtype:
        """dtype of the values."""
        return self.values.dtype

    def to_dense(self) -> Any:
        """The dense Tensor; rows named twice add up."""
        dense = torch.zeros(self.dense_shape, dtype=self.values.dtype, device=self.values.device)
        return wrap(dense.index_add_(0, self.indices.to(torch.int64), self.values))


RowTensorInner = RowTensor  # upstream's own name in its operators


class COOTensor(RowTensor):
    """``values`` (n,) at the places ``indices`` (n, axes) of a tensor of ``shape``."""

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, coo_tensor: Any = None) -> None:
        super().__init__(indices, values, shape, coo_tensor)

    def to_dense(self) -> Any:
        """The dense Tensor; places named twice add up."""
        dense = torch.zeros(self.dense_shape, dtype=self.values.dtype, device=self.values.device)
        places = tuple(torch.unbind(self.indices.to(torch.int64), 1))
        return wrap(torch.index_put(dense, places, self.values, accumulate=True))


class SparseTensor(COOTensor):
    """1.x's name of `COOTensor`."""

    def __init__(self, indices: Any, values: Any, shape: Any) -> None:
        super().__init__(indices, values, shape)


class CSRTensor:
    """A matrix by rows: ``values`` with column ``indices``, row k between ``indptr[k]`` and ``indptr[k + 1]``."""

    def __init__(
        self, indptr: Any = None, indices: Any = None, values: Any = None, shape: Any = None, csr_tensor: Any = None
    ) -> None:
        if csr_tensor is not None:
            indptr, indices, values, shape = csr_tensor.indptr, csr_tensor.indices, csr_tensor.values, csr_tensor.shape
        self.indptr, self.indices, self.values, self.shape = indptr, indices, values, tuple(shape)

    def to_dense(self) -> Any:
        """The dense Tensor; places named twice add up."""
        rows = torch.arange(self.shape[0], device=self.indptr.device)
        counts = torch.diff(self.indptr.to(torch.int64))
        rows = torch.repeat_interleave(rows, counts, output_size=self.indices.shape[0])
        dense = torch.zeros(self.shape, dtype=self.values.dtype, device=self.values.device)
        places = (rows, self.indices.to(torch.int64))
        return wrap(torch.index_put(dense, places, self.values, accumulate=True))
