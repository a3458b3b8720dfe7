"""What upstream's ``mindspore.scipy.utils`` is imported for."""

from __future__ import annotations

from typing import Any

from mindspore_compat.common._wrap import wrap

__all__: list[str] = []


def _nd_transpose(a: Any) -> Any:
    """Matrices (…, M, N) transposed.

    Raises:
        ValueError: for less than two axes.
    """
    if a.dim() < 2:
        raise ValueError(f"For '_nd_transpose', the input must have two axes or more, but its shape is {a.shape}.")
    return wrap(a.mT)
