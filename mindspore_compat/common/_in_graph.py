"""Whether upstream would have compiled the code that runs: a few things mean something else there."""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any
from weakref import WeakSet

import torch

from mindspore_compat.common._program import program
from mindspore_compat.common._wrap import wrap
from mindspore_compat.context import GRAPH_MODE, get_context, in_jit, is_graph_mode, is_strict

__all__ = [
    "OverflowedError",
    "by_compiled_line",
    "compiled_cells",
    "compiled_locals",
    "given_back",
    "gives_attribute",
    "in_graph",
    "is_in_init",
    "is_taken",
    "is_too_large",
    "is_within_compiled",
    "outermost_graph_inputs",
    "refuse_if_strict",
    "writes",
]

#: who runs code that upstream compiles in GRAPH_MODE: the call of a Cell, differentiation
_COMPILING = {
    ("mindspore_compat.nn.cell", "__call__"),
    ("mindspore_compat.ops.function.grad._operation", ""),
    ("mindspore_compat.ops.function.grad.grad_func", ""),
}


#: what runs a function under ``jit``
_JIT = ("mindspore_compat.common.api", "run")


#: how deep lists and tuples in each other may be that compiled code gives to the program
MOST_LEVELS = 6


class OverflowedError(ValueError, RuntimeError, OverflowError):
    """A number that compiled code has computed and can not hold."""


def is_too_large(number: int) -> bool:
    """Whether it has more than 64 bits."""
    return not -(2**63) <= number < 2**63


#: Cells that were given to ``jit``
compiled_cells: WeakSet[Any] = WeakSet()


def in_graph() -> bool:
    """Whether upstream would have compiled the code that asks. A few Tensor methods mean something else there.

    That is a function or Cell under ``jit``, and in GRAPH_MODE what a Cell's call or differentiation runs, but not a
    script's own lines. This walks the stack, so that calls of Cells need not count: ask where the answer is needed
    only.
    """
    if in_jit.depth > 0:
        return True
    in_graph_mode = is_graph_mode()
    if not in_graph_mode and not _may_be_compiled():
        return False
    return _is_compiled_here(in_graph_mode)


def writes() -> int:
    """How often the program has written to Parameters: compiled code gives one as it is that it has not written to."""
    return program.writes


def given_back(value: Any, said: bool | None, inputs: Iterable[Any], depth: int = 0) -> Any:
    """What compiled code gives to the program, of a Cell's call or a function under ``jit`` that has ended: Tensors of
    their own in place of Parameters (callers keep one that is the whole result, if nothing was written), of views of
    Parameters and inputs, and of inputs in tuples; and at the strict level tuples of a dict's values in its place.
    ``said``: what the Cell or function says of the level; ``depth``: how many calls its own is away.

    Raises:
        RuntimeError: for lists and tuples in each other that are deeper than `MOST_LEVELS`.
        ValueError: for numbers of more than 64 bits.
    """
    foreign = set(map(id, _foreign(value, inputs)))
    dicts = any(True for _ in _within(value, dict)) and is_strict(said)
    is_deep = _is_deeper(value, MOST_LEVELS)
    large = _too_large(value)
    if not dicts and not foreign and not is_deep and not large:
        return value
    frame, in_graph_mode = sys._getframe(2 + depth), get_context("mode") == GRAPH_MODE
    if in_jit.depth > 0 or _is_within(frame, in_graph_mode):  # it is given to compiled code
        return value
    if large:
        raise OverflowedError(f"Overflow: upstream's compiled code computes in 64 bits, which do not hold {large}.")
    if is_deep:
        raise RuntimeError(f"List, tuple and dict nesting is not allowed more than {MOST_LEVELS} levels.")
    return _in_place_of(value, dicts, foreign)


def _foreign(value: Any, inputs: Iterable[Any]) -> Iterator[torch.Tensor]:
    """What of a result lies in memory that is not its own. Lists and dicts that are given back are the program's."""
    if isinstance(value, torch.Tensor):
        if isinstance(value, torch.nn.Parameter) or is_taken(value, inputs):
            yield value
    elif type(value) in (list, tuple, dict) and not _holds(inputs, value):
        given = list(_within(tuple(inputs), torch.Tensor))
        for tensor in _within(value, torch.Tensor, MOST_LEVELS + 1):
            is_given = isinstance(tensor, torch.nn.Parameter) or any(tensor is item for item in given)
            if is_given or is_taken(tensor, given):
                yield tensor


def _holds(items: Iterable[Any], value: Any, levels: int = MOST_LEVELS) -> bool:
    """Whether the value itself is among the items, or in a list, tuple or dict of them."""
    for item in items:
        inner = item.values() if type(item) is dict else item if type(item) in (list, tuple) else ()
        if item is value or (levels and _holds(inner, value, levels - 1)):
            return True
    return False


def is_taken(tensor: torch.Tensor, inputs: Iterable[Any]) -> bool:
    """Whether it is a view of a Parameter, or of what is among the inputs or is a view of the same."""
    base = tensor._base
    if base is None or isinstance(base, torch.nn.Parameter):
        return base is not None
    return any(item is base or item._base is base for item in _within(tuple(inputs), torch.Tensor))


@functools.lru_cache(4096)  # not for ever: classes may be made in a function
def gives_attribute(construct: Callable[..., Any]) -> bool:
    """Whether it has a ``return self.name``, or one of a local name: what may give a Cell's Parameter as it is."""
    code = getattr(construct, "__code__", None)
    names = [step.opname for step in dis.get_instructions(code)] if code is not None else []
    return ("LOAD_ATTR", "RETURN_VALUE") in pairwise(names)


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    return levels == 0 or any(_is_deeper(item, levels - 1) for item in value if isinstance(item, (list, tuple)))


