"""Functions and layers that are rows. Written by ``python -m tools.make_stubs``."""

from typing import Any, Literal


__all__ = ['inv', 'matrix_norm', 'norm', 'qr', 'vector_norm']

def inv(input: Any) -> Any:
    """As ``torch``'s ``linalg_inv``, with MindSpore's Tensors."""

def matrix_norm(A: Any, ord: Any = "fro", dim: Any = ..., keepdim: Any = False, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``matrix_norm``, with MindSpore's Tensors."""

def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``linalg_norm``, with MindSpore's Tensors."""

def qr(A: Any, mode: Any = "reduced") -> Any:
    """As ``torch``'s ``qr``, with MindSpore's Tensors."""

def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """As ``torch``'s ``vector_norm``, with MindSpore's Tensors."""
