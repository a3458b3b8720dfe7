"""Exceptions and one-time notices shared by all layers."""

from __future__ import annotations

import logging

PACKAGE = "mindspore_compat"
UPSTREAM = "mindspore"
COVERAGE_PAGE = "docs/coverage.md"

_logger = logging.getLogger(PACKAGE)
_told: set[str] = set()


class UnsupportedError(NotImplementedError):
    """Error of a MindSpore feature that is importable here but does not work; the message names the alternative."""


def upstream_name(name: str) -> str:
    """Return ``mindspore.nn.X`` for ``mindspore_compat.nn.X``; a name outside the package stays as it is."""
    return UPSTREAM + name[len(PACKAGE) :] if name == PACKAGE or name.startswith(PACKAGE + ".") else name


def absent_message(name: str, instead: str = "") -> str:
    """Return the error text for a missing name; `name` may be this package's or MindSpore's; `instead`: the name that
    the caller may have meant.
    """
    return (
        f"'{upstream_name(name)}' is not available in mindspore_compat. "
        + (f"Did you mean '{instead}'? " if instead else "")
        + f"See {COVERAGE_PAGE} or run `mindspore-compat coverage {upstream_name(name)}` for its state."
    )


def warn_once(key: str, message: str) -> None:
    """Log `message` as a warning the first time `key` comes up in this process."""
    if key not in _told:
        _told.add(key)
        _logger.warning(message)
