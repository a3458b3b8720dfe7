"""Logging under MindSpore's names, on the standard library's logger ``mindspore_compat``. MindSpore: ``mindspore.log``.

``GLOG_v`` sets the level. With ``GLOG_logtostderr=0`` there are files: ``GLOG_log_dir/rank_N/logs/mindspore.log.PID``
of at most ``logger_maxBytes``, and ``logger_backupCount`` older ones. stderr then gets messages of at least the level
``GLOG_stderrthreshold`` (2).
"""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["get_level", "get_log_config", "debug", "info", "warning", "error", "critical", "logger", "logging"]

logger = logging.getLogger("mindspore_compat")
debug, info, warning, error, critical = logger.debug, logger.info, logger.warning, logger.error, logger.critical

#: MindSpore's GLOG_v numbers
_LEVELS = {logging.DEBUG: "0", logging.INFO: "1", logging.WARNING: "2", logging.ERROR: "3", logging.CRITICAL: "4"}


def _asked_level(environ: Mapping[str, str], variable: str = "GLOG_v") -> int:
    """Return the level in the variable, 0 if it is not set."""
    asked = environ.get(variable)
    found = next((level for level, number in _LEVELS.items() if number == asked), logging.NOTSET)
    if asked is not None and not found:
        raise ValueError(
            f"Incorrect log level: the environment variable {variable} must be one of {list(_LEVELS.values())} (debug, "
            f"info, warning, error, critical), but is {asked!r}."
        )
    return found


def _to_files(environ: Mapping[str, str]) -> dict[str, Any]:
    """Add handlers for files and stderr to the logger, if the environment asks for files.

    Returns:
        What it asks for beside the level, as `get_log_config` tells.
    """
    if environ.get("GLOG_logtostderr", "1") != "0":
        return {"GLOG_logtostderr": "1"}
    folder = environ.get("GLOG_log_dir", "")
    if not folder:
        raise ValueError(
            "When GLOG_logtostderr is set to 0, the directory of saving log GLOG_log_dir must be set, but got it empty."
        )
    from logging.handlers import RotatingFileHandler

    folder = os.path.join(os.path.realpath(folder), f"rank_{environ.get('RANK_ID', '0')}", "logs")
    os.makedirs(folder, exist_ok=True)
    size, count = int(environ.get("logger_maxBytes", 52428800)), int(environ.get("logger_backupCount", 30))
    least = _asked_level(environ, "GLOG_stderrthreshold") or logging.WARNING
    shown = logging.StreamHandler(sys.stderr)
    shown.setLevel(least)
    path = os.path.join(folder, f"mindspore.log.{os.getpid()}")
    written = RotatingFileHandler(path, maxBytes=size, backupCount=count, encoding="utf-8", delay=True)
    who = "[%(levelname)s] ME(%(process)d:%(thread)d,%(processName)s):%(asctime)s"
    for handler in (written, shown):
        handler.setFormatter(logging.Formatter(f"{who} [%(pathname)s:%(lineno)d] %(message)s"))
        logger.addHandler(handler)
    return {
        "GLOG_logtostderr": "0",
        "GLOG_log_dir": folder,
        "logger_maxBytes": size,
        "logger_backupCount": count,
        "GLOG_stderrthreshold": _LEVELS[least],
    }


logger.setLevel(_asked_level(os.environ))
_CONFIG = _to_files(os.environ)


def get_level() -> str:
    """Return the level as MindSpore's number: "0" debug, "1" info, "2" warning, "3" error, "4" critical."""
    return _LEVELS.get(logger.getEffectiveLevel(), "2")


def _get_logger() -> logging.Logger:
    """Return the one logger; libraries borrow it to set its level for a while."""
    return logger


def get_log_config() -> dict[str, Any]:
    """Return the level and the environment's settings, in MindSpore's form."""
    return {"GLOG_v": get_level(), **_CONFIG}


class _LogActionOnce:
    """Decorator that silences ``logger.warning`` during later calls with the same ``key`` (with ``no_warning`` during
    all). Libraries borrow it.
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
