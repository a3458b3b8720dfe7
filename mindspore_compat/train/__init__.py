"""Training, callbacks, metrics, checkpoints. MindSpore: ``mindspore.train``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.train import _eager, amp, callback, metrics, serialization  # noqa: F401
from mindspore_compat.train._eager import *  # noqa: F403

# Summaries need protobuf and tensorboard's protos: imported on first use, also by a * of this module.
_SUMMARIES = {
    "SummaryRecord": "train.summary",
    "SummaryCollector": "train.callback._summary_collector",
    "SummaryLandscape": "train.callback._landscape",
}

__all__ = [*_eager.__all__, *_SUMMARIES]

__getattr__ = module_getattr(__name__, {**_SUMMARIES, "summary": "train.summary", "quant": "train.quant"})
