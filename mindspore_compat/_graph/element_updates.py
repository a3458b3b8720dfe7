"""``x[i] = v`` in graph mode: a new value for the name ``x``.

In MindSpore's compiled code an assignment to elements makes a new Tensor for the name alone. Other names of the Tensor,
its base and a network's input keep their elements, and earlier results stay differentiable. ``self.x[i] = v`` makes a
new Tensor or list, too: the rest of the method finds it under ``self.x``, and the attribute keeps its value. So does
a list: ``x = self.x; x.append(v)`` changes a copy. Parameters are written in place.

Graph mode calls a copy of each function that assigns to elements, or that reaches such a function by name. The copy
copies ``x`` before the assignment, and calls the copies of other functions. It is made once, from the source; the
names, lines and defaults are the source's. The program's own function is never changed.
``MINDSPORE_COMPAT_UPDATES=off`` calls the originals.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import linecache
import os
import types
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from mindspore_compat._graph import element_stores as stores
from mindspore_compat._graph.element_stores import FunctionNode, is_of_self, source_of
from mindspore_compat._tensor.tracing import is_tracing
from mindspore_compat._tensor.wrapping import wrap


def in_graph_version(function: Any) -> Any:
    """Return the function or bound method that graph mode calls in place of ``function``; mostly the same one."""
    if is_tracing():
        return _traced_version(function)
    kind = type(function)
    if kind is functools.partial:
        inner = in_graph_version(function.func)
        return function if inner is function.func else kind(inner, *function.args, **function.keywords)
    if kind is types.MethodType and type(function.__func__) is types.FunctionType:
        inner = _version(function.__func__)
        return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
    return _version(function) if kind is types.FunctionType else function


#: at which generation of `stores` a code object, by id, was found to need copies
_unplain: dict[int, tuple[types.CodeType, int]] = {}
_copies: weakref.WeakKeyDictionary[types.FunctionType, tuple[Any, Any]] = weakref.WeakKeyDictionary()


def _version(function: types.FunctionType) -> types.FunctionType:
    code = function.__code__
    if id(code) in stores.plain_codes:
        return function
    key = code, stores.generation
    if _unplain.get(id(code)) != key:
        is_program = stores.is_program(function)
        is_plain = not is_program or not stores.reaches([function], "has_updates")
        if is_plain and not (code.co_freevars and is_program):  # functions of one code differ in the scopes around them
            stores.plain_codes[id(code)] = code
            return function
        _unplain[id(code)] = key
    made = _copies.get(function)
    if made is None or made[0] != key:
        made = _copies[function] = key, _copy(function) if stores.reaches([function], "has_updates") else None
    return made[1] or function


_traced: dict[str, types.FunctionType] = {}  # copies under names, for torch.compile


def _traced_version(function: Any) -> Any:
    """Return `in_graph_version` while Dynamo traces, as a function that it can look up by name."""
    inner = getattr(function, "__func__", function)
    name = _traced_name(inner) if type(inner) is types.FunctionType else ""
    if not name:
        return function
    return _traced[name] if inner is function else functools.partial(_traced[name], function.__self__)


def _traced_name(function: types.FunctionType) -> str:
    version = _version(function)
    if version is function:
        return ""
    name = f"{version.__module__}.{version.__qualname__}.{id(version)}"
    _traced[name] = version
    return name


_traced_name.__dict__["_dynamo_marked_constant"] = True


def _is_off() -> bool:
    return os.environ.get("MINDSPORE_COMPAT_UPDATES") == "off"


# --- what the copies call ---------------------------------------------------------------------------------------------


def _copied(x: torch.Tensor) -> torch.Tensor:
    return wrap(torch.clone(x))


def _copy_views(values: Any) -> Any:
    """Return the values of ``x[i], x[j] = a, b``, where a view would show the first assignment."""
    if type(values) not in (tuple, list):
        return values
    return [_copied(item) if isinstance(item, torch.Tensor) and item._is_view() else item for item in values]


def _own_path(x: Any, *places: Any) -> Any:
    """Prepare ``x[place]...[last] = v``: a Tensor is copied, in lists and dicts on the way, too."""
    if isinstance(x, torch.Tensor):
        return x if isinstance(x, torch.nn.Parameter) else _copied(x)
    if places and type(x) in (list, dict):
        x[places[0]] = _own_path(x[places[0]], *places[1:])
    return x


def _own_attribute(x: Any, *places: Any) -> Any:
    """Return the replacement of an attribute before ``self.x[place]... = v``, None for the attribute itself."""
    is_tensor = isinstance(x, torch.Tensor) and not isinstance(x, torch.nn.Parameter)
    return _own_path(_copied_lists(x, places), *places) if is_tensor or type(x) is list else None


def _copied_lists(x: Any, places: tuple[Any, ...] = ()) -> Any:
    if type(x) is not list:
        return x
    x = list(x)
    if places:
        x[places[0]] = _copied_lists(x[places[0]], places[1:])
    return x


_HELPERS: dict[str, Any] = {
    f"__mindspore_compat_{name}__": value
    for name, value in {
        "version": in_graph_version,
        "isinstance": isinstance,
        "Tensor": torch.Tensor,
        "Parameter": torch.nn.Parameter,
        "Module": torch.nn.Module,
        "copied": _copied,
        "path": _own_path,
        "attribute": _own_attribute,
        "lists": _copied_lists,
        "slice": slice,
        "values": _copy_views,
    }.items()
}


def _helper(name: str) -> ast.Name:
    return ast.Name(f"__mindspore_compat_{name}__", ast.Load())


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(_helper(name), list(args), [])


# --- copies -----------------------------------------------------------------------------------------------------------


def _copy(function: types.FunctionType) -> types.FunctionType | None:
    """Return a copy for graph mode, None if the source is missing or has changed."""
    code = function.__code__
    source = source_of(code)
    if source.node is None or _is_off() or code not in _codes_of_file(code.co_filename):
        return None
    names = {name for name in source.names if stores.reaches(stores.named(function, [name]), "has_updates")}
    methods = {name for name in source.attributes if stores.reaches(stores.methods_named(name), "has_updates")}
    methods |= {name for name in source.attributes if _is_in_module(function, source.names, name)}
    changed = _Updates(code, names, methods).visit(copy.deepcopy(source.node))
    made = _compiled(changed, source.owner, code)
    if made is None:
        return None
    around = dict(zip(code.co_freevars, function.__closure__ or ()))
    names_around = {**function.__globals__, **_HELPERS}  # the name of the class around is one of its scope
    cells = tuple([around.get(name) or types.CellType(names_around[name]) for name in made.co_freevars])
    again = types.FunctionType(made, function.__globals__, function.__name__, function.__defaults__, cells)
    again.__kwdefaults__, again.__dict__ = function.__kwdefaults__, function.__dict__
    again.__module__, again.__qualname__, again.__doc__ = function.__module__, function.__qualname__, function.__doc__
    return again


@functools.lru_cache(maxsize=64)
def _codes_of_file(path: str) -> frozenset[types.CodeType]:
    """Return the code of all functions in the file now, empty if it has no source."""
    try:
        return frozenset(_codes(compile("".join(linecache.getlines(path)), path, "exec", dont_inherit=True)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()


def _is_in_module(function: types.FunctionType, names: Iterable[str], attribute: str) -> bool:
    modules = [item for item in map(function.__globals__.get, names) if isinstance(item, types.ModuleType)]
    found = [vars(module).get(attribute) for module in modules]
    return stores.reaches([item for item in stores.callees(function) if item in found], "has_updates")


def _compiled(node: FunctionNode, owner: str, code: types.CodeType) -> types.CodeType | None:
    """Compile a definition for a code object, with the helpers as names of a scope around it."""
    body: list[Any] = [node]
    if isinstance(node, ast.Lambda):
        body = [ast.copy_location(ast.Expr(body[0]), node)]
    if owner:  # private names are of a class
        (around,) = ast.parse(f"class {owner}: pass").body
        around.body, body = body, [around]  # type: ignore[attr-defined]
    outer: Any = ast.parse(f"def outer({', '.join((*_HELPERS, *code.co_freevars))}): pass")
    outer.body[0].body = body
    made = compile(ast.fix_missing_locations(outer), code.co_filename, "exec", code.co_flags & _FUTURE, True)
    for item in _codes(made):
        if (item.co_name, item.co_firstlineno) == (code.co_name, code.co_firstlineno):
            item = item.replace(co_flags=code.co_flags)
            names: dict[str, Any] = {"co_qualname": getattr(code, "co_qualname", "")}  # since Python 3.11
            return item.replace(**names) if names["co_qualname"] else item
    return None


_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield from _codes(item)


class _Updates(ast.NodeTransformer):
    """Transformer that copies before assignments to elements, and replaces functions by their copies.

    Args:
        code: of the function.
        names: that stand for functions with copies.
        methods: names of methods with copies.
    """

    def __init__(self, code: types.CodeType, names: set[str], methods: set[str]) -> None:
        self._names, self._methods = names, methods
        self._by_place = {(item.co_name, item.co_firstlineno): item for item in _codes(code)}
        self._own: list[frozenset[str]] = []
        self._attributes: list[frozenset[str]] = []  # of self, to elements of which a function assigns
        self._count = 0

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        code = self._by_place.get((node.name, first))
        self._own.append(frozenset(() if code is None else (*code.co_varnames, *code.co_cellvars)))
        attributes = _updated_attributes(node)
        self._attributes.append(attributes)
        self.generic_visit(node)
        self._attributes.pop()
        self._own.pop()
        first = int(ast.get_docstring(node, clean=False) is not None)
        for name in sorted(attributes):
            none = ast.Assign([ast.Name(_local(name), ast.Store())], ast.Constant(None))
            node.body.insert(first, _placed(none, node.body[first]))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._own.append(frozenset(item.arg for item in ast.walk(node.args) if isinstance(item, ast.arg)))
        self.generic_visit(node)
        self._own.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node  # not compiled code

    def visit_Name(self, node: ast.Name) -> ast.AST:
        is_function = isinstance(node.ctx, ast.Load) and node.id in self._names
        if not is_function or any(node.id in own for own in self._own):
            return node
        return ast.copy_location(_call("version", node), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if is_of_self(node) and self._attributes and node.attr in self._attributes[-1]:
            return _placed(_read(node), node)
        if isinstance(node.ctx, ast.Load) and node.attr in self._methods:
            return ast.copy_location(_call("version", node), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        asked = self._methods.intersection(stores.asked(node))
        base = node.func
        while isinstance(base, ast.Subscript):
            base = base.value
        is_element = base is not node.func and (
            (isinstance(base, ast.Attribute) and base.attr in self._methods)
            or (isinstance(base, ast.Name) and base.id in self._names)
        )
        self.generic_visit(node)
        if is_element:  # self.functions[i](x)
            node.func = ast.copy_location(_call("version", node.func), node.func)
        return ast.copy_location(_call("version", node), node) if asked else node

    def visit_Assign(self, node: Any) -> Any:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        elements = [item for target in targets for item in _parts(target) if isinstance(item, ast.Subscript)]
        is_read = stores.name_of_attribute(node)
        self.generic_visit(node)
        if is_read:  # results = self.results: a list of the function's own
            node.value = _placed(_call("lists", node.value), node)
        if elements and any(isinstance(target, (ast.Tuple, ast.List)) for target in targets):
            node.value = ast.copy_location(_call("values", node.value), node.value)
        before = [step for element in elements for step in self._before(element)]
        if before and isinstance(node.value, ast.expr) and not isinstance(node.value, ast.Constant):
            # before the copy: for x[i] = x[i] * p autograd keeps a part of the old x
            before.insert(0, ast.Assign([ast.Name(_VALUE, ast.Store())], node.value))
            node.value = ast.copy_location(ast.Name(_VALUE, ast.Load()), node.value)
        return [*[_placed(step, node) for step in before], node]

    visit_AnnAssign = visit_Assign

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        element = base = node.target
        while isinstance(base, ast.Subscript):
            base = base.value  # type: ignore[assignment]
        is_own = hasattr(base, _ATTRIBUTE) or (isinstance(base, ast.Name) and base.id in self._own[-1])
        if not isinstance(element, ast.Subscript) or not is_own:  # Python evaluates another base once
            return node
        store = ast.Name(_VALUE, ast.Store())
        *places, own = *self._own_index(element), *self._before(element)
        loaded = copy.deepcopy(element)
        loaded.ctx = ast.Load()
        changed = [ast.Assign([store], loaded), ast.AugAssign(store, node.op, node.value)]
        last = ast.Assign([element], ast.Name(_VALUE, ast.Load()))
        return [_placed(step, node) for step in (*places, *changed, own, last)]

    def _own_index(self, element: ast.Subscript) -> Iterator[ast.stmt]:
        """Yield the statement that computes the index, which then is a name."""
        name = f"_mindspore_compat_{self._count}"
        self._count += 1
        yield ast.Assign([ast.Name(name, ast.Store())], _index(element.slice))
        element.slice = ast.Name(name, ast.Load())

    def _before(self, element: ast.Subscript) -> Iterator[ast.stmt]:
        """Yield the statements before an assignment to an element; the last one copies."""
        places: list[ast.expr] = []
        base: Any = element
        while isinstance(base, ast.Subscript):
            if base is not element:
                yield from self._own_index(base)  # each index is computed once
                places.insert(0, base.slice)
            base = base.value
        attribute = getattr(base, _ATTRIBUTE, "")
        if attribute:
            own: ast.expr = _call("attribute", base, *places)
            if not places:
                own = ast.IfExp(_is_tensor(base), _call("copied", base), own)
            is_cell = _call("isinstance", ast.Name("self", ast.Load()), _helper("Module"))
            own = ast.IfExp(is_cell, own, ast.Constant(None))
            yield ast.Assign([ast.Name(_local(attribute), ast.Store())], own)
        elif isinstance(base, ast.Name) and base.id in self._own[-1]:
            read, store = ast.Name(base.id, ast.Load()), ast.Name(base.id, ast.Store())
            if places:
                yield ast.Assign([store], _call("path", read, *places))
            else:
                yield ast.If(_is_tensor(read), [ast.Assign([store], _call("copied", read))], [])


def _is_tensor(node: ast.expr) -> ast.expr:
    """Return the test for a Tensor that is no Parameter. It calls nothing that a debugger steps into."""
    is_parameter = _call("isinstance", node, _helper("Parameter"))
    return ast.BoolOp(ast.And(), [_call("isinstance", node, _helper("Tensor")), ast.UnaryOp(ast.Not(), is_parameter)])


def _placed(node: Any, place: ast.AST) -> Any:
    """Give all new parts of a node the location of another node."""
    for item in ast.walk(node):
        if "lineno" in item._attributes and not hasattr(item, "lineno"):
            ast.copy_location(item, place)
            item.end_lineno, item.end_col_offset = item.lineno, item.col_offset  # type: ignore[attr-defined]
    return node


_VALUE = "_mindspore_compat_value"
_ATTRIBUTE = "_mindspore_compat_attribute"  # of an expression that reads such an attribute: its name


def _read(node: ast.Attribute) -> ast.IfExp:
    """Return ``self.x``, or its replacement in the rest of the method."""
    local = ast.Name(_local(node.attr), ast.Load())
    made = ast.IfExp(ast.Compare(local, [ast.Is()], [ast.Constant(None)]), node, local)
    setattr(made, _ATTRIBUTE, node.attr)
    return made


def _local(name: str) -> str:
    return f"_mindspore_compat_self_{name}"


def _updated_attributes(function: FunctionNode) -> frozenset[str]:
    """Return the attributes of ``self`` whose elements a method assigns, and which it never sets."""
    if not function.args.args or function.args.args[0].arg != "self":
        return frozenset()
    elements, stored = set[str](), set[str]()
    for node in _own_nodes(function):
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            base: Any = node
            while isinstance(base, ast.Subscript):
                base = base.value
            if is_of_self(base):
                is_element = base is not node and isinstance(node.ctx, ast.Store)  # type: ignore[attr-defined]
                (elements if is_element else stored).add(base.attr)
    return frozenset(name for name in elements - stored if not name.startswith("__"))


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without inner functions and classes."""
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
    """Return the contents of brackets as an expression by itself."""
    if isinstance(node, ast.Slice):
        ends = [ast.Constant(None) if end is None else end for end in (node.lower, node.upper, node.step)]
        return _call("slice", *ends)
    if isinstance(node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in node.elts):
        return ast.Tuple([_index(item) for item in node.elts], ast.Load())
    return node
