"""``mindspore.device_context.ascend.op_debug``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.device_context.ascend._checks import accepted

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]


def execute_timeout(op_timeout: int) -> None:
    """Seconds that an operator may take."""
    accepted("execute_timeout")


def debug_option(option_value: str) -> None:
    """ "oom" asks for checks of memory."""
    accepted("debug_option")


def aclinit_config(config: dict[str, Any]) -> None:
    """Options of Ascend's library."""
    accepted("aclinit_config")
