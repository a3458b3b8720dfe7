"""``mindspore.device_context.ascend.op_debug``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.device_context.ascend._checks import accepted

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]


def execute_timeout(op_timeout: int) -> None:
    """Seconds that an operator may take. TypeError if it is no int, ValueError below 0."""
    accepted("execute_timeout", "op_timeout", op_timeout, int)
    if op_timeout < 0:
        raise ValueError("The num of execute_timeout must bigger than or equal to 0.")


def debug_option(option_value: str) -> None:
    """ "oom" asks for checks of memory. TypeError if it is no str, ValueError for another."""
    accepted("debug_option", "option_value", option_value, str, ("oom",))


def aclinit_config(config: dict[str, Any]) -> None:
    """Options of Ascend's library. TypeError if it is no dict."""
    accepted("aclinit_config", "config", config, dict)
