"""Rows through a buffer from which they are drawn at random, in MindSpore's order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from mindspore_compat.dataset.core.randomness import Order

_BLOCK = 1024


def through_buffer(rows: Iterator, size: int, order: Order, count: Callable[[], int]) -> Iterator:
    """Yield `rows`, each drawn from a buffer of `size`. The buffer's last row takes the place of the drawn one, and the
    next row is appended. `count`: see `Order.buffer_engine`.
    """
    engine = order.buffer_engine(count)
    buffer = list(islice(rows, size))
    draws: list[int] = []
    for row in rows if len(buffer) == size else ():
        if not draws:
            draws = engine.remainders(np.full(_BLOCK, size))[::-1].tolist()
        place = draws.pop()
        yield buffer[place]
        buffer[place] = buffer[-1]
        buffer[-1] = row
    engine.put_back(len(draws))
    for place in engine.remainders(np.arange(len(buffer), 0, -1)).tolist():
        buffer[place], buffer[-1] = buffer[-1], buffer[place]
        yield buffer.pop()
    order.keep_engine(engine)


def shuffled_places(count: int, size: int, order: Order) -> np.ndarray:
    """Return places 0 to ``count - 1`` in the order in which a buffer of `size` gives them."""
    return np.array(list(through_buffer(iter(range(count)), size, order, lambda: count)), np.int64)


_LARGEST = 10000


def shuffled_rows(rows: np.ndarray, files: int, total: int, shards: int | None, order: Order) -> np.ndarray:
    """Return `rows` read from so many files, of `total` rows for all shards, through the buffer that MindSpore puts
    behind them: it holds four files' worth.
    """
    size = min(-(-total // (shards or 1)) // files * 4, _LARGEST) or _LARGEST
    return rows[shuffled_places(len(rows), size, order)]


def files_in_order(count: int, shards: int | None, order: Order) -> np.ndarray:
    """Return numbers of the files, shuffled once more in each pass: always with the same seed, or, as all shards have
    to agree, with 1, 2, …
    """
    return order.shuffled(count, step=0) if (shards or 1) == 1 else order.shuffled(count, seed=1)
