"""The datasets, under the old name ``mindspore.dataset.ds``."""

from mindspore_compat.dataset.engine import *  # noqa: F403
