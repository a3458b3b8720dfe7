"""Upstream: ``mindspore.train.LossMonitor``."""

from __future__ import annotations

import math
from typing import Any

from mindspore_compat._api.validate import check_non_negative_int
from mindspore_compat.train.callback._callback import Callback, RunContext, _handle_loss

__all__ = ["LossMonitor"]


class LossMonitor(Callback):
    """Prints the loss every ``per_print_times`` steps (0: never); NaN or infinity ends the training.

    Raises:
        ValueError: in a step whose loss is NaN or infinite.

    Examples:
        >>> x, net = np.ones((2, 1), np.float32), nn.Dense(1, 1, "zeros", "zeros")
        >>> model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        >>> model.train(2, ds.NumpySlicesDataset((x, x)).batch(2), callbacks=ms.train.LossMonitor())
        epoch: 1 step: 1, loss is 1.0
        epoch: 2 step: 1, loss is 0.36000001430511475
    """

    _trains_only = True

    def __init__(self, per_print_times: int = 1) -> None:
        check_non_negative_int(per_print_times, "per_print_times", "LossMonitor", named=False)
        self._per_print_times = per_print_times
        self._last_print_time = 0

    def step_end(self, run_context: RunContext) -> None:
        """Print, and check for NaN."""
        cb_params = run_context.original_args()
        epoch, step = cb_params.get("cur_epoch_num", 1), cb_params.cur_step_num
        step_in_epoch = (step - 1) % cb_params.batch_num + 1
        loss = _handle_loss(cb_params.net_outputs)
        if isinstance(loss, float) and not math.isfinite(loss):
            raise ValueError(
                f"In epoch: {epoch} step: {step_in_epoch}, loss is NAN or INF, training process cannot continue, "
                "terminating training."
            )
        if self._per_print_times == 0:
            return
        if step <= self._last_print_time:  # a new run of the same callback counts on from there, in whole intervals
            interval = max(self._per_print_times, cb_params.batch_num if cb_params.get("dataset_sink_mode") else 1)
            self._last_print_time -= ((self._last_print_time - step) // interval + 1) * interval
        if step - self._last_print_time >= self._per_print_times:
            self._last_print_time = step
            print(f"epoch: {epoch} step: {step_in_epoch}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """In ``Model.fit``, print the metrics of the evaluation."""
        cb_params: Any = run_context.original_args()
        metrics = cb_params.get("metrics")
        if metrics:
            print(f"Eval result: epoch {cb_params.cur_epoch_num}, metrics: {metrics}")  # without flush, as upstream
