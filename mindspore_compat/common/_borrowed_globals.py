"""Functions that upstream compiles may write ``z += 1`` on a global name without saying ``global``: there it is read
first and what is assigned stays the function's. Python, which runs them here, would raise UnboundLocalError.
"""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["with_borrowed_globals"]


def with_borrowed_globals(function: Any) -> Callable[..., Any]:
    """``function``, or one that reads such names from its globals first; what it binds in any other way stays local."""
    if not any(map(_is_in_place, dis.get_instructions(function.__code__))):
        return function
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function.__code__))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return function
    names = sorted(_only_augmented(definition)) if isinstance(definition, ast.FunctionDef) else []
    if not names or not isinstance(definition, ast.FunctionDef):
        return function
    first = ast.get_docstring(definition) is not None
    definition.body[first:first] = ast.parse(
        "\n".join(f"if {name!r} in globals(): {name} = globals()[{name!r}]" for name in names)
    ).body
    return _made_again(function, definition)


def _is_in_place(step: dis.Instruction) -> bool:
    return step.opname.startswith("INPLACE_") or (step.opname == "BINARY_OP" and step.argrepr.endswith("="))


def _only_augmented(definition: ast.FunctionDef) -> set[str]:
    """Names that the function's own statements bind by ``+=`` and its like alone."""
    augmented: set[str] = set()
    otherwise = {argument.arg for argument in ast.walk(definition.args) if isinstance(argument, ast.arg)}
    for node in _own(definition.body):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            augmented.add(node.target.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            otherwise.update(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            otherwise.update((name.asname or name.name).partition(".")[0] for name in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            otherwise.add(node.name)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            otherwise.add(node.name or "")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            otherwise.add(node.id)
    return augmented - otherwise


def _own(nodes: list[Any]) -> Iterator[ast.AST]:
    """All nodes of the function's own scope; of ``x += 1`` the statement and its value, not the name."""
    for node in nodes:
        yield node
        if isinstance(node, ast.AugAssign):
            inner: list[ast.AST] = [node.value, *([] if isinstance(node.target, ast.Name) else [node.target])]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            inner = []
        else:
            inner = list(ast.iter_child_nodes(node))
        yield from _own(inner)


def _made_again(function: types.FunctionType, definition: ast.FunctionDef) -> types.FunctionType:
    """The function of the changed definition, with the globals, closure, defaults and attributes of the given one."""
    definition.decorator_list = []
    free = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    outer = ast.parse(f"def make({', '.join(free)}): pass")
    outer.body[0].body = [definition]  # type: ignore[attr-defined]
    ast.increment_lineno(definition, function.__code__.co_firstlineno - 1)
    made = compile(ast.fix_missing_locations(outer), function.__code__.co_filename, "exec")
    maker = next(item for item in made.co_consts if isinstance(item, types.CodeType))
    code = next(
        item for item in maker.co_consts if isinstance(item, types.CodeType) and item.co_name == definition.name
    )
    cells = tuple(free[name] for name in code.co_freevars)
    again = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, cells)
    again.__kwdefaults__ = function.__kwdefaults__
    again.__dict__.update(function.__dict__)
    again.__qualname__, again.__module__, again.__doc__ = function.__qualname__, function.__module__, function.__doc__
    again.__annotations__ = function.__annotations__
    return again
