"""Transformers as one Cell, for one device or many. MindSpore: ``mindspore.parallel._transformer`` of 2.0, in 1.x
``mindspore.nn.transformer``.
"""

from mindspore_compat.nn.transformer import layers, loss, moe, op_parallel_config, transformer  # noqa: F401
from mindspore_compat.nn.transformer.layers import FixedSparseAttention
from mindspore_compat.nn.transformer.loss import CrossEntropyLoss
from mindspore_compat.nn.transformer.moe import MoEConfig
from mindspore_compat.nn.transformer.op_parallel_config import OpParallelConfig
from mindspore_compat.nn.transformer.transformer import (
    AttentionMask,
    EmbeddingOpParallelConfig,
    FeedForward,
    MultiHeadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    VocabEmbedding,
)

__all__ = [
    "AttentionMask",
    "VocabEmbedding",
    "MultiHeadAttention",
    "FeedForward",
    "TransformerEncoder",
    "TransformerDecoder",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "Transformer",
    "TransformerOpParallelConfig",
    "EmbeddingOpParallelConfig",
    "TransformerRecomputeConfig",
    "CrossEntropyLoss",
    "OpParallelConfig",
    "FixedSparseAttention",
    "MoEConfig",
]
