"""Losses. Upstream: ``mindspore.nn.loss``."""
from mindspore_compat.nn.loss import loss
from mindspore_compat.nn.loss.loss import *  # noqa: F403

__all__ = [*loss.__all__]
