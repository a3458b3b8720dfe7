"""Sparse tensors in parts. MindSpore: ``mindspore.ops.operations.sparse_ops``, and ``Coalesce`` of ``array_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.index_bounds import refuse_negative
from mindspore_compat._tensor.indexing import take_elements
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, checks_places
from mindspore_compat.ops._declare import Bool, plain, primitive
from mindspore_compat.ops.operations import _sparse_coo_ops, _sparse_former_ops
from mindspore_compat.ops.operations._sparse_coo_ops import *  # noqa: F403
from mindspore_compat.ops.operations._sparse_former_ops import *  # noqa: F403

__all__ = [
    *"Coalesce SparseSlice SparseTensorDenseAdd SparseTensorDenseMatmul SparseToDense".split(),
    *_sparse_coo_ops.__all__,
    *_sparse_former_ops.__all__,
]

_Run = Callable[..., Any]


def _coalesce(x_indices: Any, x_values: Any, x_shape: Any) -> Any:
    """Return (indices (axes, n) sorted and unique, sums of their values, the shape), of int64 indices (axes, m)."""
    return F.coalesce(x_indices, x_values, x_shape)


@checks_places("SparseToDense")
def _dense(indices: Any, values: Any, shape: Any) -> torch.Tensor:
    """Return zeros with the values added at rows of indices."""
    indices = refuse_negative(torch.Tensor.long(indices))
    places = torch.unbind(indices, -1) if indices.dim() > 1 else (indices,)
    zeros = torch.zeros(as_ints(shape), dtype=values.dtype, device=values.device)
    return torch.index_put(zeros, places, values, accumulate=True)


def _sparse_slice(indices: Any, values: Any, shape: Any, start: Any, size: Any) -> Any:
    """Return (indices (n, axes), values, shape) of the part from ``start`` on; the shape ends where the tensor does."""
    inside = torch.all((indices >= start) & (indices < start + size), 1)
    return wrap(
        (indices[inside] - start, take_elements(values, inside), torch.clamp(torch.minimum(size, shape - start), min=0))
    )


Coalesce = plain("Coalesce", _coalesce)
SparseSlice = plain("SparseSlice", _sparse_slice)
SparseToDense = plain(
    "SparseToDense", lambda indices, values, sparse_shape: wrap(_dense(indices, values, sparse_shape))
)
SparseTensorDenseAdd = plain(
    "SparseTensorDenseAdd",
    lambda x1_indices, x1_values, x1_shape, x2: wrap(_dense(x1_indices, x1_values, x1_shape) + x2),
)


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


__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
