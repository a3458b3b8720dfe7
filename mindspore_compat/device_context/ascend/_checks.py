"""Checks of settings that have no effect."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.errors import warn_once

__all__ = ["accepted"]


def accepted(owner: str, name: str, value: Any, kind: type, known: tuple[Any, ...] = ()) -> None:
    """Say once that ``owner`` has no effect.

    Raises:
        TypeError: if the value is not of that kind. ValueError: if it is not one of those known.
    """
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"For '{owner}', the '{name}' must be {kind.__name__}, but got {type(value).__name__}.")
    if known and value not in known:
        raise ValueError(f"For '{owner}', the '{name}' must be one of {list(known)}, but got {value!r}.")
    warn_once(f"device_context.ascend.{owner}", f"'{owner}' has no effect: there is no Ascend device here.")
