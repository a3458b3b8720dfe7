"""What means something else in functions that upstream compiles than in Python, besides assignments to elements:

| in the source | Python | compiled |
|---|---|---|
| ``x in y``, a Tensor in a list or tuple | wants one truth of each comparison | an item is the same Tensor |
| ``map(f, x, y)`` | ends with the shortest | items of one kind and length, else an error |
| ``map``, ``zip``, ``enumerate``, ``filter``, but as what a loop walks through | are used up | a tuple or list |
| ``{... for x in y for z in x}`` | two loops | an error |
| ``if x:  # @jit.cond: True`` | asks ``x`` | believes the comment |
| ``isconstant(x[0])`` | has the value alone | of what it was computed |
| ``y = not x``, a Tensor of one element | a bool | a Tensor |

and what ``_compiled_containers.py`` lists. ``_element_updates.py`` compiles such functions again, with calls
of what stands here.
"""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import linecache
import re
import types
from typing import Any

import torch

from mindspore_compat.common import _in_graph, _tracing
from mindspore_compat.common._compiled_containers import METHODS, VIEWS, called, check_extremes, check_keys, is_same
from mindspore_compat.common._compiled_kinds import is_literal
from mindspore_compat.common._compiled_words import RefusedError
from mindspore_compat.common._wrap import wrap
from mindspore_compat.context import in_jit

__all__ = ["IS_CONSTANT", "IS_WALKED", "Meanings", "differs", "is_compiled"]

_CODES = frozenset(dis.opmap[name] for name in ("CONTAINS_OP", "UNARY_NOT", "BUILD_MAP"))
_IN, _NOT, _WALK, _LOOPS, _METHOD, _HAS_KEY, _VIEW, _DICT, _EXTREME, _CONSTANT, _SEQUENCE, _IS_COMPILED = (
    f"__mindspore_compat_{name}__"
    for name in "in not walk loops method has_key view dict extreme constant sequence is_compiled".split()
)
IS_CONSTANT = "__mindspore_compat_isconstant__"
#: they make sequences in compiled code
_MAKERS = {"map": map, "zip": zip, "enumerate": enumerate, "filter": filter}
_EXTREMES = {"max": max, "min": min}
_MAKE_VIEWS = ("keys", "values", "items")
_NAMES = frozenset((*_MAKERS, *_EXTREMES, *METHODS, *_MAKE_VIEWS, "isconstant"))
IS_WALKED = "is_walked"  # of a node: a loop walks through it at once
_IS_ASKED = "is_asked"  # of a node: a condition, or a part of it
_COMMENT = re.compile(r"^[^#]*\bif\b.*:\s*#\s*@jit\.cond:\s*(True|False)\s*$")


def is_compiled() -> bool:
    """Whether upstream would have compiled the code that asks, and means what it means there."""
    if _tracing.is_tracing() or in_jit.is_python or not _in_graph.in_graph():
        return False
    return not _in_graph.is_in_init()


def differs(code: types.CodeType) -> bool:
    """Whether a function holds what may mean something else; of functions inside of it, too."""
    if code.co_name == "__init__":  # which is not compiled
        return False
    if (
        code.co_name in ("<dictcomp>", "<listcomp>", "<genexpr>")
        or not _CODES.isdisjoint(code.co_code[::2])
        or not _NAMES.isdisjoint(code.co_names)
        or _comments(code.co_filename)
    ):
        return True
    return any(isinstance(item, types.CodeType) and differs(item) for item in code.co_consts)


@functools.lru_cache(maxsize=64)
def _comments(path: str) -> dict[int, bool]:
    """What the comments of a file say of conditions, by line."""
    found = {
        place: _COMMENT.match(line) for place, line in enumerate(linecache.getlines(path), 1) if "@jit.cond" in line
    }
    return {place: match[1] == "True" for place, match in found.items() if match}


