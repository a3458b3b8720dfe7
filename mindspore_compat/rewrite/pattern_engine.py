"""Patterns of nodes and their replacements. MindSpore: ``mindspore.rewrite.api.pattern_engine``."""

from __future__ import annotations

import abc
from collections import OrderedDict
from typing import Any

from mindspore_compat.nn.cell import Cell
from mindspore_compat.rewrite.node import Node
from mindspore_compat.rewrite.node_type import NodeType
from mindspore_compat.rewrite.symbol_tree import SymbolTree

__all__ = ["PatternEngine", "PatternNode", "Replacement", "VarNode"]


class PatternNode:
    """Node of a pattern: it fits a `Node` that calls an instance of ``match_type``, and its inputs fit that node's.

    Args:
        pattern_node_name: under which the node is found in what has matched.
        match_type: a class of Cells or Primitives.
        inputs: PatternNodes; without any the node's inputs do not matter.
    """

    def __init__(self, pattern_node_name: str, match_type: Any = type[None], inputs: Any = None) -> None:
        self._name = pattern_node_name
        self._type = match_type
        self._inputs: list[PatternNode] = []
        self.set_inputs([] if inputs is None else inputs)

    @staticmethod
    def from_node(node: Node) -> PatternNode:
        """Return a pattern for the Cell of ``node``, whatever its inputs."""
        made = PatternNode(str(node.get_targets()[0]))
        if node.get_node_type() is NodeType.CallCell:
            made._type = node.get_instance_type()
        return made

    @staticmethod
    def create_pattern_from_node(node: Node) -> PatternNode:
        """Return a pattern for ``node`` and all before it."""
        made = PatternNode.from_node(node)
        made._inputs = [PatternNode.create_pattern_from_node(item) for item in node.get_inputs()]
        return made

    @staticmethod
    def create_pattern_from_list(type_list: list) -> Any:
        """Return the last pattern of a chain of calls of these classes; None for an empty list."""
        last = None
        for place, kind in enumerate(type_list):
            last = PatternNode(f"{place}-{kind}", kind, [] if last is None else [last])
        return last

    def add_input(self, node: PatternNode) -> None:
        """Add one more input."""
        self._inputs.append(node)

    def set_inputs(self, inputs: list[PatternNode]) -> None:
        """Replace the inputs."""
        self._inputs = inputs

    def match(self, node: Node) -> bool:
        """Return whether ``node`` alone, without its inputs, fits."""
        return self._type == node.get_instance_type()

    def get_inputs(self) -> list[PatternNode]:
        """Return its inputs."""
        return self._inputs

    def name(self) -> str:
        """Return its name."""
        return self._name

    def type(self) -> Any:
        """Return the class that it fits."""
        return self._type


class VarNode(PatternNode):
    """Pattern for any node; it is not part of the match."""

    def __init__(self) -> None:
        super().__init__("placeholder", Cell, [])

    def match(self, node: Node) -> bool:
        return node is not None


class Replacement(abc.ABC):
    """Base of replacements of matched nodes: derive from it and write ``build``."""

    @abc.abstractmethod
    def build(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict) -> list[Node]:
        """Return the new nodes, in their order; none to change nothing.

        Args:
            pattern: the last node of the pattern.
            is_chain_pattern: whether the pattern was given as a list of classes.
            matched: {name of a PatternNode: Node}.
        """
        raise NotImplementedError

    def __call__(self, pattern: PatternNode, is_chain_pattern: bool, matched: OrderedDict) -> list[Node]:
        return self.build(pattern, is_chain_pattern, matched)


class PatternEngine:
    """Replacement of nodes that match a pattern, in a `SymbolTree` and in those of its Cells.

    Args:
        pattern: a `PatternNode`, or a list of classes that are called one after the other.
        replacement: a `Replacement`.
    """

    def __init__(self, pattern: Any, replacement: Any = None) -> None:
        self._replacement, self._is_chain = replacement, isinstance(pattern, list)
        if not self._is_chain:
            self._pattern: PatternNode = pattern
            return
        self._pattern = PatternNode.create_pattern_from_list(pattern)

    def pattern(self) -> PatternNode:
        """Return the last node of the pattern."""
        return self._pattern

    def apply(self, stree: SymbolTree) -> bool:
        """Replace all matches; return whether a node of ``stree`` itself, not of its Cells, was replaced."""
        changed, queue, visited = False, list(stree.get_inputs()), []  # type: ignore[var-annotated]
        while queue:
            node = queue.pop(0)
            if node.get_symbol_tree() is None or any(node is item for item in visited):
                continue  # replaced, or seen
            visited.append(node)
            if node.get_node_type() is NodeType.CellContainer:
                self._apply_to_cells(node)
                continue  # MindSpore does not search beyond it, either
            if node.get_node_type() is NodeType.Tree:
                self.apply(node.get_sub_tree())
            matched = self._found(node)
            new_nodes = self._replacement(self._pattern, self._is_chain, matched) if matched else None
            if not new_nodes:
                queue.extend(node.get_users())
                continue
            changed = True
            queue.append(stree.replace(node, new_nodes))
            for item in reversed(matched.values()):
                if item is not node:
                    stree.erase(item)
        return changed

    def _found(self, node: Node) -> Any:
        """Return the match, unless other nodes use its inner nodes."""
        fits, matched = self._match(self._pattern, node)
        return matched if fits and self._check_match(self._pattern, matched) else None

    def _match(self, pattern: PatternNode, node: Node) -> tuple[bool, OrderedDict]:
        """Return whether ``node`` and its inputs fit, and {name of a PatternNode: Node}, inputs first."""
        kinds = (NodeType.CallCell, NodeType.CallPrimitive, NodeType.Input)
        if node.get_node_type() not in kinds or not pattern.match(node):
            return False, OrderedDict()
        if isinstance(pattern, VarNode):
            return True, OrderedDict()
        matched: OrderedDict[str, Node] = OrderedDict()
        inputs = node.get_inputs()
        if pattern.get_inputs() and len(pattern.get_inputs()) != len(inputs):
            return False, OrderedDict()
        for part, item in zip(pattern.get_inputs(), inputs):
            fits, found = self._match(part, item)
            if not fits:
                return False, OrderedDict()
            matched.update(found)
        matched[pattern.name()] = node
        return True, matched

    @staticmethod
    def _check_match(pattern: PatternNode, match_dict: OrderedDict) -> bool:
        """Return whether all but the last of the matched nodes are used by matched ones only."""
        nodes = list(match_dict.values())
        inner = [node for name, node in match_dict.items() if name != pattern.name()]
        return all(any(user is item for item in nodes) for node in inner for user in node.get_users())

    def _apply_to_cells(self, container: Node) -> None:
        """Apply to the Cells of a SequentialCell. They change when the tree makes its network, as in MindSpore."""
        for node in container.nodes():
            if node.get_symbol_tree() is None:
                continue
            if node.get_node_type() is NodeType.Tree:
                self.apply(node.get_sub_tree())
                continue
            matched = self._found(node)
            new_nodes = self._replacement(self._pattern, self._is_chain, matched) if matched else None
            if new_nodes:
                container._chain.replace(list(matched.values()), new_nodes)
