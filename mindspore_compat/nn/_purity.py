"""Whether running Cells and functions has no effect but their operators, so that PYNATIVE_MODE may replay them (docs/design/replay.md).

Proved from the source of ``construct`` and what it calls: only locals are set; from outside it reads numbers, Tensors, Cells and
functions of this package or others that are proved too. What may change without a Cell's notice (globals, closures, methods
of classes) is remembered, and compared before each replay.
"""
from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import operator
import os
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell

__all__ = ["Proof", "proof_of"]

_HOME = str(Path(__file__).parents[1]) + os.sep
_ROOT = __name__.partition(".")[0]
#: where functions have no effect but what the recorder sees
_PURE = tuple(f"{_ROOT}.{name}" for name in ("ops", "nn", "numpy", "common._tensor", "common.tensor", "common.parameter", "common.dtype",
                                             "common.sparse_tensor", "common.initializer", "_checkparam", "parallel._utils"))
_SCALARS = frozenset((type(None), bool, int, float, complex, str, bytes, torch.dtype, torch.device, type(...), slice, range))
_TENSORS = frozenset((torch.Tensor, torch.nn.Parameter, Tensor, Parameter))
_BUILTINS = {name: getattr(builtins, name) for name in (
    "abs bool dict divmod enumerate float int isinstance len list max min pow range reversed round slice sorted str sum tuple zip "
    "ValueError TypeError RuntimeError AssertionError NotImplementedError IndexError KeyError Exception").split()}
#: what may be asked of a value whose kind is not known: a Tensor, a container or a string
_ASKED = frozenset(name for kind in (Tensor, str, tuple) for name in dir(kind) if not name.startswith("__")) | {"items", "keys", "values", "get"}
_ASKED -= {"name", "names", "grad", "_version"}  # nobody says when they change
_GROWS = frozenset(("append", "extend", "insert"))
#: attributes of a Cell that torch and the Cell itself keep; hooks are the recorder's business
_KEPT = frozenset(torch.nn.Module().__dict__) | frozenset(("_captured", "_aliases", "_buckets", "_computations", "_exist_objs", "_func_graph_flags"))
_OVERRIDES = frozenset(("__init__", "__module__", "__qualname__", "__doc__", "__annotations__", "__repr__", "__str__", "__static_attributes__",
                        "__firstlineno__", "__parameters__", "__orig_bases__", "construct", "extend_repr", "extra_repr"))
_PLAIN_LOOKUPS = (object.__getattribute__, dict.__getattribute__, types.ModuleType.__getattribute__)
_MISSING = object()


class _Unproved(Exception):
    """Why not."""


class Proof(NamedTuple):
    """What a proof rests on: Cells by their versions; what names, attributes and closures stand for by identity."""

    cells: list[weakref.ref[Cell]]  # weak: the one that is proved may be among them
    parameters: list[Parameter]  # those that are used directly
    names: list[tuple[dict[str, Any], str, Any]]
    attributes: list[tuple[Any, str, Any]]  # of classes and functions
    closures: list[tuple[types.CellType, Any]]
    contents: list[tuple[Any, tuple[Any, ...]]]  # lists and dicts, and what was in them

    def holds(self) -> bool:
        """Whether names still stand for the same objects."""
        for space, name, value in self.names:  # loops: this is asked at every step
            if space.get(name, _MISSING) is not value:
                return False
        for owner, name, value in self.attributes:
            if getattr(owner, name, _MISSING) is not value:
                return False
        for cell, value in self.closures:
            if cell.cell_contents is not value:
                return False
        return not self.contents or all(_holds(held, items) for held, items in self.contents)


def proof_of(*roots: Any) -> Proof | str:
    """A proof for Cells and functions and all that they call, or why there is none."""
    prover = _Prover()
    try:
        for root in roots:
            prover.vet(root)
        prover.finish()
    except _Unproved as why:
        return str(why)
    return Proof(list(map(weakref.ref, prover.cells.values())), list(prover.parameters.values()),
                 list(prover.names.values()), list(prover.attributes.values()), list(prover.closures.values()),
                 list(prover.contents.values()))