class Meanings(ast.NodeTransformer):
    """Expressions of a module, with calls of what stands below."""

    path = ""

    def visit_Module(self, node: ast.Module) -> ast.AST:
        for item in ast.walk(node):
            if isinstance(item, (ast.If, ast.While, ast.IfExp, ast.Assert)):
                _ask(item.test)
            elif isinstance(item, ast.comprehension):
                for condition in item.ifs:
                    _ask(condition)
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not) or hasattr(node, _IS_ASKED):
            return node
        return ast.copy_location(ast.Call(ast.Name(_NOT, ast.Load()), [node.operand], []), node)

    def visit_For(self, node: ast.For) -> ast.AST:
        setattr(node.iter, IS_WALKED, True)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        setattr(node.iter, IS_WALKED, True)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)) or isinstance(node.left, ast.Constant):
            return node
        found = ast.Call(ast.Name(_IN, ast.Load()), [node.left, *node.comparators], [])
        return ast.copy_location(
            found if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), ast.copy_location(found, node)), node
        )

    def _visit_comprehension(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        if len(node.generators) == 1:
            return node
        refusal = ast.copy_location(
            ast.Call(ast.Name(_LOOPS, ast.Load()), [ast.Constant(type(node).__name__)], []), node
        )
        return ast.copy_location(ast.BoolOp(ast.Or(), [refusal, node]), node)

    visit_DictComp = visit_ListComp = visit_GeneratorExp = _visit_comprehension

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        if all(isinstance(key, ast.Constant) for key in node.keys):
            return node
        return ast.copy_location(ast.Call(ast.Name(_DICT, ast.Load()), [node], []), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_walked = hasattr(node, IS_WALKED)
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _MAKERS:
            kind = _WALK if is_walked else _SEQUENCE
            made = ast.Call(ast.Name(kind, ast.Load()), [node.func, *node.args], node.keywords)
            return ast.copy_location(made, node)
        if getattr(node.func, "attr", getattr(node.func, "id", "")) == "isconstant" and len(node.args) == 1:
            return _with_what_is_read(node)
        found = self._of_containers(node, is_walked)
        return node if found is None else ast.copy_location(found, node)

    def _of_containers(self, node: ast.Call, is_walked: bool) -> ast.Call | None:
        function = node.func
        if isinstance(function, ast.Name) and function.id in _EXTREMES:
            return ast.Call(ast.Name(_EXTREME, ast.Load()), [function, *node.args], node.keywords)
        if (
            getattr(function, "attr", getattr(function, "id", "")) == "Tensor"
            and node.args
            and is_literal(node.args[0])
        ):
            return ast.Call(ast.Name(_CONSTANT, ast.Load()), [node], [])
        if not isinstance(function, ast.Attribute) or node.keywords:
            return None
        if function.attr in _MAKE_VIEWS and not node.args and not is_walked:
            return ast.Call(ast.Name(_VIEW, ast.Load()), [node], [])
        if function.attr == "has_key" and len(node.args) == 1:
            return ast.Call(ast.Name(_HAS_KEY, ast.Load()), [function.value, *node.args], [])
        if function.attr in METHODS and node.args:
            return ast.Call(ast.Name(_METHOD, ast.Load()), [function, *node.args], [])
        return None

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        said = _comments(self.path).get(node.test.end_lineno or 0)
        if said is not None:
            compiled = ast.Call(ast.Name(_IS_COMPILED, ast.Load()), [], [])
            node.test = ast.copy_location(ast.IfExp(compiled, ast.Constant(said), node.test), node.test)
        return node


def _ask(condition: ast.expr) -> None:
    """Note that only the truth of the expression, and so of its parts, is asked."""
    setattr(condition, _IS_ASKED, True)
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        _ask(condition.operand)
    elif isinstance(condition, ast.BoolOp):
        for part in condition.values:
            _ask(part)


def _with_what_is_read(call: ast.Call) -> ast.Call:
    """``isconstant(value)`` that is also given what the expression reads, and of what it takes the length."""
    nodes = list(ast.walk(call.args[0]))
    if call.keywords or any(isinstance(node, (ast.Lambda, ast.comprehension)) for node in nodes):  # names of their own
        return call
    measured: list[Any] = [node.args[0] for node in nodes if isinstance(node, ast.Call) and _is_length(node)]
    read = [node for node in nodes if isinstance(node, ast.Name) and node not in measured]
    names = [ast.Tuple([ast.Name(node.id, ast.Load()) for node in kind], ast.Load()) for kind in (read, measured)]
    return ast.copy_location(ast.Call(ast.Name(IS_CONSTANT, ast.Load()), [call.func, call.args[0], *names], []), call)


def _is_length(call: ast.Call) -> bool:
    return getattr(call.func, "id", "") == "len" and len(call.args) == 1 and isinstance(call.args[0], ast.Name)


def _refuse_loops(kind: str) -> bool:
    if is_compiled():
        kinds = "DictComp" if kind == "DictComp" else "ListComp"
        raise TypeError(f"The 'generators' supports 1 'comprehension' in {kinds}/GeneratorExp, but got more loops.")
    return False


def _not(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or not is_compiled():
        return not value
    if value.dim() > 1 or value.numel() != 1:
        shape = tuple(value.shape)
        raise ValueError(
            f"Only tensor which shape is () or (1,) can be converted to bool, but got tensor shape is {shape}: not one "
            "element."
        )
    with torch._C.DisableTorchFunctionSubclass():
        return wrap(torch.logical_not(value))


def _is_in(item: Any, items: Any) -> bool:
    if isinstance(item, torch.Tensor) and type(items) in (list, tuple) and is_compiled():
        return any(is_same(item, other) for other in items)
    return item in items


def _method(method: Any, *args: Any) -> Any:
    return called(method, args) if getattr(method, "__name__", "") in METHODS and is_compiled() else method(*args)


def _has_key(held: Any, key: Any) -> Any:
    return key in held if type(held) is dict and is_compiled() else held.has_key(key)


def _view(found: Any) -> Any:
    kind = VIEWS.get(type(found))
    return found if kind is None or not is_compiled() else kind(found)


def _dict(made: dict[Any, Any]) -> dict[Any, Any]:
    if is_compiled():
        check_keys(made)
    return made


def _extreme(kind: Any, *args: Any, **kwargs: Any) -> Any:
    if kind in _EXTREMES.values() and is_compiled():
        check_extremes(kind.__name__, args, kwargs)
    return kind(*args, **kwargs)


def _constant(made: Any) -> Any:
    if isinstance(made, torch.Tensor) and is_compiled():
        made._is_constant = True  # type: ignore[attr-defined]
    return made


def _walk(kind: Any, *args: Any, **kwargs: Any) -> Any:
    """``kind(*args, **kwargs)``, which a loop walks through at once."""
    if kind is zip and not args and is_compiled():
        raise RuntimeError("The zip operator must have at least 1 argument, but the size of arguments is 0.")
    if (
        kind in _MAKERS.values()
        and any(getattr(item, "is_of_unknown_length", False) for item in args)
        and is_compiled()
    ):
        name = "map" if kind is map else "filter" if kind is filter else "zip"
        raise RuntimeError(f"For '{name}', the dynamic length input is unsupported in graph mode.")
    return _map(kind, *args) if kind is map and len(args) > 2 else kind(*args, **kwargs)


def _sequence(kind: Any, *args: Any, **kwargs: Any) -> Any:
    """``kind(*args, **kwargs)``, a sequence in compiled code if ``kind`` is one of `_MAKERS`."""
    made = _walk(kind, *args, **kwargs)
    if kind not in _MAKERS.values() or not is_compiled():
        return made
    return list(made) if kind is filter or (kind is map and type(args[1]) is list) else tuple(made)


def _map(kind: Any, function: Any, *items: Any) -> Any:
    if kind is map and not _are_alike(items) and is_compiled():
        _check_items(items)
    return kind(function, *items)


def _are_alike(items: tuple[Any, ...]) -> bool:
    return type(items[0]) in (list, tuple) and all(
        type(item) is type(items[0]) and len(item) == len(items[0]) for item in items
    )


def _check_items(items: tuple[Any, ...]) -> None:
    kinds = list(dict.fromkeys(type(item).__name__ for item in items if isinstance(item, (list, tuple, torch.Tensor))))
    if any(isinstance(item, (int, float)) for item in items):
        raise RefusedError(f"Map can only be applied to list, tuple and what is iterated over, but got {items!r:.200}.")
    if not kinds or kinds == ["Tensor"]:
        return
    if len(kinds) > 1:
        raise RefusedError(f"The types of arguments in Map must be consistent, but got {', '.join(kinds)}.")
    lengths = [len(item) for item in items if isinstance(item, (list, tuple))]
    if len(set(lengths)) > 1:
        raise RefusedError(f"For 'Map', the length of {kinds[0]}s must be the same, but got {lengths}.")


for _name, _helper in (
    (_IN, _is_in),
    (_NOT, _not),
    (_WALK, _walk),
    (_LOOPS, _refuse_loops),
    (_METHOD, _method),
    (_HAS_KEY, _has_key),
    (_VIEW, _view),
    (_DICT, _dict),
    (_EXTREME, _extreme),
    (_CONSTANT, _constant),
    (_SEQUENCE, _sequence),
    (_IS_COMPILED, is_compiled),
):
    setattr(builtins, _name, _helper)  # the functions keep their globals
