"""Computations of a Cell or function: counts, costs, and the graphs that MindSpore would compile."""

from __future__ import annotations

import os
import weakref
from typing import Any

import torch

from mindspore_compat import log
from mindspore_compat._graph.element_stores import values_read
from mindspore_compat._random.rng_state import Graphs

#: share of the eager time of a computation that recordings may take on top of the first tape
_SHARE = 0.05


def _switch() -> tuple[bool, int]:
    """Return (whether the environment turns replays off, which replays are checked: every N-th, 0 for none).

    Raises:
        ValueError: for another word than "on", "off", "check" or "check:N".
    """
    given = os.environ.get("MINDSPORE_COMPAT_REPLAY", "on")
    word, _, number = given.lower().partition(":")
    if word not in ("on", "1", "off", "0", "check") or not (number or "1").isdigit() or number == "0":
        raise ValueError(
            "The environment variable MINDSPORE_COMPAT_REPLAY must be 'on', 'off', 'check' or 'check:N', but got "
            f"{given!r}."
        )
    return word in ("off", "0") or os.environ.get("MS_JIT") == "0", int(number or 1) if word == "check" else 0


class Computations:
    """Computations of a Cell or function, by kind of call. They live in the owner's dict, so that they are freed with
    it; a copy begins anew.

    A recording takes several times as long as a call, so it has a budget. The first tape is free. Others must fit into
    a share of the time that the calls took, or that replays have saved.
    """

    def __init__(self, owner: Any = None) -> None:
        self.owner = weakref.ref(owner) if owner is not None else None
        self.calls: dict[Any, Any] = {}
        self.graphs = Graphs()
        self.is_off, self.checks_every = _switch()
        self.eager_s = 0.0  # eager time of all calls so far
        self.spent_s = 0.0  # on recordings, above that
        self.saved_s = 0.0  # by replays
        self.last_s = 0.0  # the last recording
        self.is_free = True  # the next tape
        self.said: set[str] = set()
        self.misses = self.skip = 0  # evaluation calls in a row that are not replayed; calls to skip
        self.structure = -1  # the structure of these
        self.has_compiled = False  # a part of it is torch.compile's
        self.states: list[dict[str, Any]] = []  # the dicts of its modules
        self.parameters: list[torch.Tensor] = []
        self.named: list[Any] = []  # values of a function's names

    def __deepcopy__(self, memo: dict) -> Computations:
        return Computations()

    def __reduce__(self) -> Any:
        return Computations, ()

    def forget_other_names(self, function: Any) -> None:
        """Drop all recordings once a global, closure variable or default of the function is another object or value."""
        named, plain = values_read(function), (int, float, str)
        is_same = all(a is b or (type(a) is type(b) in plain and a == b) for a, b in zip(named, self.named))
        if not is_same or len(named) != len(self.named):
            self.calls, self.named = {}, named

    def can_pay(self) -> bool:
        """Return whether the budget allows a tape now; it takes two recordings."""
        return self.is_free or self.spent_s + 2 * self.last_s <= _SHARE * self.eager_s + self.saved_s / 2

    def watch_rates(self) -> bool:
        """Handle a changed number that Python reads: from now on each replay calls the optimizers, which read their
        rates themselves.

        Returns:
            Whether there was one that did not do so yet.
        """
        found = [state for state in self.states if state.get("_rates_move") is False]
        for state in found:
            state["_rates_move"] = self.is_free = True
        return bool(found)

    def say(self, what: str, *values: Any) -> None:
        owner = self.owner() if self.owner is not None else None
        if what not in self.said:
            self.said.add(what)
            log.info(
                f"%s {what}.",
                type(owner).__name__ if isinstance(owner, torch.nn.Module) else getattr(owner, "__name__", owner),
                *values,
            )


def computations_of(owner: Any) -> Computations:
    """Return the owner's `Computations`; make them if they belong to another owner. ``functools.wraps`` copies a
    function's dict, and a Cell's may be copied.
    """
    made = owner.__dict__.get("_computations")
    if made is None or made.owner is None or made.owner() is not owner:
        made = owner.__dict__["_computations"] = Computations(owner)
    return made
