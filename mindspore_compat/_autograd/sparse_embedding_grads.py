"""Looked-up rows of a Parameter. MindSpore's gradient of such a Parameter is a ``RowTensor`` of these rows, and some
optimizers update only them. Gradients are dense here, and the rows are kept beside the Parameter.
"""

from __future__ import annotations

import sys
from typing import Any

import torch

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.program import program
from mindspore_compat._tensor.tracing import is_tracing, not_traced

_Base = torch._C.TensorBase


class LookedUp:
    """Lookup counts of each row since the last step, by the latest differentiated forward.

    A replayed step repeats only operators, so these alone update the counts.

    Attributes:
        counts: (rows,) float32, where the Parameter is.
        is_used: whether rows were ever looked up.
    """

    def __init__(self, table: torch.Tensor) -> None:
        self.counts = torch.zeros(table.shape[0], device=table.device)
        self.is_used = False
        self._forward = -1

    def add(self, table: torch.Tensor, places: torch.Tensor, inside: torch.Tensor | None) -> None:
        """Count ``places``; only those that are ``inside``, if given."""
        rows = table.shape[0]
        if self.counts.numel() != rows or self.counts.device != table.device:
            program.not_repeatable("its table has moved")
            self.counts = torch.zeros(rows, device=table.device)
        with torch.no_grad():
            if THREAD.forwards != self._forward:
                _Base.zero_(self.counts)
            self._forward, self.is_used = THREAD.forwards, True
            places = torch.where(places < 0, places + rows, places)
            added = torch.ones_like(places) if inside is None else inside
            _Base.index_add_(self.counts, 0, places.reshape(-1), added.reshape(-1).to(self.counts.dtype))

    def taken(self) -> torch.Tensor:
        """Return the counts and reset them."""
        found = torch.clone(self.counts)
        _Base.zero_(self.counts)
        return found


def watch_rows(parameter: Any) -> None:
    """Record the Parameter's looked-up rows from now on, for its optimizer."""
    if parameter.dim() > 1 and "_looked_up" not in parameter.__dict__:
        parameter.__dict__["_looked_up"] = LookedUp(parameter)


def was_looked_up(parameter: Any) -> bool:
    """Return whether rows of it were ever looked up for its optimizer."""
    looked_up = parameter.__dict__.get("_looked_up")
    return looked_up is not None and looked_up.is_used


def look_up_rows(table: Any, places: torch.Tensor, inside: torch.Tensor | None = None) -> None:
    """Record that rows ``places`` (integers) of ``table`` are looked up; only those that are ``inside``, if given."""
    table = getattr(table, "shows", table)
    looked_up = getattr(table, "_looked_up", None)
    if looked_up is not None and THREAD.running and torch.is_grad_enabled() and table.requires_grad:
        if is_tracing() or "torch._dynamo" in sys.modules:  # Dynamo would trace the call again for each forward
            not_traced(looked_up.add, table, places, inside)
        else:
            looked_up.add(table, places, inside)
