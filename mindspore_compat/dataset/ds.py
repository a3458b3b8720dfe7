"""What old scripts reach as ``mindspore.dataset.ds``: the data sets."""

from mindspore_compat.dataset.engine import *  # noqa: F403
