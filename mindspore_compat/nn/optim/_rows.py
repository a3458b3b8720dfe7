"""Steps that change only rows which were looked up (`common/_looked_up.py`): what upstream's optimizers do with a
``RowTensor``.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._looked_up import was_looked_up
from mindspore_compat.common._wrap import memory
from mindspore_compat.communication import _collectives, _groups, _start
from mindspore_compat.context import get_auto_parallel_context

__all__ = ["Kept", "counts_of"]

_DATA_PARALLEL = ("data_parallel", "hybrid_parallel")


def counts_of(optimizer: Any, gradients: list[Any]) -> dict[int, torch.Tensor]:
    """Of the parameters whose rows are looked up: position -> how often each was since the last step, (rows, 1, …); in
    data parallel training by all processes. 1 for all rows if none was; a row with a gradient counts at least once: it
    came another way, or of an earlier forward.
    """
    found = {
        position: parameter.__dict__["_looked_up"].taken()
        for position, parameter in enumerate(optimizer.parameters)
        if was_looked_up(parameter)
    }
    if found and _start.is_running() and get_auto_parallel_context("parallel_mode") in _DATA_PARALLEL:
        group = _groups.find("hccl_world_group")
        found = {position: _collectives.plain_all_reduce(counts, "sum", group) for position, counts in found.items()}
    for position, counts in found.items():
        gradient = gradients[position]
        has_gradient = (gradient.reshape(len(counts), -1) != 0).any(1)
        counts = torch.where(counts.any(), torch.maximum(counts, has_gradient.to(counts.dtype)), 1.0)
        found[position] = counts.reshape(-1, *(1,) * (gradient.dim() - 1))
    return found


class Kept:
    """What the other rows hold before a step, of the parameters at ``picks`` (None: all) and of their states; to be put
    back after it.
    """

    def __init__(self, optimizer: Any, counts: dict[int, torch.Tensor], picks: list[int] | None) -> None:
        names = optimizer._row_states
        self._items: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
        for position, count in counts.items() if names is not None else ():
            if picks is None or position in picks:
                states = [memory(getattr(optimizer, name)[position]) for name in ("parameters", *names)]
                self._items += [(state, torch.clone(state), count) for state in states]

    def put_back(self) -> None:
        for state, before, count in self._items:
            torch._C.TensorBase.copy_(state, torch.where(count > 0, state, before))
