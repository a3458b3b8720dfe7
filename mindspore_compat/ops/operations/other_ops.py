"""Sequencing and parameters in class form. MindSpore: ``mindspore.ops.operations.other_ops``, ``inner_ops``,
``_inner_ops``, ``control_ops``.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import other
from mindspore_compat._ops.declare import primitive_class

globals().update(other.PRIMITIVES)
identity = primitive_class("identity", other.identity)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
