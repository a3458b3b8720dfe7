"""A Cell's ``construct`` as editable nodes. MindSpore: ``mindspore.rewrite``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.rewrite import common
from mindspore_compat.rewrite.node import Node
from mindspore_compat.rewrite.node_type import NodeType
from mindspore_compat.rewrite.pattern_engine import PatternEngine, PatternNode, Replacement, VarNode
from mindspore_compat.rewrite.scoped_value import ScopedValue, ValueType
from mindspore_compat.rewrite.symbol_tree import SymbolTree

__all__ = [
    "Node",
    "NodeType",
    "PatternEngine",
    "PatternNode",
    "Replacement",
    "ScopedValue",
    "SymbolTree",
    "ValueType",
    "VarNode",
    "common",
]
__getattr__ = module_getattr(__name__)
