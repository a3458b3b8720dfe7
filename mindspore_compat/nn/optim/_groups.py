"""Learning rates, weight decay and parameter groups, as arguments of an optimizer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._random.lazy_init import move_when_used
from mindspore_compat._runtime.device import CPU
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.container import CellList
from mindspore_compat.nn.learning_rate_schedule import LearningRateSchedule
from mindspore_compat.nn.optim._device import Number, number, on_device

_Base = torch._C.TensorBase
_item = _Base.item
_set_data = _Base.data.__set__  # type: ignore[attr-defined]
_GROUP_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


def host_tensor(value: Any, dtype: torch.dtype = torch.float32) -> Tensor:
    made = wrap(torch.as_tensor(value, dtype=dtype, device=CPU))
    made.__dict__["stays_on_host"] = True  # also when the device is chosen later
    return made


def host_parameter(value: Any, name: str, dtype: torch.dtype = torch.float32) -> Parameter:
    """Return a Parameter whose value only Python reads, so it stays on the CPU whatever the device."""
    made = Parameter(torch.tensor(value, dtype=dtype, device=CPU), name=name)
    made.__dict__["stays_on_host"] = True  # also when the device is chosen later
    return made


def states_on_demand(parameters: ParameterTuple, prefix: str, init: str = "zeros") -> ParameterTuple:
    """Return states that steps use with some settings only. Each stays on the host until it is used.

    Args:
        init: "zeros" or "ones".
    """
    states = []
    for item in parameters:
        state = item.clone(init, prefix=prefix)
        _set_data(state, getattr(torch, init)(item.shape, dtype=item.dtype, device=CPU))
        move_when_used(state)
        states.append(state)
    return ParameterTuple(states)


def not_negative(value: Any, name: str) -> float:
    number = float(value)
    if not 0.0 <= number < math.inf:
        raise ValueError(f"For 'Optimizer', the '{name}' must be a number from 0 on, but got {number}.")
    return number


class _IteratorLearningRate(LearningRateSchedule):
    """List of learning rates, one for each step; the last one stays. As MindSpore's, a negative step counts from the
    end (scripts log ``learning_rate(global_step - 1)``). The result has the step's shape.
    """

    def __init__(self, learning_rate: np.ndarray, name: str) -> None:
        super().__init__()
        self.learning_rate = host_parameter(learning_rate, name)

    def construct(self, global_step: Any) -> Any:
        if isinstance(global_step, torch.Tensor) and on_device(global_step):
            return self._on_device(global_step)
        rates = self.__dict__["_parameters"]["learning_rate"].asnumpy()
        is_tensor = isinstance(global_step, torch.Tensor)
        step = int(global_step.item()) if is_tensor else int(global_step)
        return host_tensor(np.full(tuple(global_step.shape) if is_tensor else (), rates[min(step, len(rates) - 1)]))

    def settled(self, device: torch.device) -> Parameter:
        """Return all rates, on the device where steps are counted."""
        rates: Any = self.__dict__["_parameters"]["learning_rate"]
        if rates.device != device:
            rates.data = _Base.to(plain(rates), device)
        return rates

    def _on_device(self, global_step: torch.Tensor) -> Tensor:
        rates = self.settled(global_step.device)
        step = plain(global_step).to(torch.int64)
        place = _Base.clamp(torch.where(step < 0, step + len(rates), step), 0, len(rates) - 1)
        return wrap(torch.index_select(plain(rates), 0, place.reshape(-1)).reshape(global_step.shape))


class _ConvertToCell(LearningRateSchedule):
    """Constant learning rate among groups some of which have schedules."""

    def __init__(self, learning_rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step: Any) -> Any:
        return self.__dict__["_parameters"]["learning_rate"] + 0.0


class Groups(Cell):
    """Mixin of `Optimizer` that checks and stores rates, decays and groups."""

    #: methods that MindSpore's optimizers call in a step, and derived classes override: this package's, by name
    _parts: dict[str, Any]
    #: parts of names that weight decay spares without groups
    _without_decay: tuple[str, ...] = ("beta", "gamma")

    @staticmethod
    def _parameters_base_check(parameters: Any, param_info: str) -> list[Any]:
        parameters = list(parameters)
        if not parameters:
            raise ValueError(f"For 'Optimizer', the argument {param_info} must not be empty.")
        return parameters

    def _preprocess_single_lr(self, learning_rate: Any) -> Any:
        """Return a float, a numpy array of one rate a step, or a schedule; set ``dynamic_lr``."""
        if isinstance(learning_rate, (int, float)) and not isinstance(learning_rate, bool):
            return not_negative(learning_rate, "learning rate")
        if isinstance(learning_rate, torch.Tensor) and learning_rate.dim() == 0:
            return float(learning_rate)
        self.dynamic_lr = True
        if isinstance(learning_rate, LearningRateSchedule):
            return learning_rate
        if isinstance(learning_rate, torch.Tensor):
            return learning_rate.detach().cpu().numpy().astype(np.float32)
        return np.array([float(item) for item in learning_rate], np.float32)

    def _build_single_lr(self, rate: Any, name: str) -> Any:
        """Return the stored form of a rate: a Parameter, or a Cell from step to rate."""
        if isinstance(rate, float):
            return host_parameter(rate, name)
        return _IteratorLearningRate(rate, name) if isinstance(rate, np.ndarray) else rate

    def _init_groups(self, groups: list[dict[str, Any]], rate: Any, weight_decay: Any) -> None:
        self.group_params: list[Parameter] = []
        self.group_lr: list[Any] = []
        self.group_weight_decay: list[Any] = []
        self.group_grad_centralization: list[bool] = []
        order: list[Parameter] | None = None
        rates: dict[int, Any] = {}
        for place, group in enumerate(groups):
            self._check_group(group)
            if "order_params" in group:
                order = list(group["order_params"])
                self.is_group_params_ordered = True
            elif "lr" in group:
                self.is_group_lr = True
                rates[place] = self._preprocess_single_lr(group["lr"])
        default = self._build_single_lr(rate, "learning_rate")
        for place, group in enumerate(groups):
            if "order_params" in group:
                continue
            own = self._build_single_lr(rates[place], f"learning_rate_group_{place}") if place in rates else default
            decay = self._checked_decay(group.get("weight_decay", weight_decay))
            centralize = group.get("grad_centralization", False)
            for parameter in list(group["params"]):
                if any(parameter is item or parameter.name == item.name for item in self.group_params):
                    raise RuntimeError(
                        f"For 'Optimizer', the {parameter.name} parameter already exists, it does not support repeated "
                        "setting. Please check whether the optimizer parameter has been set multiple times."
                    )
                self.group_params.append(parameter)
                self.group_lr.append(own)
                self.group_weight_decay.append(decay)
                self.group_grad_centralization.append(centralize)
        if order is not None:
            self._reorder(order)

    def _check_group(self, group: Any) -> None:
        unknown = [key for key in group if key not in _GROUP_KEYS]
        if unknown:
            raise KeyError(
                f"For 'Optimizer', the key in group params must be one of in {list(_GROUP_KEYS)}, but got {unknown}."
            )
        if "order_params" in group:
            if len(group) > 1:
                raise ValueError(
                    "For 'Optimizer', the order params dict in group parameters should only include the "
                    f"'order_params' key, but got {list(group)}."
                )
            return
        if not isinstance(group.get("params"), (list, tuple)):
            group["params"] = self._parameters_base_check(group.get("params"), "group `params`")
        for index, parameter in enumerate(self._parameters_base_check(group["params"], "group `params`")):
            if not isinstance(parameter, Parameter):
                raise TypeError(
                    "For 'Optimizer', the element in group parameters must be Parameter type, "
                    f"but got {type(parameter)} at index {index}."
                )

    def _reorder(self, order: list[Parameter]) -> None:
        if len(order) != len(self.group_params):
            raise ValueError(
                "For 'Optimizer', the length of order parameters must be the same as the length of group parameters, "
                f"but got order parameters' length {len(order)}, group parameters' length {len(self.group_params)}."
            )
        position = {parameter.name: place for place, parameter in enumerate(self.group_params)}
        picks = [position[parameter.name] for parameter in order]
        for name in ("group_params", "group_lr", "group_weight_decay", "group_grad_centralization"):
            values = getattr(self, name)
            object.__setattr__(self, name, [values[pick] for pick in picks])

    def _init_rates(self, rate: Any) -> None:
        if not self.is_group_lr:
            self.learning_rate = self._build_single_lr(rate, "learning_rate")
        elif self.dynamic_lr:
            cells: dict[int, Any] = {}
            for item in self.group_lr:
                cells.setdefault(id(item), _ConvertToCell(item) if isinstance(item, Parameter) else item)
            object.__setattr__(self, "group_lr", [cells[id(item)] for item in self.group_lr])
            self.learning_rate = CellList(self.group_lr, auto_prefix=False)
        else:
            self.learning_rate = ParameterTuple(self.group_lr)

    def _checked_decay(self, weight_decay: Any) -> Any:
        if isinstance(weight_decay, Cell):
            self.dynamic_weight_decay = True
            return weight_decay
        return not_negative(weight_decay, "weight_decay")

    def _init_decay(self, weight_decay: Any) -> None:
        own = self.__dict__
        if self.is_group:
            decays = self.group_weight_decay
            self.decay_flags = tuple(isinstance(item, Cell) or item > 0 for item in decays)
            self.exec_weight_decay = any(self.decay_flags)
            self.dynamic_decay_flags: Any = tuple(isinstance(item, Cell) for item in decays)
            own["weight_decay"] = tuple(
                item if isinstance(item, Cell) else host_tensor(item * self.loss_scale) for item in decays
            )
            self.grad_centralization_flags = tuple(self.group_grad_centralization)
        else:
            decay = self._checked_decay(weight_decay)
            names = [item.name for item in self.parameters]  # type: ignore[attr-defined]
            self.decay_flags = tuple(not any(part in name for part in self._without_decay) for name in names)
            self.exec_weight_decay = isinstance(decay, Cell) or decay > 0
            self.dynamic_decay_flags = isinstance(decay, Cell)
            own["weight_decay"] = decay if isinstance(decay, Cell) else host_tensor(decay * self.loss_scale)
            self.grad_centralization_flags = (False,) * len(self.decay_flags)
        own["_decays"] = None
        self._known_decays()

    @property
    def weight_decay(self) -> Any:
        """The weight decay times loss_scale: a 0-d Tensor or a Cell, or a tuple of them when there are groups."""
        return self.__dict__["weight_decay"]

    @weight_decay.setter
    def weight_decay(self, value: Any) -> None:
        self.__dict__["weight_decay"] = value

    # --- in a step ----------------------------------------------------------------------------------------------------

    def _scheduled(self, cell: Any) -> Any:
        return cell(self.__dict__["_parameters"]["global_step"])

    @property
    def _own_methods(self) -> Sequence[str]:
        """MindSpore's parts of a step that the program has replaced."""
        kind, own = type(self), self.__dict__
        return [name for name, stock in self._parts.items() if name in own or getattr(kind, name) is not stock]

    def _as_number(self, value: Any) -> Number:
        """Return a schedule's result as a float, or on a device as a float32 tensor of shape () there."""
        if isinstance(value, torch.Tensor) and on_device(value):
            return _Base.to(plain(value), torch.float32).reshape(())
        return float(value)

    def _current_rates(self) -> Any:
        """Return the current learning rate as a number, or one for each parameter."""
        if "get_lr" in self._own_methods:
            found = self.get_lr()
            return [self._as_number(item) for item in found] if self.is_group_lr else self._as_number(found)
        if not self.is_group_lr:
            rate = self.learning_rate
            return _item(rate) if not self.dynamic_lr else self._as_number(self._scheduled(rate))
        if not self.dynamic_lr:
            return list(map(_item, self.learning_rate))
        values: dict[int, Number] = {}
        for cell in self.learning_rate:
            if id(cell) not in values:
                values[id(cell)] = self._as_number(self._scheduled(cell))
        return [values[id(cell)] for cell in self.learning_rate]

    def _known_decays(self) -> Sequence[Any]:
        """Return a number or a Cell for each parameter, without loss_scale, from the present ``weight_decay`` and
        ``decay_flags``.
        """
        own = self.__dict__
        whole, flags = own["weight_decay"], self.decay_flags
        kept = own["_decays"]
        if kept is None or kept[0] is not whole or kept[1] is not flags:
            each = whole if isinstance(whole, (tuple, list)) else [whole] * len(flags)
            found = [item if isinstance(item, Cell) else number(item) / self.loss_scale for item in each]
            decays = tuple(item if flag else 0.0 for item, flag in zip(found, flags))
            kept = own["_decays"] = (whole, flags, decays)
        return kept[2]

    def _current_decays(self) -> Sequence[Number]:
        if "get_weight_decay" in self._own_methods:
            found = self.get_weight_decay()
            each = found if isinstance(found, (tuple, list)) else [found] * len(self.decay_flags)
            return [
                self._as_number(item) / self.loss_scale if flag else 0.0 for item, flag in zip(each, self.decay_flags)
            ]
        decays = self._known_decays()
        if not self.dynamic_weight_decay:
            return decays
        values = {
            id(item): self._as_number(self._scheduled(item)) if isinstance(item, Cell) else item
            for item in {id(item): item for item in decays}.values()
        }
        return [values[id(item)] for item in decays]

    def _bucketed(
        self, rates: Any, decays: Sequence[Number], by_decay: bool
    ) -> Iterable[tuple[list[int] | None, Number, Number]]:
        """Return (positions or None for all, learning rate, weight decay) of each set of parameters that are updated
        together; the decay is 0 unless ``by_decay``.
        """
        if not isinstance(rates, list) and (not by_decay or len(set(map(_key, decays))) <= 1):
            return [(None, rates, decays[0] if by_decay else 0.0)]
        buckets: dict[Any, tuple[list[int], Number, Number]] = {}
        for position, decay in enumerate(decays):
            rate = rates[position] if isinstance(rates, list) else rates
            own_decay = decay if by_decay else 0.0
            key = _key(rate), _key(own_decay)
            buckets.setdefault(key, ([], rate, own_decay))[0].append(position)
        return list(buckets.values())


def _key(value: Number) -> Any:
    """Return a key that distinguishes numbers without reading them on a device."""
    return id(value) if isinstance(value, torch.Tensor) else value
