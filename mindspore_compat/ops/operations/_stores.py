"""Objects behind the integer handles of reinforcement learning's operators: arrays, queues and replay buffers."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from mindspore_compat._graph.program import program
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.random_engines import LinearCongruential
from mindspore_compat._tensor.wrapping import wrap

__all__ = ["PriorityBuffer", "ReservoirBuffer", "Store", "TensorList", "TensorQueue"]

_T = TypeVar("_T")
_LEAST_PRIORITY = 1e-7


class Store(Generic[_T]):
    """Objects of a kind by their handles, which count from 0."""

    def __init__(self, kind: str) -> None:
        self._kind, self._items, self._next = kind, {}, itertools.count()  # type: ignore[var-annotated]

    def add(self, item: _T) -> int:
        """Keep an object; return its handle."""
        handle = next(self._next)
        self._items[handle] = item
        return handle

    def __getitem__(self, handle: Any) -> _T:
        program.not_repeatable(f"it uses a {self._kind}")
        try:
            return self._items[int(handle)]
        except KeyError:
            raise RuntimeError(
                f"There is no {self._kind} with the handle {int(handle)}: create it, and do not use it after it is "
                "closed or destroyed."
            ) from None

    def drop(self, handle: Any) -> None:
        """Let an object go."""
        self[handle]
        del self._items[int(handle)]


def _fitting(owner: str, value: Any, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """A copy of a value, without history; a Python number takes the dtype where that holds it.

    Raises:
        TypeError: for another dtype. ValueError: for another shape.
    """
    if not isinstance(value, torch.Tensor):
        value = torch.tensor(value, device=current_device())
        value = value.to(dtype) if torch.can_cast(value.dtype, dtype) else value
    if value.dtype != dtype:
        raise TypeError(f"For '{owner}', the value must have the dtype {dtype}, but got {value.dtype}.")
    if tuple(value.shape) != tuple(shape):
        raise ValueError(f"For '{owner}', the value must have the shape {tuple(shape)}, but got {tuple(value.shape)}.")
    return value.detach().clone()


class TensorList:
    """Tensors of one shape by their places; a gap holds zeros.

    Args:
        limit: number of places, None where the list may grow.
    """

    def __init__(self, dtype: torch.dtype, shape: Sequence[int], limit: int | None) -> None:
        self.dtype, self.shape, self.limit = dtype, tuple(shape), limit
        self.items: list[torch.Tensor] = []

    def _zeros(self, *count: int) -> torch.Tensor:
        return torch.zeros((*count, *self.shape), dtype=self.dtype, device=current_device())

    def write(self, index: int, value: Any) -> None:
        """Put a value at a place.

        Raises:
            ValueError: for a place below 0 or past the limit.
        """
        if index < 0 or (self.limit is not None and index >= self.limit):
            raise ValueError(f"For 'TensorArrayWrite', the index {index} is out of a size of {self.limit}.")
        value = _fitting("TensorArrayWrite", value, self.shape, self.dtype)
        while len(self.items) <= index:
            self.items.append(self._zeros())
        self.items[index] = value

    def read(self, index: int) -> torch.Tensor:
        """Return a copy of the value at a place.

        Raises:
            ValueError: for a place that nothing was written to or behind.
        """
        if not 0 <= index < len(self.items):
            raise ValueError(f"For 'TensorArrayRead', the index {index} is out of a size of {len(self.items)}.")
        return self.items[index].clone()

    def stack(self) -> torch.Tensor:
        """Return all values along a new first axis; with a limit, zeros up to it."""
        if self.limit is not None:
            return torch.stack([*self.items, *self._zeros(self.limit - len(self.items))])
        return torch.stack(self.items) if self.items else self._zeros(0)


class TensorQueue:
    """Tuples of tensors, first in, first out."""

    def __init__(self, dtype: torch.dtype, shapes: Sequence[Sequence[int]], limit: int) -> None:
        self.dtype, self.shapes, self.limit = dtype, shapes, limit
        self.items: deque[list[torch.Tensor]] = deque()

    def put(self, values: Sequence[Any]) -> None:
        """Append an element.

        Raises:
            RuntimeError: if the queue is full.
        """
        if len(self.items) >= self.limit:
            raise RuntimeError(f"For 'TensorsQueuePut', the queue is full: its size is {self.limit}.")
        pairs = zip(values, self.shapes, strict=True)
        self.items.append([_fitting("TensorsQueuePut", value, shape, self.dtype) for value, shape in pairs])

    def get(self, pop: bool) -> tuple[Any, ...]:
        """Return the first element, and remove it where ``pop`` is True.

        Raises:
            RuntimeError: if the queue is empty.
        """
        if not self.items:
            raise RuntimeError("For 'TensorsQueueGet', the queue is empty.")
        return tuple([wrap(item.clone()) for item in (self.items.popleft() if pop else self.items[0])])


class _Buffer:
    """Transitions in columns, one tensor for each component."""

    def __init__(
        self, capacity: int, shapes: Sequence[Sequence[int]], dtypes: Sequence[torch.dtype], seeds: tuple[int, int]
    ) -> None:
        kinds = list(zip(shapes, dtypes, strict=True))
        self.columns = [torch.zeros((capacity, *shape), dtype=t, device=current_device()) for shape, t in kinds]
        self.capacity, self.pushed = capacity, 0
        self.engine = LinearCongruential(seeds[1] or seeds[0] or int(torch.randint(1, 2**31, ())))

    def __len__(self) -> int:
        return min(self.pushed, self.capacity)

    def _put(self, place: int, transition: Sequence[Any]) -> None:
        for column, value in zip(self.columns, transition, strict=True):
            column[place] = _fitting("the replay buffer", value, column.shape[1:], column.dtype)

    def _rows(self, places: np.ndarray) -> list[Any]:
        index = torch.from_numpy(places).to(self.columns[0].device)
        return [wrap(torch.index_select(column, 0, index)) for column in self.columns]

    def _check_filled(self) -> None:
        if not self.pushed:
            raise RuntimeError("The replay buffer is empty: push a transition before you sample.")


class PriorityBuffer(_Buffer):
    """Transitions drawn in proportion to their priorities (https://arxiv.org/abs/1511.05952).

    Args:
        alpha: exponent of the priorities; 0 draws each alike.
    """

    def __init__(self, capacity: int, alpha: float, shapes: Any, dtypes: Any, seeds: tuple[int, int]) -> None:
        super().__init__(capacity, shapes, dtypes, seeds)
        self.alpha, self.greatest = alpha, 1.0
        self.priorities = np.zeros(capacity)

    def push(self, transition: Sequence[Any]) -> None:
        """Append a transition with the greatest priority; a full buffer loses its oldest one."""
        place = self.pushed % self.capacity
        self._put(place, transition)
        self.priorities[place] = self.greatest**self.alpha
        self.pushed += 1

    def sample(self, count: int, beta: float) -> tuple[Any, ...]:
        """Return places, correction weights and transitions: one draw from each of ``count`` equal parts of the sum."""
        self._check_filled()
        priorities = self.priorities[: len(self)]
        sums = np.cumsum(priorities)
        masses = (self.engine.singles(count) + np.arange(count)) * (sums[-1] / count)
        places = np.minimum(np.searchsorted(sums, masses), len(self) - 1)
        weights = (priorities[places] / priorities.min()) ** -beta
        device = self.columns[0].device
        drawn = torch.from_numpy(places).to(device), torch.from_numpy(weights.astype(np.float32)).to(device)
        return (*map(wrap, drawn), *self._rows(places))

    def update(self, places: np.ndarray, priorities: np.ndarray) -> None:
        """Set priorities; one of 0 becomes 1e-7."""
        if np.any((places < 0) | (places >= len(self))):
            raise ValueError(f"For 'PriorityReplayBufferUpdate', an index is out of a size of {len(self)}.")
        values = priorities.astype(np.float64) ** self.alpha
        self.priorities[places] = np.where(values > 0, values, _LEAST_PRIORITY)
        self.greatest = max(self.greatest, float(priorities.max()))


class ReservoirBuffer(_Buffer):
    """A uniform sample of all transitions that were ever pushed (https://doi.org/10.1145/3147.3165)."""

    def push(self, transition: Sequence[Any]) -> None:
        """Take a transition, once the buffer is full with the probability ``capacity / number pushed``."""
        self.pushed += 1
        if self.pushed <= self.capacity:
            self._put(self.pushed - 1, transition)
        elif self.engine.single() < self.capacity / self.pushed:
            self._put(self.engine.integer(0, self.capacity - 1), transition)

    def sample(self, count: int) -> tuple[Any, ...]:
        """Return ``count`` transitions, each drawn anew from all in the buffer."""
        self._check_filled()
        return tuple(self._rows(self.engine.below(np.full(count, len(self)))))
