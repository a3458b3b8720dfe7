"""Diagonals of matrices. Upstream: ``mindspore.scipy.ops_wrapper``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.ops import function as F

__all__ = ["matrix_set_diag"]


def matrix_set_diag(input_x: Any, diagonal: Any, k: Any = 0, alignment: str = "RIGHT_LEFT") -> Any:
    """Matrices (…, M, N) with new diagonals.

    Args:
        diagonal: (…, L), of several diagonals (…, K, L), L the length of the longest.
        k: which diagonal, above the main one if positive; the lowest and the highest of several.
        alignment: which end the shorter ones above and below the main one lie at.

    Raises:
        ValueError: for another ``alignment``, or a ``k`` that is neither an int nor a list or tuple of them.

    Examples:
        >>> print(matrix_set_diag(Tensor([[7, 7], [7, 7]]), Tensor([1, 2])))
        [[1 7]
         [7 2]]
    """
    if not isinstance(k, (int, list, tuple)):
        raise ValueError(f"For 'matrix_set_diag', the 'k' must be an int, a list or a tuple, but got {k!r}.")
    return F.matrix_set_diag(input_x, diagonal, k, alignment)
