"""`Optimizer`, the base of ``mindspore.experimental.optim``: parameter groups as dicts that may change between steps,
each with its learning rate as a Parameter. MindSpore: ``mindspore.experimental.optim.Optimizer``.

Rates stay on the CPU, where schedulers set them and steps read them without a wait. Counts of steps are on the
parameters' device, and formulas with them run there in float32, as in MindSpore.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._numerics.portions import portions
from mindspore_compat._random.lazy_init import is_unmoved
from mindspore_compat._tensor.wrapping import memory, plain, wrap
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim._device import Skipping, add_scaled, on_device, widened
from mindspore_compat.nn.optim._groups import host_parameter, not_negative
from mindspore_compat.ops.composite.base import HyperMap, Map

__all__ = ["Optimizer"]

_log = logging.getLogger("mindspore_compat")
_Base = torch._C.TensorBase
_item = _Base.item


class Optimizer(Skipping, Cell):
    """Base of the optimizers; calling one with the gradients, in the order of ``parameters``, runs a step.

    A subclass in user code overrides ``construct(self, gradients)`` and reads ``param_groups``, ``lrs`` and
    ``group_start_id`` (where each group's parameters begin).

    Args:
        params: Parameters, or dicts with "params" and values that differ from ``defaults``.
        defaults: what groups that do not say otherwise use.

    Raises:
        ValueError: without parameters, for a negative rate or decay, betas outside [0, 1), a parameter in two groups.

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = ms.experimental.optim.SGD(net.trainable_params(), lr=0.1)
        >>> print(optimizer.param_groups[0]["lr"].asnumpy())
        0.1
    """

    _is_optimizer = True
    #: whether weight decay is added to the gradients before the update
    _decays_gradients = True
    #: whether a group with "amsgrad" holds its own "max_exp_avg_sq"
    _amsgrad_in_group = False

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        groups = self._parameters_base_check(params, "params")
        self.defaults = defaults
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self.__dict__["lrs"] = []
        self.map_, self.hyper_map = Map(), HyperMap()
        self.group_start_id = [0]
        self.__dict__["parameters"] = ()
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)
        gathered = ParameterTuple(self.__dict__.pop("parameters"))
        self.parameters = gathered
        self.enable_tuple_broaden = True
        self.__dict__["_drafts"] = None

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] * bool(number) + [f"Parameter Group {number}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key not in ("params", "lr")]
            rate = group["lr"]
            shown = str(rate.asnumpy()) if isinstance(rate, Tensor) else rate
            lines.append(f"    lr: {shown}")
            lines[-len(group) + 1 :] = sorted(lines[-len(group) + 1 :])
        return "\n".join(lines) + "\n)"

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group: a dict with "params" and values that differ from the defaults.

        Raises:
            ValueError: for a parameter that another group holds.
        """
        number = len(self.param_groups)
        group = self._preprocess_param_group(param_group)
        self.parameters += tuple(group["params"])  # type: ignore[operator,assignment]
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        rate = self._build_single_lr(group.get("lr"), f"learning_rate_group_{number}")
        self.lrs.append(rate)
        group["lr"] = rate
        group["weight_decay"] = not_negative(group.get("weight_decay", 0.0), "weight_decay")
        if not all(0.0 <= beta < 1.0 for beta in group.get("betas", ())):
            raise ValueError(f"For 'Optimizer', the 'betas' must be in range [0.0, 1.0), but got {group['betas']}.")
        if group.get("amsgrad") and self._amsgrad_in_group:
            group["max_exp_avg_sq"] = ParameterTuple(group["params"]).clone(prefix="max_exp_avg_sq", init="zeros")
        self.param_groups.append(group)
        self.group_start_id.append(self.group_start_id[-1] + len(group["params"]))

    @staticmethod
    def _parameters_base_check(parameters: Any, param_info: str) -> list[Any]:
        found = list(parameters)
        if not found:
            raise ValueError(f"For 'Optimizer', the argument {param_info} must not be empty.")
        return found

    def _preprocess_param_group(self, param_group: Any) -> dict[str, Any]:
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "Optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        found = param_group["params"] = [params] if isinstance(params, Parameter) else list(params)
        ids = {id(item) for item in found}
        if len(ids) != len(found):
            _log.warning("Optimizer contains a parameter group with duplicate parameters.")
        if ids & {id(item) for group in self.param_groups for item in group["params"]}:
            raise ValueError("some parameters appear in more than one parameter group.")
        return param_group

    def _build_single_lr(self, learning_rate: Any, name: str) -> Parameter:
        return host_parameter(not_negative(learning_rate, "learning rate"), name)

    def _decay_weight(self, weight_decay: float, params: Sequence[Any], gradients: Sequence[Any]) -> Sequence[Any]:
        """Return gradients + weight_decay·params."""
        if weight_decay == 0.0:
            return gradients
        with torch.no_grad():
            return wrap(
                tuple(add_scaled([plain(item) for item in gradients], [plain(p) for p in params], weight_decay))
            )

    # --- the step -----------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        program.values_written()
        recorder = program.recorder_here()
        if recorder is not None:
            recorder.updates = True
            if not kwargs and type(self).__call__ is Optimizer.__call__:
                return recorder.python(super().__call__, args)
            recorder.give_up("its optimizer is called in a way of its own")
        return super().__call__(*args, **kwargs)

    @property
    def _skips_on_device(self) -> bool:
        """True if `unless` may skip a step on the device."""
        return type(self).construct is Optimizer.construct and on_device(self.parameters[0])

    @property
    def _keeps_no_gradient(self) -> bool:
        """Return whether a call releases its gradients."""
        state = self.__dict__
        has_hooks = state["_forward_hooks"] or state["_forward_pre_hooks"]
        return type(self).construct is Optimizer.construct and not has_hooks

    def _written(self) -> list[Any]:
        """Return all tensors on the device that a step writes to."""
        return [item for item in self.get_parameters() if not is_unmoved(item) and on_device(item)]

    def _count(self, value: Any, name: str, dtype: torch.dtype = torch.int32) -> Parameter:
        """Return a Parameter that counts steps, on the parameters' device."""
        return Parameter(torch.tensor(value, dtype=dtype, device=_Base.device.__get__(self.parameters[0])), name=name)

    def construct(self, gradients: Any) -> bool:
        """Run one step.

        Raises:
            RuntimeError: if the number of gradients is not that of the parameters. ValueError: if a size is not.
        """
        gradients = [gradients] if isinstance(gradients, torch.Tensor) else list(gradients)
        if len(gradients) != self.group_start_id[-1]:
            raise RuntimeError(
                f"For '{self.cls_name}', the number of gradients must be that of the parameters "
                f"{self.group_start_id[-1]}, but got {len(gradients)}."
            )
        with torch.no_grad(), self._others_restored():
            self._begin_step()
            for number, group in enumerate(self.param_groups):
                part = slice(*self.group_start_id[number : number + 2])
                self._update_group(group, part, gradients[part], self._rate(number, group))
            self._end_step()
        return True

    def _update_group(self, group: dict[str, Any], part: slice, gradients: list[Any], rate: float) -> None:
        for piece in portions(self.parameters[part]):
            place = slice(part.start + piece.start, part.start + piece.stop)
            self._update_portion(group, place, gradients[piece], rate)

    def _update_portion(self, group: dict[str, Any], part: slice, gradients: list[Any], rate: float) -> None:
        params = self._at(self.parameters, part)
        taken: Any = widened([plain(item) for item in gradients], params)
        if group.get("maximize"):
            taken = torch._foreach_neg(taken)
        if self._decays_gradients and group["weight_decay"]:
            taken = add_scaled(taken, params, group["weight_decay"])
        self._update(group, part, params, list(taken), rate)
        self._store_drafts()

    def _rate(self, number: int, group: dict[str, Any]) -> float:
        """Return the learning rate of a group: its Parameter, or the float that replaced it."""
        rate = group.get("lr")
        return float(rate) if isinstance(rate, float) else float(_item(self.lrs[number]))

    def _begin_step(self) -> None:
        """Prepare a step, before the updates."""

    def _end_step(self) -> None:
        """Finish a step, after the updates."""

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        """Update a portion of a group. ``part`` is its place in ``parameters`` and states; all are plain tensors."""
        raise NotImplementedError(f"{type(self).__name__} must override 'construct(self, gradients)'.")

    def _at(self, states: Sequence[Any], part: slice) -> list[Any]:
        """Return plain tensors on the memory of ``states[part]``, or `Drafts` of them."""
        return list(map(memory, self._drafted(states[part])))


class CountingOptimizer(Optimizer):
    """Optimizer that counts its steps in a Parameter, ``_counter``, before each step."""

    _counter = "step_t"

    def _add_counter(self) -> None:
        setattr(self, self._counter, self._count(0, self._counter))

    def _begin_step(self) -> None:
        _Base.add_(memory(getattr(self, self._counter)), 1)

    @property
    def _step(self) -> torch.Tensor:
        """The count as a float32 tensor of shape (), on the parameters' device."""
        return _Base.to(plain(getattr(self, self._counter)), torch.float32).reshape(())
