"""Operators that MindSpore keeps in ``mindspore.ops.operations._inner_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.image import PsROIPooling
from mindspore_compat._ops.other import IsConstant, MixedPrecisionCast

__all__ = ["IsConstant", "MixedPrecisionCast", "PsROIPooling"]

__getattr__ = module_getattr(
    __name__,
    unsupported=dict.fromkeys(
        ("Quant", "Dequant"), "Only Ascend's inference has it. Use `nn.FakeQuantWithMinMaxObserver`, or round yourself."
    ),
    fallback="ops.auto_generate.gen_ops_prim",
)
