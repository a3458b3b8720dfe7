"""Which Cells become trees of their own. MindSpore: ``mindspore.rewrite.common``."""

from mindspore_compat.rewrite.common import namespace

__all__ = ["namespace"]
