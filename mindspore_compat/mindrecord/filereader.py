"""Reader of MindRecord files, row by row. MindSpore: ``mindspore.mindrecord.FileReader``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mindspore_compat.mindrecord._file import Shard, shard_paths

__all__ = ["FileReader"]


class FileReader:
    """Reader of rows as dicts, in their order, once: no row twice, and none after `close`, as in MindSpore.

    Args:
        file_name: one name stands for all shards written with it; a list for just those files.
        num_consumer: without effect (MindSpore's reader threads).
        columns: fields to read, default all.
        operator: not supported; filter the rows instead.

    Raises: RuntimeError where files are missing; MRMOpenError where they are broken.
    """

    def __init__(
        self, file_name: str | list[str], num_consumer: int = 4, columns: list[str] | None = None, operator: Any = None
    ) -> None:
        if operator is not None:
            raise NotImplementedError("FileReader: 'operator' is not supported; filter the rows instead.")
        self._shards = [Shard(path) for path in shard_paths(file_name)]
        self._columns = columns or sorted(self._shards[0].schema)
        self._rows, self._closed = self._read(), False

    def get_next(self) -> Iterator[dict[str, Any]]:
        """Yield the rows that were not read yet; bytes fields as bytes."""
        for row in self._rows:  # noqa: UP028 — `yield from` would end the rows with the first loop that is left
            yield row

    def _read(self) -> Iterator[dict[str, Any]]:
        schema = self.schema()
        for shard in self._shards:
            for number in range(len(shard)):
                if self._closed:
                    return
                row = shard.row(number, self._columns)
                yield {k: v.tobytes() if schema[k]["type"] == "bytes" else v for k, v in row.items()}

    def schema(self) -> dict[str, dict[str, Any]]:
        """Return the fields' types and shapes."""
        return self._shards[0].schema

    def len(self) -> int:
        """Return number of rows."""
        return sum(len(shard) for shard in self._shards)

    def close(self) -> None:
        """Close the files."""
        self._closed = True
        for shard in self._shards:
            shard.close()
