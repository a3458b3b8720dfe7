"""Printing, summaries and hooks in class form. MindSpore: ``mindspore.ops.operations.debug_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import debug

globals().update(debug.PRIMITIVES)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
