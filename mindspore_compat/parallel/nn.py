"""Cells that run a network on parts of a batch, under the names of ``mindspore.parallel.nn``; they live in
``nn.wrap``. In 1.5 the transformers of ``nn.transformer`` were here.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.nn.wrap.cell_wrapper import GradAccumulationCell as GradAccumulation
from mindspore_compat.nn.wrap.cell_wrapper import MicroBatchInterleaved, PipelineCell
from mindspore_compat.nn.wrap.cell_wrapper import PipelineCell as Pipeline
from mindspore_compat.nn.wrap.grad_reducer import PipelineGradReducer

__all__ = ["PipelineCell", "Pipeline", "MicroBatchInterleaved", "GradAccumulation", "PipelineGradReducer"]

_TRANSFORMERS = """AttentionMask VocabEmbedding MultiHeadAttention FeedForward TransformerEncoder TransformerDecoder
TransformerEncoderLayer TransformerDecoderLayer Transformer TransformerOpParallelConfig EmbeddingOpParallelConfig
OpParallelConfig TransformerRecomputeConfig FixedSparseAttention CrossEntropyLoss MoEConfig"""
__getattr__ = module_getattr(__name__, dict.fromkeys(_TRANSFORMERS.split(), "nn.transformer"))
