"""aten's operators for captures: arguments by name, writes, views, values that Python sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

#: the result is a Python number; it is a tensor whose size depends on values
SHOWS_VALUE, SHOWS_SIZE = torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape


def bind(func: Any, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments by their names in the schema, with defaults."""
    bound = {}
    for index, argument in enumerate(func._schema.arguments):
        bound[argument.name] = args[index] if index < len(args) else kwargs.get(argument.name, argument.default_value)
    return bound


def aliased(func: Any, args: tuple, kwargs: dict[str, Any]) -> Iterator[tuple[bool, Any]]:
    """Yield (whether it is written to, tensor) of each argument that an operator writes to or makes views of."""
    # torch's fused optimizer steps declare gradients as written, but only unscale them
    unscaled = func._schema.name.startswith("aten::_fused_") and kwargs.get("grad_scale") is None
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is None or (unscaled and argument.name == "grads"):
            continue
        given = kwargs.get(argument.name, args[position] if position < len(args) else None)
        for item in given if isinstance(given, (list, tuple)) else (given,):
            if item is not None:
                yield argument.alias_info.is_write, item


def written(func: Any) -> list[str]:
    """Return the names of the arguments that it writes to."""
    return [item.name for item in func._schema.arguments if item.alias_info is not None and item.alias_info.is_write]


def is_view(func: Any) -> bool:
    """Return whether it returns views of an argument, and writes to none."""
    found = [item.alias_info for item in func._schema.arguments if item.alias_info is not None]
    return bool(found) and not any(info.is_write for info in found)


def is_random(func: Any) -> bool:
    """Return whether it draws from a generator."""
    return torch.Tag.nondeterministic_seeded in func.tags
