"""``if`` statements decided by the network alone, not by its arguments."""

from __future__ import annotations

import ast
from typing import Any

import torch

from mindspore_compat.rewrite.node import Node
from mindspore_compat.rewrite.node_type import NodeType

#: functions without effects, allowed in conditions
_HARMLESS = ("isinstance", "issubclass", "hasattr", "getattr", "len", "callable", "type", "bool", "int", "str")


def outcome(test: ast.expr, network: Any, names: dict[str, Any], local: set[str]) -> bool | None:
    """Return a condition's value for ``network`` as it is now; None if it uses variables or Tensors, or calls."""
    parts = list(ast.walk(test))
    if any(isinstance(item, ast.Name) and item.id in local and item.id != "self" for item in parts):
        return None
    calls = [item.func for item in parts if isinstance(item, ast.Call)]
    if not all(isinstance(item, ast.Name) and item.id in _HARMLESS for item in calls):
        return None
    try:
        found = eval(compile(ast.Expression(test), "<condition>", "eval"), names, {"self": network})
        return None if isinstance(found, torch.Tensor) else bool(found)
    except Exception:
        return None


def flatten(tree: Any) -> None:
    """Replace such statements by the nodes of the chosen branch, in this tree and those of its Cells."""
    place = 0
    while place < len(tree._nodes):
        node = tree._nodes[place]
        if node._static is None:
            place += 1
            continue
        parser = tree._parser()
        for statement in node._statement.body if node._static else node._statement.orelse:
            parser.statement(statement)
        rest = [item for item in tree._nodes[place + 1 :] if item._branch_of is not node]
        tree._nodes[place:] = parser.nodes + ([] if _returns(parser.nodes) else rest)
        node._tree = None
    tree._adopt_all()
    containers = [node for node in tree._nodes if node._type is NodeType.CellContainer]
    nodes = [*tree._nodes, *(item for node in containers for item in node.nodes())]
    trees = {id(node._sub_tree): node._sub_tree for node in nodes if node._sub_tree is not None}
    for sub_tree in trees.values():
        flatten(sub_tree)


def _returns(nodes: list[Node]) -> bool:
    return any(node._type is NodeType.Output for node in nodes)
