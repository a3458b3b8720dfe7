"""Overflow status, as Ascend devices keep it: NaN or infinity in a result since the last clear.

The status exists only in programs that clear it. It covers this thread's differentiated results, their gradients and
the arguments of ``ops.depend``, and stays on the device.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._tensor.wrapping import plain, wrap


def clear_status(status: torch.Tensor) -> Any:
    """Clear the status, and fill ``status`` with zeros."""
    if THREAD.overflow is None or THREAD.overflow.device != status.device:
        THREAD.overflow = torch.zeros((), dtype=torch.bool, device=status.device)
    THREAD.overflow.zero_()  # in place: a replayed step writes to the same tensor
    return wrap(plain(status).zero_())


def read_status(status: torch.Tensor) -> Any:
    """Fill ``status``, of shape (8,), with ones after an overflow, else with zeros."""
    found = THREAD.overflow
    return wrap(plain(status).zero_() if found is None else plain(status).copy_(found))


def note_status(results: Any) -> None:
    """Add an overflow in ``results`` (Tensors in tuples, lists, dicts) to the status, if there is one."""
    if THREAD.overflow is None or THREAD.running:
        return
    tensors = list(_floats(results))
    if tensors:
        largest = [norm.to(THREAD.overflow.device, torch.float32) for norm in torch._foreach_norm(tensors, math.inf)]
        THREAD.overflow.logical_or_(torch.amax(torch.stack(largest)) * 0 != 0)  # NaN and infinity times 0 are NaN


def _floats(results: Any) -> Iterator[torch.Tensor]:
    if isinstance(results, torch.Tensor):
        if results.is_floating_point() and results.numel() and results.layout is torch.strided:
            yield plain(results).detach()
    elif isinstance(results, (Sequence, dict)) and not isinstance(results, str):
        for item in results.values() if isinstance(results, dict) else results:
            yield from _floats(item)
