"""Hooks around each operation of map. MindSpore: ``mindspore.dataset.debug.debug_hook``."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

__all__ = ["DebugHook"]


class DebugHook(ABC):
    """Base of hooks: `compute` gets a row's columns; its result is dropped. In debug mode a copy of each hook runs
    before the first and after every operation of map; it may also stand among the operations.

    Args:
        prev_op_name: operation before this place, which is printed.

    Examples:
        >>> class Shapes(ds.debug.DebugHook):
        ...     def compute(self, *args):
        ...         print([column.shape for column in args[0]])
        >>> ds.config.set_debug_mode(True, debug_hook_list=[Shapes()])
        >>> data = ds.NumpySlicesDataset(np.zeros((1, 2)), ["x"]).map(lambda x: x[:1])
        >>> rows = list(data)
        [Dataset debugger] Print the [INPUT] of the operation [<lambda>].
        [(2,)]
        [Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].
        [(1,)]
        >>> ds.config.set_debug_mode(False)
    """

    def __init__(self, prev_op_name: str | None = None) -> None:
        self.prev_op_name = prev_op_name
        self.is_first_op: bool | None = None

    def __call__(self, *args: Any) -> tuple:
        if self.prev_op_name:
            side = "INPUT" if self.is_first_op else "OUTPUT"
            print(f"[Dataset debugger] Print the [{side}] of the operation [{self.prev_op_name}].", flush=True)
        self.compute(args)
        return args

    @abstractmethod
    def compute(self, *args: Any) -> Any:
        """Inspect a row: ``args[0]`` is the tuple of its columns."""

    def set_previous_op_name(self, prev_op_name: str | None) -> None:
        """Name the operation before this place."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op: bool) -> None:
        """Set whether the hook stands before the named operation, not after it."""
        self.is_first_op = is_first_op


def with_hooks(operations: Sequence[Any], hooks: Sequence[DebugHook]) -> list[Any]:
    """Return `operations` with copies of `hooks` before the first and after each."""

    def placed(operation: Any, is_first: bool) -> list[DebugHook]:
        copies = copy.deepcopy(list(hooks))
        for hook in copies:
            hook.set_previous_op_name(getattr(operation, "__name__", type(operation).__name__))
            hook.set_is_first(is_first)
        return copies

    found: list[Any] = placed(operations[0], True)
    for operation in operations:
        found += [operation, *placed(operation, False)]
    return found
