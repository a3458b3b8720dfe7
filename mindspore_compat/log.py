"""Logging under MindSpore's names, over the standard library's logger ``mindspore_compat``. Upstream:
``mindspore.log``.
"""

from __future__ import annotations

import logging
from typing import Any

__all__ = ["get_level", "get_log_config", "debug", "info", "warning", "error", "critical", "logger", "logging"]

logger = logging.getLogger("mindspore_compat")
debug, info, warning, error, critical = logger.debug, logger.info, logger.warning, logger.error, logger.critical

#: MindSpore's GLOG_v numbers
_LEVELS = {logging.DEBUG: "0", logging.INFO: "1", logging.WARNING: "2", logging.ERROR: "3", logging.CRITICAL: "4"}


def get_level() -> str:
    """The level as MindSpore's number: "0" debug, "1" info, "2" warning, "3" error, "4" critical."""
    return _LEVELS.get(logger.getEffectiveLevel(), "2")


def get_log_config() -> dict[str, Any]:
    """The level in MindSpore's form; files and rotation are the business of ``logging``."""
    return {"GLOG_v": get_level()}
