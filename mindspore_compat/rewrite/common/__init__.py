"""Which Cells become trees of their own. Upstream: ``mindspore.rewrite.common``."""

from mindspore_compat.rewrite.common import namespace

__all__ = ["namespace"]
