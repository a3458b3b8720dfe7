"""What old scripts reach as ``mindspore.dataset.transforms.vision``: the image operations."""

from mindspore_compat.dataset.vision import *  # noqa: F403
