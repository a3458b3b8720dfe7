"""`RandomDataset`: rows of a schema, for trials."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.validator_helpers import check_columns
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine._sources.base import SourceDataset
from mindspore_compat.dataset.engine.schema import Schema

__all__ = ["RandomDataset"]


class RandomDataset(SourceDataset):
    """Random rows of a `Schema`'s columns: each value repeats one random byte, as in MindSpore.

    Args:
        total_rows: how many; default the schema's number of rows, else 16.
        schema: a `Schema` or its JSON file. columns_list: the columns to give.
    """

    def __init__(
        self,
        total_rows: int | None = None,
        schema: Any = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
        shuffle: bool | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        if schema is None:
            raise UnsupportedError("RandomDataset without a schema is not supported; give a mindspore.dataset.Schema.")
        super().__init__(num_parallel_workers, cache)
        self._schema = Schema(schema) if isinstance(schema, str) else schema
        known = [column["name"] for column in self._schema.columns]
        self._names = check_columns(columns_list, "columns_list") if columns_list else known
        self._made_for: Any = None
        self._rows: list[Row] = []
        self._num_rows = total_rows or num_samples or self._schema.num_rows or 16

    def _column_names(self) -> list[str]:
        return list(self._names)

    def _size(self) -> int:
        return self._num_rows

    def _is_indexed(self) -> bool:
        return True

    def _order(self, run: Run) -> np.ndarray:
        if run.session is not self._made_for:  # all at once, and the same in every pass
            engine = run.order_of(self).first().engine()
            self._rows = [self._row(engine) for _ in range(self._num_rows)]
            self._made_for = run.session
        return np.arange(self._num_rows)

    def _row(self, engine: MersenneTwister) -> Row:
        values = {column["name"]: self._value(column, engine) for column in self._schema.columns}
        return tuple(values[name] for name in self._names)

    def _fetch(self, index: np.ndarray) -> list[Row]:
        return [tuple(map(np.array, self._rows[i])) for i in index]

    @staticmethod
    def _value(column: dict[str, Any], engine: MersenneTwister) -> np.ndarray:
        sizes = column.get("shape", [1])
        dtype, shape = numpy_dtype(column["type"]), [engine.integer(1, 32) if n < 0 else n for n in sizes]
        byte = engine.integer(0, 255)
        if dtype.kind == "U":
            return np.full(shape, chr(97 + byte % 26) * 4)
        if dtype.kind == "b":
            return np.full(shape, byte % 2 == 1)
        return np.full(shape, np.frombuffer(bytes([byte]) * dtype.itemsize, dtype)[0])
