"""Branches that upstream's compiler can not make one of: where a condition varies from call to call it compiles both,
and what both give, or assign to a name that is read afterwards, must be of one kind. Python, which runs the code here,
would not see the branch that is not taken.

Only what is certain is refused (``_compiled_kinds.py``); a condition is looked at until it has varied once.
"""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import linecache
import re
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from mindspore_compat.common import _tracing
from mindspore_compat.common._compiled_kinds import TENSOR_CALLS, Kind, Kinds, are_apart, stored_names
from mindspore_compat.common._compiled_meaning import is_compiled
from mindspore_compat.common._compiled_refusals import Refusals
from mindspore_compat.common._compiled_source import tree_of
from mindspore_compat.common._in_graph import is_within_compiled

__all__ = ["Branches", "may_branch"]

_LOOK = "__mindspore_compat_look__"
_JUMPS_OUT = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)
_LITERALS = (ast.Tuple, ast.List, ast.Dict)
_ORDERS = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "greater_than", ast.GtE: "greater_equal"}
_NUMBERS = frozenset(("bool", "int", "float"))
_PYTHON = (ast.Call, ast.Not, ast.BoolOp)
_CERTAIN = (bool, int, float, str)
_IF = re.compile("JUMP.*IF_(TRUE|FALSE)")
_JUMPS = frozenset(code for name, code in dis.opmap.items() if name == "COMPARE_OP" or _IF.search(name))
_MAKES = frozenset(dis.opmap[name] for name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_MAP") if name in dis.opmap)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _End(NamedTuple):
    """Where a path leads: ``value``, the expression that is returned (None: nothing is), by ``statement``; or on."""

    is_return: bool
    statement: ast.stmt | None = None
    kind: Kind | None = None


_looked_at: list[Any] = []


class _After(NamedTuple):
    """The statement that a condition stands in, what follows it as far as is certain, and whether to the end."""

    statement: ast.stmt
    rest: list[ast.stmt]
    ends: bool


class _UncertainError(Exception):
    """Where a path leads is not certain."""


class _Condition:
    """A condition in a function, with the statements that follow it as long as they are certain to."""

    def __init__(self, path: str, function: ast.FunctionDef, node: Any, after: _After) -> None:
        self.path, self.function, self.node = path, function, node
        self.after = after
        self.looks = 8  # how often it is still looked at
        self.may_be_python = any(isinstance(item, _PYTHON) for item in ast.walk(node.test))  # Python's bool

    def refusal(self, frame: types.FrameType) -> TypeError | None:
        """What upstream's compiler raises. Where it has varied and may, it is not looked at again."""
        kinds = Kinds(self.function, frame)
        if not kinds.varies(self.node.test):
            return None
        found = None
        if _is_needed_by_callers(frame):
            try:
                found = self._of_choice(kinds) if isinstance(self.node, ast.IfExp) else self._of_blocks(kinds)
            except _UncertainError:
                pass
        self.looks *= found is not None
        return found

    def _of_choice(self, kinds: Kinds) -> TypeError | None:
        if not isinstance(self.after.statement, ast.Return) and not _is_needed(self.after, _target(self.after)):
            return None
        one, other = kinds.of(self.node.body), kinds.of(self.node.orelse)
        return self._error(one, other, self.node.body, self.node.orelse) if are_apart(one, other) else None

    def _of_blocks(self, kinds: Kinds) -> TypeError | None:
        (one, first), (other, second) = (_walk(block, kinds) for block in (self.node.body, self.node.orelse))
        if one.is_return or (other.is_return and isinstance(self.node, ast.If)):
            one, other = self._to_return(one, first, kinds), self._to_return(other, second, kinds)
            is_refused = are_apart(one.kind, other.kind)
            return self._error(one.kind, other.kind, one.statement, other.statement) if is_refused else None
        if isinstance(self.node, ast.While):
            return None
        for name in (*first, *(name for name in second if name not in first)):
            made = [path[name][0] if name in path else kinds.of(ast.Name(name, ast.Load())) for path in (first, second)]
            if are_apart(*made) and _is_needed(self.after, name):
                return self._error(*made, *(path[name][1] for path in (first, second) if name in path))
        return None

    def _to_return(self, end: _End, names: dict[str, Any], kinds: Kinds) -> _End:
        if end.is_return:
            return end
        if not self.after.ends:
            raise _UncertainError
        return _walk(self.after.rest, kinds, names, is_last=True)[0]

    def _error(self, one: Kind | None, other: Kind | None, *nodes: Any) -> TypeError:
        kinds = " and ".join(kind.text if kind is not None else "?" for kind in (one, other))
        lines = [
            f"  {self.path}:{node.lineno}: {linecache.getline(self.path, node.lineno).strip()}"
            for node in (self.node, *nodes)
            if node is not None
        ]
        return TypeError(
            "Cannot join the return values of different branches, perhaps you need to make them equal. Upstream's "
            f"compiler takes both branches of a condition that is a Tensor, and here they give {kinds}:\n"
            + "\n".join(lines)
        )


class _Order:
    """``x < y`` of tuples or lists, the names of which have one value."""

    may_be_python = False

    def __init__(self, function: ast.FunctionDef, node: ast.Compare) -> None:
        self.function, self.node, self.looks = function, node, 1

    def refusal(self, frame: types.FrameType) -> TypeError | None:
        """What upstream's compiler raises, for a first element that is no number."""
        kinds = Kinds(self.function, frame)
        one, other = (kinds.of(item) for item in (self.node.left, self.node.comparators[0]))
        if one is None or other is None or one.name != other.name or not (_is_certain(one) and _is_certain(other)):
            return None
        first = [kind for kind in (*one.items[:1], *other.items[:1]) if kind is not None]
        if len(first) < 2 or first[0].name != first[1].name:
            return None
        name, kind = f"{one.name}_{_ORDERS[type(self.node.ops[0])]}", first[0].name
        if kind == "Tensor":
            return TypeError(f"For primitive '{name}', the input element must be scalar, but got Tensors first.")
        if all(map(_is_of_numbers, first)):
            return TypeError(
                f"For op '{name}' input must be [int32, int64, float32, float64, bool] tensors or scalars, but got "
                f"{kind}s first."
            )
        return None


def _is_certain(kind: Kind | None) -> bool:
    return kind is not None and bool(kind.name) and all(map(_is_certain, kind.items))


def _is_of_numbers(kind: Kind | None) -> bool:
    """Whether it is a tuple or list of numbers, or a text."""
    if kind is None or kind.name in ("tuple", "list"):
        return kind is not None and all(item is not None and item.name in _NUMBERS for item in kind.items)
    return kind.name == "str"


def _walk(
    block: list[ast.stmt], kinds: Kinds, names: dict[str, Any] | None = None, is_last: bool = False
) -> tuple[_End, dict[str, tuple[Kind | None, ast.stmt]]]:
    """Where statements lead, and what they assign: name -> (kind, statement). ``is_last``: the function ends there.

    Raises:
        _UncertainError: if it can not be said.
    """
    names = dict(names or {})
    before, kinds.names = kinds.names, {name: kind for name, (kind, _) in names.items()}
    try:
        for item in block:
            if isinstance(item, ast.Return):
                return _End(True, item, kinds.of(item.value)), names
            if any(isinstance(inner, _JUMPS_OUT) for inner in ast.walk(item)):
                raise _UncertainError
            is_simple = isinstance(item, ast.Assign) and all(isinstance(target, ast.Name) for target in item.targets)
            made = kinds.of(item.value) if is_simple else None  # type: ignore[attr-defined]
            for name in stored_names(item):
                names[name] = made, item
                kinds.names[name] = made
        return _End(is_last), names
    finally:
        kinds.names = before


def _is_needed(after: _After, name: str) -> bool:
    """Whether what the function returns comes of the name as it is after the statement, for certain."""
    place = next((place for place, item in enumerate(after.rest) if isinstance(item, ast.Return)), None)
    if place is None or not after.ends:
        return False
    needed = set(_names(after.rest[place]))
    for item in reversed(after.rest[:place]):
        stored = stored_names(item)
        if any(isinstance(inner, _JUMPS_OUT) for inner in ast.walk(item)):
            return False
        if stored & needed:
            if not isinstance(item, ast.Assign) or not all(isinstance(one, ast.Name) for one in item.targets):
                return False
            needed = (needed - stored) | set(_names(item.value))
    return name in needed


def _is_needed_by_callers(frame: types.FrameType) -> bool:
    """Whether what the function gives is part of what the compiled code gives: the compiler leaves out what is not."""
    caller = frame.f_back
    while caller is not None:
        if not caller.f_globals.get("__name__", "").startswith(("mindspore_compat", "torch")):
            if not is_within_compiled(caller):  # a script's own line
                return True
            after = _statement_of(caller)
            if after is None or not (isinstance(after.statement, ast.Return) or _is_needed(after, _target(after))):
                return False
        caller = caller.f_back
    return True


def _statement_of(frame: types.FrameType) -> _After | None:
    """The return or assignment that runs in a frame."""
    code = frame.f_code
    for item in ast.walk(tree_of(code.co_filename) or ast.Module([], [])):
        if isinstance(item, ast.FunctionDef) and item.name == code.co_name:
            if min([item.lineno, *(one.lineno for one in item.decorator_list)]) != code.co_firstlineno:
                continue
            for after in _statements(item.body, [], True):
                statement = after.statement
                is_here = statement.lineno <= frame.f_lineno <= (statement.end_lineno or 0)
                if is_here and isinstance(statement, (ast.Return, ast.Assign)):
                    return after
    return None


def _target(after: _After) -> str:
    """The one name that a statement assigns to; "" if it is not of that kind."""
    targets = getattr(after.statement, "targets", [])
    return getattr(targets[0], "id", "") if len(targets) == 1 else ""


def _names(node: ast.AST) -> Iterator[str]:
    for item in ast.walk(node):
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load):
            yield item.id


