"""One iterator's run through a pipeline: its seed, workers and repeats, and the parallel stages of a chain of nodes
(docs/design/dataset.md).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.errors import failed_pipeline, with_file
from mindspore_compat.dataset.core.randomness import (
    DirectStreams,
    Key,
    Order,
    Streams,
    chosen_seed,
    fresh_seed,
    narrowed,
)
from mindspore_compat.dataset.core.validator_helpers import cpu_count
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.rng_workers import InLanes, Lanes, RoundRobin, WorkerTask, some_rows
from mindspore_compat.dataset.engine._execution.workers import (
    Executor,
    ProcessExecutor,
    SerialExecutor,
    Task,
    ThreadExecutor,
)

#: in the place of a node's number: the caller of the chain
OWN = -1


@dataclass(frozen=True)
class Parallelism:
    """Parallelism of a node: worker processes, threads, or the iterating thread (`here`: the user's Python code, which
    may keep state or draw from global generators). Without any of them the node runs with its neighbours.

    With a chosen seed rows draw from so many `lanes` (`rng_workers.Lanes`), as from MindSpore's workers; the rows of
    one lane go through one thread. `restarts`: see there; `is_direct`: MindSpore's are processes, which call operations
    directly.
    """

    processes: int = 0
    threads: int = 0
    here: bool = False
    lanes: int = 0
    restarts: bool = False
    is_direct: bool = False

    def __or__(self, other: Parallelism) -> Parallelism:
        return Parallelism(
            max(self.processes, other.processes),
            max(self.threads, other.threads),
            self.here or other.here,
            max(self.lanes, other.lanes),
        )

    def is_apart(self, other: Parallelism) -> bool:
        """Return whether nodes with these parallelisms cannot run in one place."""
        if Parallelism() in (self, other):
            return False
        return bool(self.processes or other.processes) or (self.here, self.lanes == 1) != (other.here, other.lanes == 1)


#: (what it is for, the numbers of its rows), their columns (at first the numbers), the nodes' tickets.
Work = tuple[tuple[Any, Any], Any, dict[int, WorkerTask]]


class Stage:
    """Nodes of a chain that run in one place, one after another, on the columns of a batch; can be sent to worker
    processes.
    """

    def __init__(self) -> None:
        self.source: Any = None  # of the chain, the first of the stages' nodes
        self.nodes: list[tuple[Any, int]] = []
        self.last: Callable[[Any, Any], Any] | None = None
        self.parallelism = Parallelism()
        self.owner: int | None = None  # the node whose lanes are processes

    def __call__(self, work: Work) -> Any:
        (what, rows), value, tickets = work
        try:
            for node, number in self.nodes:
                with narrowed(number):
                    ticket = tickets.get(number)
                    value = node._step(value) if ticket is None else node._step_in_lanes(value, ticket)
        except BaseException as error:
            for ticket in tickets.values():
                ticket.give_up()
            if not isinstance(error, RuntimeError):
                raise
            place = getattr(error, "row", 0)
            file = self.source._file_of(rows[place]) if self.source is not None and place < len(rows) else ""
            raise with_file(error, file) from error.__cause__
        if self.last is None:
            return (what, rows), value, tickets
        return self.last(what, value)

    @property
    def in_process(self) -> Stage:
        """The part that a process runs."""
        return self

    @property
    def is_split(self) -> bool:
        """True if processes get lanes of this stage."""
        return self.owner is not None

    def split(self, work: Work) -> list[tuple[int, Work]]:
        """Return the work of each process: (its number, its work)."""
        (what, rows), value, tickets = work
        parts = tickets[self.owner].parts  # type: ignore[index]
        if self.owner == OWN:
            return [(lane, ((what, rows), value, {})) for lane, _, _ in parts]

        def some(places: Any) -> Any:
            return value[places] if isinstance(value, np.ndarray) else [some_rows(column, places) for column in value]

        return [(lane, ((what, rows[places]), some(places), {})) for lane, places, _ in parts]

    def join(self, work: Work, results: list[Any]) -> Any:
        """Return the joined results of the processes."""
        if self.owner == OWN:
            return results[0] if results else None
        what, _, tickets = work
        return what, tickets[self.owner].together([value for _, value, _ in results]), tickets  # type: ignore[index]


def stages_of(nodes: list[tuple[Any, int]], wanted: list[Parallelism], own: Parallelism) -> list[Stage]:
    """Return the stages of a chain, source first. Cuts are where the user's Python code must run in the iterating
    thread, and where rows must stay in order; where a seed gives processes lanes, each node has its own.
    """
    together = any(each.processes and not each.lanes for each in [*wanted, own])
    stages = [Stage()]
    for item, asked in [*zip(nodes, wanted, strict=True), (None, own)]:
        stage = stages[-1]
        is_last = item is None and stage.owner is not None and not asked.processes
        if not together and (is_last or asked.is_apart(stage.parallelism)):
            stage = Stage()
            stages.append(stage)
        stage.parallelism |= asked
        if asked.processes and asked.lanes:
            stage.owner = OWN if item is None else item[1]
        if item is not None:
            stage.nodes.append(item)
    for stage in stages:
        stage.source = nodes[0][0]
    return stages


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


if TYPE_CHECKING:
    from mindspore_compat.dataset.engine.samplers import BuiltinSampler


class Session:
    """State shared by all nodes while one iterator lives; a serial one starts no workers."""

    def __init__(self, root: Any, is_serial: bool = False) -> None:
        self._is_serial = is_serial or config.get_debug_mode()
        seed = chosen_seed()
        self.is_seeded = seed is not None
        self.seed = fresh_seed() if seed is None else seed
        self._numbers = {id(node): number for number, node in enumerate(walk(root))}
        self._executors: dict[tuple[int, int], Executor] = {}
        self._chains: dict[int, tuple[list[Stage], dict[int, Lanes]]] = {}
        self._samplers: dict[int, BuiltinSampler] = {}
        self._orders: dict[int, dict] = {}  # for `Order`
        self._lanes: dict[int, Lanes] = {}
        self._left: dict[int, list[Iterator[Any]]] = {}
        self._good_rows: dict[int, GoodRows] = {}
        self._nodes: dict[int, Any] = dict(enumerate(walk(root)))
        for node in self._nodes.values():
            node._begin_session()
            if hasattr(node, "sampler"):
                self.sampler_of(node)

    def epoch(self, number: int) -> Run:
        """Return the run of one epoch, counted from 0."""
        return Run(self, (self.seed, number), number, number)

    def number(self, node: Any) -> int:
        """Return a node's place in the tree; nodes made while running (flat_map) are numbered on first use."""
        return self._numbers.setdefault(id(node), len(self._numbers))

    def order_of(self, node: Any, passes: int, seed: int | None = None) -> Order:
        """Return the order of `node`'s rows after so many passes; `seed` replaces the session's."""
        number = self.number(node)
        if seed is None:
            seed = self.seed if self.is_seeded else self.seed + number * 0x9E3779B9
        return Order(seed, passes, self._orders.setdefault(number, {}))

    def sampler_of(self, node: Any) -> BuiltinSampler:
        """Return a source's sampler in its state at the session's start: each iterator has its own, as in MindSpore."""
        number = self.number(node)
        if number not in self._samplers:
            self._samplers[number] = node.sampler.independent(getattr(node, "source", None))
        return self._samplers[number]

    def pass_over(self, epochs: int) -> None:
        """Skip epochs. A user's sampler still gives an order in each, for it may keep a state."""
        for place, sampler in self._samplers.items():
            for number in range(epochs if sampler.is_users() else 0):
                self._nodes[place]._pass_over(self.epoch(number))

    def fetch(
        self, top: Any, last: Callable[[Any, Any], Any], tasks: Iterable[Task], own: Parallelism
    ) -> Iterator[Any]:
        """Yield ``last(what, columns)`` for tasks of (``what``, row numbers), with the columns that `top` and the nodes
        below it make.

        `own` is the parallelism of `last`.
        """
        number = self.number(top)
        if number not in self._chains:
            self._chains[number] = self._cut(top, last, self._asked(own))
        stages, drawing = self._chains[number]
        if OWN in drawing:
            drawing[OWN].expect(math.inf)
        turns = {place: RoundRobin(lanes) for place, lanes in drawing.items()}

        def with_tickets() -> Iterator[Task]:
            for key, (what, rows) in tasks:
                own_rows = 0 if what is None else 1  # MindSpore's batch does not see the rows that it drops
                tickets = {n: each.ticket(own_rows if n == OWN else len(rows)) for n, each in turns.items()}
                yield key, ((what, rows), rows, tickets)

        results: Iterator[Task] = with_tickets()
        for place, stage in enumerate(stages):
            results = self._with_keys((number, place), stage, results)
        try:
            for _, result in results:
                yield result
        finally:
            for lanes in drawing.values():
                lanes.finish()

    def _cut(self, top: Any, last: Callable[[Any, Any], Any], own: Parallelism) -> tuple[list[Stage], dict[int, Lanes]]:
        """Return the stages of a chain, and the lanes of its nodes."""
        nodes = [(node, self.number(node)) for node in reversed(list(walk(top)))]
        wanted = [self._asked(node._parallelism()) for node, _ in nodes]
        stages = stages_of(nodes, wanted, own)
        stages[-1].last = last
        drawing = {place: self._lanes_of(node) for node, place in nodes}
        found = {place: lanes for place, lanes in drawing.items() if lanes is not None}
        return stages, found | ({OWN: self._new_lanes(own, OWN, ())} if own.lanes else {})

    def _with_keys(self, place: tuple[int, int], stage: Stage, tasks: Iterable[Task]) -> Iterator[Task]:
        keys: deque[Key] = deque()

        def noted() -> Iterator[Task]:
            for task in tasks:
                keys.append(task[0])
                yield task

        for result in self._executor(place, stage, stage.parallelism).map(noted()):
            yield keys.popleft(), result

    def map(
        self, node: Any, function: Callable[[Any], Any], tasks: Iterable[Task], parallelism: Parallelism
    ) -> Iterator[Any]:
        """Run `function` over `tasks` with `node`'s parallelism; its workers are started once."""
        number, parallelism = self.number(node), self._asked(parallelism)
        lanes = self._lanes_of(node)
        if lanes is None:
            yield from self._executor((number, 0), function, parallelism).map(tasks)
            return
        lanes.expect(math.inf)
        turns = RoundRobin(lanes)
        with_tickets = ((key, (turns.ticket(1), work)) for key, work in tasks)
        try:
            yield from self._executor((number, 0), InLanes(function), parallelism).map(with_tickets)
        finally:
            lanes.finish()

    def good_rows(self, node: Any) -> GoodRows:
        """Return the good rows of a map with rows that may fail."""
        return self._good_rows.setdefault(self.number(node), GoodRows())

    def _asked(self, parallelism: Parallelism) -> Parallelism:
        """Return a node's parallelism, adapted to this session."""
        if not self.is_seeded:
            return replace(parallelism, lanes=0)
        if self._is_serial:
            return replace(parallelism, processes=0, lanes=min(parallelism.lanes, 1))
        return replace(parallelism, threads=1) if parallelism.lanes == 1 and parallelism.threads else parallelism

    def _lanes_of(self, node: Any) -> Lanes | None:
        """Return the lanes of a node, None where its rows draw from none."""
        number, asked = self.number(node), self._asked(node._parallelism())
        if asked.lanes and number not in self._lanes:
            self._lanes[number] = self._new_lanes(asked, number, node._called_operations)
        return self._lanes.get(number)

    def _new_lanes(self, asked: Parallelism, number: int, called: Sequence[Any]) -> Lanes:
        def make_streams(lane: int) -> Streams:
            if asked.is_direct:
                return DirectStreams(self.seed + lane)
            generator = (self.seed, number, lane) if asked.lanes > 1 else None
            return Streams(self.seed + lane, called, self.seed, generator)

        return Lanes(asked.lanes, asked.restarts, make_streams)

    def expect(self, node: Any, rows: float) -> None:
        """Announce a pass of so many rows over `node`, which is read by row number."""
        lanes = self._lanes_of(node)
        if lanes is not None:
            lanes.expect(rows)

    def draws_in_order(self) -> bool:
        """Return whether operations draw row after row, so that each row depends on those before it."""
        return any(self._lanes_of(node) is not None for node in self._nodes.values())

    def _draws(self, node: Any) -> bool:
        """Return the same for one node; its user functions may draw, too."""
        return self.is_seeded and (self._lanes_of(node) is not None or node._parallelism().here)

    def draws_below(self, top: Any) -> bool:
        """Return whether rows of `top`, or of a node below it, draw row after row."""
        return any(map(self._draws, walk(top)))

    def by_number(self, node: Any) -> bool:
        """Return whether the rows of `node` are read by number. They are not if rows below draw and are more than, or
        in another order than, those that come out.
        """
        is_moved = False
        for each in walk(node) if node._is_indexed() else ():
            if is_moved and self._draws(each):
                return False
            is_moved = is_moved or each._moves_rows
        return node._is_indexed()

    def leave(self, node: Any, rows: Iterator[Any]) -> None:
        """Keep rows that `node` does not need, but MindSpore's engine reads before the next pass."""
        if self.draws_below(node) and all(each.get_repeat_count() != -1 for each in node.children):
            self._left.setdefault(self.number(node), []).append(rows)

    def read_on(self, node: Any) -> None:
        """Read the rows that the last pass over `node` left."""
        for rows in self._left.pop(self.number(node), ()):
            deque(rows, maxlen=0)

    def _executor(self, place: tuple[int, int], function: Callable[[Any], Any], parallelism: Parallelism) -> Executor:
        """Return the workers of a place, started on first use."""
        executor = self._executors.get(place)
        if executor is None:
            executor = self._executors[place] = self._start(function, parallelism)
        return executor

    def _start(self, function: Callable[[Any], Any], parallelism: Parallelism) -> Executor:
        if self._is_serial:
            return SerialExecutor(function)
        if parallelism.processes:
            lanes: Any = function if isinstance(function, (InLanes, Stage)) and function.is_split else None
            # a lane needs a process of its own, as functions draw from the process's generators
            return ProcessExecutor(function, parallelism.lanes or parallelism.processes, lanes, self.seed)
        if parallelism.threads and not parallelism.here:
            return ThreadExecutor(function, min(parallelism.threads, max(cpu_count(), 1)))
        return SerialExecutor(function)

    def close(self) -> None:
        """Stop all workers; the session cannot be used afterwards."""
        self._left.clear()
        for executor in self._executors.values():
            executor.close()
        self._executors.clear()


