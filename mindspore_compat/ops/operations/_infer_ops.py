"""Operators of Ascend's inference. MindSpore: ``mindspore.ops.operations._infer_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops.auto_generate.gen_ops_prim import UNSUPPORTED

__all__: list[str] = []

__getattr__ = module_getattr(__name__, unsupported=UNSUPPORTED, fallback="ops.auto_generate.gen_ops_prim")