def _may_be_literal(node: ast.expr | None) -> bool:
    """Whether its kind may be certain, and another than that of an input."""
    if isinstance(node, ast.Constant):
        return type(node.value) in _CERTAIN
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", getattr(node.func, "attr", "")) in TENSOR_CALLS
    return isinstance(node, _LITERALS)


def _may_vary(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare):
        return not any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in test.ops)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name):
        return test.func.id in ("int", "float", "bool", "abs")
    if isinstance(test, ast.UnaryOp):
        return _may_vary(test.operand)
    return not isinstance(test, (ast.Constant, ast.JoinedStr))


def _is_wanted(test: ast.expr, paths: list[Any]) -> bool:
    """Whether branches may be apart: one gives or assigns something whose kind is certain."""
    given = (item.value if isinstance(item, (ast.Assign, ast.Return)) else item for item in paths)
    return _may_vary(test) and any(_may_be_literal(item) for item in given)


@functools.lru_cache(maxsize=4)
def _sites(path: str) -> dict[tuple[type, int, int], _Condition | _Order]:
    """A file's conditions that are to be looked at, by kind and place."""
    found: dict[tuple[type, int, int], _Condition | _Order] = {}
    for item in ast.walk(tree_of(path) or ast.Module([], [])):
        if isinstance(item, ast.FunctionDef):
            found.update((_place(node), _Order(item, node)) for node in _orders(item))
            for node, after in _conditions(item):
                is_choice = isinstance(node, ast.IfExp)
                paths = [node.body, node.orelse] if is_choice else [*node.body, *node.orelse, *after.rest]
                if _is_wanted(node.test, paths):
                    found[_place(node)] = _Condition(path, item, node, after)
    return found


