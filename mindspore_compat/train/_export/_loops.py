"""Loops with a number of rounds that depends on values: ``ops.WhileLoop``, and ``while`` in ``construct``, become one
``loop`` node.

A trace does not see the statement ``while``: for the export, functions with one run as a copy in which ``while test:
body`` is ``names = run(test, body, names)``, with the test and the body as functions of the names that the body assigns
to.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Any

from mindspore_compat._ops import other as other_ops
from mindspore_compat.context import in_jit
from mindspore_compat.nn.cell import Cell

_RUN, _GET = "__run_while", "__value_of"
#: methods that change a list, dict, set or deque in place; Tensors have some of these names too
_CHANGING = frozenset(
    (
        "append extend insert pop remove clear update add setdefault sort reverse popitem discard appendleft "
        "extendleft popleft rotate"
    ).split()
)
_OF_NO_MODULE = frozenset(
    {"append", "extend", "appendleft", "extendleft", "popleft", "popitem", "setdefault", "discard"}
)


_MAKING = frozenset("zeros ones zeros_like ones_like full full_like copy clone Tensor ZerosLike OnesLike".split())


class _Undefined:
    """Placeholder of a name that only a loop assigns to."""


UNDEFINED = _Undefined()


def _value_of(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except NameError:
        return UNDEFINED


class _Names(ast.NodeVisitor):
    """The names that statements assign to, or may change by a method, in order; and whether a loop of them can be a
    function.

    Args:
        local: the function's own names. unshared: those of them that alone hold what they hold.
    """

    def __init__(self, statements: list[ast.stmt], local: Container[str], unshared: Container[str]) -> None:
        self.found: dict[str, None] = {}
        self.local, self.unshared = local, unshared
        self.plain = True
        for statement in statements:
            self.visit(statement)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.found[node.id] = None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load) and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            self.plain = False  # attributes of Cells are read after the loop
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name) and node.value.id in self.unshared:
                self.found[node.value.id] = None
            else:
                self.plain = False  # another name may alias the same tensor or list
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        base: Any = node.func
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        if (
            method in _CHANGING
            and isinstance(base, ast.Name)
            and base.id in self.local
            and not _has_attributes(node.func)
        ):
            self.found[base.id] = None
        elif method in _OF_NO_MODULE or (isinstance(node.func, ast.Name) and node.func.id in self.local):
            self.plain = False  # an inner function may change its closure
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.found[node.name] = None  # its own names are its own

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def _leaves(self, node: ast.AST) -> None:
        self.plain = False

    visit_Break = visit_Continue = visit_Return = visit_Yield = visit_YieldFrom = visit_Global = visit_Nonlocal = (
        visit_Delete
    ) = _leaves


def _unshared(definition: ast.AST) -> set[str]:
    """Return names that only get new values (of arithmetic, of ``zeros`` and the like), with no alias in another name
    or container.
    """
    new: dict[str, bool] = {}
    shared: set[str] = set()
    harmless: set[int] = set()  # tuples that are indices, or return values
    for node in ast.walk(definition):
        if isinstance(node, ast.Subscript):
            harmless.add(id(node.slice))
        elif isinstance(node, ast.Return):
            harmless.add(id(node.value))
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                parts = [(target, node.value)]
                if (
                    isinstance(target, ast.Tuple)
                    and isinstance(node.value, ast.Tuple)
                    and len(target.elts) == len(node.value.elts)
                ):
                    parts = list(zip(target.elts, node.value.elts))
                    harmless.update((id(target), id(node.value)))
                for name, value in parts:
                    for inner in ast.walk(name):
                        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                            new[inner.id] = new.get(inner.id, True) and name is inner and _is_new(value)
                    if isinstance(value, (ast.Name, ast.IfExp, ast.BoolOp, ast.NamedExpr)):
                        shared.update(inner.id for inner in ast.walk(value) if isinstance(inner, ast.Name))
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)) and id(node) not in harmless:
            shared.update(inner.id for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.Name))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            shared.update(argument.id for argument in node.args if isinstance(argument, ast.Name))
        elif isinstance(node, (ast.For, ast.comprehension)):
            new.update({inner.id: False for inner in ast.walk(node.target) if isinstance(inner, ast.Name)})
    return {name for name, is_new in new.items() if is_new and name not in shared}


def _is_new(value: Any) -> bool:
    """Return whether an expression makes a new tensor or number."""
    if isinstance(value, ast.Call):
        function = value.func
        name = (
            function.attr
            if isinstance(function, ast.Attribute)
            else function.id
            if isinstance(function, ast.Name)
            else ""
        )
        return name in _MAKING
    return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant))


def _has_attributes(method: Any) -> bool:
    """Return whether a method's object is an attribute of something, not a name of its own."""
    return any(isinstance(node, ast.Attribute) for node in ast.walk(method.value))


