"""Upstream: ``mindspore.enable_dynamic``."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["enable_dynamic"]


def _check(arg: Any, name: str) -> bool:
    """Whether a shape in it is left open."""
    if isinstance(arg, (tuple, list)):
        return sum(_check(item, name) for item in arg) > 0  # all are looked at
    if not isinstance(arg, torch.Tensor):
        raise TypeError(
            f"The decorator enable_dynamic only supports Tensor or a tuple/list of Tensor, but the argument : {name} "
            f"is type of:{type(arg)}."
        )
    return any(size is None or size < 0 for size in arg.shape)


def enable_dynamic(**kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator under ``jit``: arguments whose shapes change. Here every shape may change: the function is
    returned as it is, once the names and open shapes are checked.

    Args:
        kwargs: argument's name -> Tensor with None in its shape, or a tuple or list with one.

    Raises:
        ValueError: without arguments, for more than the function has, or on what is no function. TypeError: for other
            values, or a shape without None.
    """
    if not kwargs:
        raise ValueError("When using decorator enable_dynamic, the input cannot be empty!")
    for name, arg in kwargs.items():
        if not _check(arg, name):
            raise TypeError(
                f"When using decorator enable_dynamic, the shape of argument '{name}' at least have one None."
            )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if not isinstance(function, (types.FunctionType, types.MethodType)):
            raise ValueError(
                "Decorator enable_dynamic can only be used for function or method decrocated by ms.jit, but got "
                f"{function}."
            )
        known = [name for name in inspect.signature(function).parameters if name != "self"]
        if len(kwargs) > len(known):
            raise ValueError(
                f"When using decorator enable_dynamic, the number of arguments {len(kwargs)} exceeds the number of "
                f"function arguments {len(known)}."
            )
        for name in kwargs:
            if name not in known:
                raise ValueError(f"For 'enable_dynamic', '{name}' is none of the function's arguments {known}.")
        return function

    return decorate
