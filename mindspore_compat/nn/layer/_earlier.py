"""Cells that earlier releases had. MindSpore: ``nn.cell``, ``nn.layer.math``, ``nn.layer.normalization``."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.normalization import SyncBatchNorm, _many_processes
from mindspore_compat.ops import function as F


class GraphKernel(Cell):
    """A Cell (1.0 to 1.5)."""


class GlobalBatchNorm(SyncBatchNorm):
    """`SyncBatchNorm` over groups of ``device_num_each_group`` ranks (1.0 to 1.9)."""

    def __init__(self, *args: Any, device_num_each_group: int = 2, **kwargs: Any) -> None:
        if len(args) > 9:
            *args, device_num_each_group = args  # type: ignore[assignment]
        ranks, size = range(dist.get_world_size() if _many_processes() else 0), device_num_each_group
        kwargs["process_groups"] = [list(ranks[at : at + size]) for at in ranks[::size]]
        super().__init__(*args, **kwargs)


class LinSpace(Cell):
    """``num`` numbers from ``start`` to ``stop`` (1.0)."""

    def __init__(self, start: float, stop: float, num: int) -> None:
        super().__init__()
        self.start, self.stop, self.num = float(start), float(stop), num

    def construct(self) -> Any:
        return F.linspace(self.start, self.stop, self.num)
