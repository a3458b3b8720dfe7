"""Functions of the program that assign to elements: ``x[i] = v``, themselves or in functions that they call by name.

Each source file is read once; a function without a source has no such assignments. Calls are followed by name: of
functions in the module, in modules that it imports, and in the scopes around, of methods of Cells, and of functions
that Cells hold as attributes.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import linecache
import sys
import sysconfig
import types
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._runtime.module_tree import modules

#: packages whose functions are not copied
_OTHERS = frozenset(("mindspore_compat", "torch", "builtins", "typing", "abc", "functools"))
#: folders of Python and of installed packages
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Source(NamedTuple):
    """The source of a function.

    Attributes:
        code: the code object; `node` is valid for it alone.
        node: the definition, None without a source.
        owner: the name of the class around it, for private names.
        names: names and ``attributes`` that it reads.
        has_updates: whether it assigns to elements of its own names or of attributes of ``self``.
        has_writes: whether it assigns to elements of anything else.
    """

    code: types.CodeType
    node: FunctionNode | None
    owner: str
    names: frozenset[str]
    attributes: frozenset[str]
    has_updates: bool
    has_writes: bool


_sources: dict[int, Source] = {}  # by id of the code, which the source keeps alive


def source_of(code: types.CodeType) -> Source:
    """Return the `Source` of a function."""
    found = _sources.get(id(code))
    if found is None or found.code is not code:
        found = _sources[id(code)] = _read(code)
    return found


def _read(code: types.CodeType) -> Source:
    nodes = _definitions(code.co_filename).get((code.co_name, code.co_firstlineno), [])
    if len(nodes) != 1:
        return Source(code, None, "", frozenset(), frozenset(), False, False)
    node, owner = nodes[0]
    names, attributes = set(), set()
    for item in ast.walk(node):
        if isinstance(getattr(item, "ctx", None), ast.Load):
            if isinstance(item, ast.Name):
                names.add(item.id)
            elif isinstance(item, ast.Attribute):
                attributes.add(item.attr)
        attributes.update(asked(item))
    stores = list(_stores(node, frozenset((*code.co_varnames, *code.co_cellvars))))
    return Source(code, node, owner, frozenset(names), frozenset(attributes), any(stores), not all(stores))


def asked(node: ast.AST) -> Iterator[str]:
    """Yield the attribute that ``getattr(x, "name")`` reads."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
        yield from (item.value for item in node.args[1:2] if isinstance(item, ast.Constant) and type(item.value) is str)


@functools.lru_cache(maxsize=256)
def _definitions(path: str) -> dict[tuple[str, int], list[tuple[FunctionNode, str]]]:
    """Return the functions of a file by name and first line, each with the class around it."""
    found: dict[tuple[str, int], list[tuple[FunctionNode, str]]] = {}

    def visit(node: ast.AST, owner: str) -> None:
        if isinstance(node, FunctionNode):
            decorators = getattr(node, "decorator_list", ())
            first = min([node.lineno, *(item.lineno for item in decorators)])
            found.setdefault((getattr(node, "name", "<lambda>"), first), []).append((node, owner))
        elif isinstance(node, ast.ClassDef):
            owner = node.name
        for child in ast.iter_child_nodes(node):
            visit(child, owner)

    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        visit(ast.parse("".join(linecache.getlines(path))), "")
    return found


def _stores(function: FunctionNode, own: frozenset[str]) -> Iterator[bool]:
    """Yield for each element that is assigned to, also in inner functions, whether its base is one of ``own`` names or
    an attribute of ``self``; True for a list of ``self`` that grows under a name.
    """
    lists = {name for item in ast.walk(function) if (name := name_of_attribute(item))}
    for item in ast.walk(function):
        if isinstance(item, ast.Attribute) and item.attr in ("append", "extend", "insert"):
            yield from (True for name in lists if getattr(item.value, "id", "") == name)
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item is not function:
            own = own | {each.id for each in ast.walk(item) if isinstance(each, ast.Name)}
        if isinstance(item, ast.Subscript) and isinstance(item.ctx, ast.Store):
            base: Any = item
            while isinstance(base, ast.Subscript):
                base = base.value
            is_name = isinstance(base, ast.Name) and base.id in own
            yield is_name or is_of_self(base)


