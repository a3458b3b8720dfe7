"""How tensors are cut over devices: `Layout`, and the form of strategies. Upstream: ``mindspore.parallel.shard``."""

from __future__ import annotations

import copy
import math
from typing import Any

__all__ = ["Layout", "check_strategy"]


class Layout:
    """The devices as an array whose axes have names; called with such names it says which of them cut which axis of a
    tensor.

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
        for name, value, kind in (("device_matrix", device_matrix, int), ("alias_name", alias_name, str)):
            if not isinstance(value, tuple):
                raise TypeError(f"{name} must be tuple type, but got:{type(value)}")
            for item in value:
                if not isinstance(item, kind):
                    raise TypeError(f"The element of {name} must be {kind.__name__} type, but got:{type(item)}")
        if len(device_matrix) != len(alias_name):
            raise ValueError(
                f"device_matrix length should be equal to alias_name length, but got {len(device_matrix)} and "
                f"{len(alias_name)}."
            )
        if "" in alias_name or "None" in alias_name:
            raise ValueError(f"The element of alias_name can not be empty or 'None', but got {alias_name}.")
        if len(set(alias_name)) != len(alias_name):
            raise ValueError(f"Each element of alias_name {alias_name} should be different")
        if "interleaved_parallel" in alias_name[:-1]:
            raise ValueError(f"In alias_name {alias_name}, 'interleaved_parallel' must be the last.")
        count = math.prod(device_matrix)
        if rank_list is not None:
            _check_ranks(rank_list, count)
        self._device_shape, self._alias_name = device_matrix, alias_name
        self._rank_list = list(range(count)) if rank_list is None else rank_list
        self._tensor_map: tuple[Any, ...] | None = None

    def __call__(self, *tensor_map: Any) -> Layout:
        """The layout of a tensor: for each of its axes a name, "None", or a tuple of names.

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
        """The layout as a dict.

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


def _check_ranks(rank_list: Any, count: int) -> None:
    if not isinstance(rank_list, list):
        raise TypeError(f"The rank_list should be a list, but got {type(rank_list).__name__}.")
    for item in rank_list:
        if not isinstance(item, int):
            raise TypeError(f"The element of rank_list should be int, but got {type(item).__name__}.")
    if len(rank_list) != count:
        raise ValueError(
            "The length of rank_list should be equal to the product of device_matrix, but got "
            f"{len(rank_list)} and {count}."
        )


def check_strategy(strategy: Any, name: str) -> None:
    """TypeError unless it is a tuple of tuples of int, or of Layouts."""
    if not isinstance(strategy, tuple):
        raise TypeError(f"{name} must be tuple type, but got:{type(strategy)}")
    for item in strategy:
        if not isinstance(item, (tuple, Layout)):
            raise TypeError(f"The element of strategy must be tuple/Layout type, but got:{type(item)}")
        for cut in item if isinstance(item, tuple) else ():
            if not isinstance(cut, int) or isinstance(cut, bool):
                raise TypeError(f"The {name}: {strategy} is not valid, the value must be int type, but got:{type(cut)}")
    if len({type(item) for item in strategy}) > 1:
        raise TypeError(f"{name} item must be all tuple type or all Layout type.")
