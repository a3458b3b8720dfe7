"""Marks in a trace. MindSpore: ``mindspore.profiler.mstx``."""

from __future__ import annotations

import itertools
import logging
from typing import Any

import torch

__all__ = ["Mstx"]

_log = logging.getLogger("mindspore_compat")


class Mstx:
    """The script's marks and ranges in a running profiler's trace. They belong to the thread that sets them, so
    ``stream`` has no effect.

    Examples:
        >>> number = ms.profiler.mstx.range_start("load")
        >>> ms.profiler.mstx.range_end(number)
    """

    _numbers = itertools.count(1)
    _open: dict[int, Any] = {}

    @staticmethod
    def _name(message: Any, domain: Any, function: str) -> str:
        """Return the text in the trace, "" for an invalid one."""
        for name, value in (("message", message), ("domain", domain)):
            if not isinstance(value, str) or not value:
                _log.warning("Invalid %s for mstx.%s: %r. It must be a str that is not empty.", name, function, value)
                return ""
        return message if domain == "default" else f"{domain}: {message}"

    @staticmethod
    def mark(message: str, stream: Any = None, domain: str = "default") -> None:
        """Mark this moment."""
        name = Mstx._name(message, domain, "mark")
        if name:
            with torch.profiler.record_function(name):
                pass

    @staticmethod
    def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
        """Begin a range; return its number for `range_end`, 0 for an invalid message."""
        name = Mstx._name(message, domain, "range_start")
        if not name:
            return 0
        number, record = next(Mstx._numbers), torch.profiler.record_function(name)
        record.__enter__()
        Mstx._open[number] = record
        return number

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """End a range; 0 ends none."""
        record = Mstx._open.pop(range_id, None)
        if record is not None:
            record.__exit__(None, None, None)
        elif range_id != 0:
            _log.warning(
                "Invalid range_id for mstx.range_end: %r. Give what mstx.range_start returned, once.", range_id
            )