class _Rewriter(ast.NodeTransformer):
    """Transformer of loops without ``break``, ``continue``, ``return`` and ``else`` to calls; others stay, and their
    decisions are traced one by one.
    """

    def __init__(self, local: Container[str], unshared: Container[str]) -> None:
        self.count, self.local, self.unshared = 0, local, unshared

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        names = _Names(node.body, self.local, self.unshared)
        if node.orelse or not names.plain or not names.found:
            return node
        self.count += 1
        carried = [name for name in names.found if not name.startswith("__loop_")]
        given = ", ".join(carried)
        text = (
            f"def __loop_test_{self.count}({given}):\n    return None\n"
            f"def __loop_body_{self.count}({given}):\n    return ({given},)\n"
            f"({given},) = {_RUN}(__loop_test_{self.count}, __loop_body_{self.count}, "
            f"({', '.join(f'{_GET}(lambda: {name})' for name in carried)},))\n"
        )
        made: list[Any] = ast.parse(text).body
        made[0].body = [ast.Return(node.test)]
        made[1].body = [*node.body, made[1].body[-1]]
        return [ast.copy_location(item, node) for item in made]


def _has_private_names(definition: ast.FunctionDef) -> bool:
    """Return whether ``self.__name`` occurs, which means another name within its class than in a copy outside of it."""
    names = [
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(definition)
        if isinstance(node, (ast.Attribute, ast.Name))
    ]
    return any(name.startswith("__") and not name.endswith("__") for name in names)


def _jitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function run as `jit` does, which would compile its source anew."""

    def run(*arguments: Any, **named: Any) -> Any:
        in_jit.depth += 1
        try:
            return function(*arguments, **named)
        finally:
            in_jit.depth -= 1

    return run


def _rewritten(function: Any, run: Callable[..., Any]) -> Any:
    """Return the function with loops as calls of ``run``; None without loops or source, or if decorated (not `jit`)."""
    if getattr(function, "_is_jit", False):
        inner = _rewritten(function.__wrapped__, run)
        return inner and _jitted(inner)
    if hasattr(function, "__wrapped__"):
        return None
    try:
        source = textwrap.dedent(inspect.getsource(function))
        if "while" not in source:
            return None
        (definition,) = ast.parse(source).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if not isinstance(definition, ast.FunctionDef) or _has_private_names(definition):
        return None
    rewriter = _Rewriter({*function.__code__.co_varnames, *function.__code__.co_cellvars}, _unshared(definition))
    definition.decorator_list = []
    definition = rewriter.visit(definition)
    if not rewriter.count:
        return None
    try:
        free = dict(zip(function.__code__.co_freevars, [cell.cell_contents for cell in function.__closure__ or ()]))
    except ValueError:  # a name around it has no value yet
        return None
    factory: Any = ast.parse(f"def make({', '.join([_RUN, _GET, *free])}):\n    return {definition.name}").body[0]
    factory.body.insert(0, definition)
    module = ast.fix_missing_locations(ast.Module([factory], []))
    ast.increment_lineno(module, function.__code__.co_firstlineno - 1)
    names: dict[str, Any] = {}
    exec(compile(module, function.__code__.co_filename, "exec"), function.__globals__, names)
    made = names["make"](run, _value_of, **free)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


@contextmanager
def looping(net: Any, run: Callable[..., Any]) -> Iterator[Any]:
    """Yield ``net`` (a function: its copy) with its loops, those of its Cells and `ops.WhileLoop` going to ``run(test,
    body, values)``.
    """

    def starred(test: Callable[..., Any], body: Callable[..., Any], values: Any) -> Any:
        return run(lambda items: test(*items), lambda items: body(*items), values)

    cells = [cell for _, cell in net.cells_and_names() if isinstance(cell, Cell)] if isinstance(net, Cell) else []
    known: dict[Any, Any] = {}
    changed: list[Cell] = []
    before, other_ops.loop_of_trace = other_ops.loop_of_trace, run
    try:
        for cell in cells:
            function = type(cell).construct
            if "construct" in cell.__dict__ or not isinstance(function, types.FunctionType):
                continue
            if function not in known:
                known[function] = _rewritten(function, starred)
            if known[function] is not None:
                cell.__dict__["construct"] = types.MethodType(known[function], cell)
                changed.append(cell)
        yield (_rewritten(net, starred) if isinstance(net, types.FunctionType) else None) or net
    finally:
        other_ops.loop_of_trace = before
        for cell in changed:
            del cell.__dict__["construct"]
