"""List of Cell classes for golden-stick's layers. MindSpore: ``mindspore.rewrite.common.namespace``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.errors import PACKAGE
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.container import CellList, SequentialCell

__all__ = ["is_subtree"]

#: classes with instances that stay one node
_subtree_black_list: list[Any] = [CellList, SequentialCell]


def is_subtree(cls_inst: Any) -> bool:
    """Return whether it is a script's Cell, of no class in the list."""
    if not isinstance(cls_inst, Cell) or type(cls_inst).__module__.partition(".")[0] in (PACKAGE, "torch"):
        return False
    return not isinstance(cls_inst, tuple(_subtree_black_list))
