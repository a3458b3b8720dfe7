"""``mindspore.device_context.ascend.op_debug``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.device_context.ascend._checks import accepted

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]


def execute_timeout(op_timeout: int) -> None:
    """Set the seconds that an operator may take."""
    accepted("execute_timeout")


def debug_option(option_value: str) -> None:
    """Set "oom", a check of memory."""
    accepted("debug_option")


def aclinit_config(config: dict[str, Any]) -> None:
    """Set options of Ascend's library."""
    accepted("aclinit_config")
