"""Record of torch's graph in this thread: nodes of forwards may be differentiated, nodes between them are constants.
``forward.py`` explains the semantics.
"""

from __future__ import annotations

import bisect
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat._autograd.integer_gradients import Shadows

sequence_number: Callable[[], int] = torch._C._autograd._get_sequence_nr  # of the next node that this thread records
_is_multithreaded, _set_multithreaded = torch._C._is_multithreading_enabled, torch._C._set_multithreading_enabled
_MOST_SPANS, _MOST_SPENT = 4096, 512
_LEAF = 2**63  # torch numbers nodes of leaves from above
#: limit for visited nodes of a graph: torch frees these recursively, and some 30,000 in a row overflow the stack
MAX_NODES = 10_000


class _Thread(threading.local):
    """State of this thread: the number of ``running`` forwards, and the nodes recorded between forwards.

    ``spans`` holds the ranges of torch's node numbers outside of forwards, as alternating begins and ends.
    """

    def __init__(self) -> None:
        self.running = 0
        self.forwards = 0  # number of outermost ones begun
        self.has_kept = False  # whether a Cell has kept a forward here
        self.spent: list[int] = []  # alternating begins and ends of differentiated ranges of nodes (`spend`)
        self.overflow: torch.Tensor | None = None  # the status of `float_status.py`
        self.refused = 0  # number of open `no_grad` contexts
        self.unrecorded = False  # whether a Cell runs without recording (inference.py)
        self.shadows: Shadows | None = None  # of the integers that the innermost forward is differentiated by
        self.lent: list[torch.Tensor] = []  # tensors that require a gradient temporarily (grad_inputs.py)
        #: Parameters that the outermost forward has written to, with their old values if it used them
        self.before_writes: tuple[tuple[torch.Tensor, torch.Tensor], ...] = ()
        self.multithreaded = True  # torch's setting before the outermost forward
        self.end = 0
        self.spans: list[int] = []


THREAD = _Thread()


class _Differentiable:
    """Context for computations that may be differentiated.

    On a GPU, too, a backward inside (of `torch.func` or of a user) runs in this thread. Nodes of torch's device thread
    have that thread's numbers, and would seem older than the forward.
    """

    def __enter__(self) -> None:
        if not THREAD.running:
            now = sequence_number()
            if now != THREAD.end:
                THREAD.spans += (THREAD.end, now)
                if len(THREAD.spans) > _MOST_SPANS:
                    del THREAD.spans[1 : _MOST_SPANS // 2 + 1]  # all older nodes count as constant
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
    """Return the context for computations that may be differentiated."""
    return DIFFERENTIABLE


def keeps_graph() -> bool:
    """Return whether a gradient computed now may be differentiated itself."""
    return THREAD.running > 0 and torch.is_grad_enabled()


def outside(roots: Sequence[torch.Tensor], start: int | None) -> list[Any]:
    """Return the first nodes on each path from ``roots`` recorded before ``start``, or if that is None, outside of all
    forwards. Unless another forward runs, the search ends after `MAX_NODES`; torch refuses older nodes that are spent.
    """
    spans, found = [0, start] if start is not None else THREAD.spans, []
    latest = spans[-1]
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen = set(waiting)
    while waiting and (THREAD.running or len(seen) < MAX_NODES):
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
    """Mark the nodes from ``start`` to before ``end`` as differentiated: torch has freed their saved tensors."""
    if end > start:
        bisect.insort(THREAD.spent, start)
        bisect.insort(THREAD.spent, end)
        del THREAD.spent[:-_MOST_SPENT]


def is_spent(value: torch.Tensor) -> bool:
    """Return whether its graph contains differentiated nodes, so that it can be treated as a constant."""
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
