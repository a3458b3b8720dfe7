"""Inputs that change between compiled calls: `mutable`. MindSpore: ``mindspore.common.mutable``."""

from __future__ import annotations

from typing import Any

import torch


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Mark an input as changing between compiled calls, and return it. In graph mode marked tuples, lists and dicts
    have gradients, by `grad` and `GradOperation`.

    Args:
        dynamic_len: return a copy of a tuple or list; its length is known here all the same.

    Raises:
        TypeError: unless it is made of numbers, Tensors, tuples, lists and dicts.
    """
    if not _is_mutable(input_data, ()):
        raise TypeError(
            "For 'mutable', 'input_data' must be made of numbers, Tensors, tuples, lists and dicts, but got "
            f"{type(input_data).__name__}: {input_data!r:.200}."
        )
    for tensor in tensors_in(input_data):  # the Tensors are marked, not their containers: a tuple has no attributes
        tensor._is_marked_mutable = True  # type: ignore[attr-defined]
    return list(input_data) if dynamic_len and type(input_data) is list else input_data


def _is_mutable(value: Any, around: tuple[int, ...]) -> bool:
    """Return whether a value can be mutable. ``around``: ids of the containers around it, to exclude cycles."""
    if isinstance(value, (tuple, list, dict)):
        around = (*around, id(value))
        items = value.values() if isinstance(value, dict) else value
        return all(id(item) not in around and _is_mutable(item, around) for item in items)
    return isinstance(value, (int, float, torch.Tensor))


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Return the Tensors of nested tuples, lists and dicts, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [tensor for item in items for tensor in tensors_in(item)]


def outer_constants(inputs: tuple[Any, ...]) -> set[int]:
    """Return the ids of Tensors that came into graph mode in a container without `mutable`: constants there."""
    held = [tensor for item in inputs if not isinstance(item, torch.Tensor) for tensor in tensors_in(item)]
    return {id(tensor) for tensor in held if not getattr(tensor, "_is_marked_mutable", False)}


def isconstant(x: Any) -> bool:
    """Return whether it is no Tensor and, in containers, holds none."""
    return not tensors_in(x)
