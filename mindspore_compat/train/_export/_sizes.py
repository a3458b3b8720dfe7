"""Open sizes of inputs: sizes to trace with, and the numbers of the file as functions of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import torch

from mindspore_compat._graph.export.ir import leaves, map_values
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.symbol import Symbol
from mindspore_compat.common.tensor import OpenTensor

_STEPS = (6, 7, 8, 13, 16)  # all remainders by 2, 3 and 4
_LEVELS = (0, 26, 58, 218)  # for networks that need larger inputs
_ANY = Symbol()


@dataclass(frozen=True)
class OpenSize:
    """A size of an input: the ``input``-th tensor's ``axis``. Sizes of the same ``group`` are the same number."""

    input: int
    axis: int
    group: int
    symbol: Symbol


@dataclass(frozen=True)
class Expression:
    """(product of sizes · factor + offset) // divisor, of groups of open sizes."""

    groups: tuple[int, ...]
    factor: int = 1
    offset: int = 0
    divisor: int = 1


def is_open(inputs: Any) -> bool:
    """Return whether a Tensor in them has an open size."""
    return any(isinstance(item, OpenTensor) for item in leaves(inputs))


def open_sizes(inputs: Any) -> list[OpenSize]:
    """Return all open sizes of the inputs, in order.

    Raises:
        NotImplementedError: if the number of axes is open.
    """
    found: list[OpenSize] = []
    groups: dict[Any, int] = {}
    tensors = [item for item in leaves(inputs) if isinstance(item, torch.Tensor)]
    for number, item in enumerate(tensors):
        for axis, size in enumerate(item._sizes if isinstance(item, OpenTensor) else ()):
            if size == -2:
                raise NotImplementedError(
                    "For 'export', the number of an input's axes is fixed: give shape=[None, None], not None."
                )
            if isinstance(size, Symbol) or size == -1:
                key = id(size) if isinstance(size, Symbol) and size.unique else (number, axis)
                found.append(
                    OpenSize(
                        number, axis, groups.setdefault(key, len(groups)), size if isinstance(size, Symbol) else _ANY
                    )
                )
    return found


def _tied(sizes: Sequence[OpenSize]) -> Iterator[list[OpenSize]]:
    """Yield the sizes with groups: each alone; the same axes of different inputs, as for a batch; all together."""
    yield list(sizes)
    for key in (lambda size: size.axis, lambda size: 0):
        groups: dict[int, int] = {}
        for size in sizes:  # groups stay together
            groups.setdefault(size.group, min(other.group for other in sizes if key(other) == key(size)))
        yield [OpenSize(size.input, size.axis, groups[size.group], size.symbol) for size in sizes]


def tellings(sizes: Sequence[OpenSize]) -> Iterator[tuple[list[OpenSize], list[dict[int, int]]]]:
    """Yield (sizes, {group: number} for each trace), from the most to the least different sizes."""
    seen = set()
    for tied in _tied(sizes):
        for level in _LEVELS:
            numbers = []
            for trace in range(len(_STEPS)):
                one: dict[int, int] = {}
                for order, size in enumerate(tied):
                    wanted = _STEPS[trace * (order % 3 + 1) % len(_STEPS)] + 5 * order + level
                    step = max(size.symbol.divisor, 1)
                    one.setdefault(size.group, size.symbol.near(wanted if step == 1 else wanted * step))
                numbers.append(one)
            key = str((tied, numbers))
            if key not in seen:
                seen.add(key)
                yield tied, numbers


def ground(inputs: Any, sizes: Sequence[OpenSize], numbers: dict[int, int]) -> Any:
    """Return the inputs with contents: open sizes from ``numbers``, random floats, ids 0."""
    generator = torch.Generator().manual_seed(0)
    place = iter(range(len(list(leaves(inputs)))))
    chosen = {(size.input, size.axis): numbers[size.group] for size in sizes}

    def filled(item: Any) -> Any:
        if not isinstance(item, torch.Tensor):
            return item
        number = next(place)
        if not isinstance(item, OpenTensor):
            return item
        shape = [chosen.get((number, axis), size) for axis, size in enumerate(item.shape)]
        if item.dtype.is_floating_point:
            return wrap(torch.randn(shape, generator=generator).to(item.dtype))
        return wrap(torch.zeros(shape, dtype=item.dtype))

    return map_values(filled, inputs)


def elements(inputs: Any, sizes: Sequence[OpenSize], numbers: dict[int, int]) -> int:
    """Return the number of elements that `ground` would make."""
    chosen = {(size.input, size.axis): numbers[size.group] for size in sizes}
    tensors = [item for item in leaves(inputs) if isinstance(item, torch.Tensor)]
    return sum(
        math.prod(chosen.get((number, axis), size) for axis, size in enumerate(item.shape))
        for number, item in enumerate(tensors)
    )


def fit(values: Sequence[int], traces: Sequence[dict[int, int]]) -> Expression | None:
    """Return the only simple expression with ``values`` in all traces, None if there is none."""
    groups = sorted(traces[0])
    for group in groups:
        sizes = [trace[group] for trace in traces]
        found = _linear(values, sizes)
        if found is not None:
            return Expression((group,), *found)
    for count in range(2, min(len(groups), 4) + 1):
        for chosen in combinations(groups, count):
            products = [math.prod(trace[group] for group in chosen) for trace in traces]
            found = _linear(values, products)
            if found is not None:
                return Expression(chosen, *found)
    for divisor in (2, 3, 4):
        for group in groups:
            offset = _divided(values, [trace[group] for trace in traces], divisor)
            if offset is not None:
                return Expression((group,), 1, offset, divisor)
    return None


def _linear(values: Sequence[int], sizes: Sequence[int]) -> tuple[int, int] | None:
    """Return (factor, offset)."""
    (low, at_low), (high, at_high) = min(zip(sizes, values)), max(zip(sizes, values))
    if low == high or (at_high - at_low) % (high - low):
        return None
    factor = (at_high - at_low) // (high - low)
    offset = at_low - factor * low
    return (
        (factor, offset)
        if factor and all(factor * size + offset == value for size, value in zip(sizes, values))
        else None
    )


def _divided(values: Sequence[int], sizes: Sequence[int], divisor: int) -> int | None:
    """Return the offset of (size + offset) // divisor, if there is exactly one."""
    low = max(value * divisor - size for size, value in zip(sizes, values))
    high = min((value + 1) * divisor - size for size, value in zip(sizes, values))
    return low if high - low == 1 else None


def probes(sizes: Sequence[OpenSize]) -> Iterable[dict[int, int]]:
    """Yield other sizes to compare results at: small ones, and a large one."""
    for wanted in (1, 2, 3, 5, 40, 300):
        yield {size.group: size.symbol.near(wanted) for size in sizes}
