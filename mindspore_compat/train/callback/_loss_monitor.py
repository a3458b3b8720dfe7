"""The callback `LossMonitor`. MindSpore: ``mindspore.train.LossMonitor``."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import torch

from mindspore_compat._api.validate import check_non_negative_int
from mindspore_compat._runtime.arrivals import Arrivals
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.train.callback._callback import Callback, RunContext, _handle_loss

__all__ = ["LossMonitor"]


class LossMonitor(Callback):
    """Printer of the loss every ``per_print_times`` steps (0: never); NaN or infinity ends the training.

    Raises:
        ValueError: in a step whose loss is NaN or infinite. On a GPU a step that does not print does not wait for its
            loss, so the error comes a step or two later; it names the step.

    Examples:
        >>> x, net = np.ones((2, 1), np.float32), nn.Dense(1, 1, "zeros", "zeros")
        >>> model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        >>> model.train(2, ds.NumpySlicesDataset((x, x)).batch(2), callbacks=ms.train.LossMonitor())
        epoch: 1 step: 1, loss is 1.0
        epoch: 2 step: 1, loss is 0.36000001430511475
    """

    _trains_only = True

    def __init__(self, per_print_times: int = 1) -> None:
        check_non_negative_int(per_print_times, "per_print_times", "LossMonitor")
        self._per_print_times = per_print_times
        self._last_print_time = 0

    @cached_property
    def _losses(self) -> Arrivals:
        return Arrivals()  # made when needed: a subclass may not call the constructor

    def step_end(self, run_context: RunContext) -> None:
        """Print, and check for NaN."""
        cb_params = run_context.original_args()
        epoch, step = cb_params.get("cur_epoch_num", 1), cb_params.cur_step_num
        step_in_epoch = (step - 1) % cb_params.batch_num + 1
        prints = self._is_due(step, cb_params)
        outputs = cb_params.net_outputs
        if _is_on_gpu(outputs):
            self._losses.send(plain(outputs), (epoch, step_in_epoch))
            loss = self._check_arrived(wait=prints)  # only a print waits for the device
        else:
            loss = _handle_loss(outputs)
            _check_finite(loss, epoch, step_in_epoch)
        if prints:
            print(f"epoch: {epoch} step: {step_in_epoch}, loss is {loss}", flush=True)

    def _is_due(self, step: int, cb_params: Any) -> bool:
        """Return whether to print at this step."""
        if self._per_print_times == 0:
            return False
        if step <= self._last_print_time:  # a new run of the same callback continues the count, in whole intervals
            interval = max(self._per_print_times, cb_params.batch_num if cb_params.get("dataset_sink_mode") else 1)
            self._last_print_time -= ((self._last_print_time - step) // interval + 1) * interval
        if step - self._last_print_time < self._per_print_times:
            return False
        self._last_print_time = step
        return True

    def _check_arrived(self, wait: bool) -> Any:
        """Check the losses that have arrived from the device, or wait for all of them; return the last one."""
        loss = None
        for value, (epoch, step) in self._losses.arrived(wait):
            loss = _handle_loss(value)
            try:
                _check_finite(loss, epoch, step)
            except ValueError:
                self._losses = Arrivals()  # the rest belongs to the run that ends here
                raise
        return loss

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the metrics of the evaluation in ``Model.fit``."""
        self._check_arrived(wait=True)
        cb_params: Any = run_context.original_args()
        metrics = cb_params.get("metrics")
        if metrics:
            print(f"Eval result: epoch {cb_params.cur_epoch_num}, metrics: {metrics}")  # without flush, as in MindSpore


def _check_finite(loss: Any, epoch: int, step: int) -> None:
    if isinstance(loss, float) and not math.isfinite(loss):
        raise ValueError(f"In epoch: {epoch} step: {step}, loss is NAN or INF: the training ends.")


def _is_on_gpu(outputs: Any) -> bool:
    return isinstance(outputs, torch.Tensor) and outputs.is_cuda
