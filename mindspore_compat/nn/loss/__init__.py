"""Losses. MindSpore: ``mindspore.nn.loss``."""

from mindspore_compat.nn.loss import loss, margin, segmentation
from mindspore_compat.nn.loss.loss import *  # noqa: F403
from mindspore_compat.nn.loss.margin import *  # noqa: F403
from mindspore_compat.nn.loss.segmentation import *  # noqa: F403

__all__ = [*loss.__all__, *margin.__all__, *segmentation.__all__]
