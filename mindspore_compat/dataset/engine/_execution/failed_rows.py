"""Failing rows of a map: skipped, or replaced by good ones, as ``dataset.config.set_error_samples_mode`` says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mindspore_compat.dataset.core.errors import failed_pipeline
from mindspore_compat.dataset.engine._execution.columns import Row

_MOST = 16


class GoodRows:
    """Good rows that replace failing ones, at most 16 of them, of all passes over a map. MindSpore chooses which row,
    and its place in the pass.
    """

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._kept = self._used = 0  # numbers of rows ever kept, and of replacements

    def replacing(self, rows: Iterable[Row | None]) -> Iterator[Row]:
        """Yield `rows`, with good ones for those that are None: before the next good row while 16 of them wait unused,
        else at the end of the pass.

        Raises:
            RuntimeError: if there is no good one.
        """
        failed = 0
        for row in rows:
            if row is None:
                failed += 1
                continue
            if failed and self._kept - self._used == _MOST:
                failed -= 1
                yield self._next()
            self._keep(row)
            yield row
        for _ in range(failed):
            yield self._next()

    def _keep(self, row: Row) -> None:
        if self._kept - self._used >= _MOST:
            return
        if len(self._rows) < _MOST:
            self._rows.append(row)
        else:
            self._rows[self._kept % _MOST] = row
        self._kept += 1

    def _next(self) -> Row:
        if not self._rows:
            raise failed_pipeline("All data is garbage and cannot be replaced.")
        number, count = self._used, len(self._rows)
        self._used += 1
        return self._rows[number if number < count else (number - _MOST) % count]
