"""`Dataset.save`: a pipeline's rows as MindRecord files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mindspore_compat.mindrecord.filewriter import FileWriter

#: MindRecord holds fewer types than numpy: dtype -> its type, and the numpy dtype values are cast to
_STORED = {
    "bool": "int32",
    "int8": "int32",
    "uint8": "int32",
    "int16": "int32",
    "uint16": "int32",
    "int32": "int32",
    "uint32": "int64",
    "int64": "int64",
    "uint64": "int64",
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
}
_ROWS_AT_ONCE = 512


def _field(name: str, value: np.ndarray) -> dict[str, Any]:
    """Return the schema of a column, from its first value; the first axis may vary from row to row."""
    if value.dtype.kind in "SU":
        if value.ndim:
            raise RuntimeError(f"Dataset.save: column {name!r} has strings of shape {value.shape}; only () is stored.")
        return {"type": "bytes" if value.dtype.kind == "S" else "string"}
    try:
        stored = _STORED[value.dtype.name]
    except KeyError:
        raise RuntimeError(f"Dataset.save: column {name!r} has the type {value.dtype}, not MindRecord's.") from None
    return {"type": stored, "shape": [-1, *value.shape[1:]]} if value.ndim else {"type": stored}


def _as_stored(value: np.ndarray, field: dict[str, Any]) -> Any:
    if field["type"] in ("string", "bytes"):
        return value.item()
    cast = value.astype(field["type"])
    return cast if "shape" in field else cast.item()


def save_as_mindrecord(rows: Iterator[dict[str, np.ndarray]], file_name: str, num_files: int) -> None:
    """Write the rows; the schema comes from the first one."""
    writer = FileWriter(file_name, num_files)
    schema: dict[str, dict[str, Any]] = {}
    pending: list[dict[str, Any]] = []
    for row in rows:
        if not schema:
            schema = {name: _field(name, value) for name, value in row.items()}
            writer.add_schema(schema, "saved by Dataset.save")
        pending.append({name: _as_stored(value, schema[name]) for name, value in row.items()})
        if len(pending) == _ROWS_AT_ONCE:
            writer.write_raw_data(pending)
            pending = []
    if not schema:
        raise RuntimeError("Dataset.save: the dataset has no rows, so there is nothing to save.")
    if pending:
        writer.write_raw_data(pending)
    writer.commit()