def _items(held: Any) -> tuple[Any, ...]:
    return (*held, *held.values()) if isinstance(held, dict) else tuple(held)


def _holds(held: Any, items: tuple[Any, ...]) -> bool:
    now = _items(held)
    return len(now) == len(items) and all(map(operator.is_, now, items))


class _Prover:
    """Follows values to the functions that may be called through them."""

    def __init__(self) -> None:
        self.cells: dict[int, Cell] = {}
        self.parameters: dict[int, Parameter] = {}
        self.names: dict[Any, tuple[dict[str, Any], str, Any]] = {}
        self.attributes: dict[Any, tuple[Any, str, Any]] = {}
        self.closures: dict[Any, tuple[types.CellType, Any]] = {}
        self.contents: dict[int, tuple[Any, tuple[Any, ...]]] = {}
        self._seen: dict[int, Any] = {}  # by identity, kept alive
        self._waiting: list[Callable[[], None]] = []

    def finish(self) -> None:
        while self._waiting:
            self._waiting.pop()()

    # --- values -----------------------------------------------------------------------------------------------------------

    def vet(self, value: Any) -> None:
        """Raise unless reading and calling ``value`` is without effect."""
        if type(value) is Parameter:
            self.parameters[id(value)] = value
        if type(value) in _SCALARS or type(value) in _TENSORS or isinstance(value, np.generic):
            return
        if type(value) in (tuple, ParameterTuple):
            for item in value:
                self.vet(item)
        elif id(value) not in self._seen:
            self._seen[id(value)] = value
            self._object(value)

    def _object(self, value: Any) -> None:
        if type(value) in (list, dict):
            self.contents[id(value)] = value, _items(value)
            for item in _items(value):
                self.vet(item)
        elif isinstance(value, Cell):
            self._cell(value)
        elif isinstance(value, types.FunctionType):
            self._waiting.append(functools.partial(self._function, value, None))
        elif isinstance(value, types.MethodType):
            if getattr(value.__self__, "_is_optimizer", False):
                raise _Unproved("it calls a method of an optimizer")
            self.vet(value.__self__)
            self._waiting.append(functools.partial(self._function, value.__func__, value.__self__))
        elif isinstance(value, (type, types.BuiltinFunctionType, types.MethodWrapperType)):
            if not (value in _BUILTINS.values() or _is_pure(value)):
                raise _Unproved(f"it uses {getattr(value, '__qualname__', value)}")
        elif _is_pure(type(value)):
            for item in getattr(value, "__dict__", {}).values():
                self._given(item)
        else:
            raise _Unproved(f"it uses a {type(value).__name__}")

    def _cell(self, cell: Cell) -> None:
        if cell._is_optimizer and not cell._is_recorded:  # its Python runs at each replay
            return
        self.cells[id(cell)] = cell
        for module in cell._modules.values():
            self.vet(module)
        if "construct" in cell.__dict__:
            self.vet(cell.__dict__["construct"])
        classes = [cls for cls in type(cell).__mro__ if cls not in Cell.__mro__ and cls.__module__ not in ("abc", "typing")]
        ours = [cls for cls in classes if _is_ours(cls) and _is_ours(cls.__dict__.get("construct", cls))]
        for cls in classes:
            if cls not in ours:
                self._class_of(cell, cls)
        self.attributes[type(cell), "construct"] = type(cell), "construct", type(cell).construct
        calls_what_it_holds = len(ours) == len(classes) or any("construct" in cls.__dict__ for cls in ours)
        for name, value in cell.__dict__.items():
            if calls_what_it_holds and name not in _KEPT:
                self._given(value)
            elif name in _ASKED and name not in _KEPT:
                self.vet(value)

    def _class_of(self, cell: Cell, cls: type) -> None:
        """A class of the user's: its ``construct``, and what may be taken for a method of a Tensor where a Cell is a local variable."""
        other = sorted(name for name in cls.__dict__ if name not in _OVERRIDES and (name in _CELL_NAMES or name.startswith("__")))
        if other:
            raise _Unproved(f"{cls.__name__} has its own {other[0]}")
        for name in ("construct", "__repr__", "__str__", "extend_repr", "extra_repr"):
            if name in cls.__dict__:
                self._waiting.append(functools.partial(self._function, cls.__dict__[name], cell))
        for name in _ASKED.intersection(cls.__dict__) - _OVERRIDES:
            self.vet(self._attribute(cls, cell, name))

    def _given(self, value: Any) -> None:
        """An attribute of an object of ours: its lists and dicts are its own, functions in them may be called."""
        if isinstance(value, (tuple, list, set, dict)):
            for item in value.values() if isinstance(value, dict) else value:
                self._given(item)
        else:
            self.vet(value)

    # --- functions --------------------------------------------------------------------------------------------------------

    def _function(self, function: Any, owner: Any) -> None:
        if isinstance(function, staticmethod):
            function, owner = function.__func__, None
        if not isinstance(function, types.FunctionType):
            raise _Unproved(f"it uses a {type(function).__name__}")
        if _is_ours(function):
            for cell in function.__closure__ or ():
                self.vet(_contents(cell))
            if not _is_pure(function):
                raise _Unproved(f"it calls {function.__qualname__}")
            return
        reads = _reads(function.__code__, owner is not None)
        if isinstance(reads, str):
            raise _Unproved(f"{function.__qualname__}, line {reads}")
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.attributes[function, name] = function, name, getattr(function, name)
        self.vet(function.__defaults__)
        self.vet(function.__kwdefaults__)
        free = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        for chain in reads:
            self._chain(function, free, owner, chain)

    def _chain(self, function: types.FunctionType, free: dict[str, types.CellType], owner: Any, chain: tuple[str, ...]) -> None:
        root, *attributes = chain
        if root == _SELF:
            if not isinstance(owner, Cell):
                raise _Unproved(f"{function.__qualname__} is a method of a {type(owner).__name__}")
            value = owner
        elif root in free:
            value = _contents(free[root])
            self.closures[id(free[root])] = free[root], value
        else:
            value = function.__globals__.get(root, _MISSING)
            self.names[id(function.__globals__), root] = function.__globals__, root, value
            if value is _MISSING and root not in _BUILTINS:
                raise _Unproved(f"{function.__qualname__} uses {root}")
            value = _BUILTINS[root] if value is _MISSING else value
        for position, name in enumerate(attributes):
            if isinstance(value, torch.Tensor) or type(value) in (str, tuple, list, dict):  # what comes of it is a value like any other
                if not _ASKED.issuperset(attributes[position:]):
                    raise _Unproved(f"{function.__qualname__} uses {'.'.join(chain)}")
                break
            value = self._attribute(function, value, name)
        self._read(function, value, chain)

    def _read(self, function: types.FunctionType, value: Any, chain: tuple[str, ...]) -> None:
        if isinstance(value, types.ModuleType):
            raise _Unproved(f"{function.__qualname__} uses a module as a value")
        if value is not function:
            self.vet(value)

    def _attribute(self, function: types.FunctionType | type, value: Any, name: str) -> Any:
        """``value.name`` where reading it runs nobody's code."""
        if name.startswith("__") and name != "__class__":
            raise _Unproved(f"{function.__qualname__} uses {name}")
        if isinstance(value, Cell) or type(value) is type:
            found = inspect.getattr_static(value if type(value) is type else type(value), name, _MISSING)
            if hasattr(type(found), "__get__") and not isinstance(found, (types.FunctionType, staticmethod, classmethod)) and not _is_ours(
                    getattr(found, "fget", found)):
                raise _Unproved(f"{function.__qualname__} reads the {type(found).__name__} {name}")
        if isinstance(value, Cell):
            if found is not _MISSING:
                self.attributes[type(value), name] = type(value), name, getattr(type(value), name)
        elif isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == _ROOT:
            getattr(value, name, None)  # what is loaded at its first use
            self.names[id(value.__dict__), name] = value.__dict__, name, value.__dict__.get(name, _MISSING)
        elif type(value) is type:
            if not _is_pure(value):
                self.attributes[value, name] = value, name, getattr(value, name, _MISSING)
        elif not _is_pure(type(value)):
            self._attribute_of_another(function, value, name)
        try:
            return getattr(value, name)
        except AttributeError as missing:
            raise _Unproved(str(missing)) from None

    def _attribute_of_another(self, function: types.FunctionType | type, value: Any, name: str) -> None:
        """An attribute in the dict of an object or module of the user's, or a plain one of its class."""
        cls, space = type(value), getattr(value, "__dict__", {})
        found = getattr(cls, name, _MISSING)
        if (cls.__getattribute__ not in _PLAIN_LOOKUPS or (name not in space and found is _MISSING)
                or hasattr(type(found), "__set__") or (name not in space and hasattr(type(found), "__get__"))):
            raise _Unproved(f"{function.__qualname__} reads {name} of a {cls.__name__}")
        self.names[id(space), name] = space, name, space.get(name, _MISSING)
        self.attributes[id(value), "__class__"] = value, "__class__", cls
        if found is not _MISSING:
            self.attributes[cls, name] = cls, name, found


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        raise _Unproved("it uses a variable before it is set") from None


