"""Functions borrowed by libraries. MindSpore: ``mindspore.numpy.utils_const``."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["_raise_type_error", "_raise_unimplemented_error", "_raise_value_error"]


def _raise_type_error(info: str, param: Any = None) -> NoReturn:
    raise TypeError(info if param is None else f"{info}{param}")


def _raise_value_error(info: str, param: Any = None) -> NoReturn:
    raise ValueError(info if param is None else f"{info}{param}")


def _raise_unimplemented_error(info: str, param: Any = None) -> NoReturn:
    raise NotImplementedError(info if param is None else f"{info}{param}")
