"""Parameters in groups, and optimizers made anew for them. MindSpore: ``mindspore.boost.base``."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from mindspore_compat.boost.less_batch_normalization import CommonHeadLastFN
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.layer.conv import Conv2d
from mindspore_compat.nn.optim.lars import LARS

__all__ = ["OptimizerProcess", "ParameterProcess"]

_log = logging.getLogger("mindspore_compat")


class OptimizerProcess:
    """Factory of an optimizer with other groups of Parameters, mainly with gradient centralization.

    Args:
        opt: an optimizer of this package (not thor nor AdamWeightDecay), one whose ``__init__`` has
            ``opt_init_args_register``, or a LARS around one.
    """

    def __init__(self, opt: Any) -> None:
        self.is_lars = isinstance(opt, LARS)
        self.single_opt = opt.opt if self.is_lars else opt
        if not hasattr(self.single_opt, "init_args"):
            raise AttributeError(
                f"For 'OptimizerProcess', '{type(self.single_opt).__name__}' does not keep its arguments 'init_args'. "
                "Decorate its __init__ by mindspore.nn.optim.optimizer.opt_init_args_register."
            )
        self.opt_class = type(self.single_opt)
        self.opt_init_args = {name: value for name, value in self.single_opt.init_args.items() if name != "kwargs"}
        self.opt_init_args.update(self.single_opt.init_args.get("kwargs") or {})
        if self.is_lars:
            self.lars_init_args = opt.init_args
        self.learning_rate = self.single_opt.init_learning_rate
        self.origin_params = opt.init_params["params"]

    @staticmethod
    def build_params_dict(network: Any) -> dict[int, Any]:
        """Return {id of a Parameter: the Cell that holds it}."""
        return {id(item): cell for _, cell in network.cells_and_names() for item in cell.get_parameters(expand=False)}

    @staticmethod
    def build_gc_params_group(params_dict: dict[int, Any], parameters: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the groups, each split into Parameters with centralized gradients and others: beta, gamma, bias,
        weights of grouped convolutions and of LessBN's last layer.
        """
        groups: list[dict[str, Any]] = []
        for group in parameters:
            if "order_params" in group:
                groups.append(group)
                continue
            centralized: list[Any] = []
            others: list[Any] = []
            for item in group["params"]:
                (centralized if _is_centralized(item, params_dict) else others).append(item)
            if centralized:
                groups.append({**group, "params": centralized, "grad_centralization": True})
            if others:
                groups.append({**group, "params": others})
        return groups

    def add_grad_centralization(self, network: Any) -> None:
        """Enable gradient centralization; only Parameters in groups can have it.

        Raises:
            ValueError: without Parameters. TypeError: if they are neither Parameters nor dicts.
        """
        parameters = list(self.origin_params or ())
        if isinstance(parameters[0], Parameter):
            _log.warning("Only group parameters support gradient centralization.")
            return
        self.origin_params = OptimizerProcess.build_gc_params_group(
            OptimizerProcess.build_params_dict(network), parameters
        )

    def generate_new_optimizer(self) -> Any:
        """Return an optimizer of the same class and arguments for ``origin_params``."""
        if self.learning_rate is None:
            self.learning_rate = self.single_opt.learning_rate
        made = self.opt_class(params=self.origin_params, learning_rate=self.learning_rate, **self.opt_init_args)
        return LARS(made, **self.lars_init_args) if self.is_lars else made


def _is_centralized(item: Any, cells: dict[int, Any]) -> bool:
    if any(word in item.name for word in ("beta", "gamma", "bias")):
        return False
    cell = cells[id(item)]
    return not (isinstance(cell, CommonHeadLastFN) or (isinstance(cell, Conv2d) and cell.group > 1))


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
        """Return the groups of ``origin_params`` with ``parameters`` by name; unknown ones share the options of the
        largest group.

        Raises:
            ValueError: without parameters. TypeError: if ``origin_params`` holds neither Parameters nor dicts.
        """
        origin = list(origin_params or ())
        if isinstance(origin[0], Parameter):
            return [{"params": parameters}]
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
