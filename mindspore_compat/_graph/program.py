"""`program`: what captures (`mindspore_compat._graph`) have to know of the program that runs, through one object."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from mindspore_compat._runtime import placement

__all__ = ["Program", "program"]


class Program:
    """Counters of changes, and the recorder that is at work.

    Attributes:
        epoch: counts changes that may make a Cell compute something else: attributes, flags, requires_grad, the memory
            of a Parameter; not its values.
        structure: counts changes of what Cells consist of: children and Parameters.
        moved: counts tensors that got other memory.
        writes: counts updates of Parameters' values: by optimizers, ``set_data`` and operators, by replayed steps.
        evaluated: what replays calls that nothing differentiates, ``_graph.replay.replay.evaluated``.
        recorder: what writes down the operators of a step at the moment, None if nothing does.
        recording: counts recordings.
        parallel: what runs a network over several processes (``parallel._modes``), None where each process computes for
            itself.
    """

    __slots__ = ("epoch", "evaluated", "moved", "parallel", "recorder", "recording", "structure", "writes")

    def __init__(self) -> None:
        self.epoch = self.structure = self.moved = self.writes = self.recording = 0
        self.recorder: Any = None
        self.evaluated: Any = None
        self.parallel: Any = None

    def changed(self) -> None:
        """Something that no Cell holds changed: whether a Parameter needs a gradient, a mode."""
        self.epoch += 1

    def cell_made(self, cell: dict[str, Any]) -> None:
        """A Cell is made; ``cell`` is its dict. What a step makes and changes in itself is no change of the program."""
        if self.recorder is not None:
            cell["_made_in"] = self.recording

    def cell_changed(self, cell: dict[str, Any]) -> None:
        """A Cell may compute something else from now on: what was captured of it no longer holds."""
        if self.recorder is not None and cell.get("_made_in") == self.recording:
            return
        self.epoch += 1
        cell["_version"] = self.epoch  # no two states of any Cells share it

    def cell_restructured(self, cell: dict[str, Any]) -> None:
        """A Cell has other children or Parameters from now on."""
        self.structure += 1
        self.cell_changed(cell)

    def memory_moved(self) -> None:
        """A tensor is in another place from now on."""
        self.epoch += 1
        self.moved += 1

    def values_written(self) -> None:
        """A Parameter has other values from now on."""
        self.writes += 1

    def recorder_here(self) -> Any:
        """The recorder, if this thread is the one that it records."""
        recorder = self.recorder
        return recorder if recorder is not None and recorder.thread == threading.get_ident() else None

    @contextlib.contextmanager
    def unrecorded(self) -> Iterator[None]:
        """What runs inside is not recorded."""
        recorder = self.recorder_here()
        with contextlib.nullcontext() if recorder is None else recorder.pause():
            yield

    def not_repeatable(self, why: str) -> None:
        """Called within a computation that does more than its operators show; without effect where nothing is
        recorded.
        """
        recorder = self.recorder_here()
        if recorder is not None:
            recorder.give_up(why)


program = Program()
placement.unrecorded = program.unrecorded
