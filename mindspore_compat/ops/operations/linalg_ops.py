"""Upstream: ``mindspore.ops.operations.linalg_ops``."""

from mindspore_compat.ops.operations.math_ops import Eig, Geqrf, Svd  # type: ignore[attr-defined]

__all__ = ["Eig", "Geqrf", "Svd"]
