"""Graph events that a dispatch mode does not see: memory reads, decisions by a tensor, composite operators of torch."""

from __future__ import annotations

import sys
from typing import Any

import torch

from mindspore_compat._graph.export.ir import CONSTANT, refuse
from mindspore_compat._graph.export.recorder import GraphRecorder
from mindspore_compat._graph.export.recurrent import RECURRENT, recurrent
from mindspore_compat._graph.recorder import Reading
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.tensor import Tensor

_DECIDING = frozenset({"__bool__", "is_nonzero"})
_BOOLS = {Tensor.__bool__.__code__}


class GraphReading(Reading):
    """Mode that refuses to read memory, whose values would silently become constants. It asks the recorder for the
    outcome of ``if tensor``, and records dropout in training and recurrent layers as one operator.
    """

    recorder: GraphRecorder

    def _is_place(self, index: Any) -> bool:
        """Return whether it is one number of the graph."""
        return (
            isinstance(index, torch.Tensor)
            and not index.dim()
            and index.dtype in (torch.int32, torch.int64)
            and self.recorder.read(index).kind != CONSTANT
        )

    def called(self, func: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        if name in _DECIDING or (name == "item" and _asked_by_bool()):
            outcome = self.recorder.decide(args[0])
            if outcome is not None:
                return outcome
        if name in ("__getitem__", "__setitem__") and self._is_place(args[1]):  # torch would make a number of it
            args = (
                args[0],
                torch.reshape(args[1], (1,)),
                *[
                    torch.unsqueeze(item, 0) if isinstance(item, torch.Tensor) and item.dim() else item
                    for item in args[2:]
                ],
            )
            return func(*args) if name == "__setitem__" else torch.squeeze(func(*args), 0)
        if func is torch.dropout and _given(args, kwargs, 2, "train") and _given(args, kwargs, 1, "p"):
            return wrap(torch.native_dropout(args[0], _given(args, kwargs, 1, "p"), True)[0])
        if name in RECURRENT and func is getattr(torch, name, None) and not kwargs:
            found = recurrent(self.recorder, lambda what: refuse(what, self.recorder.scope()), name, args)
            if found is not NotImplemented:
                return wrap(found)
        return func(*args, **kwargs)


def _asked_by_bool() -> bool:
    """Return whether the tensor is read for ``if`` and the like."""
    frame: Any = sys._getframe(3)  # behind `called` and the mode
    while frame is not None and frame.f_code.co_filename.endswith("overrides.py"):
        frame = frame.f_back
    return frame is not None and frame.f_code in _BOOLS


def _given(args: tuple[Any, ...], kwargs: dict[str, Any], index: int, name: str) -> Any:
    return args[index] if len(args) > index else kwargs.get(name)
