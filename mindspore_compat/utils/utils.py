"""MindSpore: ``mindspore.utils.utils``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.communication.comm_func import all_reduce
from mindspore_compat.communication.management import get_group_size

__all__ = ["ExitByRequest", "TFTCommValue"]


class ExitByRequest:
    """Common end of training processes: they end in the same step, when all of them ask for it. One process alone
    changes nothing; the OnRequestExit callback ends it.
    """

    def __init__(self) -> None:
        self.group_size = get_group_size()
        self.is_distributed = self.group_size > 1

    def exit_by_request(self, grad: Any, init_value: Any, exit_value: Any) -> Any:
        """Return ``grad``; set the Parameter ``exit_value`` to whether every process has 1 in ``init_value``."""
        if self.is_distributed:
            with torch.no_grad():
                asked = plain(all_reduce(plain(init_value).detach().clone())[0])
                plain(exit_value).copy_((asked == self.group_size).all())
            program.values_written()
        return grad


class TFTCommValue:
    """Switches of MS_ENABLE_TFT on Ascend, for programs that check them.

    Attributes:
        ENABLE_MINDX: MindX schedules the processes.
        NEED_MINDIO: the package mindio-ttp is needed.
        DISABLE_WATCHDOG: the watchdog of communication is off.
    """

    ENABLE_MINDX = ["TTP:1", "UCE:1", "ARF:1", "TSP:1", "HCCE:1", "RSC:1"]
    NEED_MINDIO = ["TTP:1", "UCE:1", "ARF:1", "TSP:1", "HCCE:1"]
    DISABLE_WATCHDOG = ["ARF:1", "TSP:1", "HCCE:1"]
