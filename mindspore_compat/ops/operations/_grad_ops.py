"""Gradients of operators as operators: formulas, and derivatives of the forward operators. MindSpore:
``mindspore.ops.operations._grad_ops``.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import derivatives

globals().update(derivatives.PRIMITIVES)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
