"""One iterator's run through a pipeline: its seed, its workers, and how far repeats have come
(docs/design/pipeline.md).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.errors import with_file
from mindspore_compat.dataset.core.randomness import Key, Order, Streams, chosen_seed, fresh_seed, narrowed
from mindspore_compat.dataset.core.validator_helpers import cpu_count
from mindspore_compat.dataset.engine._execution.processes import ProcessExecutor
from mindspore_compat.dataset.engine._execution.workers import Executor, SerialExecutor, Task, ThreadExecutor

if TYPE_CHECKING:
    from mindspore_compat.dataset.engine._node import Node
    from mindspore_compat.dataset.engine._sampler_base import BuiltinSampler

__all__ = ["Parallelism", "Run", "Session"]


@dataclass(frozen=True)
class Parallelism:
    """What a node asks for: worker processes, threads, or to run in the thread that iterates (`here`: Python code of
    the user, which may keep state or draw from generators that all share). Without any of them it goes along with its
    neighbours. `ordered`: with a chosen seed its rows go through one thread, as operations draw in their order.
    """

    processes: int = 0
    threads: int = 0
    here: bool = False
    ordered: bool = False

    def __or__(self, other: Parallelism) -> Parallelism:
        return Parallelism(
            max(self.processes, other.processes),
            max(self.threads, other.threads),
            self.here or other.here,
            self.ordered or other.ordered,
        )


class Stage:
    """Nodes of a chain that run in one place, one after another, on the columns of a batch; can be sent to worker
    processes.
    """

    def __init__(self) -> None:
        self.source: Node | None = None  # of the chain, the first of the stages' nodes
        self.nodes: list[tuple[Node, int]] = []
        self.last: Callable[[Any, Any], Any] | None = None
        self.parallelism = Parallelism()
        self.streams: dict[int, Streams] = {}

    def __call__(self, work: tuple[Any, Any]) -> Any:
        (what, rows), value = work
        try:
            for node, number in self.nodes:
                with narrowed(number, self.streams.get(number)):
                    value = node._step(value)
        except RuntimeError as error:
            place = getattr(error, "row", 0)
            file = self.source._file_of(rows[place]) if self.source is not None and place < len(rows) else ""
            raise with_file(error, file) from error.__cause__
        return ((what, rows), value) if self.last is None else self.last(what, value)


def _in_order(streams: Streams, function: Callable[[Any], Any], work: Any) -> Any:
    with narrowed(0, streams):
        return function(work)


def _stages(nodes: list[tuple[Node, int]], wanted: list[Parallelism], own: Parallelism) -> list[Stage]:
    """A chain, source first, cut where Python code of the user has to run in the thread that iterates, and where rows
    have to stay in order.
    """
    together = own.processes or max(each.processes for each in wanted)
    stages = [Stage()]
    for item, asked in [*zip(nodes, wanted, strict=True), (None, own)]:
        stage = stages[-1]
        is_other = Parallelism() not in (asked, stage.parallelism) and (asked.here, asked.ordered) != (
            stage.parallelism.here,
            stage.parallelism.ordered,
        )
        if is_other and not together:
            stage = Stage()
            stages.append(stage)
        stage.parallelism |= asked
        if item is not None:
            stage.nodes.append(item)
    for stage in stages:
        stage.source = nodes[0][0]
    return stages


class Session:
    """State shared by all nodes while one iterator lives; a serial one starts no workers."""

    def __init__(self, root: Node, is_serial: bool = False) -> None:
        self._is_serial = is_serial or config.get_debug_mode()
        seed = chosen_seed()
        self.is_seeded = seed is not None
        self.seed = fresh_seed() if seed is None else seed
        self._numbers = {id(node): number for number, node in enumerate(_walk(root))}
        self._executors: dict[tuple[int, int], Executor] = {}
        self._stages: dict[int, list[Stage]] = {}
        self._samplers: dict[int, BuiltinSampler] = {}
        self._orders: dict[int, dict] = {}  # for `Order`
        self._drawn: dict[int, Streams] = {}
        self._nodes: dict[int, Any] = dict(enumerate(_walk(root)))
        for node in self._nodes.values():
            node._begin_session()
            if hasattr(node, "sampler"):
                self.sampler_of(node)

    def epoch(self, number: int) -> Run:
        """The run of one epoch, counted from 0."""
        return Run(self, (self.seed, number), number, number)

    def number(self, node: Node) -> int:
        """A node's place in the tree; nodes made while running (flat_map) get theirs on first sight."""
        return self._numbers.setdefault(id(node), len(self._numbers))

    def order_of(self, node: Node, passes: int, seed: int | None = None) -> Order:
        """What orders `node`'s rows after so many passes; `seed` stands in for the session's."""
        number = self.number(node)
        if seed is None:
            seed = self.seed if self.is_seeded else self.seed + number * 0x9E3779B9
        return Order(seed, passes, self._orders.setdefault(number, {}))

    def sampler_of(self, node: Any) -> BuiltinSampler:
        """A source's sampler as it stood when the session began: each iterator has its own, as upstream."""
        number = self.number(node)
        if number not in self._samplers:
            self._samplers[number] = node.sampler.apart(getattr(node, "source", None))
        return self._samplers[number]

    def pass_over(self, epochs: int) -> None:
        """Epochs that are not read: a user's sampler still gives an order in each, for it may keep a state."""
        for place, sampler in self._samplers.items():
            for number in range(epochs if sampler.is_users() else 0):
                self._nodes[place]._pass_over(self.epoch(number))

    def fetch(
        self, top: Node, last: Callable[[Any, Any], Any], tasks: Iterable[Task], own: Parallelism
    ) -> Iterator[Any]:
        """For tasks of (what, row numbers): ``last(what, columns)`` with the columns that `top` and the nodes below it
        make of them.

        `own` is what `last` asks for.
        """
        number = self.number(top)
        if number not in self._stages:
            nodes = [(node, self.number(node)) for node in reversed(list(_walk(top)))]
            wanted = [self._asked(node._parallelism()) for node, _ in nodes]
            self._stages[number] = _stages(nodes, wanted, own)
            self._stages[number][-1].last = last
            for stage in self._stages[number]:
                if not stage.parallelism.processes:
                    asked = {place: one for (_, place), one in zip(nodes, wanted, strict=True) if one.ordered}
                    stage.streams = {place: self._streams(place) for _, place in stage.nodes if place in asked}
        tasks = ((key, ((what, rows), rows)) for key, (what, rows) in tasks)
        for place, stage in enumerate(self._stages[number]):
            tasks = self._with_keys((number, place), stage, tasks)
        return (result for _, result in tasks)

    def _with_keys(self, place: tuple[int, int], stage: Stage, tasks: Iterable[Task]) -> Iterator[Task]:
        keys: deque[Key] = deque()

        def noted() -> Iterator[Task]:
            for task in tasks:
                keys.append(task[0])
                yield task

        for result in self._executor(place, stage, stage.parallelism).map(noted()):
            yield keys.popleft(), result

    def map(
        self, node: Node, function: Callable[[Any], Any], tasks: Iterable[Task], parallelism: Parallelism
    ) -> Iterator[Any]:
        """Run `function` over `tasks` as `node` asks; its workers are started once."""
        number, parallelism = self.number(node), self._asked(parallelism)
        if parallelism.ordered:
            function = partial(_in_order, self._streams(number), function)
        return self._executor((number, 0), function, parallelism).map(tasks)

    def _asked(self, parallelism: Parallelism) -> Parallelism:
        """What a node asks for, as this session takes it."""
        if parallelism.ordered and not self.is_seeded:
            return replace(parallelism, ordered=False)
        return replace(parallelism, threads=1) if parallelism.ordered and parallelism.threads else parallelism

    def draws_in_order(self) -> bool:
        """Whether operations draw row after row, so that what a row becomes depends on those before it."""
        return any(self._asked(node._parallelism()).ordered for node in self._nodes.values())

    def _streams(self, number: int) -> Streams:
        return self._drawn.setdefault(number, Streams(self.seed))

    def _executor(self, place: tuple[int, int], function: Callable[[Any], Any], parallelism: Parallelism) -> Executor:
        executor = self._executors.get(place)
        if executor is None:
            executor = self._executors[place] = self._start(function, parallelism)
        return executor

    def _start(self, function: Callable[[Any], Any], parallelism: Parallelism) -> Executor:
        if self._is_serial:
            return SerialExecutor(function)
        if parallelism.processes:
            return ProcessExecutor(function, parallelism.processes)
        if parallelism.threads and not parallelism.here:
            return ThreadExecutor(function, min(parallelism.threads, max(cpu_count(), 1)))
        return SerialExecutor(function)

    def close(self) -> None:
        """Stop all workers; the session cannot be used afterwards."""
        for executor in self._executors.values():
            executor.close()
        self._executors.clear()


@dataclass(frozen=True)
class Run:
    """One pass over a node: `key` makes its randomness, `pass_number` counts passes over all epochs and repeats,
    `epoch` the iterator's epochs, whose first and last pass it may be. `seed` stands in for the session's where rows
    are ordered.
    """

    session: Session
    key: Key
    pass_number: int
    epoch: int
    is_first: bool = True
    is_last: bool = True
    seed: int | None = None

    def repeated(self, index: int, count: int) -> Run:
        """The run of the child's `index`-th pass within this one; `count` passes make one of ours, -1: without end."""
        return replace(
            self,
            key=(*self.key, index),
            pass_number=self.pass_number * max(count, 1) + index,
            is_first=self.is_first and index == 0,
            is_last=self.is_last and index == count - 1,
        )

    def order_of(self, node: Node) -> Order:
        """What orders `node`'s rows in this pass.

        With a chosen seed it is the same for all nodes, as upstream: zipped sources that are shuffled alike stay
        aligned. Without one they differ.
        """
        return self.session.order_of(node, self.pass_number, self.seed)

    def task_key(self, node: Node, index: int) -> Key:
        """Randomness of the `index`-th task of `node` in this pass."""
        return (*self.key, self.session.number(node), index)


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)
