"""``x[index] = value`` in functions that upstream compiles: there it makes a new Tensor for the name ``x`` alone. Other
names of the Tensor, what it is a part of, and a network's input keep their elements, and what was computed from it can
still be differentiated. Python, which runs these functions here, would write to the one Tensor that all of them share.

``self.x[index] = value`` makes a new Tensor or list, too, which only the rest of the method finds under ``self.x``; the
attribute of a Cell keeps what it had. Parameters, and what is in dicts, are written to.

So the code of such functions, methods of Cells and what `jit` decorates, is compiled again from its source with
``x = put(value, x, index)`` in place of the assignment. `put` looks whether upstream would have compiled the caller.
What else means something else there, ``_compiled_meaning.py`` says.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import inspect
import linecache
import sysconfig
import types
import weakref
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat.common._compiled_branches import Branches, may_branch
from mindspore_compat.common._compiled_meaning import differs
from mindspore_compat.common._compiled_refusals import may_be_refused
from mindspore_compat.common._element_assignments import CHANGE, PUT, PUT_ATTRIBUTE, REFUSE, SLICE

__all__ = ["assigns_elements", "seen", "with_updates_of_names"]

_STORES = frozenset(dis.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in dis.opmap)


_classes: weakref.WeakSet[type] = weakref.WeakSet()  # whose methods were looked at
_assigning: tuple[weakref.WeakKeyDictionary[type, bool], ...] = (
    weakref.WeakKeyDictionary(),
    weakref.WeakKeyDictionary(),
)
_made: weakref.WeakKeyDictionary[types.CodeType, types.CodeType | None] = weakref.WeakKeyDictionary()  # of which code


class _Seen:
    """Whether any code that was looked at assigns to elements."""

    assignments = False


seen = _Seen()

#: whose functions stay as they are
_OTHERS = frozenset(("mindspore_compat", "torch", "builtins", "typing", "abc"))
#: where Python and what pip installs lie
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def with_updates_of_names(function: Any) -> None:
    """Let the function's assignments to elements of local names make new Tensors where upstream compiles it; so those
    of functions in it, and of the program's and its package's functions that it calls by a global name or a module's. A
    class is all its methods.

    What has none, or no source, stays as it is. So does what is no function.
    """
    if isinstance(function, type):
        if function in _classes:
            return
        _classes.add(function)
        for owner in function.__mro__:
            if owner.__module__.partition(".")[0] not in _OTHERS:
                for item in list(vars(owner).values()):
                    with_updates_of_names(item)
        return
    if isinstance(function, (types.MethodType, staticmethod, classmethod)):
        function = function.__func__
    if not isinstance(function, types.FunctionType):
        return
    if hasattr(function, "__wrapped__"):  # what a decorator has made calls it
        with_updates_of_names(function.__wrapped__)
    code = function.__code__
    if code in _made:
        made = _made[code]
        if made is not None:
            function.__code__ = made
        return
    _made[code] = None
    if _package(function) in _OTHERS:
        return
    for called in _called(function):
        if _package(called) == _package(function) or not called.__code__.co_filename.startswith(_INSTALLED):
            with_updates_of_names(called)
    _compile_again(function)


def _called(function: types.FunctionType) -> Iterator[types.FunctionType]:
    """Functions that it may call, by a name of its module or of a module that it knows."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    known = [function.__globals__.get(name) for name in names]
    modules = [item for item in known if isinstance(item, types.ModuleType) and item.__name__ not in _OTHERS]
    for item in (*known, *[vars(module).get(name) for module in modules for name in names]):
        if isinstance(item, types.FunctionType):
            yield item


def assigns_elements(block: Any, compiled: bool) -> bool:
    """Whether code of the Cell or function, or of what that calls as `with_updates_of_names` follows it, writes to
    elements; where upstream compiles it, what makes new Tensors does not.
    """
    if not isinstance(block, torch.nn.Module):
        return _assigns(block, compiled, set())
    found = _assigning[compiled]
    for kind in {type(module) for module in torch.nn.Module.modules(block)}:
        if kind not in found:
            found[kind] = _class_assigns(kind, compiled, set())
        if found[kind]:
            return True
    return False


def _class_assigns(cls: type, compiled: bool, known: set[Any]) -> bool:
    if cls in known:
        return False
    known.add(cls)
    owners = [owner for owner in cls.__mro__ if owner.__module__.partition(".")[0] not in _OTHERS]
    return any(_assigns(item, compiled, known) for owner in owners for item in vars(owner).values())


