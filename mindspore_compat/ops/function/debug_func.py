"""Printing and dumping. MindSpore: ``mindspore.ops.function.debug_func``."""

from mindspore_compat._ops.debug import *  # noqa: F403
