"""The callback `FlopsUtilizationCollector`. MindSpore: ``mindspore.train.FlopsUtilizationCollector``."""

from __future__ import annotations

import os
import time
from math import floor
from typing import Any

from torch.utils.flop_counter import FlopCounterMode

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat.parallel._utils import _get_device_num
from mindspore_compat.train.callback._callback import Callback, RunContext

__all__ = ["FlopsUtilizationCollector"]


class FlopsUtilizationCollector(Callback):
    """Counter of the floating-point operations of a step, printed as a share of the device's peak.

    Matrix products, attention and convolutions are counted, forward and backward, in the first step. Recomputed
    operations count, too, so that model flops and hardware flops are one number here.

    Args:
        data_size: in a step whose number it divides nothing is printed.
        computility: the device's peak, in operations per second.
        full_flops: print the flops of all devices too.
        enable_ma_collector: write ``flops_rank_N.txt`` and ``time_step_rank_N.txt`` into ``$MA_LOG_DIR`` (or here).

    Raises:
        TypeError, ValueError: for wrong arguments.
    """

    _trains_only = True

    def __init__(
        self, data_size: int, computility: float = 1, full_flops: bool = True, enable_ma_collector: bool = False
    ) -> None:
        owner = "FlopsUtilizationCollector"
        self.data_size = check_positive_int(data_size, "data_size", owner)
        self.computility = computility
        self.full_flops, self.ma = full_flops, enable_ma_collector
        self.verbose = not (computility == 1 and enable_ma_collector)
        self.flops: int | None = None
        self.step_time = time.time()
        self._counter: FlopCounterMode | None = None

    def step_begin(self, run_context: RunContext) -> None:
        """Start the timer; in the first step start to count."""
        if self.flops is None:
            self._counter = FlopCounterMode(display=False)
            self._counter.__enter__()
        self.step_time = time.time()

    def __exit__(self, *err: Any) -> None:
        """Stop counting if the step ended by an exception."""
        if self._counter is not None:
            self._counter.__exit__(*err)
            self._counter = None

    def step_end(self, run_context: RunContext) -> None:
        """Print the share of the peak."""
        milliseconds = (time.time() - self.step_time) * 1000
        cb_params = run_context.original_args()
        if self._counter is not None:
            self._counter.__exit__(None, None, None)
            self.flops, self._counter = self._counter.get_total_flops(), None
            self._tell_flops()
        if cb_params.get("dataset_sink_mode") and not cb_params.get("train_dataset_element"):
            milliseconds /= cb_params.batch_num  # the hooks are around a whole sink
        if self.ma:
            self._write(
                "time_step", f'time_monitor{{type="per_step_time", rank_id="{_rank()}"}} {milliseconds} {_now()}\n'
            )
        if self.verbose and cb_params.cur_step_num % self.data_size:
            share = f"{floor((self.flops or 0) / self.computility * 1000 / milliseconds * 10**4) / 100:.2f}%"
            print(f"{cb_params.mode.title()} per step time: {milliseconds:5.3f} ms mfu:{share} hfu:{share}", flush=True)

    def _tell_flops(self) -> None:
        flops = float(self.flops or 0)
        if self.ma:
            self._write(
                "flops",
                "".join(
                    f'flops{{type="{kind}_flops", rank_id="{_rank()}"}} {flops} {_now()}\n'
                    for kind in ("model", "hardware")
                ),
            )
        if self.verbose:
            shard = f"Shard model flops is {flops}, Shard hardware flops is {flops}."
            full = flops * _get_device_num()
            print(
                f"Full model flops is {full}, Full hardware flops is {full}, {shard}" if self.full_flops else shard,
                flush=True,
            )

    @staticmethod
    def _write(kind: str, text: str) -> None:
        path = os.path.join(os.path.realpath(os.getenv("MA_LOG_DIR", "./")), f"{kind}_rank_{_rank()}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def _rank() -> int:
    import torch.distributed as dist

    return dist.get_rank() if dist.is_available() and dist.is_initialized() else 0


def _now() -> int:
    return round(time.time() * 1000)
