"""Adaptive summation of gradients over many devices. MindSpore: ``mindspore.nn.optim.adasum``. Method:
https://arxiv.org/abs/2006.02924.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat._ops.communication import AllGather, AllReduce
from mindspore_compat.communication.management import create_group, get_rank
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.parallel._utils import _get_stage_device_num

__all__ = ["AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell"]

_NODE = 8  # devices of one machine: their values are averaged, those of machines are summed adaptively
_TINY = 1e-12


def adaptive_sum(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the parts (a power of 2 of them) combined two by two: (1 - a·b / 2a²)·a + (1 - a·b / 2b²)·b; parts of one
    number are averaged.
    """
    while len(parts) > 1:
        parts = [_of_two(parts[place], parts[place + 1]) for place in range(0, len(parts), 2)]
    return parts[0]


def _of_two(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if a.numel() == 1:
        return (a + b) / 2
    product = torch.sum(a * b)
    return (1 - product / (2 * torch.sum(a * a) + _TINY)) * a + (1 - product / (2 * torch.sum(b * b) + _TINY)) * b


def _check_setting() -> None:
    if get_auto_parallel_context("parallel_mode") == "stand_alone":
        raise RuntimeError("Stand alone mode is not supported to apply adasum.")
    if get_auto_parallel_context("enable_parallel_optimizer"):
        raise RuntimeError("Currently, the optimizer shard is not supported with applying adasum.")
    if get_auto_parallel_context("pipeline_stages") > 1:
        raise RuntimeError("Currently, the pipeline parallel is not supported with applying adasum.")
    count = _get_stage_device_num()
    if count < 16 or count & (count - 1):
        raise RuntimeError(
            f"The device_num must be at least 16 and must be the power of 2 when applying adasum, but got {count}."
        )


def _over_devices() -> Callable[[torch.Tensor], torch.Tensor]:
    """Return the function that combines this process's tensor with those of all others. Every process has to make all
    groups.
    """
    count, rank = _get_stage_device_num(), get_rank()
    for node in range(count // _NODE):
        create_group(f"adasum_node_{node}", list(range(node * _NODE, (node + 1) * _NODE)))
    for place in range(_NODE):
        create_group(f"adasum_place_{place}", list(range(place, count, _NODE)))
    average, gather = AllReduce("sum", f"adasum_node_{rank // _NODE}"), AllGather(f"adasum_place_{rank % _NODE}")

    def combine(value: torch.Tensor) -> torch.Tensor:
        return adaptive_sum(torch.chunk(gather((average(value) / _NODE).unsqueeze(0)), count // _NODE))[0]

    return combine


class _AdaSum(Cell):
    def __init__(self, optimizer: Optimizer) -> None:
        super().__init__(auto_prefix=False)
        _check_setting()
        self.optimizer = optimizer
        self.parameters = optimizer.parameters  # type: ignore[assignment]
        self._combine = _over_devices()


class AdaSumByGradWrapCell(_AdaSum):
    """Optimizer with the adaptive sum of all devices' gradients; at least 16 devices, a power of 2.

    Raises:
        RuntimeError: in stand-alone mode, with a sharded optimizer, with pipeline stages, or for another number of
            devices.
    """

    def construct(self, grads: Any) -> Any:
        return self.optimizer(tuple(self._combine(gradient) for gradient in grads))


class AdaSumByDeltaWeightWrapCell(_AdaSum):
    """Optimizer with the adaptive sum of all devices' steps; at least 16 devices, a power of 2.

    Raises:
        RuntimeError: in stand-alone mode, with a sharded optimizer, with pipeline stages, or for another number of
            devices.
    """

    def construct(self, grads: Any) -> Any:
        parameters: Any = self.parameters
        with torch.no_grad():
            before = [parameter.detach().clone() for parameter in parameters]
            self.optimizer(grads)
            for parameter, old in zip(parameters, before):
                parameter.copy_(old - self._combine(old - parameter))
        return parameters
