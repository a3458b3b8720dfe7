"""Replay buffers in Parameters: ``count`` rows from ``head`` on, first in, first out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._graph.program import program
from mindspore_compat._ops.adapt import check_keeps_dtype, get_data
from mindspore_compat._ops.declare import PositiveInt, classes, functions, primitive
from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat._tensor.wrapping import unaliased, wrap

_Run = Callable[..., Any]


def _rows(data: Sequence[torch.Tensor], rows: Any) -> tuple[Any, ...]:
    return tuple([wrap(item.detach()[torch.as_tensor(rows, device=item.device)]) for item in data])


@primitive
def BufferAppend(capacity: PositiveInt, buffer_shape: Any, buffer_dtype: Any) -> _Run:
    """Append one element, or a batch of them along a first axis, to a replay buffer; the oldest elements make room.

    Inputs:
        data: tuple of Parameters of shape (capacity, ...). exp: a tuple of tensors, one for each. count, head: int32
        Parameters; the number of elements and the row of the oldest one, which change.

    Raises:
        ValueError: a tensor does not fit its Parameter, or a batch holds more than ``capacity`` elements.
        TypeError: a tensor has another dtype.
    """

    def run(data: Any, exp: Any, count: Any, head: Any) -> Any:
        program.not_repeatable("it writes to a replay buffer")
        is_batch = exp[0].dim() == data[0].dim()
        number, start, filled = exp[0].shape[0] if is_batch else 1, int(head), int(count)
        if number > capacity:
            raise ValueError(f"For 'BufferAppend', a batch of {number} does not fit a capacity of {capacity}.")
        columns = [get_data(item) for item in data]
        for column, value in zip(columns, exp, strict=True):
            check_keeps_dtype("BufferAppend", column, value)
            shape = (number, *column.shape[1:])
            if tuple(value.shape) != shape[0 if is_batch else 1 :]:
                raise ValueError(
                    f"For 'BufferAppend', 'exp' must have the shape {shape[1:]}, or {shape} with a batch, but got "
                    f"{tuple(value.shape)}."
                )
        rows = (start + filled + torch.arange(number)) % capacity
        for column, value in zip(columns, exp):
            column[rows.to(column.device)] = unaliased(column, value.detach()).reshape(number, *column.shape[1:])
        lost = max(filled + number - capacity, 0)
        get_data(count).fill_(filled + number - lost)
        get_data(head).fill_((start + lost) % capacity)
        return count

    return run


@primitive
def BufferGetItem(capacity: PositiveInt, buffer_shape: Any, buffer_dtype: Any) -> _Run:
    """Return the element at an index, which counts from the oldest one; a negative one from the end.

    Inputs:
        data, count, head: as of `BufferAppend`. index: an int or an integer Tensor.

    Raises:
        ValueError: the buffer holds no such element.
    """

    def run(data: Any, count: Any, head: Any, index: Any) -> tuple[Any, ...]:
        program.not_repeatable("it reads a replay buffer")
        place, filled = int(index), int(count)
        if not -filled <= place < filled:
            raise ValueError(f"For 'BufferGetItem', the index {place} is out of range of {filled} elements.")
        return _rows(data, (int(head) + place % filled) % capacity)

    return run


@primitive
def BufferSample(
    capacity: PositiveInt,
    batch_size: PositiveInt,
    buffer_shape: Any,
    buffer_dtype: Any,
    seed: int = 0,
    unique: bool = False,
) -> _Run:
    """Return ``batch_size`` elements drawn from a replay buffer.

    Args:
        seed: of a generator of its own, whose draws are MindSpore's where ``unique`` is False; 0 draws from the global
            one.
        unique: draw each element once at most.

    Inputs:
        data, count, head: as of `BufferAppend`.

    Raises:
        ValueError: ``batch_size`` is larger than ``capacity``, or the buffer holds too few elements.
    """
    if batch_size > capacity:
        raise ValueError(
            f"For 'BufferSample', the 'batch_size' must be at most the 'capacity' {capacity}, but got {batch_size}."
        )
    engine = MersenneTwister(seed) if seed else None

    def draw(filled: int) -> Any:
        if engine is None:
            return torch.randperm(filled)[:batch_size] if unique else torch.randint(filled, (batch_size,))
        return engine.shuffled(filled)[:batch_size] if unique else engine.below(np.full(batch_size, filled))

    def run(data: Any, count: Any, head: Any) -> tuple[Any, ...]:
        program.not_repeatable("it reads a replay buffer")
        filled, needed = int(count), batch_size if unique else 1
        if filled < needed:
            raise ValueError(f"For 'BufferSample', the buffer must hold {needed} elements, but holds {filled}.")
        return _rows(data, (int(head) + draw(filled)) % capacity)

    return run


__all__ = functions(globals())
PRIMITIVES = classes(globals())