def name_of_attribute(node: ast.AST) -> str:
    """Return the name in ``name = self.attribute``, else an empty string."""
    return getattr(node.targets[-1], "id", "") if isinstance(node, ast.Assign) and is_of_self(node.value) else ""


def is_of_self(node: ast.AST) -> bool:
    """Return whether it is ``self.name``."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


# --- calls ------------------------------------------------------------------------------------------------------------

_classes: weakref.WeakSet[type] = weakref.WeakSet()
_methods: dict[str, list[types.FunctionType]] = {}
generation = 0  # generation of the known calls: counts the classes
#: code objects, by id, whose functions graph mode calls as they are, at this generation
plain_codes: dict[int, types.CodeType] = {}


def register(cls: type) -> None:
    """Follow calls of this class's methods by their names."""
    global generation
    if cls in _classes:
        return
    _classes.add(cls)
    generation += 1
    plain_codes.clear()
    for name, method in _own_methods(cls):
        if method not in _methods.setdefault(name, []):
            _methods[name].append(method)


def register_attribute(name: str, value: Any) -> None:
    """Follow calls of an attribute of a Cell: functions, methods and objects of the program, also in lists and tables
    and in attributes of these objects.
    """
    seen: set[int] = set()
    waiting = [(name, value)]
    while waiting:
        name, value = waiting.pop()
        for item in _items(value):
            function = _function(item)
            if function is not None:
                _register_function(name, function)
            elif isinstance(item, torch.nn.Module) or id(item) in seen:  # a Cell registers itself
                continue
            elif _is_own(type(item).__module__) and hasattr(item, "__dict__"):
                seen.add(id(item))
                register(type(item))
                waiting += vars(item).items()


def _register_function(name: str, function: types.FunctionType) -> None:
    global generation
    known = _methods.setdefault(name, [])
    if is_program(function) and not any(_name(other) == _name(function) for other in known):
        known.append(function)
        generation += 1
        plain_codes.clear()


def _name(function: types.FunctionType) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def _is_own(module: str) -> bool:
    """Return whether a module is a file of the program, not an installed one."""
    path = getattr(sys.modules.get(module), "__file__", None) or ""
    is_other = module.partition(".")[0] in _OTHERS or not path or path.startswith(_INSTALLED)
    return module == "__main__" or not is_other


def _own_methods(cls: type) -> Iterator[tuple[str, types.FunctionType]]:
    for owner in cls.__mro__:
        if owner.__module__.partition(".")[0] not in _OTHERS:
            for name, item in list(vars(owner).items()):
                function = getattr(item, "__func__", item)  # of static and class methods
                if isinstance(function, types.FunctionType) and name != "__init__":
                    yield name, function


def methods_named(name: str) -> list[types.FunctionType]:
    """Return the methods of that name of all registered classes, and the functions that are attributes of that name."""
    return _methods.get(name, [])


def is_program(function: types.FunctionType) -> bool:
    """Return whether the program or a library that it uses has defined the function."""
    return _package(function) not in _OTHERS


def _package(function: types.FunctionType) -> str:
    return str(function.__globals__.get("__name__", "")).partition(".")[0]


def callees(function: types.FunctionType) -> Iterator[types.FunctionType]:
    """Yield the functions of the program that the function may call."""
    source = source_of(function.__code__)
    yield from named(function, source.names)
    for name in source.attributes:
        yield from methods_named(name)
    modules = [item for item in map(function.__globals__.get, source.names) if isinstance(item, types.ModuleType)]
    for module in modules:
        if module.__name__.partition(".")[0] not in _OTHERS:
            yield from _followed(function, [vars(module).get(name) for name in source.attributes])


def named(function: types.FunctionType, names: Iterable[str]) -> Iterator[types.FunctionType]:
    """Yield the functions that names of the module and of the scopes around the function stand for."""
    yield from _followed(function, [item for value in _values(function, names) for item in _functions_in(value)])


