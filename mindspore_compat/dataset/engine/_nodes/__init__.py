"""The nodes that `Dataset`'s methods make. Each registers by ``@register_node`` (`_dataset.py`)."""

from mindspore_compat.dataset.engine._nodes import batch, columns, combine, map, rows, split, sync

__all__ = ["batch", "columns", "combine", "map", "rows", "split", "sync"]
