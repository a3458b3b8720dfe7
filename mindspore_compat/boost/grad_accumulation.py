"""Gradients of several steps for one update. MindSpore: ``mindspore.boost.grad_accumulation``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.ops.composite import HyperMap, MultitypeFuncGraph

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]


def _accumulate(steps: Any, total: Any, gradient: Any) -> Any:
    plain(total).add_(plain(gradient), alpha=1.0 / int(steps))
    return total


def _clear(total: Any) -> Any:
    plain(total).zero_()
    return total


gradient_accumulation_op = MultitypeFuncGraph("gradient_accumulation_op")
gradient_accumulation_op.register("Number", "Tensor", "Tensor")(_accumulate)
gradient_clear_op = MultitypeFuncGraph("gradient_clear_op")
gradient_clear_op.register("Tensor")(_clear)


class Accumulator:
    """Sum of gradients in ``totals`` over ``count`` calls; their mean updates. ``step`` (int32, a Parameter) counts the
    calls since the last update.
    """

    def __init__(self, count: int, totals: Any, step: Any) -> None:
        self._count, self._totals, self._step = count, totals, step
        self._steps, self._seen = 0, None  # the number in ``step``, and of which state of it

    def __call__(self, loss: Any, grads: Any, optimizer: Any) -> Any:
        """Return the loss, after the gradients are added; ``optimizer`` is called where they are complete."""
        totals, step = [plain(total) for total in self._totals], plain(self._step)
        if self._seen != _state(step):  # a checkpoint was loaded: only then wait for the device
            self._steps = int(step)
        torch._foreach_add_(totals, [plain(gradient) for gradient in grads], alpha=1.0 / self._count)
        self._steps += 1
        if self._steps >= self._count:
            optimizer(wrap(tuple(totals)))
            torch._foreach_zero_(totals)
            self._steps = 0
        step.fill_(self._steps)
        self._seen = _state(step)
        return loss


def _state(tensor: torch.Tensor) -> Any:
    return tensor.data_ptr(), tensor._version


class GradientAccumulation(Cell):
    """Updater with the mean gradient every ``max_accumulation_step`` calls; called with (loss, gradients) after each
    backward.

    Args:
        optimizer: a Cell whose ``parameters`` the gradients belong to.
    """

    def __init__(self, max_accumulation_step: int, optimizer: Any) -> None:
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.hyper_map = HyperMap()  # for subclasses
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, torch.int32), name="accumulation_step")
        self._accumulator = Accumulator(max_accumulation_step, self._grad_accumulation, self._accumulation_step)

    def construct(self, loss: Any, grads: Any) -> Any:
        return self._accumulator(loss, grads, self.optimizer)
