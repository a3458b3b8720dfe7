"""`program`: state of the running program for captures (`mindspore_compat._graph`), in one object."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from mindspore_compat._runtime import placement


class Program:
    """Counters of changes, and the active recorder.

    Attributes:
        epoch: counts changes that may make a Cell compute something else: attributes, flags, requires_grad, the memory
            of a Parameter; not its values.
        structure: counts changes of Cells' children and Parameters.
        moved: counts tensors with new memory.
        writes: counts updates of Parameters' values: by optimizers, ``set_data`` and operators, by replayed steps.
        evaluated: replays calls that are not differentiated, ``_graph.replay.replay.evaluated``.
        recorder: the active recorder of a step's operators, None if there is none.
        recording: counts recordings.
        parallel: runs a network over several processes (``parallel._modes``), None where each process computes for
            itself.
    """

    __slots__ = ("epoch", "evaluated", "moved", "parallel", "recorder", "recording", "structure", "writes")

    def __init__(self) -> None:
        self.epoch = self.structure = self.moved = self.writes = self.recording = 0
        self.recorder: Any = None
        self.evaluated: Any = None
        self.parallel: Any = None

    def changed(self) -> None:
        """Report a change outside of Cells: whether a Parameter needs a gradient, a mode."""
        self.epoch += 1

    def cell_made(self, cell: dict[str, Any]) -> None:
        """Report a new Cell; ``cell`` is its dict. A step's changes to its own Cells do not change the program."""
        if self.recorder is not None:
            cell["_made_in"] = self.recording

    def cell_changed(self, cell: dict[str, Any]) -> None:
        """Report that a Cell may compute something else from now on; its captures are no longer valid."""
        if self.recorder is not None and cell.get("_made_in") == self.recording:
            return
        self.epoch += 1
        cell["_version"] = self.epoch  # no two states of any Cells share it

    def cell_restructured(self, cell: dict[str, Any]) -> None:
        """Report that a Cell has other children or Parameters from now on."""
        self.structure += 1
        self.cell_changed(cell)

    def memory_moved(self) -> None:
        """Report that a tensor has another address from now on."""
        self.epoch += 1
        self.moved += 1

    def values_written(self) -> None:
        """Report that a Parameter has other values from now on."""
        self.writes += 1

    def recorder_here(self) -> Any:
        """Return the recorder, if it records this thread."""
        recorder = self.recorder
        return recorder if recorder is not None and recorder.thread == threading.get_ident() else None

    @contextlib.contextmanager
    def unrecorded(self) -> Iterator[None]:
        """Suspend recording."""
        recorder = self.recorder_here()
        with contextlib.nullcontext() if recorder is None else recorder.pause():
            yield

    def not_repeatable(self, why: str) -> None:
        """Report an effect that operators do not show, during a computation; do nothing without a recorder."""
        recorder = self.recorder_here()
        if recorder is not None:
            recorder.give_up(why)


program = Program()
placement.unrecorded = program.unrecorded