def _assigns(function: Any, compiled: bool, known: set[Any]) -> bool:
    held = function if isinstance(function, torch.nn.Module) else getattr(function, "__self__", None)
    if isinstance(held, torch.nn.Module):
        kinds = {type(module) for module in torch.nn.Module.modules(held)}  # a Cell's own `modules` may be a list
        return any(_class_assigns(kind, compiled, known) for kind in kinds)
    if isinstance(function, functools.partial):
        return _assigns(function.func, compiled, known)
    function = inspect.unwrap(getattr(function, "__func__", function)) if callable(function) else function
    if not isinstance(function, types.FunctionType) or function.__code__ in known:
        return False
    codes = list(_codes(function.__code__))
    known.add(codes[0])
    if _package(function) in _OTHERS:  # which may call a function that it was given
        return any(_assigns(item, compiled, known) for item in _held(function))
    if any(_stores(code) or PUT_ATTRIBUTE in code.co_names for code in codes) or (
        not compiled and any({PUT, CHANGE} & {*code.co_names} for code in codes)
    ):
        return True
    names = {name for code in codes for name in code.co_names}
    cells = [item for item in map(function.__globals__.get, names) if isinstance(item, torch.nn.Module)]
    return any(_assigns(item, compiled, known) for item in (*cells, *_called(function), *_held(function)))


def _held(function: types.FunctionType) -> Iterator[Any]:
    """What it has of the functions around it."""
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # not there yet
            yield cell.cell_contents


def _stores(code: types.CodeType) -> bool:
    return not _STORES.isdisjoint(code.co_code[::2])  # of two bytes each, since Python 3.6


def _package(function: types.FunctionType) -> str:
    return (function.__module__ or "").partition(".")[0]


def _compile_again(function: types.FunctionType) -> None:
    code = function.__code__
    codes = list(_codes(code))
    stores = any(map(_stores, codes))
    appends = any("append" in item.co_names for item in codes)
    may_differ = any(may_branch(item) or may_be_refused(item) for item in codes) or differs(code)
    if not stores and not appends and not may_differ:
        return
    seen.assignments |= stores
    before, after = _of_file(code.co_filename).get(_key(code), (None, None))
    if after is None or before != code or after.co_freevars != code.co_freevars:
        return  # the file is another by now, or the code was changed before
    function.__code__ = _made[code] = after
    _made[after] = None


@functools.lru_cache(maxsize=64)
def _of_file(path: str) -> dict[tuple[str, int], tuple[types.CodeType, types.CodeType]]:
    """A file's functions by name and line: (code, code with updates of names). All at once, since what Python makes of
    a function depends on what stands around it (private names, imports).
    """
    try:
        module = ast.parse("".join(linecache.getlines(path)))
        before = {_key(code): code for code in _codes(compile(module, path, "exec", dont_inherit=True))}
        changed = ast.fix_missing_locations(_Updates(path, before).visit(module))
        after = {_key(code): code for code in _codes(compile(changed, path, "exec", dont_inherit=True))}
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return {key: (code, after[key]) for key, code in before.items() if key in after}


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield from _codes(item)


def _key(code: types.CodeType) -> tuple[str, int]:
    return code.co_name, code.co_firstlineno


