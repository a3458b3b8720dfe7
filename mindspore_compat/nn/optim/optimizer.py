"""`Optimizer`, the base: parameter groups, learning rates, decay and scale of gradients. MindSpore:
``mindspore.nn.Optimizer``.

Nothing here waits for a device. Constant rates stay on the CPU, where reading them is free. The count of steps and
values computed from it are on the parameters' device (_device.py). Subclasses here implement `_update` over lists of
parameters with one learning rate. Subclasses in user code override ``construct(self, gradients)`` with the helpers of
_members.py, as MindSpore's documentation shows.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch

from mindspore_compat._autograd.sparse_embedding_grads import was_looked_up, watch_rows
from mindspore_compat._graph.program import program
from mindspore_compat._numerics.portions import portions
from mindspore_compat._random.lazy_init import is_unmoved
from mindspore_compat._tensor.aliasing import Views, for_writing
from mindspore_compat._tensor.tracing import is_tracing, not_traced
from mindspore_compat._tensor.wrapping import memory, wrap
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.communication import _collectives, _groups, _start
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.container import CellList
from mindspore_compat.nn.optim._device import (
    Number,
    Picks,
    Skipping,
    Tensors,
    add_scaled,
    is_zero,
    number,
    on_device,
    widened,
)
from mindspore_compat.nn.optim._fused import is_fusible
from mindspore_compat.nn.optim._groups import _IteratorLearningRate, _key, host_parameter, host_tensor
from mindspore_compat.nn.optim._members import Members

__all__ = ["Optimizer", "opt_init_args_register"]


_DATA_PARALLEL = ("data_parallel", "hybrid_parallel")


def counts_of(optimizer: Any, gradients: list[Any]) -> dict[int, torch.Tensor]:
    """Return for parameters with looked-up rows: position -> lookups of each row since the last step, (rows, 1, …); in
    data parallel training by all processes. 1 for all rows if there were none. A row with a gradient counts at least
    once: it was used without a lookup, or in an earlier forward.
    """
    found = {
        position: parameter.__dict__["_looked_up"].taken()
        for position, parameter in enumerate(optimizer.parameters)
        if was_looked_up(parameter)
    }
    if found and _start.is_running() and get_auto_parallel_context("parallel_mode") in _DATA_PARALLEL:
        group = _groups.find("hccl_world_group")
        found = {position: _collectives.plain_all_reduce(counts, "sum", group) for position, counts in found.items()}
    for position, counts in found.items():
        gradient = gradients[position]
        has_gradient = (gradient.reshape(len(counts), -1) != 0).any(1)
        counts = torch.where(counts.any(), torch.maximum(counts, has_gradient.to(counts.dtype)), 1.0)
        found[position] = counts.reshape(-1, *(1,) * (gradient.dim() - 1))
    return found


class Kept:
    """Values of the other rows before a step, of the parameters at ``picks`` (None: all) and of their states, to
    restore them after it.
    """

    def __init__(self, optimizer: Any, counts: dict[int, torch.Tensor], picks: list[int] | None) -> None:
        names = optimizer._row_states
        self._items: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
        for position, count in counts.items() if names is not None else ():
            if picks is None or position in picks:
                states = [memory(getattr(optimizer, name)[position]) for name in ("parameters", *names)]
                self._items += [(state, torch.clone(state), count) for state in states]

    def put_back(self) -> None:
        for state, before, count in self._items:
            torch._C.TensorBase.copy_(state, torch.where(count > 0, state, before))


_log = logging.getLogger("mindspore_compat")
_Base = torch._C.TensorBase
_item, _numel, _device = _Base.item, _Base.numel, _Base.__dict__["device"].__get__
_ALIASES = object()  # a copied or unpickled optimizer has another one, so that it makes its own aliases


def opt_init_args_register(fn: Any) -> Any:
    """Decorate an optimizer's ``__init__``: the optimizer stores ``init_params``, ``init_learning_rate`` (None for a
    Cell) and the other arguments, by name, as ``init_args``.

    The decorated function shows ``(self, *args, **kwargs)``, as MindSpore's: libraries inspect signatures.
    """
    signature = inspect.signature(fn)

    def keeping(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        kept = _kept_arguments(dict(list(given.arguments.items())[1:]))
        self.__dict__.update(kept)
        fn(self, *args, **kwargs)
        self.__dict__.update(kept)  # replaces those of a decorated base class

    return keeping


def _kept_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    if "params" in arguments:
        kept["init_params"] = {"params": arguments.pop("params")}
    if "optimizer" in arguments:
        kept["init_params"] = {"params": getattr(arguments.pop("optimizer"), "init_params", {}).get("params")}
    if "learning_rate" in arguments:
        rate = arguments.pop("learning_rate")
        kept["init_learning_rate"] = (
            None if isinstance(rate, Cell) else rate.asnumpy().tolist() if isinstance(rate, Tensor) else rate
        )
    return {**kept, "init_args": arguments}


def keep_init_args(kind: Any) -> None:
    """Let an optimizer class here store its arguments as `opt_init_args_register` does; its signature stays."""
    made = kind.__init__
    kind.__init__ = functools.wraps(made)(opt_init_args_register(made))


class Optimizer(Skipping, Members):
    """Base of the optimizers; calling one with the gradients runs a step.

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
    #: Parameters (or tuples of them) that count steps, which `_settle` puts where the parameters are
    _counts: tuple[str, ...] = ("global_step",)
    _support_parallel_optimizer = False
    #: whether MindSpore's takes a ``RowTensor``: weight decay is of the rows that were looked up
    _takes_rows = False
    _answers_once = False  # whether a step gives one True, not one for each parameter
    #: states of which, as of the parameters, a step leaves the other rows as they are; None: it changes all rows
    _row_states: tuple[str, ...] | None = None

    def __init__(self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0) -> None:
        super().__init__(auto_prefix=False)
        items = self._parameters_base_check(parameters, "parameters")
        if not all(isinstance(item, Parameter) for item in items) and not all(isinstance(item, dict) for item in items):
            raise TypeError(
                "For 'Optimizer', all elements of the argument 'parameters' must be 'Parameter' or 'dict', "
                f"but got {sorted({type(item).__name__ for item in items})}. "
                "For a torch.nn.Module use an optimizer of torch.optim, or nn.Cell layers."
            )
        if isinstance(loss_scale, int) and not isinstance(loss_scale, bool):
            loss_scale = float(loss_scale)
        if loss_scale <= 0:
            raise ValueError(f"For '{self.cls_name}', the 'loss_scale' must be a positive float, but got {loss_scale}.")
        self.loss_scale = loss_scale
        self.dynamic_lr = self.dynamic_weight_decay = False
        self.__dict__["_rates_move"] = False  # a replayed step found the learning rate changed
        self.is_group = isinstance(items[0], dict)
        self.is_group_lr = self.is_group_params_ordered = False
        self.global_step = host_parameter([0], "global_step", torch.int32)
        rate = self._preprocess_single_lr(learning_rate)
        if self.is_group:
            self._init_groups(items, rate, weight_decay)
            ordered = self.group_params
        else:
            ordered = items
        self._init_rates(rate)
        self.parameters = ParameterTuple(ordered)  # type: ignore[assignment]
        self._init_decay(weight_decay)
        self.param_length = len(ordered)
        self.need_scale = loss_scale != 1.0
        self.reciprocal_scale = host_tensor(1.0 / loss_scale)
        self.global_step_increase_tensor = host_tensor([1], torch.int32)
        self._init_members()
        if self._takes_rows:
            for parameter in ordered:
                watch_rows(parameter)
        self.__dict__.update(_buckets=None, _drafts=None, _rescale=None)
        self._settle()

    # --- the step -----------------------------------------------------------------------------------------------------

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if is_tracing():
            return not_traced(self, *args, **kwargs)
        args = (
            args if type(self).construct is Optimizer.construct else wrap(args)
        )  # our training steps hand over torch's tensors
        self._settle()
        program.values_written()
        for_writing(*self.parameters)
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
        """True if a recorded step holds the update's operators, as the class says by `_repeats` ("always", or "on a
        device", where rates and counts are tensors); otherwise each replay calls the optimizer.
        """
        where = type(self).__dict__.get("_repeats")  # not of a base: a subclass may do more
        if where is None or self.__dict__["_rates_move"] or self._own_methods:
            return False
        if on_device(self.__dict__["_parameters"]["global_step"]):
            return True
        return where == "always" and not self.dynamic_lr and not self.dynamic_weight_decay

    def _count(self, value: Any, name: str, dtype: torch.dtype = torch.float32) -> Parameter:
        """Return a Parameter that counts steps, on the parameters' device."""
        made = host_parameter(value, name, dtype)
        made.data = _Base.to(memory(made), _device(self.parameters[0]))  # type: ignore[index]
        return made

    def _settle(self) -> None:
        """Move the counts to the parameters' device."""
        device = _device(self.parameters[0])  # type: ignore[index]
        if _device(self.__dict__["_parameters"]["global_step"]) == device or not self._counts:
            return
        for name in self._counts:
            found = getattr(self, name, ())  # a subclass makes its own later, by `_count`
            for count in (found,) if isinstance(found, Parameter) else found:
                count.data = torch._C.TensorBase.to(memory(count), device)
        rates = self.__dict__.get("_modules", {}).get("learning_rate")
        for rate in rates if isinstance(rates, CellList) else (rates,):
            if isinstance(rate, _IteratorLearningRate):
                rate.settled(device)
        step = self.global_step_increase_tensor
        self.global_step_increase_tensor = wrap(torch._C.TensorBase.to(step, device))

    def _written(self) -> list[Any]:
        """Return all tensors on the device that a step writes to."""
        held = (*self.parameters, *self.get_parameters())
        return [item for item in held if not is_unmoved(item) and on_device(item)]  # type: ignore[misc]

    def construct(self, gradients: Any = None) -> Any:
        """Run one step with a tuple of gradients in the order of ``parameters``; return True for each, as in MindSpore.

        Raises:
            RuntimeError: if their number is not that of the parameters. ValueError: if a size is not.
        """
        if gradients is None and type(self)._update is Optimizer._update:
            self._update([], [], 0.0, 0.0, None)
        if not self._is_recorded:
            program.not_repeatable("it calls the optimizer's construct")
        gradients = [gradients] if isinstance(gradients, torch.Tensor) else list(gradients)
        if len(gradients) != self.param_length:
            raise RuntimeError(
                f"For '{self.cls_name}', the number of gradients must be that of the parameters {self.param_length}, "
                f"but got {len(gradients)}."
            )
        try:
            fits = list(map(_numel, gradients)) == list(map(_numel, self.parameters))
        except TypeError:  # an object that is no tensor has no number of elements
            fits = False
        if not fits:
            self._refuse(gradients)
        with torch.no_grad():
            rows = counts_of(self, gradients) if self._takes_rows else {}
            is_fused = not rows and self._is_fused() and self._is_fusible(gradients)
            with self._others_restored(is_fused):
                self._step(gradients, rows, is_fused)
        return True if self._answers_once else (True,) * self.param_length

    def _step(self, gradients: list[Any], rows: dict[int, torch.Tensor], is_fused: bool) -> None:
        own = self._own_methods
        has_changes = self.need_scale or own or any(self.grad_centralization_flags)
        has_changes = has_changes or self.__dict__["_rescale"] is not None
        is_whole = is_fused and not self._has_temporaries and not has_changes
        in_kernel = is_whole and not self._decoupled_decay and not self.dynamic_weight_decay
        is_whole = is_whole and (in_kernel or self._decoupled_decay or not self.exec_weight_decay)
        rates, decays = self._current_rates(), self._current_decays()
        added = () if in_kernel or self._decoupled_decay else decays
        everything = range(self.param_length)
        if own:  # these take all gradients
            gradients = self._prepared(gradients, everything, rows, added, own)
        torch._C.TensorBase.add_(self.__dict__["_parameters"]["global_step"], 1)
        self._begin_step()
        for picks, rate, decay in self._bucketed(rates, decays, self._decoupled_decay or in_kernel):
            for part in [picks] if is_whole else self._portions(picks):
                chosen = gradients if part is None else [gradients[pick] for pick in part]
                if not own:
                    chosen = self._prepared(chosen, everything if part is None else part, rows, added)
                if is_fused:
                    chosen = list(map(_Base.contiguous, chosen))
                kept = Kept(self, rows, part) if rows else None
                parameters = self._picked(self.parameters, part)  # type: ignore[arg-type]
                self._update(parameters, chosen, rate, decay, part)
                self._store_drafts()
                if kept is not None:
                    kept.put_back()

    # --- memory limits of a step on a device -------------------------------------------------------------------------

    #: the states that torch's fused kernel writes beside the parameters, if `_update` calls one
    _fused_states: tuple[str, ...] = ()

    _has_temporaries = False  # also where a fused kernel writes

    def _is_fused(self) -> bool:
        """Return whether `_update` calls a fused kernel of torch with its settings."""
        return False

    def _is_fusible(self, gradients: list[Any]) -> bool:
        states = [self._picked(getattr(self, name), None) for name in self._fused_states if hasattr(self, name)]
        return is_fusible(self._picked(self.parameters, None), gradients, *states)  # type: ignore[arg-type]

    @property
    def _skips_on_device(self) -> bool:
        """True if `unless` may skip a step on the device."""
        self._settle()
        return "_repeats" in type(self).__dict__ and on_device(self.parameters[0])

    def _portions(self, picks: list[int] | None) -> list[list[int] | None]:
        """Return positions to update one after the other, so that temporaries are small beside the network."""
        if not on_device(self.parameters[0]):
            return [picks]
        parts: dict[Any, Any] = self.__dict__.setdefault("_portion_lists", {})
        key = (_device(self.parameters[0]), None if picks is None else tuple(picks))
        if key not in parts:
            positions = list(range(self.param_length)) if picks is None else picks
            found = [positions[part] for part in portions([self.parameters[pick] for pick in positions])]
            parts[key] = [picks] if len(found) == 1 else found
        return parts[key]

    def _found_inf(self) -> torch.Tensor | None:
        """Return the flag for torch's fused kernels."""
        drafts = self.__dict__["_drafts"]
        return drafts.found_inf if drafts is not None and drafts.is_in_kernel else None

    def _refuse(self, gradients: list[Any]) -> None:
        for parameter, gradient in zip(self.parameters, gradients):
            if not isinstance(gradient, torch.Tensor) or gradient.numel() != parameter.numel():
                raise ValueError(
                    f"For '{self.cls_name}', the gradient of '{parameter.name}' must be a Tensor of its shape "
                    f"{tuple(parameter.shape)}, but got {getattr(gradient, 'shape', gradient)}."
                )

    def _begin_step(self) -> None:
        """Prepare a step, before the updates."""

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        """Update parameters that share a learning rate; ``picks`` are their positions, None for all. Rates and decays
        are floats, on a device also tensors of shape ().
        """
        raise NotImplementedError(f"{type(self).__name__} must override 'construct(self, gradients)'.")

    def _picked(self, states: Sequence[Any], picks: list[int] | None) -> list[Any]:
        """Return ``states`` (at ``picks``) as plain tensors on the same `memory`: torch then skips its check for
        overrides.
        """
        found: Any = self.__dict__.get("_aliases")
        if found is None or found[0] is not _ALIASES or found[1] != program.epoch:
            found = self.__dict__["_aliases"] = (_ALIASES, program.epoch, {})
        key = (id(states), None if picks is None else tuple(picks))
        cached = found[2].get(key)
        if cached is None:
            cached = found[2][key] = (
                states,
                Views(memory(state) for state in (states if picks is None else [states[pick] for pick in picks])),
            )
        return self._drafted(cached[1])

    #: whether `_update` handles weight decay itself instead of adding it to the gradients
    _decoupled_decay = False

    def _prepared(
        self,
        gradients: list[Any],
        picks: Sequence[int],
        rows: dict[int, torch.Tensor],
        decays: Sequence[Number],
        own: Sequence[str] = (),
    ) -> list[Any]:
        """Return gradients of the parameters at ``picks`` with decay, centralized, scaled. ``decays`` are of all
        parameters, empty if none is added to gradients; ``own`` are the program's `_own_methods`.
        """
        if self.__dict__["_rescale"] is not None:  # a wrapper's, such as LARS
            gradients = self.__dict__["_rescale"](gradients, picks)
        own = () if self._decoupled_decay else own
        if "decay_weight" in own:
            gradients = list(self.decay_weight(wrap(tuple(gradients))))
        elif decays and self.exec_weight_decay:
            gradients = self._decayed(gradients, picks, decays, rows)
        if "gradients_centralization" in own:
            gradients = list(self.gradients_centralization(wrap(tuple(gradients))))
        elif any(self.grad_centralization_flags):
            gradients = self._centralized(gradients, picks)
        if "scale_grad" in own:
            gradients = list(self.scale_grad(wrap(tuple(gradients))))
        elif self.need_scale:
            gradients = list(torch._foreach_mul(gradients, number(self.reciprocal_scale)))
        return widened(gradients, self._targets(picks))

    def _targets(self, picks: Sequence[int]) -> Sequence[Any]:
        return self.parameters if isinstance(picks, range) else [self.parameters[pick] for pick in picks]

    def _decayed(
        self,
        gradients: list[Any],
        picks: Sequence[int],
        decays: Sequence[Number],
        rows: Mapping[int, torch.Tensor] = MappingProxyType({}),
    ) -> list[Any]:
        result = list(widened(gradients, self._targets(picks)))
        by_decay: dict[Any, tuple[Number, list[int]]] = {}
        for place, pick in enumerate(picks):
            if not is_zero(decays[pick]):
                by_decay.setdefault(_key(decays[pick]), (decays[pick] * self.loss_scale, []))[1].append(place)
        with torch.no_grad():
            for decay, places in by_decay.values():
                parameters = [
                    torch.mul(self.parameters[pick], rows[pick]) if pick in rows else self.parameters[pick]
                    for pick in (picks[place] for place in places)
                ]
                changed = add_scaled([result[place] for place in places], parameters, decay)
                for place, gradient in zip(places, changed):
                    result[place] = gradient
        return result

    def _centralized(self, gradients: list[Any], picks: Sequence[int]) -> list[Any]:
        return [
            gradient - gradient.mean(tuple(range(1, gradient.dim())), True)
            if self.grad_centralization_flags[pick] and gradient.dim() > 1 and gradient.shape[1] % 16 == 0
            else gradient
            for gradient, pick in zip(gradients, picks)
        ]
