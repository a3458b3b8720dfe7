"""What upstream's compiler knows for certain of an expression: its kind, and whether its value varies between calls.

Only inputs, Parameters, literals and what operators make of them count. What comes out of a call, or of code that
upstream leaves to Python, may be constant or of any kind there, and is unknown here.
"""

from __future__ import annotations

import ast
import types
from typing import Any, NamedTuple

import torch

from mindspore_compat.common._compiled_source import UNKNOWN, value_of
from mindspore_compat.common._in_graph import outermost_graph_inputs
from mindspore_compat.common.dtype import dtype_name

__all__ = ["Kind", "Kinds", "TENSOR_CALLS", "are_apart", "is_literal", "stored_names"]


class Kind(NamedTuple):
    """``name``: "Tensor", "tuple", "list", "dict", or of a scalar "bool", "int", "float", "str"; "" for others that
    vary. ``dtype``: of a Tensor, None if unknown. ``items``: of a tuple or list, None for unknown ones.
    """

    name: str
    dtype: torch.dtype | None = None
    varies: bool = False
    items: tuple[Kind | None, ...] = ()

    @property
    def text(self) -> str:
        """For messages."""
        if self.items:
            return f"{self.name} of ({', '.join('?' if item is None else item.text for item in self.items)})"
        return self.name if self.dtype is None else f"{self.name}[{dtype_name(self.dtype)}]"


SCALARS = frozenset(("bool", "int", "float", "str"))
#: names under which Tensors are made
TENSOR_CALLS = frozenset(("Tensor",))
#: methods that give a Tensor of values, whatever they are given
_METHODS = {"sum": None, "mean": None, "prod": None, "abs": None, "any": torch.bool, "all": torch.bool}
_EXTREMES = frozenset(("max", "min"))  # with arguments they give pairs
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_SAME_DTYPE = (ast.Add, ast.Sub, ast.Mult)


def are_apart(one: Kind | None, other: Kind | None) -> bool:
    """Whether upstream can not make one result of the two, as far as is certain."""
    if one is None or other is None or not one.name or not other.name:
        return False
    if one.name == other.name == "Tensor":
        return one.dtype is not None and other.dtype is not None and one.dtype != other.dtype
    if one.name == other.name == "tuple":  # of different length they are one of unknown length
        return len(one.items) == len(other.items) and any(map(are_apart, one.items, other.items))
    kinds = {one.name, other.name}
    if "list" in kinds:  # of literals alone it is any Python object
        lists = [kind for kind in (one, other) if kind.name == "list"]
        return len(lists) == 1 and any(item is not None and item.name == "Tensor" for item in lists[0].items)
    return len(kinds) > 1 and kinds != {"tuple", "dict"}


def stored_names(node: ast.AST) -> set[str]:
    """What a statement and those in it assign to, or to a part of."""
    found = set[str]()
    for item in ast.walk(node):
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(item.name)
        elif isinstance(item, (ast.Global, ast.Nonlocal)):
            found.update(item.names)
        elif isinstance(item, (ast.Import, ast.ImportFrom)):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in item.names)
        elif not isinstance(getattr(item, "ctx", ast.Load()), ast.Load):
            base: Any = item
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            found.add(getattr(base, "id", ""))
    return found


