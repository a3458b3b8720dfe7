"""Row source of an iterator: a session of this process, or a separate process that runs the whole pipeline
(``MS_INDEPENDENT_DATASET=True``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice, repeat
from typing import Any, Protocol

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.independent import is_independent, refuse_if_independent
from mindspore_compat.dataset.core.randomness import chosen_seed
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Session, walk
from mindspore_compat.dataset.engine._execution.workers import ProcessExecutor


class Epochs(Protocol):
    """The epochs of an iterator, read in turn."""

    def epoch(self, number: int) -> Iterator[Row]: ...

    def close(self) -> None: ...


def epochs_of(dataset: Any, first: int, skip: int) -> Epochs:
    """Return epochs from `first` on; that one begins `skip` rows late."""
    if is_independent() and not config.get_debug_mode():
        return _Apart(dataset, first, skip)
    return _Here(dataset, first, skip)


class _Here:
    def __init__(self, dataset: Any, first: int, skip: int) -> None:
        self._dataset, self._skip = dataset, skip
        self._session = Session(dataset)
        if first or skip:
            if self._session.draws_in_order():  # also for rows that are left out
                for number in range(first):
                    deque(dataset._stream(self._session.epoch(number)), maxlen=0)
            else:
                self._session.pass_over(first)

    def epoch(self, number: int) -> Iterator[Row]:
        run, skip, self._skip = self._session.epoch(number), self._skip, 0
        if skip and self._dataset._is_indexed() and not self._session.draws_in_order():
            # rows that have numbers are left out without being read
            return self._dataset.skip(skip)._stream(run)
        return islice(self._dataset._stream(run), skip, None)

    def close(self) -> None:
        self._session.close()


class _Apart:
    def __init__(self, dataset: Any, first: int, skip: int) -> None:
        for node in walk(dataset):
            if getattr(node, "callbacks", None):
                refuse_if_independent("Dataset Callbacks")
        if dataset.is_sync():
            refuse_if_independent("Dataset sync wait")
        self._executor = ProcessExecutor(_InProcess(dataset, first, skip), 1, seed=chosen_seed(), draws_on=True)

    def epoch(self, number: int) -> Iterator[Row]:
        for row in self._executor.map(repeat(((number,), number))):
            if row is None:
                break
            yield row

    def close(self) -> None:
        self._executor.close()


class _InProcess:
    """Work of the separate process: return the next row of the current epoch, None after its last."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments
        self._epochs: _Here | None = None
        self._number: int | None = None
        self._rows: Iterator[Row] = iter(())

    def __call__(self, number: int) -> Row | None:
        if self._epochs is None:
            self._epochs = _Here(*self._arguments)
        if number != self._number:
            self._number, self._rows = number, self._epochs.epoch(number)
        return next(self._rows, None)
