"""The program's source where it runs: the expression that has failed, and the values of expressions as far as they can
be had without running anything again.
"""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import sys
import types
from typing import Any

__all__ = ["UNKNOWN", "FailedCall", "is_builtin", "node_at", "tree_of", "value_of"]

UNKNOWN = object()  # a value that can not be had without running the program's code again


class FailedCall:
    """A call in the program that has failed: what is called, and with what, as far as that is known for certain."""

    def __init__(self, node: ast.Call, frame: types.FrameType) -> None:
        self.function = node.func
        self.receiver = value_of(node.func.value, frame) if isinstance(node.func, ast.Attribute) else UNKNOWN
        self.args = [value_of(item, frame) for item in node.args]
        self.kwargs = {item.arg or "": value_of(item.value, frame) for item in node.keywords}
        if any(isinstance(item, ast.Starred) for item in node.args):
            self.args = [UNKNOWN]

    @property
    def name(self) -> str:
        """What is called, without what stands before it."""
        function: Any = self.function
        return getattr(function, "attr", getattr(function, "id", ""))

    @property
    def is_known(self) -> bool:
        """Whether all arguments are."""
        return not any(item is UNKNOWN for item in (*self.args, *self.kwargs.values())) and "" not in self.kwargs


@functools.lru_cache(maxsize=16)
def tree_of(path: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError, RecursionError):
        return None


def node_at(step: types.TracebackType, kind: type[ast.expr]) -> ast.expr | None:
    """The expression that has failed; before Python 3.11, which says where, the only one of its kind in the line."""
    code, line = step.tb_frame.f_code, step.tb_lineno
    tree = tree_of(code.co_filename)
    if tree is None:
        return None
    nodes: list[Any] = [
        item for item in ast.walk(tree) if isinstance(item, kind) and item.lineno <= line <= (item.end_lineno or 0)
    ]
    if sys.version_info >= (3, 11):
        where = list(code.co_positions())[step.tb_lasti // 2]
        nodes = [item for item in nodes if (item.end_lineno, item.end_col_offset) == (where[1], where[3])]
        nodes = [item for item in nodes if (item.lineno, item.col_offset) == (where[0], where[2])] or nodes
    return nodes[0] if len(nodes) == 1 else None


def is_builtin(name: str, step: types.TracebackType) -> bool:
    return name not in step.tb_frame.f_locals and name not in step.tb_frame.f_globals and hasattr(builtins, name)


def value_of(node: ast.expr, frame: types.FrameType) -> Any:
    """Of names, constants and displays; nothing is called."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        for scope in (frame.f_locals, frame.f_globals, vars(builtins)):
            if node.id in scope:
                return scope[node.id]
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [value_of(item, frame) for item in node.elts]
        if not any(item is UNKNOWN for item in items):
            return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Dict) and None not in node.keys:
        pairs = [
            (value_of(key, frame), value_of(item, frame))
            for key, item in zip(node.keys, node.values, strict=True)
            if key
        ]
        if not any(item is UNKNOWN for pair in pairs for item in pair):
            return dict(pairs)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = value_of(node.operand, frame)
        return -value if isinstance(value, (int, float)) else UNKNOWN
    if isinstance(node, ast.Attribute):
        held = getattr(value_of(node.value, frame), "__dict__", {})
        return held.get(node.attr, held.get("_parameters", {}).get(node.attr, UNKNOWN))
    return UNKNOWN
