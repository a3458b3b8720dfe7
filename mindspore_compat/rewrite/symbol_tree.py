"""Trees of statements. MindSpore: ``mindspore.rewrite.SymbolTree``."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeGuard

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat._api.placeholders import describe_partial
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.rewrite._flatten import flatten
from mindspore_compat.rewrite._parse import Parser
from mindspore_compat.rewrite._source import source_of
from mindspore_compat.rewrite.common.namespace import is_subtree
from mindspore_compat.rewrite.node import Node, expression
from mindspore_compat.rewrite.node_type import NodeType
from mindspore_compat.rewrite.scoped_value import ScopedValue, ValueType

__all__ = ["Position", "SymbolTree"]


class Chain:
    """Stand-in of a `SymbolTree` for these nodes.

    Args:
        container: the node that calls the SequentialCell.
    """

    def __init__(self, container: Node) -> None:
        self.tree, self._cells = container.get_symbol_tree(), container.get_instance()
        value = [ScopedValue.create_naming_value("x")]
        self._nodes = [Node(NodeType.Input, "input", value)]
        for cell in self._cells:
            node = Node(NodeType.CallCell, type(cell).__name__, value, value, instance=cell)
            node._sub_tree = self._tree_of(cell)
            if node._sub_tree is not None:
                node._type = NodeType.Tree
            self._nodes.append(node)
        for node in self._nodes:
            node._tree = self

    def _tree_of(self, cell: Any) -> Any:
        """Return the tree of a script's Cell, if its source can be read."""
        try:
            return type(self.tree)(cell) if is_subtree(cell) else None
        except (UnsupportedError, RuntimeError):
            return None

    def nodes(self) -> list[Node]:
        return self._nodes[1:]

    def _providers(self, node: Node) -> list[tuple[int, Node, int]]:
        place = self._nodes.index(node)
        return [(0, self._nodes[place - 1], 0)] if place else []

    def replace(self, old_nodes: list[Node], new_nodes: list[Node]) -> None:
        """Put the new nodes in the place of consecutive ones."""
        place = self._nodes.index(old_nodes[0])
        self._nodes[place : place + len(old_nodes)] = new_nodes
        for node in old_nodes:
            node._tree = None
        for node in new_nodes:
            node._tree = self

    def write(self) -> None:
        """Set the SequentialCell's new Cells."""
        found: list[Any] = []
        for node in self.nodes():
            tree = node._sub_tree
            found.append(node.get_instance() if tree is None else tree.get_network())
        self._cells._exchange(found)


class Position(NamedTuple):
    """A place between the nodes of ``tree``."""

    tree: SymbolTree
    node: Node
    is_before: bool


