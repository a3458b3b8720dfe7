"""The devices of a run, and their cuts of the axes of an operator's inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Placement, Replicate, Shard

from mindspore_compat._runtime.device import current_device
from mindspore_compat.common._strategy import Layout

Placements = tuple[Placement, ...]


def _prime_factors(number: int) -> list[int]:
    found, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found


class Devices:
    """The processes as one array with an axis for each prime factor of their number. Every strategy with cuts in that
    order is a choice of axes.

    Args:
        ranks: the processes, in order.
        sizes: the array's shape, None for the prime factors.
    """

    def __init__(self, ranks: Sequence[int], sizes: Sequence[int] | None = None) -> None:
        self.ranks = tuple(ranks)
        self.sizes = tuple(sizes or _prime_factors(len(ranks)) or (1,))
        names = tuple(f"axis_{number}" for number in range(len(self.sizes)))
        places = torch.tensor(list(ranks)).reshape(self.sizes)
        self.mesh: Any = DeviceMesh(current_device().type, places, mesh_dim_names=names)
        if len(names) > 1:
            self.mesh._flatten("all")  # a collective over all axes is one communication
        self.replicated: Placements = (Replicate(),) * len(self.sizes)

    @property
    def count(self) -> int:
        return len(self.ranks)

    def batch(self, axis: int = 0) -> Placements:
        """Return the cut over all devices along one axis."""
        return (Shard(axis),) * len(self.sizes)

    def axes(self, start: int, size: int) -> list[int] | None:
        """Return the axes from ``start`` on with sizes that multiply to ``size``; None if there are none."""
        found: list[int] = []
        while math.prod(self.sizes[axis] for axis in found) < size and start < len(self.sizes):
            found.append(start)
            start += 1
        return found if math.prod(self.sizes[axis] for axis in found) == size else None

    def of_cuts(self, cuts: Sequence[int], where: str) -> Placements:
        """Return the placements of a tensor cut into so many pieces per axis, by the first device axes in order."""
        return self.of_letters([tuple(range(len(cuts)))], [tuple(cuts)], where)[0]

    def of_letters(
        self,
        letters: Sequence[Sequence[Any]],
        strategies: Sequence[Sequence[int]],
        where: str,
        shapes: Sequence[Sequence[int]] = (),
    ) -> list[Placements]:
        """Return placements of several tensors: axes with one letter, unless of length 1, share their device axes.

        Raises:
            RuntimeError: if a letter has two cuts, or the devices cannot be divided so.
        """
        by_letter: dict[Any, int] = {}
        shapes = shapes or [[0] * len(cuts) for cuts in strategies]
        for names, cuts, shape in zip(letters, strategies, shapes):
            for name, cut, size in zip(names, cuts, shape):
                if size != 1 and by_letter.setdefault(name, cut) != cut:
                    raise RuntimeError(
                        f"{where}: the strategy {tuple(strategies)} cuts axes that belong together into {cut} and "
                        f"{by_letter[name]} pieces. Give them the same number."
                    )
        product = math.prod(by_letter.values())
        if product > self.count or self.count % product:
            raise RuntimeError(
                f"{where}: the strategy {tuple(strategies)} needs {product} devices, but there are {self.count}. The "
                "product of its cuts must divide the number of processes."
            )
        used, axes_of = 0, {}
        for name, cut in by_letter.items():
            axes = self.axes(used, cut)
            if axes is None:
                raise RuntimeError(
                    f"{where}: the strategy {tuple(strategies)} does not fit the device array {self.sizes}. Use powers "
                    "of one prime, or the order of that array."
                )
            axes_of[name], used = axes, used + len(axes)
        return [
            self._placed({axis: axes_of[name] for axis, name in enumerate(names) if cuts[axis] > 1})
            for names, cuts in zip(letters, strategies)
        ]

    def _placed(self, axes_of: dict[int, list[int]]) -> Placements:
        found = list(self.replicated)
        for axis, device_axes in axes_of.items():
            for item in device_axes:
                found[item] = Shard(axis)
        return tuple(found)

    def of_layout(self, layout: Layout, where: str) -> Placements:
        """Return the placements of a `Layout`.

        Raises:
            RuntimeError: if its device matrix is not that of this run, or it interleaves.
        """
        said = layout.to_dict()
        matrix, tensor_map = said["device_matrix"], said["tensor_map"]
        if said["interleaved_parallel"] or said["rank_list"] != list(range(len(said["rank_list"]))):
            raise RuntimeError(
                f"{where}: layouts with 'interleaved_parallel' or an own 'rank_list' are not available. Leave them out."
            )
        if math.prod(matrix) != self.count:
            raise RuntimeError(
                f"{where}: the device_matrix {matrix} of the layout must have as many devices as there are processes, "
                f"{self.count}."
            )
        groups, start = [], 0
        for size in matrix:
            axes = self.axes(start, size)
            if axes is None:
                raise RuntimeError(f"{where}: the device_matrix {matrix} does not fit the device array {self.sizes}.")
            groups.append(axes)
            start += len(axes)
        axes_of: dict[int, list[int]] = {}
        for axis, names in enumerate(tensor_map):
            parts = [
                groups[len(matrix) - 1 - item]
                for item in (names if isinstance(names, tuple) else (names,))
                if item >= 0
            ]
            chosen = [item for part in parts for item in part]
            if chosen != sorted(chosen):
                raise RuntimeError(
                    f"{where}: axis {axis} of the layout is cut by device axes in another order than the device_matrix "
                    "has them. Name them in its order."
                )
            axes_of[axis] = chosen
        return self._placed(axes_of)

    def cuts(self, placements: Placements, ndim: int) -> list[int]:
        """Return the number of pieces of each axis."""
        found = [1] * ndim
        for size, placement in zip(self.sizes, placements):
            if isinstance(placement, Shard):
                found[placement.dim] *= size
        return found


def world() -> Devices:
    """Return all processes."""
    return Devices(range(dist.get_world_size()))
