"""Sparse tensors in parts. Upstream: ``mindspore.ops.operations.sparse_ops``, and ``Coalesce`` of ``array_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, as_plain, check_tensors
from mindspore_compat.ops._declare import Bool, Typed, plain, primitive
from mindspore_compat.ops.operations import _sparse_coo_ops, _sparse_csr_ops
from mindspore_compat.ops.operations._sparse_coo_ops import *  # noqa: F403
from mindspore_compat.ops.operations._sparse_csr_ops import *  # noqa: F403

__all__ = [
    *"Coalesce DenseToDenseSetOperation SparseSlice SparseTensorDenseAdd SparseTensorDenseMatmul SparseToDense".split(),
    *_sparse_coo_ops.__all__,
    *_sparse_csr_ops.__all__,
]

_Run = Callable[..., Any]


def _coalesce(x_indices: Any, x_values: Any, x_shape: Any) -> Any:
    """(indices (axes, n) in order and once each, sums of their values, the shape), of int64 indices (axes, m)."""
    for name, given in (("x_indices", x_indices), ("x_shape", x_shape)):
        if given.dtype != torch.int64:
            raise TypeError(f"For 'Coalesce', the '{name}' must be int64, but got {given.dtype}.")
    return F.coalesce(x_indices, x_values, x_shape)


def _dense(indices: Any, values: Any, shape: Any) -> torch.Tensor:
    """Zeros with the values added at rows of indices."""
    places = torch.unbind(torch.Tensor.long(indices), -1) if indices.dim() > 1 else (torch.Tensor.long(indices),)
    zeros = torch.zeros(as_ints(shape), dtype=values.dtype, device=values.device)
    return torch.index_put(zeros, places, values, accumulate=True)


def _sparse_slice(indices: Any, values: Any, shape: Any, start: Any, size: Any) -> Any:
    """(indices (n, axes), values, shape) of the part that begins at ``start``; the shape ends where the tensor does."""
    inside = torch.all((indices >= start) & (indices < start + size), 1)
    return wrap((indices[inside] - start, values[inside], torch.clamp(torch.minimum(size, shape - start), min=0)))


_SETS = ("a-b", "b-a", "intersection", "union")
_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16)


@primitive
def DenseToDenseSetOperation(set_operation: Typed[str] = "a-b", validate_indices: Typed[bool] = True) -> _Run:
    """The sets in the last axis of two integer tensors with the same leading axes, by ``"a-b"``, ``"b-a"``,
    ``"intersection"`` or ``"union"``: (indices (n, axes), values, sorted within a set, the shape up to the largest).
    """
    owner, kind = "DenseToDenseSetOperation", set_operation.lower()

    def run(x1: Any, x2: Any) -> Any:
        check_tensors(owner, x1=x1, x2=x2)
        if x1.dtype not in _INTEGERS or x2.dtype != x1.dtype:
            raise TypeError(
                f"For '{owner}', 'x1' and 'x2' must be of one integer type, but got {x1.dtype}, {x2.dtype}."
            )
        if x1.dim() < 2 or x1.shape[:-1] != x2.shape[:-1]:
            raise ValueError(
                f"For '{owner}', 'x1' and 'x2' must have at least 2 axes, and all but the last alike, but got "
                f"{tuple(x1.shape)} and {tuple(x2.shape)}."
            )
        if kind not in _SETS:
            raise ValueError(f"For '{owner}', the 'set_operation' must be one of {_SETS}, but got {set_operation!r}.")
        a, b = (torch.Tensor.long(as_plain(value)) for value in ((x2, x1) if kind == "b-a" else (x1, x2)))
        values = torch.sort(torch.cat([a, b], -1) if kind == "union" else a, -1).values
        taken = torch.ones_like(values, dtype=torch.bool)
        taken[..., 1:] = values[..., 1:] != values[..., :-1]
        if kind != "union":
            taken &= torch.any(values.unsqueeze(-1) == b.unsqueeze(-2), -1) == (kind == "intersection")
        places = torch.cumsum(taken, -1)
        longest = torch.amax(places) if places.numel() else places.new_zeros(())
        indices = torch.nonzero(taken)
        indices[:, -1] = places[taken] - 1
        shape = torch.tensor([*values.shape[:-1], int(longest)], device=values.device)
        return wrap((indices, values[taken].to(x1.dtype), shape))

    return run


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
