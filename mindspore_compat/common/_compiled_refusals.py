"""What Python runs and upstream's compiler refuses: some calls of ``range`` and ``str.format``, attributes
that are set of an element, and numbers of more than 64 bits.
"""

from __future__ import annotations

import ast
import builtins
import dis
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat.common._compiled_meaning import IS_WALKED, Meanings, is_compiled
from mindspore_compat.common._compiled_words import RefusedError
from mindspore_compat.common._in_graph import is_too_large, outermost_graph_inputs

__all__ = ["Refusals", "may_be_refused"]

_NAMES = frozenset(("range", "format"))
_RANGE, _WALKED, _FORMAT, _SET, _NUMBER = (
    f"__mindspore_compat_{name}__" for name in ("range", "walked", "format", "set", "number")
)
_STORE_ATTR = dis.opmap["STORE_ATTR"]
_MOST = 2**31 - 1  # upstream counts in 64 bits, but looks for overflows of 32
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def may_be_refused(code: types.CodeType) -> bool:
    """Whether a function may hold such a thing."""
    if not _NAMES.isdisjoint(code.co_names) or _STORE_ATTR in code.co_code[::2]:
        return True
    return any(type(item) is int and is_too_large(item) for item in code.co_consts)


class Refusals(Meanings):
    """Calls and functions of a module, with calls of what stands below."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_walked = hasattr(node, IS_WALKED)
        found: Any = super().visit_Call(node)
        if found is not node:
            return found
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "format":
            return ast.copy_location(
                ast.Call(ast.Name(_FORMAT, ast.Load()), [function.value, *node.args], node.keywords), node
            )
        if not isinstance(function, ast.Name) or node.keywords:
            return node
        if function.id == "range":
            kind = _WALKED if is_walked else _RANGE
            return ast.copy_location(ast.Call(ast.Name(kind, ast.Load()), [function, *node.args], []), node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        calls: list[tuple[str, list[ast.expr]]] = (
            [(_SET, [])] if any(_sets_of_element(item) for item in node.body) else []
        )
        large = next((number for item in node.body for number in _large_numbers(item)), None)
        if large is not None:
            calls.append((_NUMBER, [ast.Constant(large)]))
        self.generic_visit(node)
        first = int(ast.get_docstring(node, clean=False) is not None)
        for name, args in calls:
            call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), args, []))
            node.body.insert(first, ast.copy_location(call, node.body[0]))
        return node


def _sets_of_element(node: ast.AST) -> bool:
    """Whether it is or holds ``x[i].name = value`` or its like."""
    if isinstance(node, _NESTED):
        return False
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Subscript):
        return True
    return any(map(_sets_of_element, ast.iter_child_nodes(node)))


def _large_numbers(node: ast.AST) -> Iterator[int]:
    """Literals of more than 64 bits."""
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 2**63:
        yield node.value
    if not isinstance(node, _NESTED):
        for item in ast.iter_child_nodes(node):
            yield from _large_numbers(item)


def _range(kind: Any, *args: Any) -> Any:
    found = _walked(kind, *args)
    return tuple(found) if type(found) is range and is_compiled() else found


def _walked(kind: Any, *args: Any) -> Any:
    """A range that a loop walks through at once."""
    if kind is range and not all(type(item) is int for item in args) and is_compiled():
        for place, item in enumerate(args):
            if isinstance(item, (bool, torch.Tensor)):
                kinds = "Abstract" + ("Tensor" if isinstance(item, torch.Tensor) else "Scalar of a bool")
                raise TypeError(f"For 'make_range', the {place}th input should be a int scalar but got {kinds}.")
    found = kind(*args)
    if type(found) is range and found:
        last, step = found[-1], found.step
        beyond = _MOST - last < step if step > 0 < last else step < 0 > last and -_MOST - 1 - last > step
        if beyond and is_compiled():
            raise ValueError(
                "Integer overflow error occurred when traversing the range. Please check the inputs of range. "
                f"Upstream's compiler takes {found} to 32 bits only."
            )
    return found


def _format(text: Any, /, *args: Any, **kwargs: Any) -> str:
    if type(text) is str and (args or kwargs) and is_compiled():
        own = sys._getframe(1).f_locals.get("self")
        if any(_is_dead(item, own) for item in args):
            raise TypeError(
                "Unsupported parameter type for python primitive, the parameter value is DeadNode. Upstream's "
                "compiler does not format Cells and functions."
            )
        if any(_is_dead(item, own) for item in kwargs.values()):
            raise RuntimeError("ValueProblem(DeadNode) can't be converted to abstract: a Cell is to be formatted.")
        if kwargs and _vary(tuple(kwargs.values())):
            return text.format(*args)  # it loses them, and Python's KeyError is its own
    return text.format(*args, **kwargs)


def _is_dead(value: Any, own: Any) -> bool:
    """Whether it is a function of the program, or a Cell but for the one whose method is compiled."""
    if isinstance(value, (types.FunctionType, types.MethodType)):
        return not value.__module__.startswith("mindspore_compat")
    return isinstance(value, torch.nn.Module) and value is not own and not hasattr(value, "__len__")


def _vary(values: Any) -> bool:
    """Whether some hold a Parameter or an input."""
    inputs = {id(item) for item in outermost_graph_inputs() or ()}
    return any(isinstance(item, torch.nn.Parameter) or id(item) in inputs for item in _tensors(values))


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, torch.Tensor):
        yield value


def _refuse_number(number: int) -> None:
    if is_compiled():
        raise RefusedError(
            "Unable to cast Python instance of type <class 'int'> to C++ type 'long': upstream's compiler has no "
            f"number {number}."
        )


def _refuse_setting() -> None:
    if is_compiled():
        raise RuntimeError(
            "In graph mode, only attribute and name of class members can be assigned. Give the element a name first."
        )


for _name, _helper in (
    (_RANGE, _range),
    (_WALKED, _walked),
    (_FORMAT, _format),
    (_SET, _refuse_setting),
    (_NUMBER, _refuse_number),
):
    setattr(builtins, _name, _helper)  # the functions keep their globals
