"""Parser from the source of a ``construct`` to nodes: nested expressions become separate statements, in their order."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.nn.layer.container import SequentialCell
from mindspore_compat.ops.primitive import Primitive
from mindspore_compat.rewrite._flatten import outcome
from mindspore_compat.rewrite.common.namespace import is_subtree
from mindspore_compat.rewrite.node import Node, scoped
from mindspore_compat.rewrite.node_type import NodeType

#: names of nodes that compute: their variables have the operator's name, or "compare"
_MATH = re.compile(r"^(?:(binop|unaryop|boolop)|compare)_([a-z]+)(?:_\d+)?$")
_COMPARED = (ast.BinOp, ast.UnaryOp, ast.Compare)


class Parser:
    """Converter of statements to nodes.

    Args:
        network: the Cell; attributes of ``self`` are looked up in it.
        names: the globals and closure of ``construct``.
        unique_variable, unique_node: make a name that is not in use.
    """

    def __init__(
        self,
        network: Any,
        names: dict[str, Any],
        unique_variable: Callable[[str], str],
        unique_node: Any,
        local: set[str],
    ) -> None:
        self._network, self._names, self._local = network, names, local
        self._variable, self._unique = unique_variable, unique_node
        self.nodes: list[Node] = []

    def statement(self, statement: ast.stmt) -> None:
        """Append the nodes of one statement; a docstring has none."""
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            self._control_flow(statement)
        elif _runs_aside(statement):
            self._keep(NodeType.Python, "python_node", statement)
        elif isinstance(statement, ast.Return):
            args = [] if statement.value is None else [scoped(self._simple(statement.value))]
            self.nodes.append(Node(NodeType.Output, self._unique("return"), args=args))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._value(statement.value, [])
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and _plain(statement.targets[0]):
            target = statement.targets[0]
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            self._value(statement.value, [scoped(item) for item in parts])
        else:
            self._keep(NodeType.Python, "python_node", statement)

    def _control_flow(self, statement: ast.If | ast.For | ast.While) -> None:
        """Append a node for the statement, one for its ``else``, and before them the condition or iterable."""
        name, field = {ast.If: ("if", "test"), ast.For: ("for", "iter"), ast.While: ("while", "test")}[type(statement)]
        asked = getattr(statement, field)
        static = outcome(asked, self._network, self._names, self._local) if name == "if" else None
        if name != "while" and not _is_simple(asked) and not _runs_aside(asked) and _is_value(asked):
            asked = self._simple(asked)
            setattr(statement, field, asked)
        node = Node(NodeType.ControlFlow, self._unique(f"{name}_node"), args=[scoped(asked)], statement=statement)
        node._static = static
        self.nodes.append(node)
        if name == "if" and statement.orelse:
            branch = Node(NodeType.ControlFlow, self._unique("else_node"), args=[scoped(asked)], statement=statement)
            branch._branch_of = node
            self.nodes.append(branch)

    def _keep(self, kind: NodeType, name: str, statement: ast.stmt) -> None:
        targets = []
        if isinstance(statement, ast.Assign):
            targets = [scoped(item) for item in statement.targets if isinstance(item, ast.Name)]
        self.nodes.append(Node(kind, self._unique(name), targets, statement=statement))

    def _value(self, value: ast.expr, targets: list[Any]) -> None:
        """Append a node that assigns ``value`` to the targets."""
        if isinstance(value, ast.Call) and not _unpacks(value):
            self._call(value, targets)
        elif isinstance(value, _COMPARED) and (not isinstance(value, ast.Compare) or len(value.ops) == 1):
            self._arithmetic(value, targets)
        elif isinstance(value, ast.BoolOp):  # operands are evaluated one after another: only the first may move ahead
            operator = value.op
            args = [scoped(self._simple(value.values[0])), *(scoped(item) for item in value.values[1:])]
            name = self._unique(f"boolop_{type(operator).__name__.lower()}")
            self._add(NodeType.MathOps, name, targets, args, None, lambda a, k: ast.BoolOp(operator, a))
        elif isinstance(value, (ast.Tuple, ast.List)) and not any(isinstance(item, ast.Starred) for item in value.elts):
            kind = type(value)
            args = [scoped(item) for item in self._all(value.elts)]
            name = self._unique(kind.__name__.lower())
            self._add(NodeType.CallMethod, name, targets, args, None, lambda a, k: kind(a, ast.Load()))
        else:  # an attribute, an item, a partial evaluation: as written
            name = {ast.Attribute: "attribute_assign", ast.Subscript: "subscript_var"}.get(type(value), "assign")
            self._add(NodeType.CallMethod, self._unique(name), targets, [scoped(value)], None, lambda a, k: a[0])

    def _add(
        self, kind: NodeType, name: str, targets: Any, args: Any, kwargs: Any, template: Any, own: Any = None
    ) -> Node:
        node = Node(kind, name, targets, args, kwargs, template, instance=own)
        self.nodes.append(node)
        return node

    def _arithmetic(self, value: Any, targets: list[Any]) -> None:
        operator: Any
        if isinstance(value, ast.BinOp):
            operator, operands, prefix = value.op, [value.left, value.right], "binop"
        elif isinstance(value, ast.UnaryOp):
            operator, operands, prefix = value.op, [value.operand], "unaryop"
        else:
            operator, operands, prefix = value.ops[0], [value.left, value.comparators[0]], "compare"

        def made(args: list[ast.expr], _: Any) -> ast.expr:
            if prefix == "binop":
                return ast.BinOp(args[0], operator, args[1])
            return (
                ast.UnaryOp(operator, args[0]) if prefix == "unaryop" else ast.Compare(args[0], [operator], [args[1]])
            )

        args = [scoped(item) for item in self._all(operands)]
        name = self._unique(f"{prefix}_{type(operator).__name__.lower()}")
        self._add(NodeType.MathOps, name, targets, args, None, made)

    def _call(self, value: ast.Call, targets: list[Any]) -> None:
        function = value.func
        if isinstance(function, ast.Attribute):
            function = ast.Attribute(self._simple(function.value), function.attr, ast.Load())
        elif not isinstance(function, ast.Name):
            function = self._simple(function)
        simple = self._all([*value.args, *(item.value for item in value.keywords)])
        args = [scoped(item) for item in simple[: len(value.args)]]
        keys = [str(item.arg) for item in value.keywords]
        kwargs = dict(zip(keys, (scoped(item) for item in simple[len(value.args) :])))

        def made(given: list[ast.expr], named: dict[str, ast.expr]) -> ast.expr:
            return ast.Call(function, given, [ast.keyword(key, item) for key, item in named.items()])

        kind, instance = self._called(function)
        name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
        node = self._add(kind, self._unique(name), targets, args, kwargs, made, instance)
        if kind is NodeType.Tree:
            node._attribute = _attribute_of_self(function)

    def _called(self, function: ast.expr) -> tuple[NodeType, Any]:
        found = self._looked_up(function)
        if isinstance(found, SequentialCell):
            return NodeType.CellContainer, found
        if isinstance(found, torch.nn.Module):
            is_tree = is_subtree(found) and bool(_attribute_of_self(function))
            return (NodeType.Tree if is_tree else NodeType.CallCell), found
        if isinstance(found, Primitive):
            return NodeType.CallPrimitive, found
        is_method = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
        if is_method and function.value.id == "self":  # type: ignore[attr-defined]
            return NodeType.CallMethod, None
        return NodeType.CallFunction, found if callable(found) else None

    def _looked_up(self, function: ast.expr) -> Any:
        """Return the object of a dotted name before the network runs, or None."""
        path: list[str] = []
        while isinstance(function, ast.Attribute):
            path.append(function.attr)
            function = function.value
        if not isinstance(function, ast.Name) or (function.id in self._local and function.id != "self"):
            return None
        if function.id == "self":
            found = self._network
        else:
            found = self._names.get(function.id)
            if found is None or (not path and hasattr(builtins, function.id)):
                return None
        for part in reversed(path):
            found = getattr(found, part, None)
        return found

    def _all(self, values: list[ast.expr]) -> list[ast.expr]:
        """Return simple expressions for all, evaluated in their order."""
        last = max((index for index, item in enumerate(values) if not _is_simple(item)), default=-1)
        return [
            self._simple(item, index < last and isinstance(item, ast.Attribute)) for index, item in enumerate(values)
        ]

    def _simple(self, value: ast.expr, always: bool = False) -> ast.expr:
        """Return a constant, name or dotted name; anything else is assigned to a variable first."""
        if _is_simple(value) and not always:
            return value
        position = len(self.nodes)
        target = [scoped(ast.Name("", ast.Load()))]
        self._value(value, target)
        node = self.nodes[-1]
        assert len(self.nodes) > position
        base = _MATH.sub(lambda found: found[2] if found[1] else "compare", node.get_name())
        target[0].value = self._variable(base if base.endswith("_var") else f"{base}_var")
        return ast.Name(target[0].value, ast.Load())


def _runs_aside(statement: ast.AST) -> bool:
    """Return whether some part of it cannot be moved."""
    return any(isinstance(item, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)) for item in ast.walk(statement))


def _is_value(value: ast.expr) -> bool:
    """Return whether it becomes a node of its own: a call, an operator, a tuple or list."""
    if isinstance(value, ast.Compare):
        return len(value.ops) == 1
    return isinstance(value, (ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Tuple, ast.List))


def _is_simple(value: ast.expr) -> bool:
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, (ast.Constant, ast.Name))


def _plain(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return len(target.elts) > 1 and all(isinstance(item, ast.Name) for item in target.elts)
    return isinstance(target, ast.Name) or (isinstance(target, ast.Attribute) and _is_simple(target))


def _unpacks(call: ast.Call) -> bool:
    return any(isinstance(item, ast.Starred) for item in call.args) or any(item.arg is None for item in call.keywords)


def _attribute_of_self(function: ast.expr) -> str | None:
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "self":
        return function.attr
    return None