def _place(node: Any) -> tuple[type, int, int]:
    return type(node), node.lineno, node.col_offset


def _statements(block: list[ast.stmt], rest: list[ast.stmt], ends: bool) -> Iterator[_After]:
    """A function's own statements, those in others too."""
    for place, item in enumerate(block):
        after = [*block[place + 1 :], *rest]
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        yield _After(item, after, ends)
        is_if = isinstance(item, ast.If)
        for _, value in ast.iter_fields(item):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield from _statements(value, after if is_if else [], ends and is_if)


def _conditions(function: ast.FunctionDef) -> Iterator[tuple[Any, _After]]:
    """Of a function's own statements: (node, where it stands)."""
    for after in _statements(function.body, [], True):
        if isinstance(after.statement, (ast.If, ast.While)):
            yield after.statement, after
        for _, value in ast.iter_fields(after.statement):
            for node in value if isinstance(value, list) else [value]:
                if not isinstance(node, (ast.stmt, ast.ExceptHandler)):
                    yield from ((found, after) for found in _choices(node))


def _orders(function: ast.FunctionDef) -> Iterator[ast.Compare]:
    held = {
        target.id
        for item in function.body
        if isinstance(item, ast.Assign) and isinstance(item.value, _LITERALS)
        for target in item.targets
        if isinstance(target, ast.Name)
    }
    for item in ast.walk(function):
        if isinstance(item, ast.Compare) and len(item.ops) == 1 and type(item.ops[0]) in _ORDERS:
            sides = (item.left, *item.comparators)
            if all(isinstance(side, _LITERALS) or getattr(side, "id", "") in held for side in sides):
                yield item


