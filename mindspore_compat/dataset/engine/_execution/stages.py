"""Parallelism of the nodes of a chain, and its stages, each for one place (docs/design/dataset.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.errors import with_file
from mindspore_compat.dataset.core.randomness import narrowed
from mindspore_compat.dataset.engine._execution.rng_workers import WorkerTask, some_rows

#: In the place of a node's number: whoever asked for the chain.
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
