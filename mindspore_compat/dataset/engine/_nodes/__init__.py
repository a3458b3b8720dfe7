"""The nodes that `Dataset`'s methods make. Each registers by ``@register_node`` (`_dataset.py`)."""

from mindspore_compat.dataset.engine._nodes import batch, map, rows

__all__ = ["batch", "map", "rows"]
