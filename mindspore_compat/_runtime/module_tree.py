"""Walks through the modules of a network. torch's walks call `named_modules` and `named_children` of each class, and a
program's Cell may define its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch


def walk(module: torch.nn.Module, seen: set, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, module) of a module and all below that are not in ``seen``."""
    if module in seen:
        return
    seen.add(module)
    yield path, module
    for name, child in list(module._modules.items()):  # a program may add children meanwhile
        if child is not None:
            yield from walk(child, seen, f"{path}.{name}" if path else name)


def modules(root: torch.nn.Module) -> list[Any]:
    """Return a module and all below, each once."""
    return [module for _, module in walk(root, set())]


def children(module: torch.nn.Module) -> dict[str, Any]:
    """Return {name: child} of the immediate children, each once."""
    first = {id(child): name for name, child in reversed(module._modules.items()) if child is not None}
    return {name: child for name, child in module._modules.items() if first.get(id(child)) == name}


def parameters_of(named: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield (path, parameter) of modules by path; each parameter once, at its first place."""
    seen: set[int] = set()
    for path, module in named:
        for name, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in seen:
                seen.add(id(parameter))
                yield f"{path}.{name}" if path else name, parameter


def named_parameters(root: torch.nn.Module) -> Iterator[tuple[str, Any]]:
    """Yield (path, parameter) of a module and all below, each once."""
    return parameters_of(walk(root, set()))
