"""The image operations, under the old name ``mindspore.dataset.transforms.vision``."""

from mindspore_compat.dataset.vision import *  # noqa: F403
