"""The Cells of a SequentialCell as nodes, each of which has the one before as its input."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat.rewrite.common.namespace import is_subtree
from mindspore_compat.rewrite.node import Node
from mindspore_compat.rewrite.node_type import NodeType
from mindspore_compat.rewrite.scoped_value import ScopedValue


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
