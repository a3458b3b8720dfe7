"""Logging under MindSpore's names, over the standard library's logger ``mindspore_compat``, whose level the environment
variable ``GLOG_v`` sets. Upstream: ``mindspore.log``.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["get_level", "get_log_config", "debug", "info", "warning", "error", "critical", "logger", "logging"]

logger = logging.getLogger("mindspore_compat")
debug, info, warning, error, critical = logger.debug, logger.info, logger.warning, logger.error, logger.critical

#: MindSpore's GLOG_v numbers
_LEVELS = {logging.DEBUG: "0", logging.INFO: "1", logging.WARNING: "2", logging.ERROR: "3", logging.CRITICAL: "4"}


def _asked_level(environ: Mapping[str, str]) -> int:
    """The level that ``GLOG_v`` names.

    Raises:
        ValueError: for none of its numbers.
    """
    asked = environ.get("GLOG_v")
    found = next((level for level, number in _LEVELS.items() if number == asked), logging.NOTSET)
    if asked is not None and not found:
        raise ValueError(
            f"Incorrect log level: the environment variable GLOG_v must be one of {list(_LEVELS.values())} (debug, "
            f"info, warning, error, critical), but is {asked!r}."
        )
    return found


logger.setLevel(_asked_level(os.environ))


def get_level() -> str:
    """The level as MindSpore's number: "0" debug, "1" info, "2" warning, "3" error, "4" critical."""
    return _LEVELS.get(logger.getEffectiveLevel(), "2")


def _get_logger() -> logging.Logger:
    """The one logger; libraries borrow it to set its level for a while."""
    return logger


def get_log_config() -> dict[str, Any]:
    """The level in MindSpore's form; files and rotation are the business of ``logging``."""
    return {"GLOG_v": get_level(), "GLOG_logtostderr": "1"}


class _LogActionOnce:
    """Decorator: during later calls under the same ``key`` (with ``no_warning`` during all), ``logger.warning`` says
    nothing. Libraries borrow it.
    """

    is_logged: dict[str, bool] = {}

    def __init__(self, logger: Any, key: str, no_warning: bool = False) -> None:
        self.logger = logger
        self.key = key
        self.no_warning = no_warning

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def once(*args: Any, **kwargs: Any) -> Any:
            said = getattr(self.logger, "warning", None)
            if said is None:
                return func(*args, **kwargs)
            if self.no_warning or self.key in self.is_logged:
                self.logger.warning = lambda *_, **__: None
            else:
                self.is_logged[self.key] = True
            try:
                return func(*args, **kwargs)
            finally:
                self.logger.warning = said

        return once