@describe_partial("statements inside if, for and while, functions and SequentialCells are not nodes of their own")
class SymbolTree:
    """The statements of a Cell's ``construct`` as nodes; `get_network` makes a Cell from them that shares the
    Parameters and Cells of the given one.

    Calls inside calls become separate statements, evaluated in the same order. ``if``, ``for``, ``while`` are one node
    each, opaque for their neighbours. Only `save_network_to_file` writes to disk (MindSpore writes a file for
    `get_network`).

    Examples:
        >>> tree = ms.rewrite.SymbolTree.create(nn.Dense(3, 2))
        >>> new = tree.get_network()
    """

    def __new__(cls, handler: Any) -> SymbolTree:
        """Return the tree itself for a handler."""
        return handler if isinstance(handler, SymbolTree) else super().__new__(cls)

    def __init__(self, handler: Any) -> None:
        if handler is self:
            return
        self._network = handler
        function = inspect.unwrap(type(handler).construct)
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError) as error:
            raise RuntimeError(
                f"For 'SymbolTree', the source of {type(handler).__name__}.construct is not to be found: {error}. "
                "Define the class in a file."
            ) from error
        definition = ast.parse(source).body[0]
        if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
            raise UnsupportedError(
                f"For 'SymbolTree', {type(handler).__name__}.construct must be a plain method without decorators."
            )
        owner = next(kind for kind in type(handler).__mro__ if "construct" in vars(kind))
        self._definition: ast.FunctionDef = _Mangled(owner.__name__).visit(definition)
        self._function: Any = function
        self._owner = owner
        self._closure = {
            name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ())
        }
        self._objects: dict[str, Any] = {}
        arguments = self._definition.args
        listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        if not listed or listed[0].arg != "self":
            raise UnsupportedError("For 'SymbolTree', the first argument of 'construct' must be called 'self'.")
        extra = [item for item in (arguments.vararg, arguments.kwarg) if item]
        self._names = {item.id for item in ast.walk(self._definition) if isinstance(item, ast.Name)}
        self._names |= {item.arg for item in (*listed, *extra)}
        self._node_names: set[str] = set()
        stored = {item.id for item in ast.walk(self._definition) if _is_stored(item)}
        self._nodes = [
            Node(NodeType.Input, self._node_name(f"input_{item.arg}"), [ScopedValue.create_naming_value(item.arg)])
            for item in (*listed[1:], *extra)
        ]
        self._saved_file_name = "./network_define.py"
        self._local = stored | {item.arg for item in (*listed, *extra)}
        parser = self._parser()
        for statement in self._definition.body:
            parser.statement(statement)
        self._nodes += parser.nodes
        self._adopt_all()

    def _parser(self) -> Parser:
        names = {**self._function.__globals__, **self._closure}
        return Parser(self._network, names, self.unique_name, self._node_name, self._local)

    @classmethod
    def create(cls, network: Any) -> SymbolTree:
        """Return the tree of a Cell.

        Raises:
            RuntimeError: if its source is not to be found.
        """
        return cls(network)

    def _adopt_all(self) -> None:
        known = [node for node in self._nodes if node._sub_tree is not None]
        sub_trees: dict[int, SymbolTree] = {id(node._instance): node._sub_tree for node in known}
        for node in self._nodes:
            node._tree = self
            if node._type is NodeType.Tree and node._sub_tree is None:
                key = id(node._instance)
                try:
                    node._sub_tree = sub_trees[key] if key in sub_trees else SymbolTree(node._instance)
                except (UnsupportedError, RuntimeError):
                    node._type = NodeType.CallCell  # its source cannot be read: it stays unchanged
                    continue
                sub_trees[key] = node._sub_tree

    _chain_of = staticmethod(Chain)

    def get_handler(self) -> SymbolTree:
        """Return the tree itself."""
        return self

    def nodes(self, all_nodes: bool = False) -> Iterator[Node]:
        """Yield the nodes in the order of their statements; ``all_nodes``: those of sub-networks too."""
        for node in list(self._nodes):
            yield node
            if all_nodes and node._sub_tree is not None:
                yield from node._sub_tree.nodes(True)

    def get_node(self, node_name: str) -> Node | None:
        """Return the node of that name, or None."""
        return next((node for node in self._nodes if node.get_name() == node_name), None)

    def all_nodes(self, subtree_nodes: bool = True) -> list[Node]:
        """Return the nodes as a list, with those of sub-networks."""
        return list(self.nodes(subtree_nodes))

    def set_output(self, index: int, return_value: str) -> Node:
        """Make the argument of the first ``return`` at ``index`` another variable; return the node.

        Raises:
            RuntimeError: without a return. IndexError: for no such argument.
        """
        node = next((node for node in self._nodes if node._type is NodeType.Output), None)
        if node is None:
            raise RuntimeError("For 'SymbolTree.set_output', there is no return outside of if, for and while.")
        node.set_arg(index, return_value)
        return node

    def flatten_static_if_control_flow(self) -> None:
        """Replace each ``if`` decided by the network alone by the nodes of its chosen branch."""
        flatten(self)

    def get_inputs(self) -> list[Node]:
        """Return the nodes of ``construct``'s arguments."""
        return [node for node in self._nodes if node._type is NodeType.Input]

    def get_origin_network(self) -> Any:
        """Return the Cell of the tree."""
        return self._network

    def before(self, node: Node | str) -> Position:
        """Return the place before ``node``."""
        return Position(self, self._own(node), True)

    def after(self, node: Node | str) -> Position:
        """Return the place behind ``node``."""
        return Position(self, self._own(node), False)

    def _own(self, node: Node | str) -> Node:
        found = self.get_node(node) if isinstance(node, str) else node
        if found is None or not any(found is item for item in self._nodes):
            name = node if isinstance(node, str) else node.get_name()
            raise ValueError(f"For 'SymbolTree', the node '{name}' does not belong to this SymbolTree.")
        return found

    def insert(self, position: Position, node: Node) -> Node:
        """Put a new node (`Node.create_call_cell`, …) at ``position``; its name is made unique.

        Raises:
            ValueError: for a place in another tree, or a node that is in one.
        """
        if position.tree is not self:
            raise ValueError("Position is not in current SymbolTree.")
        if node._tree is not None:
            raise ValueError(f"Node '{node.get_name()}' is in a SymbolTree already.")
        index = next(place for place, item in enumerate(self._nodes) if item is self._own(position.node))
        if node._type is NodeType.Tree and node._sub_tree is None:
            node._sub_tree = SymbolTree.create(node._instance)
        name = self._node_name(node._name)
        if node._attribute is not None:
            while getattr(self._network, name, node._instance) is not node._instance:
                name = self._node_name(node._name)
            node._attribute = name
        node._name = name
        self._names |= {target.value for target in node._targets if target.type is ValueType.NamingValue}
        node._tree = self
        self._nodes.insert(index + (not position.is_before), node)
        return node

    def erase(self, node: Node | str) -> Node | None:
        """Remove and return a node; None if the tree has none of that name."""
        if isinstance(node, str) and self.get_node(node) is None:
            return None
        found = self._own(node)
        if found._type is NodeType.Input:
            raise UnsupportedError("For 'SymbolTree.erase', arguments of 'construct' cannot be taken out.")
        for item in [item for item in self._nodes if item is found or item._branch_of is found]:
            self._nodes.remove(item)
            self._node_names.discard(item._name)
            item._tree = None
        return found

    def replace(self, old_node: Node, new_nodes: list[Node]) -> Node:
        """Put the new nodes, in their order, where ``old_node`` is; return the last one."""
        if isinstance(old_node.get_symbol_tree(), Chain):
            old_node.get_symbol_tree().replace([old_node], new_nodes)
            return new_nodes[-1]
        for node in new_nodes:
            self.insert(self.before(old_node), node)
        self.erase(old_node)
        return new_nodes[-1]

    def unique_name(self, name: str = "output") -> str:
        """Return ``name``, or ``name_n``, unused by variables and attributes of the network, and reserve it."""
        return self._free(name, self._names)

    def _node_name(self, name: str) -> str:
        return self._free(name, self._node_names)

    def _free(self, name: str, taken: set[str]) -> str:
        count, found = 0, name
        while found in taken:
            count += 1
            found = f"{name}_{count}"
        taken.add(found)
        return found

    def _providers(self, node: Node) -> list[tuple[int, Node, int]]:
        """Return (position of the argument, node that assigned it last, position among its targets) in this tree."""
        place = next((index for index, item in enumerate(self._nodes) if item is node), 0)
        found = []
        for position, argument in enumerate(node_arguments(node)):
            for earlier in reversed(self._nodes[:place]):
                if argument in earlier._targets:
                    found.append((position, earlier, earlier._targets.index(argument)))
                    break
        return found

    # --- the new network ----------------------------------------------------------------------------------------------

    def _method(self) -> ast.FunctionDef:
        """Return ``construct`` of the current nodes."""
        definition = ast.FunctionDef("construct", self._arguments(), [], [])
        whole = {id(node._branch_of) for node in self._nodes if node._branch_of is not None}
        for node in self._nodes:
            if node._type is not NodeType.Input and node._branch_of is None:
                statement = node._code(self._objects)
                if isinstance(statement, ast.If) and id(node) not in whole:
                    statement.orelse = []  # its ``else`` was taken out
                definition.body.append(statement)
        definition.body = definition.body or [ast.Pass()]
        return ast.fix_missing_locations(definition)

    def _arguments(self) -> ast.arguments:
        given = ast.parse(f"def f({ast.unparse(self._definition.args)}): ...").body[0].args  # type: ignore[attr-defined]
        known = {item.arg for item in ast.walk(given) if isinstance(item, ast.arg)}
        for node in self.get_inputs():
            name = node._targets[0].value
            if name not in known:
                default = node._default or ScopedValue.create_variable_value(None)
                given.kwonlyargs.append(ast.arg(name))
                given.kw_defaults.append(expression(default, self._objects))
        return given

    def get_code(self) -> str:
        """Return the source of the new classes: that of the network, of its base classes, of the networks in it.
        ``NetOpt(net)`` equals the result of `get_network`.
        """
        return source_of(self)

    def set_saved_file_name(self, file_name: str) -> None:
        """Set the file of `save_network_to_file`; ``.py`` is added."""
        self._saved_file_name = file_name if file_name.endswith(".py") else f"{file_name}.py"

    def get_saved_file_name(self) -> str:
        """Return the file of `save_network_to_file`, "./network_define.py" at first."""
        return self._saved_file_name

    def save_network_to_file(self) -> None:
        """Write the result of `get_code`. Raises: OSError if the file cannot be written."""
        write_atomically(self._saved_file_name, [self.get_code().encode()])

    def get_network(self) -> Any:
        """Return a Cell with the nodes as its ``construct``; it shares everything else with the given one, which should
        no longer be used.
        """
        kind = type(self._network)
        made: Any = type(f"{kind.__name__}Opt", (kind,), {"construct": self._compiled(), "__module__": kind.__module__})
        for node in self._nodes:
            if node._chain is not None:
                node._chain.write()
        network = made.__new__(made)
        for name, value in self._network.__dict__.items():
            is_registry = name in ("_parameters", "_buffers", "_modules")
            network.__dict__[name] = type(value)(value) if is_registry else value
        subs: dict[int, Any] = {}
        for node in self._nodes:
            cell = node._instance
            if node._sub_tree is not None:
                if id(node._sub_tree) not in subs:
                    subs[id(node._sub_tree)] = node._sub_tree.get_network()
                cell = subs[id(node._sub_tree)]
            if node._attribute is not None and cell is not None:
                setattr(network, node._attribute, cell)
        return network

    def _compiled(self) -> Callable[..., Any]:
        """Return the method with the globals and the closure of the original."""
        method = self._method()
        factory = ast.parse(f"def _make({', '.join(self._closure)}):\n    return construct").body[0]
        assert isinstance(factory, ast.FunctionDef)
        factory.body.insert(0, method)
        module = ast.fix_missing_locations(ast.Module([factory], []))
        names = {**self._function.__globals__, **self._objects}
        filename = f"<rewritten {type(self._network).__qualname__}>"
        exec(compile(module, filename, "exec"), names)
        made: Callable[..., Any] = names["_make"](**self._closure)
        made.__defaults__ = self._function.__defaults__
        return made

    def print_node_tabulate(self, all_nodes: bool = False) -> None:
        """Print a table: type, name, code, sources of arguments, users of targets."""
        rows = [("node type", "name", "codes", "arg providers", "target users")]
        for node in self.nodes(all_nodes):
            arguments = {place: (found.get_name(), at) for place, (found, at) in node.get_arg_providers().items()}
            users = {at: [(o.get_name(), place) for o, place in found] for at, found in node.get_target_users().items()}
            code = "" if node._type is NodeType.Input else ast.unparse(ast.fix_missing_locations(node._code({})))
            rows.append((str(node._type), node.get_name(), code.split("\n")[0], str(arguments), str(users)))
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]
        print("\n".join([lines[0], "-" * (sum(widths) + 8), *lines[1:]]))


def node_arguments(node: Node) -> list[ScopedValue]:
    """Return all arguments of a node, those by keyword last."""
    return [*node._args, *node._kwargs.values()]


def _is_stored(item: Any) -> TypeGuard[ast.Name]:
    return isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)


class _Mangled(ast.NodeTransformer):
    """Private names (``__x``) in the form of Python's classes."""

    def __init__(self, owner: str) -> None:
        self._prefix = f"_{owner.lstrip('_')}"

    def _full(self, name: str) -> str:
        return f"{self._prefix}{name}" if name.startswith("__") and not name.endswith("__") else name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._full(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        node.attr = self._full(node.attr)
        return node
