"""What torch records in this thread: inside of forwards, which may be differentiated, and between them, which is
constant for them. ``_differentiation.py`` says what for.
"""

from __future__ import annotations

import bisect
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat._autograd.integer_gradients import Shadows

__all__ = [
    "DIFFERENTIABLE",
    "THREAD",
    "differentiable",
    "is_spent",
    "keeps_graph",
    "outside",
    "sequence_number",
    "spend",
]

sequence_number: Callable[[], int] = torch._C._autograd._get_sequence_nr  # of the next node that this thread records
_is_multithreaded, _set_multithreaded = torch._C._is_multithreading_enabled, torch._C._set_multithreading_enabled
_MOST_SPANS, _MOST_SPENT = 4096, 512
_LEAF = 2**63  # torch numbers nodes of leaves from above


class _Thread(threading.local):
    """What this thread has recorded: how many forwards are ``running``, and what torch recorded between them.

    ``spans`` are the ends, in turn first and behind the last, of the ranges of torch's node numbers that no forward
    recorded.
    """

    def __init__(self) -> None:
        self.running = 0
        self.forwards = 0  # how many outermost ones have begun
        self.has_kept = False  # whether a Cell has kept a forward here
        self.spent: list[int] = []  # in turn begins and ends of ranges of nodes whose gradient was taken (`spend`)
        self.overflow: torch.Tensor | None = None  # the status of `_float_status.py`
        self.refused = 0  # how many contexts of `no_grad` are open
        self.unrecorded = False  # whether a Cell runs that torch does not record (nn/_unrecorded.py)
        self.shadows: Shadows | None = None  # of the integers that the innermost forward is differentiated by
        self.lent: list[torch.Tensor] = []  # what requires a gradient only for now (_points.py)
        #: Parameters that the outermost forward has written to, with what they were before as far as it used that
        self.before_writes: tuple[tuple[torch.Tensor, torch.Tensor], ...] = ()
        self.multithreaded = True  # what torch's setting was before the outermost forward
        self.end = 0
        self.spans: list[int] = []


THREAD = _Thread()


class _Differentiable:
    """The context in which what is computed may be differentiated.

    A backward inside of it (of `torch.func`, of a user's own) runs in this thread on a GPU as well: nodes that torch's
    thread of a device records have numbers of that thread, by which they would be taken for older than the forward.
    """

    def __enter__(self) -> None:
        if not THREAD.running:
            now = sequence_number()
            if now != THREAD.end:
                THREAD.spans += (THREAD.end, now)
                if len(THREAD.spans) > _MOST_SPANS:
                    del THREAD.spans[1 : _MOST_SPANS // 2 + 1]  # all that is older is taken for constant
            THREAD.forwards += 1
            THREAD.multithreaded = _is_multithreaded()
            _set_multithreaded(False)
        THREAD.running += 1

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        THREAD.running -= 1
        if not THREAD.running:
            THREAD.before_writes = ()
            _set_multithreaded(THREAD.multithreaded)
            THREAD.end = sequence_number()


DIFFERENTIABLE = _Differentiable()


def differentiable() -> _Differentiable:
    """Context in which somebody may differentiate what is computed."""
    return DIFFERENTIABLE


def keeps_graph() -> bool:
    """Whether a gradient that is taken now may be differentiated itself."""
    return THREAD.running > 0 and torch.is_grad_enabled()


def outside(roots: Sequence[torch.Tensor], start: int | None) -> list[Any]:
    """The first nodes on each way from ``roots`` that were recorded before ``start``, or if that is None, outside of
    all forwards.
    """
    spans, found = [0, start] if start is not None else THREAD.spans, []
    latest = spans[-1]
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        number = node._sequence_nr()
        if number < latest and bisect.bisect_right(spans, number) % 2:
            found.append(node)
        elif number < _LEAF:
            for following, _ in node.next_functions:
                if following is not None and following not in seen:
                    seen.add(following)
                    waiting.append(following)
    return found


def spend(start: int, end: int) -> None:
    """The nodes from ``start`` to before ``end`` are differentiated; torch has dropped what it needs for that."""
    if end > start:
        bisect.insort(THREAD.spent, start)
        bisect.insort(THREAD.spent, end)
        del THREAD.spent[:-_MOST_SPENT]


def is_spent(value: torch.Tensor) -> bool:
    """Whether it was computed from what is spent, so that nobody differentiates through it any more."""
    waiting = [value.grad_fn] if THREAD.spent and value.grad_fn is not None else []
    seen = set(waiting)
    while waiting:
        node: Any = waiting.pop()
        number = node._sequence_nr()
        if bisect.bisect_right(THREAD.spent, number) % 2:
            return True
        for following, _ in node.next_functions if number < _LEAF else ():
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return False