class _Updates(Branches):
    """All statements of a module; `codes` tells which names are a function's own."""

    def __init__(self, path: str, codes: dict[tuple[str, int], types.CodeType]) -> None:
        self.path = path
        self._codes, self._own = codes, [frozenset[str]()]
        self._attributes = [frozenset[str]()]  # of self, whose elements the function assigns to

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        code = self._codes.get((node.name, first))
        self._own.append(frozenset(() if code is None else (*code.co_varnames, *code.co_cellvars)))
        attributes = _attributes_with_updates(node)
        self._attributes.append(frozenset(attributes))
        super().visit_FunctionDef(node)
        self._attributes.pop()
        self._own.pop()
        first = int(ast.get_docstring(node, clean=False) is not None)
        for name in sorted(attributes):
            none = ast.Assign([ast.Name(_local(name), ast.Store())], ast.Constant(None))
            node.body.insert(first, ast.copy_location(none, node.body[0]))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def _visit_inside(self, node: Any) -> ast.AST:
        self._own.append(frozenset())
        self._attributes.append(frozenset())
        self.generic_visit(node)
        self._attributes.pop()
        self._own.pop()
        return node

    visit_ClassDef = visit_Lambda = _visit_inside

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not _is_of_self(node) or node.attr not in self._attributes[-1]:
            return node
        local = ast.Name(_local(node.attr), ast.Load())
        test = ast.Compare(local, [ast.Is()], [ast.Constant(None)])
        made = ast.copy_location(ast.IfExp(test, node, local), node)
        setattr(made, _OF_SELF, node.attr)
        return made

    def visit_Expr(self, node: ast.Expr) -> Any:
        name = _appended_to(node.value)
        self.generic_visit(node)
        if name is None:
            return node
        refusal = ast.Call(ast.Name(REFUSE, ast.Load()), [ast.Name("self", ast.Load()), ast.Constant(name)], [])
        return [ast.copy_location(ast.Expr(refusal), node), node]

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if not any(self._is_element(item) for target in node.targets for item in _parts(target)):
            return node
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
            return ast.copy_location(self._put(node.targets[0], node.value), node)
        # several targets: each gets its value first
        after: list[ast.stmt] = []

        def held(target: Any) -> Any:
            if isinstance(target, (ast.Tuple, ast.List)):
                return type(target)([held(item) for item in target.elts], ast.Store())
            if isinstance(target, ast.Starred) or not self._is_element(target):
                return target
            name = f"_mindspore_compat_{len(after)}"
            after.append(ast.copy_location(self._put(target, ast.Name(name, ast.Load())), node))
            return ast.Name(name, ast.Store())

        first = ast.copy_location(ast.Assign([held(target) for target in node.targets], node.value), node)
        return ast.copy_location(ast.If(ast.Constant(True), [first, *after], []), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not self._is_element(node.target):
            return node
        return ast.copy_location(self._put(node.target, node.value, type(node.op).__name__), node)

    def _is_element(self, target: ast.expr) -> bool:
        """``x[i]`` or ``x[i][j]`` where ``x`` is the function's own, or of `_attributes_with_updates`."""
        if not isinstance(target, ast.Subscript):
            return False
        while isinstance(target, ast.Subscript):
            target = target.value
        return hasattr(target, _OF_SELF) or (isinstance(target, ast.Name) and target.id in self._own[-1])

    def _put(self, target: Any, value: ast.expr, change: str = "") -> ast.Assign:
        places: list[ast.expr] = []
        while isinstance(target, ast.Subscript):
            places.insert(0, _index(target.slice))
            target = target.value
        name = getattr(target, _OF_SELF, "")
        if name:
            held = [ast.Name("self", ast.Load()), ast.Constant(name), ast.Name(_local(name), ast.Load())]
            call = ast.Call(ast.Name(PUT_ATTRIBUTE, ast.Load()), [ast.Constant(change), value, *held, *places], [])
            return ast.Assign([ast.Name(_local(name), ast.Store())], call)
        function = ast.Name(CHANGE if change else PUT, ast.Load())
        given = [ast.Constant(change)] if change else []
        call = ast.Call(function, [*given, value, ast.Name(target.id, ast.Load()), *places], [])
        return ast.Assign([ast.Name(target.id, ast.Store())], call)


_OF_SELF = "_mindspore_compat_attribute"  # of an expression that gives such an attribute: its name


def _local(name: str) -> str:
    return f"_mindspore_compat_self_{name}"


def _is_of_self(node: ast.AST) -> bool:
    """``self.x``."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _element_of_self(node: ast.AST) -> str | None:
    """``x`` of ``self.x[i]`` or ``self.x[i][j]``."""
    base: Any = node
    while isinstance(base, ast.Subscript):
        base = base.value
    return base.attr if base is not node and _is_of_self(base) else None


def _appended_to(node: ast.expr) -> str | None:
    """``x`` of ``self.x[i].append(y)``."""
    function: Any = node.func if isinstance(node, ast.Call) else None
    is_appending = isinstance(function, ast.Attribute) and function.attr == "append"
    return _element_of_self(function.value) if is_appending else None


def _attributes_with_updates(function: Any) -> set[str]:
    """Of a method: those of ``self`` to elements of which it assigns, and which it sets nowhere."""
    if not function.args.args or function.args.args[0].arg != "self":
        return set()
    found, stored = set[str](), set[str]()
    for node in _own_nodes(function):
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            name = _element_of_self(node)
            if name is not None and isinstance(node.ctx, ast.Store):  # type: ignore[attr-defined]
                found.add(name)
            elif _is_of_self(node):
                stored.add(node.attr)  # type: ignore[attr-defined]
    return {name for name in found - stored if not name.startswith("__")}


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, without functions and classes in it."""
    for item in ast.iter_child_nodes(node):
        if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield item
            yield from _own_nodes(item)


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from _parts(item)
    else:
        yield target


def _index(node: Any) -> ast.expr:
    """What stands between brackets as an expression by itself."""
    if isinstance(node, ast.Slice):
        ends = [ast.Constant(None) if end is None else end for end in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name(SLICE, ast.Load()), ends, [])
    if isinstance(node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in node.elts):
        return ast.Tuple([_index(item) for item in node.elts], ast.Load())
    return node
