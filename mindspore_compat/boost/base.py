"""Upstream: ``mindspore.boost.ParameterProcess``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mindspore_compat.common.parameter import Parameter

__all__ = ["ParameterProcess"]


class ParameterProcess:
    """Groups of Parameters, for optimizers and for collectives.

    Examples:
        >>> parameters = nn.Dense(3, 2).trainable_params()
        >>> grouped = ms.boost.ParameterProcess().assign_parameter_group(parameters, [1])
        >>> print([item.comm_fusion for item in grouped])
        [1, 2]
    """

    def __init__(self) -> None:
        self._parameter_indices = 1

    def assign_parameter_group(self, parameters: Any, split_point: Sequence[int] | None = None) -> Any:
        """Number the Parameters' ``comm_fusion``: one more from each position in ``split_point`` (the middle) on."""
        if not isinstance(parameters, (list, tuple)) or not parameters:
            return parameters
        splits = split_point or [len(parameters) // 2]
        for position, parameter in enumerate(parameters):
            self._parameter_indices += position in splits
            parameter.comm_fusion = self._parameter_indices
        return parameters

    @staticmethod
    def generate_group_params(parameters: Sequence[Any], origin_params: Any) -> list[dict[str, Any]]:
        """Groups as ``origin_params`` has them, of ``parameters`` by name; those that it does not know share the
        options of the group with most of them.

        Raises:
            ValueError: without parameters. TypeError: if ``origin_params`` holds neither Parameters nor dicts.
        """
        origin = list(origin_params or ())
        if not origin:
            raise ValueError("Optimizer got an empty parameter list.")
        if isinstance(origin[0], Parameter):
            return [{"params": parameters}]
        if not isinstance(origin[0], dict):
            raise TypeError("Only a list of Parameter or dict can be supported.")
        by_name = {item.name: item for item in parameters}
        unknown = dict(by_name)
        groups: list[dict[str, Any]] = []
        richest: dict[str, Any] = {}
        for group in origin:
            if "order_params" in group:
                groups.append({**group, "order_params": parameters})
                continue
            chosen = [by_name[item.name] for item in group["params"] if item.name in by_name]
            for item in chosen:
                unknown.pop(item.name, None)
            groups.append({**group, "params": chosen})
            if len(group) > len(richest):
                richest = group
        if unknown:
            groups.append({**richest, "params": list(unknown.values())})
        return groups
