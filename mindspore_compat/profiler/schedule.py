"""Schedule of the recorded steps. MindSpore: ``mindspore.profiler.schedule``."""

from __future__ import annotations

import logging
from enum import Enum
from typing import Any

__all__ = ["ProfilerAction", "Schedule"]

_log = logging.getLogger("mindspore_compat")


class ProfilerAction(Enum):
    """Action in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class Schedule:
    """Schedule of steps: after ``skip_first``, over and over (or ``repeat`` times), ``wait`` steps without, ``warmup``
    steps recorded and dropped, ``active`` steps recorded. Wrong values become 0 (``active``: 1), as in MindSpore.

    Examples:
        >>> plan = ms.profiler.schedule(wait=1, warmup=1, active=2)
        >>> print([plan(step).name for step in range(4)])
        ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE']
    """

    def __init__(self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0) -> None:
        self.wait, self.warmup = self._checked("wait", wait), self._checked("warmup", warmup)
        self.active = self._checked("active", active, least=1)
        self.repeat, self.skip_first = self._checked("repeat", repeat), self._checked("skip_first", skip_first)
        if self.warmup == 0:
            _log.warning("Profiler won't be using warmup, this can skew profiler results")

    @staticmethod
    def _checked(name: str, value: Any, least: int = 0) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            _log.warning(
                "Parameter '%s' should be an int of at least %d, but got %r. reset to %d.", name, least, value, least
            )
            return least
        return value

    def __call__(self, step: int) -> ProfilerAction:
        if step < 0:
            raise ValueError("Invalid parameter step, which must be not less than 0.")
        period = self.wait + self.warmup + self.active
        turn, at = divmod(step - self.skip_first, period)
        if step < self.skip_first or 0 < self.repeat <= turn or at < self.wait:
            return ProfilerAction.NONE
        if at < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if at < period - 1 else ProfilerAction.RECORD_AND_SAVE

    def to_dict(self) -> dict[str, int]:
        """Return the five numbers by name."""
        return {name: getattr(self, name) for name in ("wait", "active", "warmup", "repeat", "skip_first")}

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"
