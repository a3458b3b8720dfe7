"""A ``bprop`` whose own lines use Parameters: upstream's compiler refuses it where it differentiates the Cell."""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from mindspore_compat.common._compiled_source import tree_of
from mindspore_compat.common._in_graph import outermost_graph_inputs

__all__ = ["refuse_parameters"]

_uses: weakref.WeakKeyDictionary[type, list[tuple[str, ...]]] = weakref.WeakKeyDictionary()


def refuse_parameters(cell: Any, args: tuple) -> None:
    """For a Cell with a ``bprop`` that is called in compiled code which is differentiated.

    Raises:
        RuntimeError: if it is differentiated by its inputs, and a statement that ``bprop`` certainly comes to uses a
            Parameter or a ParameterTuple by an attribute of ``self``.
    """
    kind = type(cell)
    if kind not in _uses:
        _uses[kind] = list(_attributes_used(kind.bprop))
    for path in _uses[kind]:
        if _is_parameter(cell, path) and _is_differentiated(args):
            raise RuntimeError(
                "The user defined 'bprop' function in scope Default does not support using Parameter. Upstream's "
                f"compiler refuses self.{'.'.join(path)} in {kind.__name__}.bprop."
            )


def _is_parameter(cell: Any, path: tuple[str, ...]) -> bool:
    held = cell
    for name in path:
        members = getattr(held, "__dict__", {})
        held = members.get(name, members.get("_parameters", {}).get(name, members.get("_modules", {}).get(name)))
    if isinstance(held, tuple) and held:
        return all(isinstance(item, torch.nn.Parameter) for item in held)
    return isinstance(held, torch.nn.Parameter)


def _is_differentiated(args: tuple) -> bool:
    leaves = tree_leaves(args)
    if any(isinstance(item, torch.Tensor) for item in leaves):
        return any(isinstance(item, torch.Tensor) and item.requires_grad for item in leaves)
    inputs = outermost_graph_inputs() or ()
    return len(inputs) == len(args) and all(one is other for one, other in zip(inputs, args))


def _attributes_used(function: Any) -> Iterator[tuple[str, ...]]:
    """``self.a.b`` as ("a", "b") of the statements that run whatever the values are, but for a mere new name."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or not code.co_argcount:
        return
    own = code.co_varnames[0]
    for node in ast.walk(tree_of(code.co_filename) or ast.Module([], [])):
        if isinstance(node, ast.FunctionDef) and (node.name, node.lineno) == (code.co_name, code.co_firstlineno):
            for item in node.body:
                if not isinstance(item, (ast.Return, ast.Assign, ast.AugAssign, ast.Expr)):
                    return  # what follows may not be come to
                if not isinstance(item, ast.Assign) or not isinstance(item.value, ast.Attribute):
                    yield from _paths(item, own)


def _paths(node: ast.AST, own: str) -> Iterator[tuple[str, ...]]:
    if isinstance(node, ast.IfExp):
        return
    names, held = list[str](), node
    while isinstance(held, ast.Attribute) and isinstance(held.ctx, ast.Load):
        names.insert(0, held.attr)
        held = held.value
        if isinstance(held, ast.Name) and held.id == own:
            yield from (tuple(names[:count]) for count in range(1, len(names) + 1))
            return
    for item in ast.iter_child_nodes(node):
        yield from _paths(item, own)
