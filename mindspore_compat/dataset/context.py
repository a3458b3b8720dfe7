"""What old scripts reach as ``mindspore.dataset.context``: the context module."""

from mindspore_compat.context import *  # noqa: F403
