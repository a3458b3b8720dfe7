"""`Optimizer`, the base: parameter groups, learning rates, decay and scale of gradients. Upstream:
``mindspore.nn.Optimizer``.

Scalars that only the host needs (step, learning rates) stay on the CPU whatever the device, so that reading them never
waits for a GPU. Subclasses here implement `_update` over lists of parameters with one learning rate; subclasses in user
code override ``construct(self, gradients)`` and use the public helpers, as upstream's documentation shows.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_type
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat.common._program import program
from mindspore_compat.common._tracing import is_tracing, not_traced
from mindspore_compat.common._wrap import memory, wrap
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.container import CellList
from mindspore_compat.nn.learning_rate_schedule import LearningRateSchedule, _Builtin

__all__ = ["Optimizer", "opt_init_args_register"]

_log = logging.getLogger("mindspore_compat")
_item = torch._C.TensorBase.item
_ALIASES = object()  # a copied or unpickled optimizer has another one, so that it makes its own aliases
_GROUP_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


def opt_init_args_register(fn: Any) -> Any:
    """Decorator of an optimizer's ``__init__``, by which upstream remembers the arguments: returned as it is."""
    return fn


def _host_tensor(value: Any, dtype: torch.dtype = torch.float32) -> Tensor:
    return wrap(torch.as_tensor(value, dtype=dtype, device=CPU))


def _host_parameter(value: Any, name: str, dtype: torch.dtype = torch.float32) -> Parameter:
    return Parameter(torch.tensor(value, dtype=dtype, device=CPU), name=name)


class _IteratorLearningRate(LearningRateSchedule):
    """A list of learning rates, one for each step; the last one stays. The answer has the step's shape."""

    def __init__(self, learning_rate: np.ndarray, name: str) -> None:
        super().__init__()
        self.learning_rate = _host_parameter(learning_rate, name)

    def construct(self, global_step: Any) -> Any:
        rates = self.__dict__["_parameters"]["learning_rate"].asnumpy()
        is_tensor = isinstance(global_step, torch.Tensor)
        step = int(global_step.item()) if is_tensor else int(global_step)
        return _host_tensor(
            np.full(tuple(global_step.shape) if is_tensor else (), rates[min(max(step, 0), len(rates) - 1)])
        )


class _ConvertToCell(LearningRateSchedule):
    """A constant learning rate among groups of which some have schedules."""

    def __init__(self, learning_rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step: Any) -> Any:
        return self.__dict__["_parameters"]["learning_rate"] + 0.0


def _as_parameter_list(parameters: Any, what: str) -> list[Any]:
    if parameters is None:
        raise ValueError(f"For 'Optimizer', the argument {what} can not be None.")
    if not isinstance(parameters, Iterable):
        raise TypeError(f"For 'Optimizer', the argument {what} must be Iterable type, but got {type(parameters)}.")
    parameters = list(parameters)
    if not parameters:
        raise ValueError(f"For 'Optimizer', the argument {what} must not be empty.")
    return parameters


