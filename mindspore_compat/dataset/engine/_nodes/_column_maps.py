"""Order of the columns that a ``per_batch_map`` with another number of outputs does not touch: that of the hash maps of
names in MindSpore's nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_MULTIPLIER, _SEED, _WORD = 0xC6A4A7935BD1E995, 0xC70F6907, (1 << 64) - 1
_BUCKETS = (13, 29, 59, 127, 257, 541, 1109)  # the sizes that libstdc++'s maps grow through


def column_map(node: Any) -> list[str]:
    """Return the node's columns in the order of its map."""
    steps = getattr(node, "_column_map", None)
    if steps is not None:
        return steps()
    names = node._column_names()
    if node.children:
        below = column_map(node.children[0])
        if set(below) == set(names):
            return below
    return inserted(names)


def inserted(names: Iterable[str], into: Iterable[str] = ()) -> list[str]:
    """Return the order of a map with the keys ``into`` after insertion of ``names``."""
    order = list(into)
    buckets = next(size for size in _BUCKETS if len(order) <= size)
    for name in names:
        if name in order:
            continue
        if len(order) == buckets:
            buckets = _BUCKETS[_BUCKETS.index(buckets) + 1]
            old, order = order, []
            for item in old:
                _put(order, item, buckets)
        _put(order, name, buckets)
    return order


def with_outputs(below: list[str], inputs: list[str], outputs: list[str]) -> list[str]:
    """Return the order behind an operation: outputs in equal number take the inputs' places, others come first."""
    if len(inputs) != len(outputs):
        return inserted([*outputs, *(name for name in below if name not in inputs)])
    replaced = {name: output for name, output in zip(inputs, outputs) if name != output}
    return inserted(replaced.values(), [name for name in below if name not in replaced])


def _put(order: list[str], name: str, buckets: int) -> None:
    """Insert `name` before the first entry of its bucket, else before all."""
    own = _hash(name.encode()) % buckets
    order.insert(next((place for place, item in enumerate(order) if _hash(item.encode()) % buckets == own), 0), name)


def _hash(text: bytes) -> int:
    """Return libstdc++'s hash of strings: MurmurHash64A."""
    value = _SEED ^ (len(text) * _MULTIPLIER & _WORD)
    for start in range(0, len(text) - 7, 8):
        word = int.from_bytes(text[start : start + 8], "little")
        value = (value ^ _mixed(word * _MULTIPLIER & _WORD) * _MULTIPLIER & _WORD) * _MULTIPLIER & _WORD
    if rest := text[len(text) & ~7 :]:
        value = (value ^ int.from_bytes(rest, "little")) * _MULTIPLIER & _WORD
    return _mixed(_mixed(value) * _MULTIPLIER & _WORD)


def _mixed(value: int) -> int:
    return value ^ value >> 47
