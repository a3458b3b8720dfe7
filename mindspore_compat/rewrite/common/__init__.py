"""Cells that become separate trees. MindSpore: ``mindspore.rewrite.common``."""

from mindspore_compat.rewrite.common import namespace

__all__ = ["namespace"]