def _choices(node: Any) -> Iterator[ast.IfExp]:
    if isinstance(node, ast.IfExp):
        yield node
    if isinstance(node, ast.AST) and not isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
        for item in ast.iter_child_nodes(node):
            yield from _choices(item)


class Branches(Refusals):
    """The conditions of a module that are to be looked at, with calls of `_look` around them."""

    def _visit_condition(self, node: Any) -> Any:
        site = _sites(self.path).get(_place(node))
        node = super().visit_If(node) if isinstance(node, ast.If) else self.generic_visit(node)  # type: ignore[arg-type]
        if site is not None:
            node.test = self._looked_at(node.test, site)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        site = _sites(self.path).get(_place(node))
        found = super().visit_Compare(node)
        if site is not None:
            node.left = self._looked_at(node.left, site)
        return found

    def _looked_at(self, node: ast.expr, site: Any) -> ast.expr:
        _looked_at.append(site)
        call = ast.Call(ast.Name(_LOOK, ast.Load()), [node, ast.Constant(len(_looked_at) - 1)], [])
        return ast.copy_location(call, node)

    visit_If = visit_While = visit_IfExp = _visit_condition  # type: ignore[assignment]


def may_branch(code: types.CodeType) -> bool:
    """Whether a function may have such a condition."""
    operations = code.co_code[::2]
    return not _JUMPS.isdisjoint(operations) and (
        not _MAKES.isdisjoint(operations)
        or not TENSOR_CALLS.isdisjoint(code.co_names)
        or any(type(item) in _CERTAIN or (type(item) is tuple and item) for item in code.co_consts)
    )


def _look(value: Any, place: int) -> Any:
    """The condition's value; looks at its branches until it has varied once.

    Raises:
        TypeError: where they can not be joined.
    """
    site = _looked_at[place]
    if site.looks and (type(value) is not bool or site.may_be_python) and not _tracing.is_tracing() and is_compiled():
        refusal = site.refusal(sys._getframe(1))
        if refusal is not None:
            raise refusal
        site.looks = max(site.looks - 1, 0)
    return value


setattr(builtins, _LOOK, _look)  # the functions keep their globals
