"""Operators that upstream keeps in ``mindspore.ops.operations._inner_ops``."""

from mindspore_compat.ops.operations.image_ops import PsROIPooling
from mindspore_compat.ops.operations.other_ops import IsConstant, MixedPrecisionCast

__all__ = ["IsConstant", "MixedPrecisionCast", "PsROIPooling"]
