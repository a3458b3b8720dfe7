"""Callbacks. MindSpore: ``mindspore.train.callback``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.train.callback import _eager
from mindspore_compat.train.callback._eager import *  # noqa: F403

# Summaries bring protobuf: imported on first use, which a * of this module is.
_SUMMARIES = {"SummaryCollector": "train.callback._summary_collector", "SummaryLandscape": "train.callback._landscape"}

__all__ = [*_eager.__all__, *_SUMMARIES]

__getattr__ = module_getattr(__name__, _SUMMARIES)
