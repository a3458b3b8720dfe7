"""Progress of long work on a file."""

from __future__ import annotations

import sys

__all__ = ["Bar"]

_QUIET_BYTES = 1 << 28  # work on less than this shows no progress


class Bar:
    """Terminal bar for the done share of a number of bytes, if they are many."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._shown = max(total, 1), 0, -1
        self._is_shown = total > _QUIET_BYTES and sys.stderr.isatty()

    def add(self, count: int) -> None:
        self._done += count
        percent = min(100 * self._done // self._total, 100)
        if self._is_shown and percent != self._shown:
            self._shown = percent
            print(
                f"\r[{'#' * (percent // 4):25}] {percent:3} %",
                end="\n" if percent == 100 else "",
                file=sys.stderr,
                flush=True,
            )
