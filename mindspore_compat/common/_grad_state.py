"""What recordings have to know of the program: written all over the package, so it lives below."""

from __future__ import annotations

import threading
from typing import Any

# : counts changes that may make a Cell compute something else: attributes, flags, requires_grad, the memory of a
# Parameter; not its values
epoch = 0
#: counts changes of what Cells consist of: children and Parameters
structure = 0
#: counts tensors that got other memory
moved = 0
#: counts updates of Parameters' values: by optimizers, by ``set_data`` and operators, by replayed steps
writes = 0
#: what writes down the operators of a step at the moment, if anything does
recorder: Any = None
#: counts recordings
recording = 0


def memory_moved() -> None:
    """Say that a tensor is in another place from now on."""
    global epoch, moved
    epoch, moved = epoch + 1, moved + 1


def written() -> None:
    """Say that a Parameter has other values from now on."""
    global writes
    writes += 1


def recorder_here() -> Any:
    """What writes down operators, if this thread is the one that it writes down."""
    return recorder if recorder is not None and recorder.thread == threading.get_ident() else None


def not_repeatable(why: str) -> None:
    """Say, from within a computation, that it does more than its operators show; without effect where nothing is
    recorded.
    """
    here = recorder_here()
    if here is not None:
        here.give_up(why)
