"""Names, types and shapes of columns. MindSpore: ``mindspore.dataset.Schema``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.validator_helpers import check_file, check_pos_int32, type_check, type_check_list

__all__ = ["Schema"]


class Schema:
    """Columns of a dataset, from `add_column` or a JSON file of MindSpore's format."""

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: list[dict[str, Any]] = []
        self.dataset_type = ""
        self.num_rows = 0
        if schema_file is not None:
            check_file(schema_file)
            try:
                with open(schema_file, encoding="utf-8") as stream:
                    self.from_json(json.load(stream))
            except (ValueError, KeyError, RecursionError) as error:
                raise ValueError(f"{schema_file} is no schema: {error}") from error
            except (TypeError, AttributeError, RuntimeError, OverflowError) as error:
                raise type(error)(f"{schema_file} is no schema: {error}") from error

    def add_column(self, name: str, de_type: Any, shape: Sequence[int] | None = None) -> None:
        """Add a column; `shape` None leaves it open, -1 leaves one size open."""
        column: dict[str, Any] = {"name": name, "type": _type_name(de_type)}
        if shape is not None:
            type_check(shape, (list, tuple), "shape")
            type_check_list(shape, int, "shape")
            column["rank"], column["shape"] = len(shape), list(shape)
        else:
            column["rank"] = 1
        self.columns.append(column)

    def parse_columns(self, columns: Any) -> None:
        """Replace the columns by a list of dicts with name, type, shape, or a dict of such dicts by name
        (the columns then stand in the order of their names, as in MindSpore).
        """
        type_check(columns, (list, dict), "columns")
        self.columns = []
        items = [{"name": k, **v} for k, v in sorted(columns.items())] if isinstance(columns, dict) else columns
        for item in items:
            self.add_column(item["name"], item["type"], item.get("shape", [] if item.get("rank") == 0 else None))

    def from_json(self, json_obj: dict[str, Any]) -> None:
        """Replace everything by the parsed output of `to_json`."""
        type_check(json_obj, dict, "json_obj")
        self.dataset_type = json_obj.get("datasetType", "")
        if "numRows" in json_obj:
            check_pos_int32(json_obj["numRows"], "numRows")
            self.num_rows = json_obj["numRows"]
        self.parse_columns(json_obj.get("columns", []))

    def to_json(self) -> str:
        """Return a JSON text."""
        content: dict[str, Any] = {"columns": [dict(sorted(c.items())) for c in self.columns]}
        if self.dataset_type:
            content["datasetType"] = self.dataset_type
        if self.num_rows:
            content["numRows"] = self.num_rows
        return json.dumps(content, indent=2)

    @staticmethod
    def get_num_rows(schema: Schema | str) -> int:
        """Return the number of rows given by a schema, or the JSON file of one; 0 without one."""
        return (schema if isinstance(schema, Schema) else Schema(schema)).num_rows

    def __str__(self) -> str:
        return self.to_json()


def _type_name(data_type: Any) -> str:
    dtype = numpy_dtype(data_type)
    return "string" if dtype.kind == "U" else np.dtype(dtype).name
