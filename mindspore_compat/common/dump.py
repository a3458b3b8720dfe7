"""Marks for MindSpore's dump of tensors. MindSpore: ``mindspore.set_dump``."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat._api.errors import warn_once

__all__ = ["set_dump"]


def set_dump(target: Any, enabled: bool = True) -> None:
    """Mark a Cell with all below, or a Primitive, for Ascend's dump. Nothing is dumped here, which is logged once; a
    forward hook (`Cell.register_forward_hook`) sees the same tensors.
    """
    warn_once("set_dump", "set_dump has no effect: nothing is dumped. Use Cell.register_forward_hook to see tensors.")
    if not hasattr(target, "add_flags_recursive"):
        target.add_prim_attr("dump", "true" if enabled else "false")
        return
    target.add_flags_recursive(dump=enabled)
    for _, cell in target.cells_and_names():
        for operator in vars(cell).values():
            if "dump" in getattr(operator, "attrs", ()):
                set_dump(operator, enabled)


if os.environ.get("MINDSPORE_DUMP_CONFIG"):  # MindSpore dumps what the file asks for, in GRAPH_MODE on a CPU, too
    warn_once(
        "MINDSPORE_DUMP_CONFIG",
        "MINDSPORE_DUMP_CONFIG has no effect: nothing is dumped. Use Cell.register_forward_hook to see tensors.",
    )
