"""Writes dataset_mindrecord.npz: MindRecord files as MindSpore writes them. Run with the oracle's Python:

GLOG_v=4 /opt/oracle/venv/bin/python tests/golden/make_dataset_mindrecord.py
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

SCHEMAS: dict[str, dict[str, dict[str, Any]]] = {
    "mixed": {
        "name": {"type": "string"},
        "label": {"type": "int32"},
        "score": {"type": "float32"},
        "exact": {"type": "float64"},
        "big": {"type": "int64"},
        "arr": {"type": "float32", "shape": [-1]},
        "ids": {"type": "int64", "shape": [-1]},
        "box": {"type": "int32", "shape": [-1, 2]},
        "data": {"type": "bytes"},
    },
    "one_blob": {"data": {"type": "bytes"}, "label": {"type": "int32"}},
    "only_blobs": {"b": {"type": "int64", "shape": [-1]}, "c": {"type": "int32", "shape": [2, 2]}},
    "no_blob": {"a": {"type": "float32"}, "s": {"type": "string"}},
    "pages": {"s": {"type": "string"}, "d": {"type": "bytes"}},
}


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file."""
    if name == "mixed":
        return [_mixed_row(i) for i in range(5)]
    if name == "one_blob":
        return [{"data": bytes([i] * (i + 1)), "label": 50000 * i - 3} for i in range(4)]
    if name == "only_blobs":
        wide = np.array([1, 300, 70000, 2**40, -1, -200, -(2**31), 127, 128])
        return [{"b": wide[: i * 3 + 2], "c": np.array([[1, -300], [70000, i]], np.int32)} for i in range(3)]
    if name == "no_blob":
        return [{"a": 0.1 * i, "s": "\u00e9" * 20 * i + "x"} for i in range(4)]
    return [{"s": "x" * (30000 if i > 5 else 1000), "d": bytes([i]) * 9000} for i in range(9)]


def _mixed_row(i: int) -> dict[str, Any]:
    return {
        "name": f"n{i}",
        "label": (-1) ** i * 10**i,
        "score": i * 0.5,
        "exact": 0.1 * i,
        "big": 2**40 + i,
        "arr": np.arange(i + 1, dtype=np.float32),
        "ids": np.array([i, -i, 1000 * i]),
        "box": np.full((i % 3 + 1, 2), i, np.int32),
        "data": bytes([i, i + 1, 255, 0]),
    }


def write(writer_class: Any, path: str, name: str) -> None:
    """Write a file of small pages with MindSpore's or our FileWriter."""
    writer = writer_class(path, 1, True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(SCHEMAS[name], name)
    writer.write_raw_data(rows(name))
    writer.commit()


def main() -> None:
    from mindspore.mindrecord import FileWriter

    arrays = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in SCHEMAS:
            path = os.path.join(folder, name)
            write(FileWriter, path, name)
            arrays[name] = np.fromfile(path, np.uint8)
            arrays[f"{name}.db"] = np.fromfile(f"{path}.db", np.uint8)
    np.savez_compressed(os.path.join(os.path.dirname(__file__), "dataset_mindrecord.npz"), **arrays)


if __name__ == "__main__":
    main()
