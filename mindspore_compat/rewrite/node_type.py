"""Node types. MindSpore: ``mindspore.rewrite.NodeType``."""

from enum import Enum

__all__ = ["NodeType"]


class NodeType(Enum):
    """Type of a `SymbolTree`'s node."""

    Unknown = 0
    CallCell = 1
    CallPrimitive = 2
    CallModule = 3
    CallFunction = 4
    CallMethod = 5
    Python = 6
    Input = 7
    Output = 8
    Tree = 9
    CellContainer = 10
    MathOps = 11
    ControlFlow = 12
