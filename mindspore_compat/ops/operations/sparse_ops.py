"""Sparse tensors in parts. MindSpore: ``mindspore.ops.operations.sparse_ops``, and ``Coalesce`` of ``array_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import sparse

globals().update(sparse.PRIMITIVES)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
