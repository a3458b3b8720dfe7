"""Systems whose matrix is a triangle. MindSpore: ``mindspore.ops.auto_generate.solve_triangular``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import to_dtype

__all__ = ["solve_triangular"]

_INNER = dict.fromkeys((torch.int8, torch.int16, torch.int32, torch.float16), torch.float32)
_INNER |= {torch.int64: torch.float64}


def solve_triangular(a: Any, b: Any, trans: int = 0, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """Return x with a·x = b, where only a triangle of ``a`` is read.

    Args:
        a: (…, N, N). b: (…, N, M) or (…, N), of the same dtype. Integers give float32, int64 float64.
        trans: 0 as above, 1 for aᵀ·x = b, 2 for its conjugate.
        lower: which triangle. unit_diagonal: whether its diagonal counts as 1.

    Examples:
        >>> print(solve_triangular(Tensor([[2.0, 1.0], [9.0, 4.0]]), Tensor([4.0, 4.0])))
        [1.5 1. ]
    """
    inner = _INNER.get(a.dtype, a.dtype)
    matrix, right = torch.Tensor.to(a, inner), torch.Tensor.to(b, inner)
    is_vector = b.dim() < a.dim()
    read = (matrix, matrix.mT, matrix.mH)[trans]
    found = torch.linalg.solve_triangular(
        read, right.unsqueeze(-1) if is_vector else right, upper=lower == bool(trans), unitriangular=unit_diagonal
    )
    found = found.squeeze(-1) if is_vector else found
    return wrap(to_dtype(found, a.dtype) if a.dtype.is_floating_point else found)
