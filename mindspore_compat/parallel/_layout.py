"""The part of a tensor in each process, as geometry: every slice is a box in the full tensor."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

Box = tuple[tuple[int, int], ...]
_MOST_DEVICES = 1 << 16  # of a stage; each is visited
_MOST_AXES = 64  # of torch


@dataclass(frozen=True)
class TensorLayout:
    """Cut of a tensor over the devices of one pipeline stage.

    Args:
        dev_matrix: the devices as an array; a rank is its row-major index.
        tensor_map: for each axis of the tensor the device axes that cut it, counted from the last; none: not cut.
        opt_size: into how many pieces the optimizer cuts each slice further, along axis 0 (0: none, -1: over all equal
            copies).
        split_shape: lengths of the slices on axis 0 where they are uneven.
        field: above 0 for the embeddings of 1.x that are cut by fields.
        stages: the pipeline stages that have the parameter.
    """

    dev_matrix: tuple[int, ...] = (1,)
    tensor_map: tuple[tuple[int, ...], ...] = ()
    opt_size: int = 0
    split_shape: tuple[int, ...] = ()
    field: int = 0
    stages: tuple[int, ...] = (0,)

    def check(self, what: str) -> None:
        """Raise ValueError unless such a layout is possible: a device array of a valid size, with axes that cut one
        axis each.
        """
        axes = [item for part in self.tensor_map for item in part if item >= 0]
        if (
            len(self.dev_matrix) > _MOST_AXES
            or len(self.tensor_map) > _MOST_AXES
            or any(size < 1 for size in self.dev_matrix)
        ):
            wrong = "has a size below 1, or too many axes"
        elif self.device_num > _MOST_DEVICES:
            wrong = f"has more than {_MOST_DEVICES} devices"
        elif any(item >= len(self.dev_matrix) for item in axes) or len(set(axes)) < len(axes):
            wrong = (
                f"has a tensor map {[list(item) for item in self.tensor_map]} of device axes that are not there, "
                "or cut twice"
            )
        else:
            if self.opt_size:
                self._optimizer_piece(0)
            return
        raise ValueError(
            f"{what} {wrong}: the device matrix is {list(self.dev_matrix[:_MOST_AXES])}. Check the strategy file."
        )

    @property
    def device_num(self) -> int:
        return math.prod(self.dev_matrix)

    def _axes(self, axis: int) -> list[int]:
        """Return the device axes, from the first, that cut an axis of the tensor."""
        return (
            [len(self.dev_matrix) - 1 - item for item in self.tensor_map[axis] if item >= 0]
            if axis < len(self.tensor_map)
            else []
        )

    def strategy(self, ndim: int) -> list[int]:
        """Return the number of slices of each axis."""
        return [math.prod(self.dev_matrix[item] for item in self._axes(axis)) for axis in range(ndim)]

    def coordinates(self, rank: int) -> list[int]:
        """Return the place of a rank in the device array."""
        result = []
        for size in reversed(self.dev_matrix):
            result.append(rank % size)
            rank //= size
        return result[::-1]

    def _index(self, coordinates: Sequence[int], axes: Sequence[int]) -> int:
        index = 0
        for axis in axes:
            index = index * self.dev_matrix[axis] + coordinates[axis]
        return index

    def slice_index(self, rank: int, ndim: int) -> list[int]:
        """Return the slice of each axis that a rank holds."""
        coordinates = self.coordinates(rank)
        return [self._index(coordinates, self._axes(axis)) for axis in range(ndim)]

    def _optimizer_piece(self, rank: int) -> tuple[int, int]:
        """Return (index of a rank's piece of its slice, number of pieces); the last device axes without a cut are used
        first.
        """
        cut = {item for axis in range(len(self.tensor_map)) for item in self._axes(axis)}
        free = [item for item, size in enumerate(self.dev_matrix) if item not in cut and size > 1]
        wanted = math.prod(self.dev_matrix[item] for item in free) if self.opt_size == -1 else self.opt_size
        coordinates, index, count = self.coordinates(rank), 0, 1
        for item in reversed(free):
            size = min(self.dev_matrix[item], wanted // count)
            if count == wanted or size == 0:
                break
            if self.dev_matrix[item] % size:
                break
            index += coordinates[item] % size * count
            count *= size
        if count != max(wanted, 1):
            maps = [list(item) for item in self.tensor_map]
            raise ValueError(
                f"The device matrix {list(self.dev_matrix)} with the tensor map {maps} has no room for {self.opt_size} "
                "pieces of the optimizer. Check the strategy file."
            )
        return index, count

    def full_shape(self, slice_shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the whole tensor."""
        shape = [size * count for size, count in zip(slice_shape, self.strategy(len(slice_shape)))]
        if shape and self.opt_size:
            shape[0] *= self._optimizer_piece(0)[1]
        return tuple(shape)

    def box(self, rank: int, full_shape: Sequence[int], what: str = "tensor") -> Box:
        """Return (start, stop) on each axis of a rank's part.

        Raises:
            ValueError: if the shape cannot be cut so.
        """
        result = []
        for axis, (size, count, index) in enumerate(
            zip(full_shape, self.strategy(len(full_shape)), self.slice_index(rank, len(full_shape)))
        ):
            piece, pieces = self._optimizer_piece(rank) if axis == 0 and self.opt_size else (0, 1)
            if size % (count * pieces):
                raise ValueError(
                    f"The {what} of shape {list(full_shape)} cannot be cut into {count * pieces} slices on axis "
                    f"{axis}. Check the strategy file."
                )
            length = size // (count * pieces)
            start = (index * pieces + piece) * length
            result.append((start, start + length))
        return tuple(result)


REPLICATED = TensorLayout()


def _overlap(a: Box, b: Box) -> Box | None:
    result = tuple((max(x[0], y[0]), min(x[1], y[1])) for x, y in zip(a, b))
    return result if all(start < stop for start, stop in result) else None


def _cut_axes(layout: TensorLayout, full_shape: Sequence[int]) -> int:
    """Return how many axes from the first may be cut: neither the other axes nor the sizes decide which ranks share a
    slice.
    """
    return min(len(full_shape), max(len(layout.tensor_map), 1))


@functools.lru_cache(maxsize=64)  # most parameters of a network share a few layouts
def _sharing(layout: TensorLayout, ndim: int) -> tuple[tuple[int, ...], ...]:
    """Return groups of ranks with the same slice."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for rank in range(layout.device_num):
        piece = layout._optimizer_piece(rank)[0] if layout.opt_size and ndim else 0
        groups.setdefault((piece, *layout.slice_index(rank, ndim)), []).append(rank)
    return tuple(map(tuple, groups.values()))


@functools.lru_cache(maxsize=64)
def _nearest(layout: TensorLayout, ndim: int, near: int) -> tuple[int, ...]:
    """Return the rank of each group that shares the most coordinates with the rank ``near``."""
    own = layout.coordinates(near % layout.device_num)
    return tuple(
        max(ranks, key=lambda rank: (sum(a == b for a, b in zip(layout.coordinates(rank), own)), -rank))
        for ranks in _sharing(layout, ndim)
    )


def needed_ranks(box: Box, layout: TensorLayout, full_shape: Sequence[int], near: int) -> list[int]:
    """Return the ranks of ``layout`` that together hold a box; among copies the one that shares the most coordinates
    with the rank ``near``.
    """
    ranks = _nearest(layout, _cut_axes(layout, full_shape), near)
    return sorted(rank for rank in ranks if _overlap(box, layout.box(rank, full_shape)))


def assemble(
    box: Box, slices: Mapping[int, torch.Tensor], layout: TensorLayout, full_shape: Sequence[int], what: str
) -> torch.Tensor:
    """Return a box of the full tensor from the slices of some ranks."""
    found = overlaps(box, slices, layout, full_shape, what)
    result = torch.empty(
        [stop - start for start, stop in box], dtype=next(iter(slices.values())).dtype
    )  # now that all of it is complete
    for common, source, data in found:
        result[inner_slices(common, box)] = data[inner_slices(common, source)]
    return result


def overlaps(
    box: Box, slices: Mapping[int, Any], layout: TensorLayout, full_shape: Sequence[int], what: str
) -> list[tuple[Box, Box, Any]]:
    """Return [(the part of a box in a slice, box of the slice, the slice)] that together are the box, each part once.

    Raises:
        ValueError: if a slice is missing, or has another shape.
    """
    found: list[tuple[Box, Box, Any]] = []
    for ranks in _sharing(layout, _cut_axes(layout, full_shape)):
        source = layout.box(ranks[0], full_shape)
        common = _overlap(box, source)
        if common is None:
            continue
        rank = next((rank for rank in ranks if rank in slices), None)
        if rank is None:
            raise ValueError(
                f"The checkpoint of rank {ranks[0]} is needed for {what}, but it is missing, or has none of it."
            )
        if tuple(slices[rank].shape) != tuple(stop - start for start, stop in source):
            raise ValueError(
                f"The slice of {what} on rank {rank} must have the shape {[stop - start for start, stop in source]}, "
                f"but has {list(slices[rank].shape)}. Check that strategy and checkpoints belong together."
            )
        found.append((common, source, slices[rank]))
    return found


def inner_slices(inner: Box, outer: Box) -> tuple[slice, ...]:
    """Return the index of one box in another."""
    return tuple(slice(start - base, stop - base) for (start, stop), (base, _) in zip(inner, outer))


def merge(slices: Sequence[torch.Tensor], layout: TensorLayout, what: str) -> torch.Tensor:
    """Return the whole tensor from the slices of all ranks, which may be uneven on axis 0; pieces of an optimizer are
    not distinguished here.
    """
    ndim = slices[0].dim()
    if layout.field > 0:
        return torch.cat([item.reshape(layout.field, -1, *item.shape[1:]) for item in slices], 1).reshape(
            -1, *slices[0].shape[1:]
        )
    counts = layout.strategy(ndim)
    grid: dict[tuple[int, ...], torch.Tensor] = {}
    for rank, item in enumerate(slices):
        grid[tuple(layout.slice_index(rank, ndim))] = item
    if layout.split_shape:
        if len(layout.split_shape) != len(grid):
            raise ValueError(
                f"For 'merge_sliced_parameter', the param_split_shape in 'strategy' must have {len(grid)} lengths, "
                f"but has {len(layout.split_shape)}."
            )
        for number, index in enumerate(itertools.product(*map(range, counts))):
            if grid[index].shape[0] != layout.split_shape[number]:
                raise ValueError(
                    f"For 'merge_sliced_parameter', slice {number} of {what} must have the length "
                    f"{layout.split_shape[number]} on axis 0, but has {grid[index].shape[0]}."
                )
    for axis in reversed(range(ndim)):
        grid = {
            index: torch.cat([grid[index + (number,)] for number in range(counts[axis])], axis)
            for index in itertools.product(*map(range, counts[:axis]))
        }
    return grid[()]
