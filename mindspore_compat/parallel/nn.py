"""Cells that run a network on parts of a batch, under the names of ``mindspore.parallel.nn``; they live in
``nn.wrap``.
"""

from mindspore_compat.nn.wrap.cell_wrapper import GradAccumulationCell as GradAccumulation
from mindspore_compat.nn.wrap.cell_wrapper import MicroBatchInterleaved, PipelineCell
from mindspore_compat.nn.wrap.cell_wrapper import PipelineCell as Pipeline
from mindspore_compat.nn.wrap.grad_reducer import PipelineGradReducer

__all__ = ["PipelineCell", "Pipeline", "MicroBatchInterleaved", "GradAccumulation", "PipelineGradReducer"]
