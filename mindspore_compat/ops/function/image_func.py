"""Boxes and regions of images. MindSpore: ``mindspore.ops.function.image_func`` and the box operators."""

from mindspore_compat._ops.image import *  # noqa: F403
