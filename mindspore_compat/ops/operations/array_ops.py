"""Shapes, indexing and creation of tensors in class form. MindSpore: ``mindspore.ops.operations.array_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import creation, indexing, linalg, other, reduction, shape

globals().update(
    creation.PRIMITIVES
    | indexing.PRIMITIVES
    | linalg.PRIMITIVES
    | other.PRIMITIVES
    | reduction.PRIMITIVES
    | shape.PRIMITIVES
)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
