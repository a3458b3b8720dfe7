"""MindSpore: ``mindspore.ops.operations.linalg_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.linalg import Eig, Eigh, Geqrf, Svd  # type: ignore[attr-defined]

__all__ = ["Eig", "Eigh", "Geqrf", "Svd"]

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
