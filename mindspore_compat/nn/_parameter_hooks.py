"""Values that replace Parameters in compiled code: `Cell.register_parameter_forward_hook`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def register(cell: Any, hook: Callable[..., Any] | Sequence[dict[str, Any]]) -> None:
    """Set a hook on all Parameters of ``cell``, or hooks on those that the dicts list. A Parameter keeps the last one.

    Raises:
        TypeError: if ``hook`` is neither a function nor a list of {"params": ..., "hook": ...}.
    """
    if callable(hook):
        hook = [{"params": list(cell.get_parameters()), "hook": hook}]
    if not isinstance(hook, list) or not all(callable(item["hook"]) for item in hook):
        raise TypeError(
            f"Expected a function or a list of {{'params': ..., 'hook': ...}}, but got {hook!r:.100}. "
            "Pass what computes the value of a Parameter."
        )
    cell._changed()
    for item in hook:
        for parameter in item["params"]:
            parameter.__dict__["_forward_hook"] = item["hook"]
