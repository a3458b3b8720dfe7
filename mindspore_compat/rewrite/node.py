"""Nodes of a tree. MindSpore: ``mindspore.rewrite.Node``."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.ops.primitive import Primitive
from mindspore_compat.rewrite.node_type import NodeType
from mindspore_compat.rewrite.scoped_value import ScopedValue, ValueType

__all__ = ["Node", "expression", "scoped"]

#: arguments, keyword arguments → the expression that a node computes
Template = Callable[[list[ast.expr], dict[str, ast.expr]], ast.expr]


def scoped(expr: ast.expr) -> ScopedValue:
    """Return an expression as a `ScopedValue`; one that is no constant and no dotted name keeps its code."""
    if isinstance(expr, ast.Constant):
        return ScopedValue(ValueType.ConstantValue, "", expr.value)
    if isinstance(expr, ast.Name):
        return ScopedValue.create_naming_value(expr.id)
    if isinstance(expr, ast.Attribute):
        return ScopedValue.create_naming_value(expr.attr, ast.unparse(expr.value))
    return ScopedValue(ValueType.UnsupportedValue, "", ast.unparse(expr))


def expression(value: ScopedValue, objects: dict[str, Any], is_target: bool = False) -> ast.expr:
    """Return the code of ``value``; objects without a literal form are put into ``objects`` by name."""
    if value.type is ValueType.ConstantValue:
        return ast.Constant(value.value)
    if value.type is ValueType.TupleValue:
        return ast.Tuple([expression(item, objects) for item in value.value], ast.Load())
    if value.type is ValueType.ListValue:
        return ast.List([expression(item, objects) for item in value.value], ast.Load())
    if value.type is ValueType.DictValue:
        keys, items = zip(*value.value.items()) if value.value else ((), ())
        return ast.Dict([expression(key, objects) for key in keys], [expression(item, objects) for item in items])
    if value.type is ValueType.CustomObjValue:
        name = next((key for key, item in objects.items() if item is value.value), f"_object_{len(objects)}")
        objects[name] = value.value
        return ast.Name(name, ast.Load())
    text = str(value) if value.type is ValueType.NamingValue else value.value
    found = ast.parse(text, mode="eval").body
    if is_target:
        found.ctx = ast.Store()  # type: ignore[attr-defined]
    return found


class Node:
    """A statement of a `SymbolTree`: ``targets = f(*args, **kwargs)``. Create one by `SymbolTree.create`,
    `create_call_cell` or `create_call_function`.
    """

    def __new__(cls, node_type: Any, *args: Any, **kwargs: Any) -> Node:
        """Return the node itself for a handler."""
        return node_type if isinstance(node_type, Node) else super().__new__(cls)

    def __init__(
        self,
        node_type: Any,
        name: str = "",
        targets: Any = (),
        args: Any = (),
        kwargs: Any = None,
        template: Template | None = None,
        statement: ast.stmt | None = None,
        instance: Any = None,
    ) -> None:
        if node_type is self:
            return
        self._type, self._name, self._instance = node_type, name, instance
        self._targets, self._args = list(targets), list(args)
        self._kwargs: dict[str, ScopedValue] = dict(kwargs or {})
        self._template, self._statement = template, statement
        self._tree: Any = None
        self._sub_tree: Any = None
        self._attribute: str | None = None  # of the network, for an inserted Cell
        self._default: ScopedValue | None = None
        self._branch_of: Node | None = None  # an ``else``: its ``if``, which holds the code
        self._static: bool | None = None  # of an ``if``: its condition's value, if the network alone decides it
        self._chain: Any = None  # of a SequentialCell, after access to its Cells
        self._attributes: dict[str, Any] = {}

    @staticmethod
    def create_call_cell(
        cell: Any,
        targets: list[Any],
        args: list[ScopedValue] | None = None,
        kwargs: dict[str, ScopedValue] | None = None,
        name: str = "",
        is_sub_net: bool = False,
    ) -> Node:
        """Return a node ``targets = self.name(*args, **kwargs)``, where ``name`` will be ``cell``.

        Args:
            cell: a Cell or a Primitive.
            is_sub_net: give the node a `SymbolTree` of the Cell when it is inserted.
        """
        name = name or type(cell).__name__.lower()
        kind = NodeType.CallPrimitive if isinstance(cell, Primitive) else NodeType.CallCell
        node = Node(kind, name, *_checked(targets, args, kwargs), instance=cell)
        node._attribute = name
        if is_sub_net and isinstance(cell, torch.nn.Module):
            node._type = NodeType.Tree
        return node

    @staticmethod
    def create_call_function(
        function: Any,
        targets: list[Any],
        args: list[ScopedValue] | None = None,
        kwargs: dict[str, ScopedValue] | None = None,
    ) -> Node:
        """Return a node ``targets = function(*args, **kwargs)``."""
        values = _checked(targets, args, kwargs)
        return Node(NodeType.CallFunction, function.__name__, *values, instance=function)

    @staticmethod
    def create_input(param_name: str, default: ScopedValue | None = None) -> Node:
        """Return a node for another argument of ``construct``."""
        node = Node(NodeType.Input, f"input_{param_name}", [ScopedValue.create_naming_value(param_name)])
        node._default = default
        return node

    # --- properties ---------------------------------------------------------------------------------------------------

    def get_handler(self) -> Node:
        """Return the node itself."""
        return self

    def get_name(self) -> str:
        """Return its name, unique in its tree."""
        return self._name

    def get_node_type(self) -> NodeType:
        """Return its type."""
        return self._type

    def get_instance(self) -> Any:
        """Return the Cell, Primitive or function that it calls, or None."""
        return self._instance

    def get_instance_type(self) -> Any:
        """Return the class of the Cell or Primitive, a function itself, NoneType for other nodes."""
        if isinstance(self._instance, (torch.nn.Module, Primitive)) or self._instance is None:
            return type(self._instance)
        return self._instance

    def get_targets(self) -> list[ScopedValue]:
        """Return its targets."""
        return self._targets

    def get_args(self) -> list[ScopedValue]:
        """Return its arguments."""
        return self._args

    def get_kwargs(self) -> dict[str, ScopedValue]:
        """Return its keyword arguments."""
        return self._kwargs

    def get_symbol_tree(self) -> Any:
        """Return the `SymbolTree` that holds it, or None."""
        return self._tree

    def get_belong_symbol_tree(self) -> Any:
        """Return the `SymbolTree` that it is in, also as a Cell of a SequentialCell there, or None."""
        return getattr(self._tree, "tree", self._tree)

    @property
    def symbol_tree(self) -> Any:
        """`get_sub_tree`, by the name of MindSpore's handlers."""
        return self.get_sub_tree()

    def nodes(self) -> list[Node]:
        """Return a node for each Cell of a SequentialCell."""
        if self._type is not NodeType.CellContainer:
            raise TypeError(f"For 'nodes', the type of node should be 'NodeType.CellContainer', but got {self._type}")
        if self._chain is None:
            self._chain = self._tree._chain_of(self)
        return self._chain.nodes()

    def get_sub_tree(self) -> Any:
        """Return the `SymbolTree` of the Cell that it calls.

        Raises:
            TypeError: if its type is not ``NodeType.Tree``.
        """
        if self._type is not NodeType.Tree:
            raise TypeError(f"For get_sub_tree, the type of node should be 'NodeType.Tree', but got {self._type}")
        return self._sub_tree

    # --- neighbours ---------------------------------------------------------------------------------------------------

    def get_inputs(self) -> list[Node]:
        """Return the nodes that assign its arguments, one for each such argument."""
        return [] if self._tree is None else [found for _, found, _ in self._tree._providers(self)]

    def get_users(self) -> list[Node]:
        """Return the nodes that have its targets as arguments, each once."""
        if self._tree is None:
            return []
        return [
            node for node in self._tree.nodes() if any(found is self for _, found, _ in self._tree._providers(node))
        ]

    def get_arg_providers(self) -> dict[int, tuple[Node, int]]:
        """Return {position of an argument: (node that assigned it, position among its targets)}."""
        if self._tree is None:
            return {}
        return {position: (found, target) for position, found, target in self._tree._providers(self)}

    def get_target_users(self, index: int = -1) -> Any:
        """Return {position of a target: [(node that has it as an argument, position of the argument)]}, or the list of
        the target at ``index``.
        """
        users: dict[int, list[tuple[Node, int]]] = {}
        for node in [] if self._tree is None else self._tree.nodes():
            for position, (found, target) in node.get_arg_providers().items():
                if found is self:
                    users.setdefault(target, []).append((node, position))
        return users if index == -1 else users.get(index, [])

    # --- attributes of users ------------------------------------------------------------------------------------------

    def set_attribute(self, key: str, value: Any) -> None:
        """Keep a value with the node."""
        self._attributes[key] = value

    def get_attribute(self, key: str) -> Any:
        """Return the value of `set_attribute`, or an attribute of the Cell that the node calls; None for neither."""
        return self.get_attributes().get(key)

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes of the Cell or Primitive that the node calls (public ones, from its ``__dict__``) and
        the values of `set_attribute`.
        """
        own = vars(self._instance) if isinstance(self._instance, (torch.nn.Module, Primitive)) else {}
        return {**{name: value for name, value in own.items() if not name.startswith("_")}, **self._attributes}

    # --- changes ------------------------------------------------------------------------------------------------------

    def set_arg(self, index: int, arg: ScopedValue | str) -> None:
        """Replace an argument; keyword arguments are numbered after the others.

        Raises:
            TypeError: for a node whose code is kept as it was written. IndexError: for no such one.
        """
        if self._statement is not None and not self._asks(index):
            raise TypeError(f"For 'set_arg', the node '{self._name}' of type {self._type} keeps its code as written.")
        value = _named(arg)
        if index < len(self._args):
            self._args[index] = value
        else:
            self._kwargs[list(self._kwargs)[index - len(self._args)]] = value

    def set_arg_by_node(self, arg_idx: int, src_node: Node, out_idx: int | None = None) -> None:
        """Make an argument a target of ``src_node``: the only one, or that at ``out_idx``.

        Raises:
            ValueError: without ``out_idx``, if ``src_node`` has several targets.
        """
        targets = src_node._targets
        if out_idx is None and len(targets) != 1:
            raise ValueError(f"node should has one output when out_idx is not provided, but got {len(targets)}.")
        self.set_arg(arg_idx, targets[out_idx or 0])

    def _asks(self, index: int) -> bool:
        """Return whether the argument is the condition of an ``if`` or the iterable of a ``for``."""
        return isinstance(self._statement, (ast.If, ast.For)) and self._branch_of is None and index == 0

    def _code(self, objects: dict[str, Any]) -> ast.stmt:
        """Return its statement."""
        if self._statement is not None:
            made: Any = copy.deepcopy(self._statement)
            if isinstance(made, (ast.If, ast.For)):
                setattr(made, "test" if isinstance(made, ast.If) else "iter", expression(self._args[0], objects))
            return made
        args = [expression(item, objects) for item in self._args]
        kwargs = {key: expression(item, objects) for key, item in self._kwargs.items()}
        if self._type is NodeType.Output:
            return ast.Return(args[0] if args else None)
        value = self._template(args, kwargs) if self._template else self._new_call(args, kwargs, objects)
        targets = [expression(item, objects, True) for item in self._targets]
        if not targets:
            return ast.Expr(value)
        return ast.Assign([targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())], value)

    def _new_call(self, args: list[ast.expr], kwargs: dict[str, ast.expr], objects: dict[str, Any]) -> ast.expr:
        if self._attribute is not None:
            function: ast.expr = ast.Attribute(ast.Name("self", ast.Load()), self._attribute, ast.Load())
        else:
            function = expression(ScopedValue(ValueType.CustomObjValue, "", self._instance), objects)
        return ast.Call(function, args, [ast.keyword(key, item) for key, item in kwargs.items()])


def _named(value: Any) -> ScopedValue:
    return scoped(ast.parse(value, mode="eval").body) if isinstance(value, str) else value


def _checked(targets: Any, args: Any, kwargs: Any) -> tuple[Any, Any, Any]:
    return [_named(item) for item in targets], args or (), kwargs