def _is_ours(value: Any) -> bool:
    """Whether the code of a function or class is this package's; names may be copied by a decorator, code objects are not."""
    value = getattr(value, "__func__", value)
    code = getattr(value, "__code__", None)
    return code.co_filename.startswith(_HOME) if code is not None else str(getattr(value, "__module__", "")).partition(".")[0] == _ROOT


def _is_pure(value: Any) -> bool:
    module = str(getattr(value, "__module__", ""))
    if isinstance(value, types.BuiltinFunctionType):
        return module in ("math", "torch._C._nn") or value.__qualname__.startswith("_VariableFunctionsClass.")
    return _is_ours(value) and module.startswith(_PURE)


_CELL_NAMES = frozenset(dir(Cell)) | {"__getattribute__", "bprop"}


# --- source -------------------------------------------------------------------------------------------------------------------

_SELF = "<self>"


@functools.lru_cache(maxsize=1000)
def _reads(code: types.CodeType, is_method: bool) -> frozenset[tuple[str, ...]] | str:
    """Chains of names that a function reads from outside (``("F", "relu")``; `_SELF` is a method's first argument), or why it has effects."""
    definition = _definition(code)
    if definition is None:
        return f"{code.co_firstlineno}: its source is not at hand"
    visitor = _Visitor(definition, is_method)
    try:
        for statement in definition.body:
            visitor.visit(statement)
    except _Unproved as why:
        return str(why)
    return frozenset(visitor.chains)


