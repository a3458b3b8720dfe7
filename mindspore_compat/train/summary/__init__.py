"""Summaries: MindSpore's files for MindInsight, and TensorBoard's. MindSpore: ``mindspore.train.summary``."""

from mindspore_compat.train.summary._embeddings import add_embedding
from mindspore_compat.train.summary._reader import SummaryData, read_summary, to_tensorboard
from mindspore_compat.train.summary._tensorboard import set_tensorboard
from mindspore_compat.train.summary.summary_record import SummaryRecord

__all__ = ["SummaryRecord", "SummaryData", "read_summary", "to_tensorboard", "set_tensorboard", "add_embedding"]
