"""Helpers for training code of libraries. MindSpore: ``mindspore.train._utils``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mindspore_compat._api.validate import check_type
from mindspore_compat.train._checkpoint.redundancy import get_parameter_redundancy, remove_param_redundancy
from mindspore_compat.train.summary._checks import make_directory

__all__ = ["check_value_type", "get_parameter_redundancy", "remove_param_redundancy"]


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any) -> None:
    """Raise TypeError unless the value is of one of the types; a bool is no int."""
    types = tuple(valid_types) if isinstance(valid_types, Iterable) else (valid_types,)
    check_type(arg_value, arg_name, types, "")


def _make_directory(path: Any, arg_name: str = "path") -> str:
    return make_directory(path, arg_name)
