"""Inference without an autograd graph.

As in MindSpore, an outermost call in evaluation mode records no graph. A hidden state, or a decoder's keys and values,
then hold none (docs/design/differentiation.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat.common.tensor import Tensor

_records, set_recording = torch.is_grad_enabled, torch._C._set_grad_enabled
_interpreters = torch._C._functorch.peek_interpreter_stack  # of torch.func.grad and the like


def without_graph(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call it without recording, except for derivatives inside and for forwards that Cells keep."""
    set_recording(False)
    THREAD.unrecorded = True
    try:
        return function(*args, **kwargs)
    finally:
        THREAD.unrecorded = False
        set_recording(True)


def called(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call it as it is."""
    return function(*args, **kwargs)


def may_keep() -> bool:
    """Return whether a Cell may keep this forward."""
    return _records() or (THREAD.unrecorded and not THREAD.refused)


def is_inference(args: tuple, kwargs: dict[str, Any]) -> bool:
    """Return whether an outermost call in evaluation mode needs no graph. This holds if torch does not differentiate
    around it, and its arguments are MindSpore's Tensors without a graph. Code that calls torch's ``backward()`` on the
    result is in training mode (``set_train``), or passes torch's own tensors.
    """
    if not _records() or _interpreters() is not None:
        return False
    for arg in args:
        if type(arg) is not Tensor or arg.requires_grad:
            return _are_constant(args) and (not kwargs or _are_constant(kwargs.values()))
    return not kwargs or _are_constant(kwargs.values())


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
