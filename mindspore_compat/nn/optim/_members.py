"""Members of ``self`` for classes derived from `Optimizer`, besides groups, rates and decays: MindSpore's helpers for a
``construct`` of their own, and attributes to read and set.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim._device import number
from mindspore_compat.nn.optim._groups import Groups, _ConvertToCell, _IteratorLearningRate
from mindspore_compat.ops.composite.base import HyperMap, Map

#: methods that MindSpore's optimizers call in a step, and derived classes override
_PARTS = ("get_lr", "get_weight_decay", "decay_weight", "gradients_centralization", "scale_grad")

_log = logging.getLogger("mindspore_compat")
_NO_STEPS = (
    "'%s' counts no steps: its learning rate stays that of step 0. Call 'self.assignadd(self.global_step, "
    "self.global_step_increase_tensor)' in 'construct'; a program for MindSpore 2.0 or earlier, where 'get_lr' "
    "counted, needs 'python -m mindspore_compat --release 2.0'."
)


class _Trained(ParameterTuple):
    """Parameters that an optimizer trains: MindSpore's ``optimizer._parameters``. By name it returns torch's entries,
    the optimizer's own Parameters.
    """

    registry: dict[str, Any]

    def __getitem__(self, key: Any) -> Any:
        return self.registry[key] if isinstance(key, str) else super().__getitem__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.registry[key] = value

    def __delitem__(self, key: str) -> None:
        del self.registry[key]

    def __contains__(self, key: object) -> bool:
        return key in self.registry if isinstance(key, str) else any(key is item for item in self)

    def __getattr__(self, name: str) -> Any:
        if name in ("items", "keys", "values", "get", "pop", "update", "copy", "setdefault"):
            return getattr(self.registry, name)
        raise AttributeError(f"'ParameterTuple' object has no attribute '{name}'.")


class Members(Groups):
    """Mixin of `Optimizer` for classes in user code."""

    parameters: ParameterTuple
    #: MindSpore's hints for its compiler
    enable_tuple_broaden = True
    skip_auto_parallel_compile = True

    #: the name that optimizers of 1.x read (res2net, ISyNet); others set it
    weight_decay_tensor = functools.cached_property(lambda self: self.weight_decay)

    def _init_members(self) -> None:
        self.optim_filter = (True,) * self.param_length
        self.ps_parameters = self.cache_enable = (False,) * self.param_length  # parameter servers of 1.x and 2.0
        self.use_parallel = False
        self.param_rank = None
        self.grad_centralization = False
        self._is_device = True
        self.map_ = Map()
        self.map_reverse = Map(None, True)
        self.hyper_map = HyperMap()
        self.hyper_map_reverse = HyperMap(None, True)

    @property
    def _parameters(self) -> Any:
        own = self.__dict__
        if "parameters" not in own:
            return own["_parameters"]
        trained = tuple.__new__(_Trained, own["parameters"])  # MindNLP sets ParameterTuple's own
        trained.registry = own["_parameters"]
        return trained

    @_parameters.setter
    def _parameters(self, value: Any) -> None:
        if isinstance(value, dict):
            self.__dict__["_parameters"] = value  # torch's
        else:
            self.parameters = ParameterTuple(value)

    def get_lr(self) -> Any:
        """Return the current learning rate: a 0-d Tensor, or a tuple with one for each parameter when groups have their
        own.
        """
        if not self.dynamic_lr:
            return self.learning_rate
        calls = self.__dict__["_rate_calls"] = self.__dict__.get("_rate_calls", 0) + 1
        if calls == 3 and not type(self).construct.__module__.startswith("mindspore_compat."):
            with program.unrecorded():
                if not int(self.global_step):
                    _log.warning(_NO_STEPS, type(self).__name__)
        if self.is_group_lr:
            return tuple(self._scheduled(cell).reshape(()) for cell in self.learning_rate)
        return self._scheduled(self.learning_rate).reshape(())

    def get_weight_decay(self) -> Any:
        """Return the current weight decay times loss_scale: a 0-d Tensor, or a tuple of them when there are groups."""
        own = self.__dict__["weight_decay"]
        if not self.dynamic_weight_decay:
            return own
        if self.is_group:
            return tuple(self._scheduled(item) * self.loss_scale if isinstance(item, Cell) else item for item in own)
        return self._scheduled(own) * self.loss_scale

    def get_lr_parameter(self, param: Any) -> Any:
        """Return the learning rate (Parameter, list Parameter or schedule) of a Parameter, or of each in a list."""
        known = {id(item): place for place, item in enumerate(self.parameters)}
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
        """Return gradients with weight decay added."""
        if not self.exec_weight_decay:
            return tuple(gradients)
        return wrap(tuple(self._decayed(list(gradients), range(self.param_length), self._current_decays())))

    def scale_grad(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """Return gradients divided by loss_scale."""
        return (
            wrap(tuple(torch._foreach_mul(list(gradients), number(self.reciprocal_scale))))
            if self.need_scale
            else tuple(gradients)
        )

    def gradients_centralization(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """Return gradients without their mean over all but the first axis, where a group asks for it (and axis 1 is a
        multiple of 16).
        """
        if not any(self.grad_centralization_flags):
            return tuple(gradients)
        return wrap(tuple(self._centralized(list(gradients), range(self.param_length))))

    def flatten_gradients(self, gradients: Any) -> Any:
        """Return the gradients as they are: parameters are never flattened here."""
        return gradients

    @property
    def unique(self) -> bool:
        return self.__dict__.get("_unique", True)

    @unique.setter
    def unique(self, value: bool) -> None:
        self.__dict__["_unique"] = value

    @property
    def target(self) -> str:
        """The device of updates: always that of the parameters."""
        return "CPU" if current_device() is CPU else "GPU"

    @target.setter
    def target(self, value: str) -> None:
        self._set_base_target(value)

    def _set_base_target(self, value: str) -> None:
        """Do nothing: parameters are updated on their device, whatever a target says."""
        if value == "CPU" and current_device() is not CPU:
            _log.warning("Optimizer.target = 'CPU' has no effect: parameters are updated on the device where they are.")
        self._is_device = value != "CPU"

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        return self.dynamic_lr or self.dynamic_weight_decay

    def _grad_sparse_indices_deduplicate(self, gradients: Any) -> Any:
        """Return the gradients as they are: sparse ones have no index twice here."""
        return gradients

    def broadcast_params(self, optim_result: Any) -> list[tuple[Any, ...]]:
        """Return the parameters, in one group: each process updates all of them, so there is nothing to broadcast."""
        return [tuple(self.parameters)]


Members._parts = {name: getattr(Members, name) for name in _PARTS}
