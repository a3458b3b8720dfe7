"""Learning rates of a torch optimizer under `Model`: by a scheduler of torch, or by a schedule or list of
MindSpore's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.validate import check_str_in
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._torch.state import packed, unpacked

_OWNER = "TorchTrainStep"
_INTERVALS = ("step", "epoch")


class Rates:
    """Schedule of an optimizer's rates.

    Args:
        scheduler: of ``torch.optim.lr_scheduler``, stepped after each update or epoch; or a `LearningRateSchedule`, a
            list of rates or a function of the number of updates (or epochs) before, which give all groups their rate;
            or None.
        interval: "step" or "epoch".

    Raises:
        TypeError: for a scheduler of another kind, or whose state a checkpoint cannot hold. ValueError: for another
            interval.
    """

    def __init__(self, optimizer: torch.optim.Optimizer, scheduler: Any, interval: str) -> None:
        self._interval = check_str_in(interval, "interval", _INTERVALS, _OWNER)
        self._optimizer, self._torch, self._rate = optimizer, None, None
        self.count = 0
        if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
            raise TypeError(
                f"For '{_OWNER}', use the callback mindspore.ReduceLROnPlateau in place of torch's, which needs a "
                "metric."
            )
        if isinstance(scheduler, torch.optim.lr_scheduler.LRScheduler):
            self._torch = scheduler
            self._check_state()
        elif scheduler is not None:
            self._rate = _as_function(scheduler)

    def _check_state(self) -> None:
        try:
            self.state()
        except TypeError as error:
            raise TypeError(
                f"For '{_OWNER}', the state of {type(self._torch).__name__}: {error}. Move its rates by a callback."
            ) from None

    def before_update(self) -> None:
        """Set the rate of this update, if it is a function of their number."""
        if self._rate is not None:
            rate = self._rate(self.count)
            for group in self._optimizer.param_groups:
                if isinstance(group["lr"], torch.Tensor):
                    group["lr"].fill_(rate)
                else:
                    group["lr"] = rate

    def after(self, what: str) -> None:
        """Count a finished update ("step") or "epoch"."""
        if what == self._interval:
            self.count += 1
            if self._torch is not None:
                self._torch.step()

    def state(self) -> dict[str, Any]:
        """Return the state for `restore`."""
        return {"count": self.count, "scheduler": None if self._torch is None else packed(self._torch.state_dict())}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self.count = int(state["count"])
        if self._torch is not None and state["scheduler"] is not None:
            self._torch.load_state_dict(unpacked(state["scheduler"]))


def _as_function(scheduler: Any) -> Callable[[int], float]:
    if isinstance(scheduler, Cell):
        return lambda count: float(scheduler(Tensor(count, torch.int32)))
    if isinstance(scheduler, torch.Tensor):
        scheduler = scheduler.tolist()
    if isinstance(scheduler, (list, tuple)):
        rates = [float(rate) for rate in scheduler]
        if rates:
            return lambda count: rates[min(count, len(rates) - 1)]
    elif callable(scheduler):
        return lambda count: float(scheduler(count))
    raise TypeError(
        f"For '{_OWNER}', 'scheduler' must be of torch.optim.lr_scheduler, a LearningRateSchedule, a list of rates, a "
        f"function of the number of updates, or None, but got {type(scheduler).__name__}."
    )