def refuse_if_strict(cell: Any, name: str) -> None:
    """For a Cell's attribute that is no Parameter, set in compiled code.

    Raises:
        TypeError: at the strict level.
    """
    if is_strict(cell.__dict__.get("_is_strict")) and by_compiled_line(4):
        raise TypeError(
            f"In JIT strict mode, if need to modify a member attribute of a class with self.{name}, the member "
            f"attribute must be of the Parameter type, but got {cell.__dict__[name]!r:.100}. Choose the level LAX."
        )


def by_compiled_line(depth: int) -> bool:
    """Whether the line that is ``depth`` calls above this one is the program's own, and upstream compiles it: not what
    an ``__init__`` runs, nor what is compiled otherwise than from its source.
    """
    frame: Any = sys._getframe(depth)
    if frame.f_globals.get("__name__", "").startswith("mindspore_compat") or in_jit.is_python or not in_graph():
        return False
    return not is_in_init(frame)


def is_in_init(frame: Any = None) -> bool:
    """Whether compiled code makes a Cell, and the frame is what the Cell's ``__init__`` runs: Python runs that."""
    in_graph_mode = get_context("mode") == GRAPH_MODE
    frame = sys._getframe(1) if frame is None else frame
    while frame is not None and not _compiles(frame, in_graph_mode):
        if frame.f_code.co_name == "__init__" and isinstance(frame.f_locals.get("self"), torch.nn.Module):
            return True
        frame = frame.f_back
    return False


def _too_large(value: Any) -> int:
    """A number of more than 64 bits that it is or holds; 0 if there is none."""
    if type(value) is int:
        return value if is_too_large(value) else 0
    if type(value) in (list, tuple, dict):
        items = value.values() if type(value) is dict else value
        return next((found for found in map(_too_large, items) if found), 0)
    return 0


def _in_place_of(value: Any, dicts: bool, foreign: set[int]) -> Any:
    if isinstance(value, torch.Tensor):
        return wrap(torch.clone(value)) if id(value) in foreign else value
    if type(value) is dict:
        items = {key: _in_place_of(item, dicts, foreign) for key, item in value.items()}
        return tuple(items.values()) if dicts else items
    return (
        type(value)([_in_place_of(item, dicts, foreign) for item in value]) if type(value) in (list, tuple) else value
    )


def is_within_compiled(frame: Any) -> bool:
    """Whether upstream would have compiled what runs in this frame, by who has called it."""
    return _is_within(frame, get_context("mode") == GRAPH_MODE)


def outermost_graph_inputs() -> tuple | None:
    """The inputs of the outermost call that upstream would have compiled, by position and then by name; None where the
    code that asks is not compiled. This walks the stack.
    """
    in_graph_mode, found = get_context("mode") == GRAPH_MODE, None
    frame: Any = sys._getframe(1)
    while frame is not None:
        if _compiles(frame, in_graph_mode):
            values = frame.f_locals
            if "args" in values and "kwargs" in values:
                found = (*values["args"], *values["kwargs"].values())
        frame = frame.f_back
    return found


def compiled_locals(kind: type) -> Iterator[Any]:
    """What the compiled code that runs has of a kind under its local names, also in lists, tuples and dicts."""
    in_graph_mode = get_context("mode") == GRAPH_MODE
    pending: list[Any] = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        if _compiles(frame, in_graph_mode):
            yield from pending  # of the calls within it; what is farther out may be the program's own lines
            pending = []
        elif not frame.f_globals.get("__name__", "").startswith("mindspore_compat."):
            pending += _within(list(frame.f_locals.values()), kind)
        frame = frame.f_back


def _within(value: Any, kind: type, levels: int = MOST_LEVELS) -> Iterator[Any]:
    if isinstance(value, kind):
        yield value
    elif levels and type(value) in (list, tuple, dict):
        for item in value.values() if type(value) is dict else value:
            yield from _within(item, kind, levels - 1)


def _compiles(frame: Any, in_graph_mode: bool) -> bool:
    module, name = frame.f_globals.get("__name__"), frame.f_code.co_name
    if (module, name) == _JIT:
        return True
    is_compiling = (module, name) in _COMPILING or (module, "") in _COMPILING
    return is_compiling and (in_graph_mode or frame.f_locals.get("self") in compiled_cells)


def _may_be_compiled() -> bool:
    return len(compiled_cells) > 0


def _is_compiled_here(in_graph_mode: bool) -> bool:
    dynamo = sys.modules.get("torch._dynamo.symbolic_convert")
    tracer = getattr(dynamo.tls, "current_tx", None) if dynamo is not None else None
    tracer = tracer and tracer.output.current_tx
    while tracer is not None:  # the frames that Dynamo traces have not been entered
        name, module = tracer.f_code.co_name, tracer.f_globals.get("__name__")
        if in_graph_mode and ((module, name) in _COMPILING or (module, "") in _COMPILING):
            return True
        tracer = getattr(tracer, "parent", None)
    return _is_within(sys._getframe(1), in_graph_mode)


def _is_within(frame: Any, in_graph_mode: bool) -> bool:
    while frame is not None:
        if _compiles(frame, in_graph_mode):
            return True
        frame = frame.f_back
    return False


for _function in (_may_be_compiled, _is_compiled_here, writes):  # run while Dynamo traces, not traced
    _function.__dict__["_dynamo_marked_constant"] = True
