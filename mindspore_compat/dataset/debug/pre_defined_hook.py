"""Hooks that print. MindSpore: ``mindspore.dataset.debug.pre_defined_hook``."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np

from mindspore_compat.dataset.debug.debug_hook import DebugHook

__all__ = ["PrintMetaDataHook", "PrintDataHook"]


def _described(column: Any) -> str:
    if isinstance(column, np.ndarray):
        return f" The dtype is [{column.dtype}]. The shape is [{column.shape}]."
    if hasattr(column, "getbands"):  # a PIL image
        return f" The type is [{type(column)}]. The shape is [{column.size}]."
    return f" The type is [{type(column)}]. The size is [{len(column)}]." if isinstance(column, Sized) else ""


class PrintMetaDataHook(DebugHook):
    """Hook that prints kind and shape of each column."""

    def __init__(self) -> None:
        super().__init__()

    def compute(self, *args: Any) -> tuple:
        for place, column in enumerate(*args):
            print(f"Column {place}.{_described(column) or ' '}", flush=True)
        return args


class PrintDataHook(DebugHook):
    """Hook that prints the columns."""

    def __init__(self) -> None:
        super().__init__()

    def compute(self, *args: Any) -> tuple:
        for place, column in enumerate(*args):
            print(f"Column {place}. The data is [{column}].", flush=True)
        return args
