"""Non-blocking copies of values from the device to the host."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import torch


class Arrivals:
    """Tensors on their way to the host, each with its attached data, in sending order."""

    def __init__(self) -> None:
        self._under_way: deque[tuple[torch.Tensor, torch.cuda.Event, Any]] = deque()

    def send(self, value: torch.Tensor, belongs: Any = None) -> None:
        """Copy a CUDA tensor to pinned memory, after all work submitted to the device so far."""
        copy = torch.empty(value.shape, dtype=value.dtype, pin_memory=True)
        copy.copy_(value, non_blocking=True)
        event = torch.cuda.Event()
        event.record()
        self._under_way.append((copy, event, belongs))

    def arrived(self, wait: bool = False) -> Iterator[tuple[torch.Tensor, Any]]:
        """Yield (value on the host, attached data) of those that have arrived; with ``wait`` of all that were sent."""
        if wait and self._under_way:
            self._under_way[-1][1].synchronize()  # the others arrived before
        while self._under_way and (wait or self._under_way[0][1].query()):
            copy, _, belongs = self._under_way.popleft()
            yield copy, belongs

    def __deepcopy__(self, memo: dict) -> Arrivals:
        return Arrivals()  # they come to the original

    def __reduce__(self) -> Any:
        return Arrivals, ()
