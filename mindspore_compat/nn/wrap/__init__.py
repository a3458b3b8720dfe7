"""Cells around networks. MindSpore: ``mindspore.nn.wrap``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.nn.wrap.cell_wrapper import (
    ForwardValueAndGrad,
    GradAccumulationCell,
    MicroBatchInterleaved,
    ParameterUpdate,
    PipelineCell,
    TrainOneStepCell,
    VirtualDatasetCellTriple,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from mindspore_compat.nn.wrap.grad_reducer import DistributedGradReducer, PipelineGradReducer
from mindspore_compat.nn.wrap.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)

__all__ = [
    "WithLossCell",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "DistributedGradReducer",
    "PipelineGradReducer",
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "TrainOneStepWithLossScaleCell",
    "GradAccumulationCell",
    "PipelineCell",
    "MicroBatchInterleaved",
    "VirtualDatasetCellTriple",
]
__getattr__ = module_getattr(__name__, {"TimeDistributed": "nn.layer.timedistributed"})
