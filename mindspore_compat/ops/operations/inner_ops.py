"""Operators that MindSpore keeps in ``mindspore.ops.operations.inner_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.image import PsROIPooling
from mindspore_compat._ops.other import IsConstant, MixedPrecisionCast

__all__ = ["IsConstant", "MixedPrecisionCast", "PsROIPooling"]

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
