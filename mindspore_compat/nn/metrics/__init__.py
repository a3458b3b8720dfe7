"""Metrics under 1.x's module name; they are in ``train.metrics``."""

from mindspore_compat.train.metrics import *  # noqa: F403
from mindspore_compat.train.metrics import __all__ as __all__
