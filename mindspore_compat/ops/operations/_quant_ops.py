"""Operators of quantization-aware training. MindSpore: ``mindspore.ops.operations._quant_ops``, whose kernels are GPU's
and Ascend's; golden-stick builds its layers of them. docs/quant.md has the formulas.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import quant

globals().update(quant.PRIMITIVES)

__getattr__ = module_getattr(
    __name__,
    unsupported=dict.fromkeys(
        """
        ActULQClampMaxGrad ActULQClampMinGrad ActsULQ ActsULQInputGrad BatchNormFold2D BatchNormFold2Grad
        BatchNormFold2GradD BatchNormFold2GradReduce BatchNormFoldD BatchNormFoldGrad BatchNormFoldGradD
        CorrectionMulGrad CorrectionMulGradReduce FakeLearnedScaleQuantPerChannelGrad
        FakeLearnedScaleQuantPerChannelGradD FakeLearnedScaleQuantPerChannelGradDReduce
        FakeLearnedScaleQuantPerLayerGrad FakeLearnedScaleQuantPerLayerGradD FakeLearnedScaleQuantPerLayerGradDReduce
        FakeQuantPerChannelGrad FakeQuantPerLayerGrad FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsGradient
        FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient IFMR WtsARQ
        """.split(),
        "Only Ascend has it, or it is a part of a gradient, which follows here from the operator. Use the operators of "
        "GPUs: FakeQuantPerLayer, FakeQuantPerChannel, BatchNormFold.",
    ),
)
