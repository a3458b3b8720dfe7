"""Operators on the parts of a CSRTensor (indptr, indices, values, shape). Upstream:
``mindspore.ops.operations._csr_ops``, whose kernels no CPU has; graphlearning aggregates with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._declare import plain
from mindspore_compat.ops.function.sparse_func import coo2csr, csr2coo, csr_gather, sum_by_rows

__all__ = ["COO2CSR", "CSR2COO", "CSRDiv", "CSRGather", "CSRMM", "CSRMV", "CSRMul", "CSRReduceSum"]


def _product(indptr: Any, indices: Any, values: Any, dense_shape: Any, dense: Any) -> Any:
    """The matrix (n, m) times the dense (m, k): (n, k)."""
    rows = torch.Tensor.long(csr2coo(indptr, indices.shape[0]))
    terms = torch.unsqueeze(values, 1) * torch.index_select(dense, 0, torch.Tensor.long(indices))
    zeros = terms.new_zeros((indptr.shape[0] - 1, dense.shape[1]))
    return wrap(torch.index_add(zeros, 0, rows, terms))


def _with_dense(operator: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The values of the result: each with what ``dense``, broadcast to the shape, has in its place."""

    def run(indptr: Any, indices: Any, values: Any, dense_shape: Any, dense: Any) -> Any:
        return wrap(operator(values, csr_gather(indptr, indices, dense, dense_shape)))

    return run


CSRReduceSum = plain("CSRReduceSum", sum_by_rows)
CSRMV, CSRMM = plain("CSRMV", _product), plain("CSRMM", _product)
CSRMul, CSRDiv = plain("CSRMul", _with_dense(torch.mul)), plain("CSRDiv", _with_dense(torch.div))
CSRGather = plain("CSRGather", csr_gather)
CSR2COO, COO2CSR = plain("CSR2COO", csr2coo), plain("COO2CSR", coo2csr)
