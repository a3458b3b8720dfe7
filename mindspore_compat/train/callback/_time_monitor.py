"""The callback `TimeMonitor`. MindSpore: ``mindspore.train.TimeMonitor``."""

from __future__ import annotations

import time

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat.train.callback._callback import Callback, RunContext

__all__ = ["TimeMonitor"]


class TimeMonitor(Callback):
    """Printer of the time of each epoch and its mean per step, in milliseconds.

    Args:
        data_size: steps of an epoch where the run does not say.
        data_time: also print the mean time spent waiting for data.

    Examples:
        >>> x, net = np.ones((2, 1), np.float32), nn.Dense(1, 1, "zeros", "zeros")
        >>> model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        >>> model.train(2, ds.NumpySlicesDataset((x, x)).batch(2), callbacks=ms.train.TimeMonitor())
        Train epoch time: ... ms, per step time: ... ms
        Train epoch time: ... ms, per step time: ... ms
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        self.data_size = data_size
        self.data_time = data_time
        self.epoch_time = time.time()
        self.data_time_sum = self.data_time_start = 0.0

    def on_train_step_begin(self, run_context: RunContext) -> None:
        if self.data_time:
            self.data_time_sum += time.time() - self.data_time_start

    def on_train_step_end(self, run_context: RunContext) -> None:
        if self.data_time:
            self.data_time_start = time.time()

    def epoch_begin(self, run_context: RunContext) -> None:
        """Start the timer."""
        self.epoch_time = self.data_time_start = time.time()
        self.data_time_sum = 0.0

    def epoch_end(self, run_context: RunContext) -> None:
        """Print it."""
        milliseconds = (time.time() - self.epoch_time) * 1000
        cb_params = run_context.original_args()
        steps = cb_params.get("batch_num")
        if not isinstance(steps, int) or steps <= 0:
            steps = check_positive_int(self.data_size, "data_size", "TimeMonitor")  # type: ignore[arg-type]
        text = (
            f"{cb_params.get('mode', '').title()} epoch time: {milliseconds:5.3f} ms, per step time: "
            f"{milliseconds / steps:5.3f} ms"
        )
        if self.data_time:
            text += f" (data time: {self.data_time_sum * 1000 / steps:5.3f} ms)"
        print(text, flush=True)
