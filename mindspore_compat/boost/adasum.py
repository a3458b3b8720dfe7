"""MindSpore: ``mindspore.boost.adasum``. Method: https://arxiv.org/abs/2006.02924."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._ops.communication import AllGather
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.communication.management import create_group
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.adasum import adaptive_sum

__all__ = ["AdaSum"]


class AdaSum(Cell):
    """Parameters after a step on which groups of processes agree by their adaptive sum: the old ones minus it.

    Args:
        rank: of this process.
        device_number: processes of one group; those of the same place in each group are summed.
        group_number: groups, a power of 2.
        parameter_tuple: the Parameters.

    Inputs: (the steps, the Parameters, their values before the step), tuples alike.

    Raises:
        ValueError: if ``group_number`` is no power of 2. RuntimeError: if there are not as many processes.
    """

    def __init__(self, rank: int, device_number: int, group_number: int, parameter_tuple: Sequence[Any]) -> None:
        super().__init__()
        if group_number & (group_number - 1):
            raise ValueError(f"For 'AdaSum', the 'group_number' must be a power of 2, but got {group_number}.")
        self.rank, self.device_number, self.group_number = rank, device_number, group_number
        self.parameter_tuple = parameter_tuple
        self._gather: Any = None
        if group_number > 1:
            for place in range(device_number):  # every process has to make every group
                ranks = list(range(place, device_number * group_number, device_number))
                create_group(f"boost_adasum_{device_number}_{group_number}_{place}", ranks)
            self._gather = AllGather(f"boost_adasum_{device_number}_{group_number}_{rank % device_number}")

    def construct(self, delta_weights: Sequence[Any], parameters: Sequence[Any], old_parameters: Sequence[Any]) -> Any:
        with torch.no_grad():
            for delta, parameter, old in zip(delta_weights, parameters, old_parameters, strict=True):
                plain(parameter).copy_(old - self._combined(delta))
        program.values_written()
        return tuple(parameters)

    def _combined(self, delta: Any) -> Any:
        if self._gather is None:
            return delta
        return adaptive_sum(torch.chunk(self._gather(delta.unsqueeze(0)), self.group_number))[0]
