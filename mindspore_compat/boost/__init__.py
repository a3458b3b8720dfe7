"""What scripts use of MindSpore's boost library. Upstream: ``mindspore.boost``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.boost.base import ParameterProcess
from mindspore_compat.boost.grad_accumulation import GradientAccumulation, gradient_accumulation_op, gradient_clear_op
from mindspore_compat.boost.less_batch_normalization import LessBN

__all__ = ["GradientAccumulation", "LessBN", "ParameterProcess", "gradient_accumulation_op", "gradient_clear_op"]
_FREEZING = "set requires_grad of the layers' Parameters, or give the optimizer fewer of them."
_STEPS = "use nn.TrainOneStepCell, nn.TrainOneStepWithLossScaleCell or Model."
__getattr__ = module_getattr(
    __name__,
    unsupported={
        **dict.fromkeys(("FreezeOpt", "GradientFreeze", "freeze_cell"), _FREEZING),
        **dict.fromkeys(("AutoBoost", "BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell"), _STEPS),
        "OptimizerProcess": "give the optimizer groups with 'grad_centralization': True.",
        "GroupLossScaleManager": "use train.DynamicLossScaleManager.",
        "AdaSum": "use nn.AdaSumByGradWrapCell or nn.AdaSumByDeltaWeightWrapCell.",
        "DimReduce": "it reduces the network's dimension by a PCA of earlier weights, on Ascend.",
    },
)
