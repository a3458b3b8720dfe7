"""The context module, under the old name ``mindspore.dataset.context``."""

from mindspore_compat.context import *  # noqa: F403