def values_read(function: types.FunctionType) -> list[Any]:
    """Return the values of the globals and closure variables that a function reads itself, and its defaults."""
    code = function.__code__
    source = source_of(code)
    names = {*code.co_names, *code.co_freevars}.difference(code.co_varnames, code.co_cellvars)
    names = names.intersection(source.names) if source.node else names  # attributes are among co_names
    return [*_values(function, names), *(function.__defaults__ or ())]


def _values(function: types.FunctionType, names: Iterable[str]) -> Iterator[Any]:
    around = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    for name in names:
        if name in around:
            with contextlib.suppress(ValueError):  # not assigned yet
                yield around[name].cell_contents
        else:
            yield function.__globals__.get(name)


def _functions_in(value: Any) -> list[types.FunctionType]:
    """Return the functions that ``value`` is, is bound to, or holds as a list, tuple or dict."""
    return [function for function in map(_function, _items(value)) if function is not None]


def _items(value: Any) -> Iterable[Any]:
    """Return the first items of a list, tuple or dict, else the value itself."""
    kind = type(value)
    return itertools.islice(value.values() if kind is dict else value, 64) if kind in (list, tuple, dict) else (value,)


def _function(item: Any) -> types.FunctionType | None:
    """Return the function that an object is or is bound to."""
    item = item.func if isinstance(item, functools.partial) else item
    item = item.__func__ if isinstance(item, (types.MethodType, staticmethod, classmethod)) else item
    return item if isinstance(item, types.FunctionType) else None


def _followed(function: types.FunctionType, items: Iterable[Any]) -> Iterator[types.FunctionType]:
    """Yield functions of the same package as ``function``, and of others that were not installed."""
    for item in items:
        if isinstance(item, types.FunctionType):
            is_own = _package(item) == _package(function) or not item.__code__.co_filename.startswith(_INSTALLED)
            if is_own and is_program(item):
                yield item


def reaches(roots: Iterable[types.FunctionType], wanted: str) -> bool:
    """Return whether a source with that flag is among the functions or what they call."""
    waiting = list(roots)
    known = {id(function) for function in waiting}
    while waiting:
        function = waiting.pop()
        if getattr(source_of(function.__code__), wanted):
            return True
        for called in callees(function):
            if id(called) not in known:
                known.add(id(called))
                waiting.append(called)
    return False


# --- blocks -----------------------------------------------------------------------------------------------------------

_known: tuple[weakref.WeakKeyDictionary[Any, tuple[Any, bool]], ...] = (
    weakref.WeakKeyDictionary(),
    weakref.WeakKeyDictionary(),
)


def assigns_elements(block: Any, in_graph: bool) -> bool:
    """Return whether a Cell or function may write to elements in place. In graph mode assignments to elements of a
    function's own names make new values instead.
    """
    if not isinstance(block, (types.FunctionType, torch.nn.Module)):
        block = block.func if isinstance(block, functools.partial) else block
        owner = getattr(block, "__self__", None)
        block = owner if isinstance(owner, torch.nn.Module) else getattr(block, "__func__", block)
        if not isinstance(block, (types.FunctionType, torch.nn.Module)):
            return False
    version = program.structure, generation
    found = _known[in_graph].get(block)
    if found is None or found[0] != version:
        found = _known[in_graph][block] = version, _assigns(block, in_graph)
    return found[1]


def _assigns(block: Any, in_graph: bool) -> bool:
    if isinstance(block, torch.nn.Module):
        classes = {type(module) for module in modules(block)}
        roots = [method for cls in classes for _, method in _own_methods(cls)]
    else:
        held = _held(block)
        if any(assigns_elements(item, in_graph) for item in held if item is not block):
            return True
        roots = [block] if is_program(block) else []
    return reaches(roots, "has_writes") or (not in_graph and reaches(roots, "has_updates"))


def _held(function: types.FunctionType) -> list[Any]:
    """Return the Cells and functions in the scopes of a function."""
    found = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # not assigned yet
            found.append(cell.cell_contents)
    if is_program(function):
        found += [
            item
            for item in map(function.__globals__.get, source_of(function.__code__).names)
            if isinstance(item, torch.nn.Module)
        ]
    return [item for item in found if callable(item) and not isinstance(item, type)]
