"""Arithmetic, reductions and products in class form. MindSpore: ``mindspore.ops.operations.math_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import clip, elementwise, fft, linalg, other, reduction, special

globals().update(
    clip.PRIMITIVES
    | elementwise.PRIMITIVES
    | fft.PRIMITIVES
    | linalg.PRIMITIVES
    | other.PRIMITIVES
    | reduction.PRIMITIVES
    | special.PRIMITIVES
)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