class Kinds:
    """Kinds of the expressions of a function that runs, by its statements and what its frame holds."""

    def __init__(self, function: ast.FunctionDef, frame: types.FrameType) -> None:
        self.function, self.frame = function, frame
        self.inputs = {id(item) for item in outermost_graph_inputs() or () if isinstance(item, torch.Tensor)}
        self.names: dict[str, Kind | None] = {}  # assigned on a path that has not been taken
        self._depth = 0

    def of(self, node: ast.expr | None) -> Kind | None:
        """None where the kind is not certain."""
        if node is None:
            return None
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None or self._depth > 20:
            return None
        self._depth += 1
        try:
            return method(node)
        finally:
            self._depth -= 1

    def varies(self, node: ast.expr) -> bool:
        """Whether upstream compiles both branches of this condition, for certain."""
        kind = self.of(node)
        return kind is not None and kind.varies

    def _Constant(self, node: ast.Constant) -> Kind | None:
        name = type(node.value).__name__
        return Kind(name) if name in SCALARS else None

    def _Name(self, node: ast.Name) -> Kind | None:
        if node.id in self.names:
            return self.names[node.id]
        known = self._of_value(node)
        if known is not None:
            return known
        value = self._only_value(node.id)
        if value is None or not all(self._is_fixed(item.id) for item in ast.walk(value) if isinstance(item, ast.Name)):
            return None
        return self.of(value)

    def _stores(self, name: str) -> list[ast.stmt]:
        return [item for item in self.function.body if name in stored_names(item)]

    def _is_input(self, name: str) -> bool:
        return any(item.arg == name for item in ast.walk(self.function.args) if isinstance(item, ast.arg))

    def _is_fixed(self, name: str) -> bool:
        return len(self._stores(name)) <= (not self._is_input(name))

    def _only_value(self, name: str) -> ast.expr | None:
        """What the function assigns to it, if that is one simple assignment."""
        stores = self._stores(name)
        if self._is_input(name) or len(stores) != 1 or not isinstance(stores[0], ast.Assign):
            return None
        return stores[0].value if all(isinstance(item, ast.Name) for item in stores[0].targets) else None

    def _Attribute(self, node: ast.Attribute) -> Kind | None:
        return self._of_value(node)

    def _of_value(self, node: ast.expr) -> Kind | None:
        """Of an input, or a Parameter."""
        value = value_of(node, self.frame)
        if not isinstance(value, torch.Tensor) or getattr(value, "const_arg", False):
            return None
        if id(value) in self.inputs or isinstance(value, torch.nn.Parameter):
            return Kind("Tensor", value.dtype, True)
        return None

    def _is_number(self, node: ast.expr) -> bool:
        """Whether it is a number that the compiler can take for one, varying or not."""
        value = value_of(node, self.frame)
        return isinstance(value, (bool, int, float)) or (
            isinstance(node, ast.UnaryOp) and self._is_number(node.operand)
        )

    def _UnaryOp(self, node: ast.UnaryOp) -> Kind | None:
        kind = self.of(node.operand)
        if kind is None:
            return None
        if isinstance(node.op, ast.Not):
            return Kind("", varies=True) if kind.varies else None
        if kind.name == "Tensor":
            return kind
        return Kind(kind.name) if isinstance(node.op, ast.USub) and kind.name in ("int", "float") else None

    def _BinOp(self, node: ast.BinOp) -> Kind | None:
        kinds = [self._operand(item) for item in (node.left, node.right)]
        tensors = [kind for kind in kinds if kind is not None and kind.name == "Tensor"]
        if None in kinds or not tensors:
            return None
        dtypes = {kind.dtype for kind in tensors}
        is_same = len(tensors) == 2 and len(dtypes) == 1 and isinstance(node.op, _SAME_DTYPE)
        return Kind("Tensor", dtypes.pop() if is_same else None, any(kind.varies for kind in tensors))

    def _operand(self, node: ast.expr) -> Kind | None:
        kind = self.of(node)
        if kind is not None and (kind.name in ("Tensor", "int", "float", "bool") or kind.varies):
            return kind
        return Kind("float") if self._is_number(node) else None

    def _Compare(self, node: ast.Compare) -> Kind | None:
        kinds = [self._operand(item) for item in (node.left, *node.comparators)]
        if None in kinds or not all(isinstance(op, _ORDERS) for op in node.ops):
            return None
        if not any(kind.varies for kind in kinds[:2] if kind is not None):
            return None
        return Kind("Tensor" if len(kinds) == 2 else "", torch.bool, True)

    def _BoolOp(self, node: ast.BoolOp) -> Kind | None:
        return Kind("", varies=True) if self.varies(node.values[0]) else None

    def _Subscript(self, node: ast.Subscript) -> Kind | None:
        kind = self.of(node.value)
        if kind is None or kind.name != "Tensor" or not is_literal(node.slice):
            return None
        return kind

    def _Tuple(self, node: ast.Tuple) -> Kind | None:
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return None
        return Kind(type(node).__name__.lower(), items=tuple(self.of(item) for item in node.elts))

    _List: Any = _Tuple

    def _Dict(self, node: ast.Dict) -> Kind | None:
        return Kind("dict")

    def _Call(self, node: ast.Call) -> Kind | None:
        if isinstance(node.func, ast.Name):
            return self._of_function(node, node.func)
        if not isinstance(node.func, ast.Attribute):
            return None
        name, kind = node.func.attr, self.of(node.func.value)
        if kind is not None and kind.name == "Tensor" and kind.varies:
            if name in _METHODS:
                return Kind("Tensor", _METHODS[name], True)
            if name in _EXTREMES and not node.args and not node.keywords:
                return kind
            return Kind("", varies=True) if name == "item" else None
        return self._made(node)

    def _of_function(self, node: ast.Call, function: ast.Name) -> Kind | None:
        if function.id not in ("int", "float", "bool", "abs"):
            return self._made(node)
        if len(node.args) != 1 or node.keywords or function.id in {*self.frame.f_globals, *self.frame.f_locals}:
            return None
        kind = self.of(node.args[0])
        if kind is None or kind.name != "Tensor" or not kind.varies:
            return None
        return kind if function.id == "abs" else Kind("", varies=True)

    def _made(self, node: ast.Call) -> Kind | None:
        """``Tensor(...)`` of literals."""
        made = value_of(node.func, self.frame)
        if made is UNKNOWN or getattr(made, "__name__", "") not in TENSOR_CALLS:
            return None
        is_ours = isinstance(made, type) and issubclass(made, torch.Tensor)
        return Kind("Tensor") if is_ours and node.args and is_literal(node.args[0]) else None


def is_literal(node: ast.expr) -> bool:
    """Numbers, and lists, tuples and slices of them."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(map(is_literal, node.elts))
    if isinstance(node, ast.Slice):
        return all(item is None or is_literal(item) for item in (node.lower, node.upper, node.step))
    if isinstance(node, ast.UnaryOp):
        return is_literal(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float))
