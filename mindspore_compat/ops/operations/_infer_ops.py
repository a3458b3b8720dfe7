"""Operators of Ascend's inference. Upstream: ``mindspore.ops.operations._infer_ops``."""

from mindspore_compat._api.placeholders import module_getattr

__all__: list[str] = []

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
