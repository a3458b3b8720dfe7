"""``mindspore.mint.linalg``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.mint import _adapted
from mindspore_compat.mint._declare import functions

ROWS = """
    inv(input)
    matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None)
    norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) = linalg_norm
    qr(A, mode="reduced")
    vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None)
"""
MADE = functions(ROWS, "mindspore_compat.mint.linalg", _adapted, torch.linalg)
globals().update(MADE)
__all__ = list(MADE)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
