"""Averaging gradients over processes. Upstream: ``mindspore.nn.wrap.grad_reducer``."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat.communication.management import _group
from mindspore_compat.nn.cell import Cell
from mindspore_compat.parallel._utils import _get_device_num, _get_gradients_mean

__all__ = ["DistributedGradReducer"]


class DistributedGradReducer(Cell):
    """Sums the gradients over all processes of the group, and divides by their number if ``mean``; one process changes
    nothing.

    Args:
        parameters: the Parameters, in the gradients' order.
        mean: divide the sum by ``degree``; None takes ``gradients_mean`` of the parallel context.
        degree: number of processes; None takes the group's size.
        fusion_type: a hint of upstream's; gradients of one dtype are always reduced in one buffer here.
    """

    def __init__(
        self,
        parameters: Any,
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = "nccl_world_group",
    ) -> None:
        super().__init__(auto_prefix=False)
        self.mean = _get_gradients_mean() if mean is None else mean
        self.degree = _get_device_num() if degree is None else degree
        if isinstance(self.degree, bool) or not isinstance(self.degree, int) or self.degree <= 0:
            raise ValueError(
                f"For 'DistributedGradReducer', the 'degree' must be an int greater than 0, but got {degree!r}."
            )
        self.group = group

    def construct(self, grads: Any) -> Any:
        if not dist.is_available() or not dist.is_initialized():
            return grads
        handle = _group(self.group, "DistributedGradReducer")[1]
        result = list(grads)
        for dtype in {gradient.dtype for gradient in grads}:
            picks = [pick for pick, gradient in enumerate(grads) if gradient.dtype is dtype]
            flat = torch.cat([torch.flatten(result[pick]) for pick in picks])
            dist.all_reduce(flat, group=handle)
            if self.mean:
                flat /= self.degree
            parts = torch.split(flat, [result[pick].numel() for pick in picks])
            for pick, part in zip(picks, parts):
                result[pick] = torch.reshape(part, tuple(result[pick].shape))
        return tuple(result)