class Optimizer(Cell):
    """Base of the optimizers; calling one with the gradients makes a step.

    Args:
        learning_rate: a number, a list or 1-D Tensor (one value a step), an iterable, or a LearningRateSchedule.
        parameters: Parameters, or dicts with "params" and optionally "lr", "weight_decay", "grad_centralization"; one
            dict may hold "order_params" alone, which gives the order of all.
        weight_decay: a number, or a Cell that computes it from the step. Without groups it spares names with "beta" or
            "gamma".
        loss_scale: what gradients are divided by.

    Raises:
        TypeError, ValueError, KeyError: for wrong arguments. RuntimeError: if a parameter stands in two groups.
    """

    _is_optimizer = True
    _support_parallel_optimizer = False

    def __init__(self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0) -> None:
        super().__init__(auto_prefix=False)
        items = _as_parameter_list(parameters, "parameters")
        if not all(isinstance(item, Parameter) for item in items) and not all(isinstance(item, dict) for item in items):
            raise TypeError(
                "For 'Optimizer', all elements of the argument 'parameters' must be 'Parameter' or 'dict', "
                f"but got {sorted({type(item).__name__ for item in items})}. "
                "For a torch.nn.Module use an optimizer of torch.optim, or nn.Cell layers."
            )
        if isinstance(loss_scale, int) and not isinstance(loss_scale, bool):
            loss_scale = float(loss_scale)
        check_type(loss_scale, "loss_scale", float, self.cls_name)
        if loss_scale <= 0:
            raise ValueError(f"For '{self.cls_name}', the 'loss_scale' must be a positive float, but got {loss_scale}.")
        self.loss_scale = loss_scale
        self.dynamic_lr = self.dynamic_weight_decay = False
        self.__dict__["_rates_move"] = False  # a replayed step found the learning rate changed
        self.is_group = isinstance(items[0], dict)
        self.is_group_lr = self.is_group_params_ordered = False
        self.global_step = _host_parameter([0], "global_step", torch.int32)
        rate = self._checked_rate(learning_rate)
        if self.is_group:
            self._init_groups(items, rate, weight_decay)
            ordered = self.group_params
        else:
            ordered = items
        self._init_rates(rate)
        self.parameters = ParameterTuple(ordered)  # type: ignore[assignment]
        self._init_decay(weight_decay)
        self.param_length = len(ordered)
        self.optim_filter = (True,) * self.param_length
        self.use_parallel = False
        self.need_scale = loss_scale != 1.0
        self.reciprocal_scale = _host_tensor(1.0 / loss_scale)
        self.global_step_increase_tensor = _host_tensor([1], torch.int32)
        self.__dict__["_buckets"] = None

    # --- construction -------------------------------------------------------------------------------------------------

    def _checked_rate(self, learning_rate: Any) -> Any:
        """A float, a numpy array of one rate a step, or a schedule; sets ``dynamic_lr``."""
        if isinstance(learning_rate, (int, float)) and not isinstance(learning_rate, bool):
            if learning_rate < 0:
                raise ValueError(
                    f"For '{self.cls_name}', the 'learning_rate' must not be negative, but got {learning_rate}."
                )
            return float(learning_rate)
        if isinstance(learning_rate, torch.Tensor) and learning_rate.dim() == 0:
            return float(learning_rate)
        if isinstance(learning_rate, torch.Tensor) and learning_rate.dim() > 1:
            raise ValueError(
                "For 'Optimizer', if 'learning_rate' is Tensor type, then the dimension of it should be 0 or 1, "
                f"but got {learning_rate.dim()}."
            )
        self.dynamic_lr = True
        if isinstance(learning_rate, LearningRateSchedule):
            return learning_rate
        if isinstance(learning_rate, torch.Tensor):
            return learning_rate.detach().cpu().numpy().astype(np.float32)
        if isinstance(learning_rate, Iterable) and not isinstance(learning_rate, (str, dict)):
            return np.array([float(item) for item in learning_rate], np.float32)
        raise TypeError(
            "For 'Optimizer', the argument 'learning_rate' must be int, float, Tensor, Iterable or "
            "LearningRateSchedule, "
            f"but got {type(learning_rate)}."
        )

    def _build_rate(self, rate: Any, name: str) -> Any:
        """What is stored for a rate: a Parameter, or a Cell that maps the step to it."""
        if isinstance(rate, float):
            return _host_parameter(rate, name)
        return _IteratorLearningRate(rate, name) if isinstance(rate, np.ndarray) else rate

    def _init_groups(self, groups: list[dict[str, Any]], rate: Any, weight_decay: Any) -> None:
        self.group_params: list[Parameter] = []
        self.group_lr: list[Any] = []
        self.group_weight_decay: list[Any] = []
        self.group_grad_centralization: list[bool] = []
        order: list[Parameter] | None = None
        rates: dict[int, Any] = {}
        for number, group in enumerate(groups):
            self._check_group(group)
            if "order_params" in group:
                order = list(group["order_params"])
                self.is_group_params_ordered = True
            elif "lr" in group:
                self.is_group_lr = True
                rates[number] = self._checked_rate(group["lr"])
        lengths = {len(item) for item in [rate, *rates.values()] if isinstance(item, np.ndarray)}
        if len(lengths) > 1:
            raise ValueError(
                "For 'Optimizer', the Tensor type dynamic learning rate in group must be the same size as the argument "
                f"'learning_rate', but got lengths {sorted(lengths)}."
            )
        default = self._build_rate(rate, "learning_rate")
        for number, group in enumerate(groups):
            if "order_params" in group:
                continue
            own = self._build_rate(rates[number], f"learning_rate_group_{number}") if number in rates else default
            decay = self._checked_decay(group.get("weight_decay", weight_decay))
            centralize = group.get("grad_centralization", False)
            if not isinstance(centralize, bool):
                raise TypeError(
                    f"For 'Optimizer', the 'gradients_centralization' must be bool type, but got {type(centralize)}."
                )
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
                    "For 'Optimizer', the order params dict in group parameters should only include the 'order_params' "
                    "key, "
                    f"but got {list(group)}."
                )
            if not isinstance(group["order_params"], Iterable):
                raise TypeError(
                    "For 'Optimizer', the value of 'order_params' in group parameters must be Iterable type, "
                    f"but got {type(group['order_params'])}."
                )
            return
        if not isinstance(group.get("params"), (list, tuple)):
            group["params"] = _as_parameter_list(group.get("params"), "group `params`")
        for index, parameter in enumerate(_as_parameter_list(group["params"], "group `params`")):
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
        position = {parameter.name: number for number, parameter in enumerate(self.group_params)}
        try:
            picks = [position[parameter.name] for parameter in order]
        except KeyError as error:
            raise ValueError(f"For 'Optimizer', 'order_params' names {error}, which is in no group.") from None
        for name in ("group_params", "group_lr", "group_weight_decay", "group_grad_centralization"):
            values = getattr(self, name)
            object.__setattr__(self, name, [values[pick] for pick in picks])

    def _init_rates(self, rate: Any) -> None:
        if not self.is_group_lr:
            self.learning_rate = self._build_rate(rate, "learning_rate")
        elif self.dynamic_lr:
            cells: dict[int, Any] = {}
            for item in self.group_lr:
                cells.setdefault(id(item), _ConvertToCell(item) if isinstance(item, Parameter) else item)
            self.learning_rate = CellList([cells[id(item)] for item in self.group_lr], auto_prefix=False)
        else:
            self.learning_rate = ParameterTuple(self.group_lr)

    def _checked_decay(self, weight_decay: Any) -> Any:
        if isinstance(weight_decay, Cell):
            self.dynamic_weight_decay = True
            return weight_decay
        if isinstance(weight_decay, bool) or not isinstance(weight_decay, (int, float)):
            raise TypeError(
                f"For 'Optimizer', the argument 'Weight_decay' must be int, float or Cell.but got {type(weight_decay)}"
            )
        if weight_decay < 0:
            raise ValueError(f"For '{self.cls_name}', the 'weight_decay' must not be negative, but got {weight_decay}.")
        return float(weight_decay)

    def _init_decay(self, weight_decay: Any) -> None:
        own = self.__dict__
        if self.is_group:
            decays = self.group_weight_decay
            self.decay_flags = tuple(isinstance(item, Cell) or item > 0 for item in decays)
            self.exec_weight_decay = any(self.decay_flags)
            self.dynamic_decay_flags: Any = tuple(isinstance(item, Cell) for item in decays)
            own["weight_decay"] = tuple(
                item if isinstance(item, Cell) else _host_tensor(item * self.loss_scale) for item in decays
            )
            self.grad_centralization_flags = tuple(self.group_grad_centralization)
        else:
            decay = self._checked_decay(weight_decay)
            self.decay_flags = tuple("beta" not in item.name and "gamma" not in item.name for item in self.parameters)  # type: ignore[attr-defined]
            self.exec_weight_decay = isinstance(decay, Cell) or decay > 0
            self.dynamic_decay_flags = isinstance(decay, Cell)
            decays = [decay] * len(self.decay_flags)
            own["weight_decay"] = decay if isinstance(decay, Cell) else _host_tensor(decay * self.loss_scale)
            self.grad_centralization_flags = (False,) * len(self.decay_flags)
        own["_decays"] = tuple(item if flag else 0.0 for item, flag in zip(decays, self.decay_flags))

    @property
    def weight_decay(self) -> Any:
        """The weight decay times loss_scale: a 0-d Tensor or a Cell, or a tuple of them when there are groups."""
        return self.__dict__["weight_decay"]

    @weight_decay.setter
    def weight_decay(self, value: Any) -> None:
        self.__dict__["weight_decay"] = value

    # --- for subclasses in user code ----------------------------------------------------------------------------------

    def get_lr(self) -> Any:
        """The current learning rate: a 0-d Tensor, or a tuple with one for each parameter when groups have
        their own.
        """
        if not self.dynamic_lr:
            return self.learning_rate
        if self.is_group_lr:
            return tuple(self._scheduled(cell).reshape(()) for cell in self.learning_rate)
        return self._scheduled(self.learning_rate).reshape(())

    def get_weight_decay(self) -> Any:
        """The current weight decay times loss_scale: a 0-d Tensor, or a tuple of them when there are groups."""
        own = self.__dict__["weight_decay"]
        if not self.dynamic_weight_decay:
            return own
        if self.is_group:
            return tuple(self._scheduled(item) * self.loss_scale if isinstance(item, Cell) else item for item in own)
        return self._scheduled(own) * self.loss_scale

    def get_lr_parameter(self, param: Any) -> Any:
        """The learning rate (Parameter, list Parameter or schedule) of a Parameter, or of each in a list."""
        if not isinstance(param, (Parameter, list)):
            raise TypeError(
                f"For 'get_lr_parameter', the 'param' must be 'Parameter' or 'list' type, but got {type(param)}."
            )
        known = {id(item): number for number, item in enumerate(self.parameters)}  # type: ignore[arg-type]
        found = []
        for item in [param] if isinstance(param, Parameter) else param:
            if id(item) not in known:
                raise ValueError(
                    f"For 'get_lr_parameter', the parameter {getattr(item, 'name', item)} is not in optimizer, "
                    "please check whether the argument 'param' is correct."
                )
            rate = self.learning_rate[known[id(item)]] if self.is_group_lr else self.learning_rate
            found.append(rate.learning_rate if isinstance(rate, (_ConvertToCell, _IteratorLearningRate)) else rate)
        return found if isinstance(param, list) else found[0]

    def decay_weight(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """Gradients with weight decay added."""
        return wrap(tuple(self._decayed(list(gradients)))) if self.exec_weight_decay else tuple(gradients)

    def scale_grad(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """Gradients divided by loss_scale."""
        return (
            wrap(tuple(torch._foreach_mul(list(gradients), 1.0 / self.loss_scale)))
            if self.need_scale
            else tuple(gradients)
        )

    def gradients_centralization(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """Gradients with their mean over all but the first axis removed, where a group asks for it (and axis 1 is a
        multiple of 16).
        """
        return (
            wrap(tuple(self._centralized(list(gradients)))) if any(self.grad_centralization_flags) else tuple(gradients)
        )

    def flatten_gradients(self, gradients: Any) -> Any:
        """The gradients as they are: parameters are never flattened here."""
        return gradients

    def assignadd(self, parameter: Parameter, value: Any) -> Parameter:
        """parameter += value, in place."""
        with torch.no_grad():
            torch._C.TensorBase.add_(parameter, value)
        return parameter

    @property
    def map_(self) -> Any:
        from mindspore_compat.ops.composite import Map

        return Map()

    @property
    def map_reverse(self) -> Any:
        from mindspore_compat.ops.composite import Map

        return Map(None, True)

    @property
    def hyper_map(self) -> Any:
        from mindspore_compat.ops.composite import HyperMap

        return HyperMap()

    @property
    def hyper_map_reverse(self) -> Any:
        from mindspore_compat.ops.composite import HyperMap

        return HyperMap(None, True)

    @property
    def unique(self) -> bool:
        return self.__dict__.get("_unique", True)

    @unique.setter
    def unique(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"For 'Optimizer', the property 'unique' must be bool, but got {type(value)}")
        self.__dict__["_unique"] = value

    @property
    def target(self) -> str:
        """Where parameters are updated: always where they are."""
        return "CPU" if current_device() is CPU else "GPU"

    @target.setter
    def target(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"For 'Optimizer', the property 'target' must be string, but got {type(value)}")
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError(
                f"For 'Optimizer', the property 'target' must be one of ['CPU', 'Ascend' ,'GPU'], but got {value}"
            )
        if value == "CPU" and current_device() is not CPU:
            _log.warning("Optimizer.target = 'CPU' has no effect: parameters are updated on the device where they are.")

    # --- the step -----------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_tracing():
            return not_traced(self, *args, **kwargs)
        args = (
            args if type(self).construct is Optimizer.construct else wrap(args)
        )  # our training steps hand over torch's tensors
        program.values_written()
        recorder = program.recorder_here()
        if recorder is not None:
            recorder.updates = True
            if not self._is_recorded:
                if not kwargs and type(self).__call__ is Optimizer.__call__:
                    return recorder.python(super().__call__, args)
                recorder.give_up("its optimizer is called in a way of its own")
        return super().__call__(*args, **kwargs)

    @property
    def _is_recorded(self) -> bool:
        """Whether a recorded step holds the update's operators, as the class says by `_repeats`; otherwise the
        optimizer is called at each replay.
        """
        return (
            "_repeats" in type(self).__dict__
            and not self.dynamic_lr
            and not self.dynamic_weight_decay
            and not self.__dict__["_rates_move"]
        )

    def construct(self, gradients: Any) -> Any:
        """One step with a tuple of gradients in the order of ``parameters``.

        Raises:
            ValueError: if their number is not that of the parameters.
        """
        if not self._is_recorded:
            program.not_repeatable("it calls the optimizer's construct")
        gradients = [gradients] if isinstance(gradients, torch.Tensor) else list(gradients)
        if len(gradients) != self.param_length:
            raise ValueError(
                f"For '{self.cls_name}', the number of gradients must be that of the parameters {self.param_length}, "
                f"but got {len(gradients)}."
            )
        with torch.no_grad():
            gradients = self._prepared(gradients)
            rates, decays = self._host_rates(), self._host_decays()
            torch._C.TensorBase.add_(self.__dict__["_parameters"]["global_step"], 1)
            self._begin_step()
            for picks, rate, decay in self._bucketed(rates, decays):
                chosen = gradients if picks is None else [gradients[pick] for pick in picks]
                self._update(self._picked(self.parameters, picks), chosen, rate, decay, picks)  # type: ignore[arg-type]
        return True

    def _begin_step(self) -> None:
        """What happens once a step, before the updates."""

    def _update(
        self, parameters: list[Any], gradients: list[Any], rate: float, decay: float, picks: list[int] | None
    ) -> None:
        """Update parameters that share a learning rate; ``picks`` are their positions, None for all."""
        raise NotImplementedError(f"{type(self).__name__} must override 'construct(self, gradients)'.")

    def _picked(self, states: Sequence[Any], picks: list[int] | None) -> list[Any]:
        """``states`` (at ``picks``) as plain tensors on the same `memory`, with which torch does not look for overrides
        at every touch.
        """
        found: Any = self.__dict__.get("_aliases")
        if found is None or found[0] is not _ALIASES or found[1] != program.epoch:
            found = self.__dict__["_aliases"] = (_ALIASES, program.epoch, {})
        key = (id(states), None if picks is None else tuple(picks))
        cached = found[2].get(key)
        if cached is None:
            cached = found[2][key] = (
                states,
                [memory(state) for state in (states if picks is None else [states[pick] for pick in picks])],
            )
        return list(cached[1])

    #: whether `_update` handles weight decay itself instead of adding it to the gradients
    _decoupled_decay = False

    def _prepared(self, gradients: list[Any]) -> list[Any]:
        if self.exec_weight_decay and not self._decoupled_decay:
            gradients = self._decayed(gradients)
        if any(self.grad_centralization_flags):
            gradients = self._centralized(gradients)
        return list(torch._foreach_mul(gradients, 1.0 / self.loss_scale)) if self.need_scale else gradients

    def _decayed(self, gradients: list[Any]) -> list[Any]:
        by_decay: dict[float, list[int]] = {}
        for position, decay in enumerate(self._host_decays()):
            if decay:
                by_decay.setdefault(decay * self.loss_scale, []).append(position)
        result = list(gradients)
        with torch.no_grad():
            for decay, picks in by_decay.items():
                added = torch._foreach_add(
                    [gradients[pick] for pick in picks], [self.parameters[pick] for pick in picks], alpha=decay
                )  # type: ignore[index]
                for pick, gradient in zip(picks, added):
                    result[pick] = gradient
        return result

    def _centralized(self, gradients: list[Any]) -> list[Any]:
        return [
            gradient - gradient.mean(tuple(range(1, gradient.dim())), True)
            if flag and gradient.dim() > 1 and gradient.shape[1] % 16 == 0
            else gradient
            for gradient, flag in zip(gradients, self.grad_centralization_flags)
        ]

    def _scheduled(self, cell: Any) -> Any:
        step = self.__dict__["_parameters"]["global_step"]
        if current_device() is not CPU and not isinstance(cell, (_Builtin, _IteratorLearningRate, _ConvertToCell)):
            step = wrap(step.detach().to(current_device()))
        return cell(step)

    def _host_rates(self) -> Any:
        """The current learning rate as a float, or one for each parameter."""
        if not self.is_group_lr:
            rate = self.learning_rate
            return _item(rate) if not self.dynamic_lr else float(self._scheduled(rate))
        if not self.dynamic_lr:
            return list(map(_item, self.learning_rate))
        values: dict[int, float] = {}
        for cell in self.learning_rate:
            if id(cell) not in values:
                values[id(cell)] = float(self._scheduled(cell))
        return [values[id(cell)] for cell in self.learning_rate]

    def _host_decays(self) -> Sequence[float]:
        decays = self.__dict__["_decays"]
        if not self.dynamic_weight_decay:
            return decays
        return [float(self._scheduled(item)) if isinstance(item, Cell) else item for item in decays]

    def _bucketed(self, rates: Any, decays: Sequence[float]) -> Iterable[tuple[list[int] | None, float, float]]:
        """(positions or None for all, learning rate, weight decay) of each set of parameters that are
        updated together.
        """
        if not isinstance(rates, list) and (not self._decoupled_decay or len(set(decays)) <= 1):
            return [(None, rates, decays[0] if self._decoupled_decay else 0.0)]
        buckets: dict[tuple[float, float], list[int]] = {}
        for position, decay in enumerate(decays):
            key = (rates[position] if isinstance(rates, list) else rates, decay if self._decoupled_decay else 0.0)
            buckets.setdefault(key, []).append(position)
        return [(picks, rate, decay) for (rate, decay), picks in buckets.items()]