@dataclass(frozen=True)
class Run:
    """One pass over a node: `key` makes its randomness, `pass_number` counts passes over all epochs and repeats,
    `epoch` is the iterator's. It may be the epoch's first or last pass. `seed` replaces the session's for row orders.
    """

    session: Session
    key: Key
    pass_number: int
    epoch: int
    is_first: bool = True
    is_last: bool = True
    seed: int | None = None

    def repeated(self, index: int, count: int) -> Run:
        """Return the run of the child's `index`-th pass in this one, of `count` passes (-1: endless)."""
        return replace(
            self,
            key=(*self.key, index),
            pass_number=self.pass_number * max(count, 1) + index,
            is_first=self.is_first and index == 0,
            is_last=self.is_last and index == count - 1,
        )

    def order_of(self, node: Any) -> Order:
        """Return the order of `node`'s rows in this pass.

        With a chosen seed it is the same for all nodes, as in MindSpore: zipped sources that are shuffled alike stay
        aligned. Without one they differ.
        """
        return self.session.order_of(node, self.pass_number, self.seed)

    def task_key(self, node: Any, index: int) -> Key:
        """Return the random key of the `index`-th task of `node` in this pass."""
        return (*self.key, self.session.number(node), index)


def walk(node: Any) -> Iterator[Any]:
    """Yield a pipeline's nodes, from its end."""
    yield node
    for child in node.children:
        yield from walk(child)
