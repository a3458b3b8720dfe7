"""Whether upstream would have compiled the code that runs: a few things mean something else there."""

from __future__ import annotations

import sys
from typing import Any
from weakref import WeakSet

from mindspore_compat.context import GRAPH_MODE, get_context, in_jit, is_graph_mode

__all__ = ["compiled_cells", "in_graph", "outermost_graph_inputs"]

#: who runs code that upstream compiles in GRAPH_MODE: the call of a Cell, differentiation
_COMPILING = {
    ("mindspore_compat.nn.cell", "__call__"),
    ("mindspore_compat.ops.function.grad._operation", ""),
    ("mindspore_compat.ops.function.grad.grad_func", ""),
}


#: what runs a function under ``jit``
_JIT = ("mindspore_compat.common.api", "run")


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
    frame: Any = sys._getframe(1)
    while frame is not None:
        if _compiles(frame, in_graph_mode):
            return True
        frame = frame.f_back
    return False


for _function in (_may_be_compiled, _is_compiled_here):  # run while Dynamo traces, not traced
    _function.__dict__["_dynamo_marked_constant"] = True
