"""Clipping by value and norm. MindSpore: ``mindspore.ops.function.clip_func``."""

from mindspore_compat._ops.clip import *  # noqa: F403
