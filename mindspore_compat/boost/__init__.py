"""MindSpore: ``mindspore.boost``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.boost.adasum import AdaSum
from mindspore_compat.boost.base import OptimizerProcess, ParameterProcess
from mindspore_compat.boost.boost import AutoBoost
from mindspore_compat.boost.boost_cell_wrapper import BoostTrainOneStepCell, BoostTrainOneStepWithLossScaleCell
from mindspore_compat.boost.grad_accumulation import GradientAccumulation, gradient_accumulation_op, gradient_clear_op
from mindspore_compat.boost.grad_freeze import FreezeOpt, GradientFreeze, freeze_cell
from mindspore_compat.boost.group_loss_scale_manager import GroupLossScaleManager
from mindspore_compat.boost.less_batch_normalization import LessBN

__all__ = [
    "AdaSum",
    "AutoBoost",
    "BoostTrainOneStepCell",
    "BoostTrainOneStepWithLossScaleCell",
    "FreezeOpt",
    "GradientAccumulation",
    "GradientFreeze",
    "GroupLossScaleManager",
    "LessBN",
    "OptimizerProcess",
    "ParameterProcess",
    "freeze_cell",
    "gradient_accumulation_op",
    "gradient_clear_op",
]
__getattr__ = module_getattr(
    __name__, unsupported={"DimReduce": "it reduces the network's dimension by a PCA of earlier weights, on Ascend."}
)
