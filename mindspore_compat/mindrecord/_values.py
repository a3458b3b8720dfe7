"""Values of rows as their schema has them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["PLAIN", "blob_value", "plain_value"]

#: types of the fields that are no blobs
PLAIN = {"int32": int, "int64": int, "float32": float, "float64": float, "string": str}


def plain_value(name: str, row: dict[str, Any], kind: str) -> Any:
    if name not in row:
        raise ValueError(f"field '{name}' is missing")
    value: Any = row[name].item() if isinstance(row[name], np.generic) else row[name]
    expected: Any = PLAIN[kind]
    if isinstance(value, bool) or not isinstance(value, (int, float) if expected is float else expected):
        raise TypeError(f"field '{name}' should be {kind}, but is {type(value)}")
    if kind == "int32" and not -(1 << 31) <= value < 1 << 31:
        raise ValueError(f"field '{name}': {value} does not fit into int32")
    return expected(value)


def blob_value(name: str, row: dict[str, Any], field: dict[str, Any]) -> bytes | np.ndarray:
    if name not in row:
        raise ValueError(f"field '{name}' is missing")
    value = row[name]
    if field["type"] == "bytes":
        if not isinstance(value, (bytes, bytearray)):
            raise TypeError(f"field '{name}' should be bytes, but is {type(value)}")
        return bytes(value)
    if not isinstance(value, np.ndarray) or value.dtype != np.dtype(field["type"]):
        raise TypeError(
            f"field '{name}' should be an array of {field['type']}, but is {getattr(value, 'dtype', type(value))}"
        )
    fixed = [n for n in field["shape"] if n != -1]
    size = int(np.prod(fixed)) if fixed else 1
    if size == 0 or value.size % size or (-1 not in field["shape"] and value.size != size):
        raise ValueError(f"field '{name}' of shape {value.shape} does not fit {field['shape']}")
    return value
