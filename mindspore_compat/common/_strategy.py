"""Sharding of tensors over devices: `Layout`, and the form of strategies. MindSpore: ``mindspore.parallel.shard``."""

from __future__ import annotations

import copy
import math
from typing import Any


class Layout:
    """Array of devices with named axes. Called with such names, it assigns them to the axes of a tensor.

    Args:
        device_matrix: the array's shape; as many devices as there are processes.
        alias_name: a name for each of its axes; "None" is taken for an axis that is not cut.
        rank_list: the rank at each place, None for their order.

    Examples:
        >>> layout = ms.Layout((2, 2), ("dp", "mp"))
        >>> print(layout("dp", "None").to_dict()["tensor_map"])
        (1, -1)
    """

    def __init__(self, device_matrix: tuple, alias_name: tuple, rank_list: list | None = None) -> None:
        names = {name for name in alias_name if name and name != "None"}
        if not len(names) == len(alias_name) == len(device_matrix):
            raise ValueError(
                f"alias_name must have a name of its own, which is not 'None', for each axis of {device_matrix}, but "
                f"got {alias_name}."
            )
        count = math.prod(device_matrix)
        if rank_list is not None and len(rank_list) != count:
            raise ValueError(f"rank_list must have the {count} ranks of device_matrix, but got {len(rank_list)}.")
        self._device_shape, self._alias_name = device_matrix, alias_name
        self._rank_list = list(range(count)) if rank_list is None else rank_list
        self._tensor_map: tuple[Any, ...] | None = None

    def __call__(self, *tensor_map: Any) -> Layout:
        """Return the layout of a tensor: for each of its axes a name, "None", or a tuple of names.

        Raises:
            ValueError: for a name that is not there, or stands twice.
        """
        used: list[str] = []

        def number(name: Any) -> int:
            if name == "None":
                return -1
            if name not in self._alias_name:
                raise ValueError(f"The axis {name} is not found in {self._alias_name}")
            if name in used:
                raise ValueError(f"The axis {name} has been set more than one in {self._alias_name}")
            used.append(name)
            return len(self._alias_name) - 1 - self._alias_name.index(name)

        made = copy.copy(self)
        made._tensor_map = tuple(
            tuple(map(number, item)) if isinstance(item, tuple) else number(item) for item in tensor_map
        )
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the layout as a dict.

        Raises:
            ValueError: before it was called with a tensor's axes.
        """
        if self._tensor_map is None:
            raise ValueError("The tensor_map of layout is None. Call the layout with the names for a tensor's axes.")
        return {
            "device_matrix": self._device_shape,
            "tensor_map": self._tensor_map,
            "interleaved_parallel": "interleaved_parallel" in self._alias_name,
            "alias_name": self._alias_name,
            "rank_list": self._rank_list,
        }


def check_strategy(strategy: Any, name: str) -> None:
    """Raise TypeError unless it is a tuple of tuples of int, or of Layouts."""
    of_ints = all(isinstance(item, tuple) and all(type(cut) is int for cut in item) for item in strategy)
    if not (of_ints or all(isinstance(item, Layout) for item in strategy)):
        raise TypeError(f"{name} must be a tuple of tuples of int, or of Layouts, but got {strategy}.")
