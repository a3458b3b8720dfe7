"""Progress of long work on a file."""

from __future__ import annotations

import sys

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None

_QUIET_BYTES = 1 << 28  # work on less than this shows no progress


class Bar:
    """Terminal bar for the done share of a number of bytes, if they are many: tqdm's where it is installed."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._shown = max(total, 1), 0, -1
        self._is_shown = total > _QUIET_BYTES and sys.stderr.isatty()
        self._bar = tqdm(total=total, unit="B", unit_scale=True) if tqdm and self._is_shown else None

    def add(self, count: int) -> None:
        count = min(count, self._total - self._done)  # headers are not in the total
        self._done += count
        if self._bar is not None:
            self._bar.update(count)
            if self._done == self._total:
                self._bar.close()
            return
        percent = 100 * self._done // self._total
        if self._is_shown and percent != self._shown:
            self._shown = percent
            print(
                f"\r[{'#' * (percent // 4):25}] {percent:3} %",
                end="\n" if percent == 100 else "",
                file=sys.stderr,
                flush=True,
            )
