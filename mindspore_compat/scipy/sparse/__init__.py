"""Iterative solvers of MindSpore 1.6 to 2.x. MindSpore: ``mindspore.scipy.sparse``."""

from mindspore_compat.scipy.sparse import linalg
from mindspore_compat.scipy.sparse.linalg import bicgstab, cg, gmres

__all__ = ["bicgstab", "cg", "gmres", "linalg"]
