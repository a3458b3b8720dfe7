"""The callback `LearningRateScheduler`. MindSpore: ``mindspore.train.LearningRateScheduler``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common.tensor import Tensor
from mindspore_compat.log import logger
from mindspore_compat.train.callback._callback import Callback, RunContext

__all__ = ["LearningRateScheduler"]


class LearningRateScheduler(Callback):
    """Callback that sets the learning rate after each step: ``learning_rate_function(learning_rate, cur_step_num)``."""

    _trains_only = True

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        """Call the function, and set its result as learning rate."""
        cb_params: Any = run_context.original_args()
        optimizer = cb_params.optimizer
        if isinstance(optimizer, torch.optim.Optimizer):
            for group in optimizer.param_groups:
                group["lr"] = self.learning_rate_function(float(group["lr"]), cb_params.cur_step_num)
            return
        rate = optimizer.learning_rate
        if not isinstance(rate, Tensor):
            raise AttributeError("For 'LearningRateScheduler', the optimizer's learning rate must be one float.")
        old = float(str(rate.asnumpy()))
        new = self.learning_rate_function(old, cb_params.cur_step_num)
        if not math.isclose(old, new, rel_tol=1e-10):
            rate.set_data(Tensor(float(new)).to(rate.device))
            logger.info("At step %s, learning_rate change to %s", cb_params.cur_step_num, new)
