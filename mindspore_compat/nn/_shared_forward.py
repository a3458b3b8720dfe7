"""Forwards that a training step in GRAPH_MODE runs once: ``loss = self.net(x)`` before ``self.grad(self.net, w)(x)``.
Upstream's compiler takes the first for the second where the step has one of each with the same arguments, whether or
not ``set_grad`` was called; a batch norm then moves once, and a Dropout draws once.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections import Counter, defaultdict
from typing import Any, NamedTuple

from mindspore_compat.common._recorded import THREAD
from mindspore_compat.context import is_graph_mode

__all__ = ["run_with_shared_forwards"]

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)


class _Call(NamedTuple):
    args: list[str]
    place: tuple[int, int]


def run_with_shared_forwards(cell: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Run the ``construct`` of a training Cell; what it calls before it differentiates it keeps that forward."""
    shared = _shared(cell) if is_graph_mode() and not THREAD.running else []
    if not shared:
        return cell.construct(*args, **kwargs)
    for child in shared:
        child.set_grad()
    try:
        return cell.construct(*args, **kwargs)
    finally:
        for child in shared:
            child.set_grad(False)
            child._forget_kept()


def _shared(cell: Any) -> list[Any]:
    """The Cells below that keep no forward yet and that its methods call, then differentiate."""
    found = []
    for path in _paths(type(cell)):  # type: ignore[arg-type]
        child: Any = cell
        for name in path:
            child = getattr(child, name, None)
        if getattr(child, "_take_kept", None) is not None and not child.requires_grad and child not in found:
            found.append(child)
    return found


@functools.lru_cache(maxsize=256)
def _paths(cls: type) -> tuple[tuple[str, ...], ...]:
    """The attributes (``self.net``) that a method of the user's classes calls once, and differentiates once."""
    found: list[tuple[str, ...]] = []
    for owner in cls.__mro__:
        if owner.__module__.partition(".")[0] in ("mindspore_compat", "torch", "builtins"):
            break
        for method in vars(owner).values():
            if inspect.isfunction(method):
                found += _paths_of(method)
    return tuple(dict.fromkeys(found))


def _paths_of(method: Any) -> list[tuple[str, ...]]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    except (OSError, SyntaxError, ValueError, TypeError):
        return []
    bound = _bound_once(tree)
    forwards: dict[tuple[str, ...], list[_Call]] = defaultdict(list)
    gradients: dict[tuple[str, ...], list[_Call]] = defaultdict(list)
    repeated = {id(node) for loop in ast.walk(tree) if isinstance(loop, _LOOPS) for node in ast.walk(loop)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = bound.get(node.func.id, node.func) if isinstance(node.func, ast.Name) else node.func
            if path := _path(function, bound):
                calls = forwards[path]
            elif isinstance(function, ast.Call) and function.args and (path := _path(function.args[0], bound)):
                calls = gradients[path]
            else:
                continue
            calls += [_Call([ast.dump(item) for item in node.args], (node.lineno, node.col_offset))] * (
                2 if id(node) in repeated or node.keywords else 1
            )
    return [path for path in gradients if _is_shared(forwards[path], gradients[path])]


def _is_shared(forwards: list[_Call], gradients: list[_Call]) -> bool:
    """Whether there is one of each, with the same arguments (the last one of a gradient may be ``sens``), in order."""
    if len(forwards) != 1 or len(gradients) != 1:
        return False
    (forward,), (gradient,) = forwards, gradients
    return forward.place < gradient.place and forward.args in (gradient.args, gradient.args[:-1])


def _bound_once(tree: ast.AST) -> dict[str, ast.expr]:
    """What local names stand for that are assigned once."""
    stores = Counter(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and stores[target.id] == 1
    }


def _path(node: ast.expr, bound: dict[str, ast.expr]) -> tuple[str, ...]:
    """``("net", "body")`` of ``self.net.body``; empty for anything else."""
    names: list[str] = []
    if isinstance(node, ast.Name):
        node = bound.get(node.id, node)
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return tuple(reversed(names)) if isinstance(node, ast.Name) and node.id == "self" else ()
