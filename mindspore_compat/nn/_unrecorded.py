"""Calls of Cells that torch need not record: in evaluation mode, at top level, as upstream records none there. What
carries a result on for ever, a hidden state or the keys and values of a decoder, then holds no graph
(docs/design/differentiation.md).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

import torch

from mindspore_compat.common._recorded import THREAD
from mindspore_compat.common._wrap import _is_tracing
from mindspore_compat.common.tensor import Tensor

__all__ = ["calls", "may_keep", "nobody_differentiates", "unrecorded"]

_records, _set_recording = torch.is_grad_enabled, torch._C._set_grad_enabled
_interpreters = torch._C._functorch.peek_interpreter_stack  # of torch.func.grad and the like
#: the code of what calls networks: what runs inside of one of them is not at top level
calls: list[CodeType] = [torch.nn.Module._call_impl.__code__]


def unrecorded(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call it without recording, but for what is differentiated inside and for forwards that Cells keep."""
    _set_recording(False)
    THREAD.unrecorded = True
    try:
        return fn(*args, **kwargs)
    finally:
        THREAD.unrecorded = False
        _set_recording(True)


def may_keep() -> bool:
    """Whether a Cell with ``set_grad`` keeps this forward."""
    return _records() or (THREAD.unrecorded and not THREAD.refused)


def nobody_differentiates(args: tuple, kwargs: dict[str, Any]) -> bool:
    """Whether a call outside of forwards, with these arguments, is one whose graph nobody asks for: no function of
    torch's that differentiates and no network is around it, and the arguments are MindSpore's Tensors without a graph.
    Who calls torch's ``backward()`` on the result trains (``set_train``), or gives torch's own tensors.
    """
    if _is_tracing() or not _records() or _interpreters() is not None:
        return False
    if not _are_constant(args) or (kwargs and not _are_constant(kwargs.values())):
        return False
    frame, depth = sys._getframe(1), 0  # of the call itself, or of a part of it
    while frame is not None and depth < 2:
        depth += frame.f_code in calls
        frame = frame.f_back  # type: ignore[assignment]
    return depth < 2


def _are_constant(args: Any) -> bool:
    for arg in args:
        if isinstance(arg, torch.Tensor):
            if not isinstance(arg, Tensor) or arg.requires_grad:
                return False
        elif isinstance(arg, (list, tuple)):
            if not _are_constant(arg):
                return False
        elif isinstance(arg, dict) and not _are_constant(arg.values()):
            return False
    return True
