"""One iterator's run through a pipeline: its seed, its workers, and how far repeats have come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.randomness import DEFAULT_SEED, Key, chosen_seed, fresh_seed
from mindspore_compat.dataset.engine._workers import Executor, ProcessExecutor, SerialExecutor, Task, ThreadExecutor

if TYPE_CHECKING:
    from mindspore_compat.dataset.engine.datasets import Dataset

__all__ = ["Parallelism", "Run", "Session"]


@dataclass(frozen=True)
class Parallelism:
    """How many worker processes (Python functions) and threads (GIL-free operations) a node asks for; 0 means none."""

    processes: int = 0
    threads: int = 0

    def __or__(self, other: Parallelism) -> Parallelism:
        return Parallelism(max(self.processes, other.processes), max(self.threads, other.threads))


class Session:
    """State shared by all nodes while one iterator lives; a serial one starts no workers."""

    def __init__(self, root: Dataset, is_serial: bool = False) -> None:
        self._is_serial = is_serial or config.get_debug_mode()
        seed = chosen_seed()
        self.is_seeded = seed is not None
        self.seed = fresh_seed() if seed is None else seed
        self._numbers = {id(node): number for number, node in enumerate(_walk(root))}
        self._executors: dict[int, Executor] = {}
        for node in _walk(root):
            node._begin_session()

    def epoch(self, number: int) -> Run:
        """The run of one epoch, counted from 0."""
        return Run(self, (self.seed, number), number)

    def number(self, node: Dataset) -> int:
        """A node's place in the tree; nodes made while running (flat_map) get theirs on first sight."""
        return self._numbers.setdefault(id(node), len(self._numbers))

    def map(
        self, node: Dataset, function: Callable[[Any], Any], tasks: Iterable[Task], parallelism: Parallelism
    ) -> Iterator[Any]:
        """Run `function` over `tasks` in the way that `node` asks for; its workers are started once."""
        number = self.number(node)
        executor = self._executors.get(number)
        if executor is None:
            executor = self._executors[number] = self._start(function, parallelism, number)
        return executor.map(tasks)

    def _start(self, function: Callable[[Any], Any], parallelism: Parallelism, number: int) -> Executor:
        if self._is_serial:
            return SerialExecutor(function)
        if parallelism.processes > 1:
            return ProcessExecutor(function, parallelism.processes, self.seed + number)
        if parallelism.threads > 1:
            return ThreadExecutor(function, parallelism.threads)
        return SerialExecutor(function)

    def close(self) -> None:
        """Stop all workers; the session cannot be used afterwards."""
        for executor in self._executors.values():
            executor.close()
        self._executors.clear()


@dataclass(frozen=True)
class Run:
    """One pass over a node: `key` makes its randomness, `pass_number` counts passes over all epochs and repeats."""

    session: Session
    key: Key
    pass_number: int

    def repeated(self, index: int, count: int) -> Run:
        """The run of the child's `index`-th pass within this one; `count` passes make one of ours."""
        return replace(self, key=(*self.key, index), pass_number=self.pass_number * count + index)

    def rng(self, node: Dataset) -> np.random.Generator:
        """The generator that orders `node`'s samples in this pass.

        With a chosen seed it is the same for all nodes, as upstream: zipped sources that are shuffled alike stay
            aligned.
        Without one they differ.
        """
        return np.random.default_rng((*self.key, 0 if self.session.is_seeded else self.session.number(node)))

    def shared_rng(self, round_number: int) -> np.random.Generator:
        """The generator for samplers whose order all shards must agree on, also where nobody chose a seed."""
        if self.session.is_seeded:
            return np.random.default_rng((*self.key, 0))
        return np.random.default_rng((DEFAULT_SEED, round_number, *self.key[1:]))

    def task_key(self, node: Dataset, index: int) -> Key:
        """Randomness of the `index`-th task of `node` in this pass."""
        return (*self.key, self.session.number(node), index)


def _walk(node: Dataset) -> Iterator[Dataset]:
    yield node
    for child in node.children:
        yield from _walk(child)
