"""Callbacks. MindSpore: ``mindspore.train.callback``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.train.callback import _eager
from mindspore_compat.train.callback._eager import *  # noqa: F403

# Summaries need protobuf: imported on first use, also by a * of this module.
_SUMMARIES = {"SummaryCollector": "train.callback._summary_collector", "SummaryLandscape": "train.callback._landscape"}

__all__ = [*_eager.__all__, *_SUMMARIES]

__getattr__ = module_getattr(__name__, _SUMMARIES)