def _definition(code: types.CodeType) -> ast.FunctionDef | None:
    """The ``def`` that ``code`` was compiled from; None unless compiling it again gives the same code."""
    tree, codes = _parsed(code.co_filename, "".join(linecache.getlines(code.co_filename)))
    if codes.get((code.co_name, code.co_firstlineno)) != code or tree is None:
        return None
    for node in ast.walk(tree):
        if (isinstance(node, ast.FunctionDef) and node.name == code.co_name
                and min([node.lineno, *(item.lineno for item in node.decorator_list)]) == code.co_firstlineno):
            return node
    return None


@functools.lru_cache(maxsize=4)
def _parsed(filename: str, source: str) -> tuple[ast.Module | None, dict[tuple[str, int], types.CodeType]]:
    try:
        tree = ast.parse(source)
        waiting = [compile(tree, filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return None, {}
    codes = {}
    while waiting:
        code = waiting.pop()
        codes[code.co_name, code.co_firstlineno] = code
        waiting.extend(item for item in code.co_consts if isinstance(item, types.CodeType))
    return tree, codes


class _Visitor(ast.NodeVisitor):
    """Collects what one function reads; raises `_Unproved` at what may have an effect."""

    _STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.If, ast.For, ast.While, ast.Pass, ast.Break, ast.Continue,
                   ast.Raise, ast.Assert)
    _EXPRESSIONS = (ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Dict, ast.Set, ast.Compare, ast.Call, ast.Constant, ast.Attribute,
                    ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice, ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.SetComp,
                    ast.JoinedStr, ast.FormattedValue)

    def __init__(self, function: ast.FunctionDef, is_method: bool) -> None:
        self.function = function
        arguments = function.args
        named = [*arguments.posonlyargs, *arguments.args]
        self.first = named[0].arg if named and is_method else ""
        every = [*named, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
        inner = {id(item) for node in ast.walk(function) if isinstance(node, ast.comprehension) for item in ast.walk(node.target)}
        stored = {node.id for node in ast.walk(function)
                  if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in inner}
        self.locals = stored | {item.arg for item in every}
        self.own = self._own_lists() - {item.arg for item in every}
        self.stored = stored
        self.chains: set[tuple[str, ...]] = set()

    def _own_lists(self) -> set[str]:
        """Locals that are nothing but lists made here, so that nobody else sees them grow."""
        made: set[str] = set()
        other: set[str] = set()
        for node in ast.walk(self.function):
            if isinstance(node, ast.Assign):
                lists = isinstance(node.value, (ast.List, ast.ListComp))
                for target in node.targets:
                    names = {item.id for item in ast.walk(target) if isinstance(item, ast.Name)}
                    (made if lists and isinstance(target, ast.Name) else other).update(names)
            elif isinstance(node, (ast.For, ast.comprehension)):
                other.update(item.id for item in ast.walk(node.target) if isinstance(item, ast.Name))
        return made - other

    def refuse(self, node: Any, what: str) -> None:
        raise _Unproved(f"{getattr(node, 'lineno', self.function.lineno)}: {what}")

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt) and not isinstance(node, self._STATEMENTS):
            self.refuse(node, type(node).__name__)
        if isinstance(node, ast.expr) and not isinstance(node, self._EXPRESSIONS):
            self.refuse(node, type(node).__name__)
        super().generic_visit(node)

    def _comprehension(self, node: Any) -> None:
        """Its variables are local to it alone; the first iterable does not see them."""
        self.visit(node.generators[0].iter)
        bound = {item.id for part in node.generators for item in ast.walk(part.target) if isinstance(item, ast.Name)}
        outer = self.locals, self.stored
        self.locals, self.stored = self.locals | bound, self.stored | bound
        self.generic_visit(node)
        self.locals, self.stored = outer

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)  # annotations of locals are not evaluated
        if node.value is not None:
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            self.refuse(node, "it sets what is not its own")
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.refuse(node, "it sets what is not its own")
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._chain(node, node.id, ())

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.refuse(node, f"it sets {node.attr}")
        attributes: list[str] = []
        at: ast.expr = node
        while isinstance(at, ast.Attribute):
            attributes.insert(0, at.attr)
            at = at.value
        if isinstance(at, ast.Name):
            self._chain(node, at.id, tuple(attributes))
            return
        if _is_super(at):
            if attributes != ["construct"]:
                self.refuse(node, f"it calls super().{attributes[0]}")
            return  # every construct of its bases is proved as well
        self._asked(node, attributes)
        self.visit(at)

    def _chain(self, node: ast.expr, root: str, attributes: tuple[str, ...]) -> None:
        if root in self.locals and (root != self.first or root in self.stored or not attributes):
            if attributes and not (len(attributes) == 1 and attributes[0] in _GROWS and root in self.own):
                self._asked(node, attributes)
        elif root == self.first:
            self.chains.add((_SELF, *attributes))
        elif root == "super":
            self.refuse(node, "it uses super()")
        else:
            self.chains.add((root, *attributes))

    def _asked(self, node: ast.expr, attributes: Any) -> None:
        for name in attributes:
            if name not in _ASKED or name.startswith("__"):
                self.refuse(node, f"it uses .{name}")


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
