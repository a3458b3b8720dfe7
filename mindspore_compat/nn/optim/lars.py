"""MindSpore: ``mindspore.nn.LARS``. Source of the method: https://arxiv.org/abs/1708.03888."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat.nn.optim._device import add_scaled, unless
from mindspore_compat.nn.optim.optimizer import Optimizer, host_parameter

__all__ = ["LARS"]


class LARS(Optimizer):
    """Wrapper of ``optimizer`` that rescales gradients layer by layer and adds weight decay.

    g' = ratio·(g + decay·p), ratio = coefficient·‖p‖/(‖g‖ + decay·‖p‖ + epsilon); with ``use_clip`` min(ratio/lr, 1).
    Parameters for which ``lars_filter`` is False keep their gradients, without decay, as in MindSpore.
    """

    _repeats = "on a device"

    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-5,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Any], bool] = lambda x: "LayerNorm" not in x.name and "bias" not in x.name,
    ) -> None:
        super().__init__(0.0, [host_parameter(0.0, "fake_param")])
        self.epsilon = epsilon
        self.coefficient = coefficient
        self.use_clip = use_clip
        self.learning_rate = host_parameter(0.0, "fake_lr")
        self.opt = optimizer
        self.global_step, self.parameters = optimizer.global_step, optimizer.parameters  # type: ignore[assignment]
        self.param_length, self.is_group = optimizer.param_length, optimizer.is_group
        self.lars_flag = tuple(lars_filter(item) for item in self.parameters)  # type: ignore[attr-defined]
        self.loss_scale, self.need_scale = optimizer.loss_scale, optimizer.need_scale
        self._take_over_decay(optimizer)

    def _take_over_decay(self, optimizer: Optimizer) -> None:
        """Disable decay and loss scale in the inner optimizer, since they are applied here."""
        own, inner = self.__dict__, optimizer.__dict__
        for name in (
            "dynamic_decay_flags",
            "dynamic_weight_decay",
            "decay_flags",
            "exec_weight_decay",
            "reciprocal_scale",
            "weight_decay",
        ):
            own[name] = inner[name]
        optimizer.dynamic_decay_flags = (False,) * self.param_length if self.is_group else False
        optimizer.decay_flags = (False,) * self.param_length
        optimizer.dynamic_weight_decay = optimizer.exec_weight_decay = optimizer.need_scale = False

    @property
    def _is_recorded(self) -> bool:
        """Only with the inner optimizer, to which a replay would hand gradients that nobody rescales."""
        return super()._is_recorded and self.opt._is_recorded

    def construct(self, gradients: Any) -> Any:
        drafts, inner = self.__dict__["_drafts"], self.opt
        # before the inner optimizer counts the step
        now = self._current_decays(), inner._current_rates() if self.use_clip else None
        rescale = functools.partial(self._rescaled, *now)
        if "_repeats" in type(inner).__dict__:
            inner.__dict__["_rescale"] = rescale
        else:
            with torch.no_grad():
                gradients = tuple(rescale(list(gradients), range(self.param_length)))
        try:
            if drafts is None:
                return inner(gradients)
            unless(drafts.flag, inner, gradients)
            return (True,) * self.param_length
        finally:
            inner.__dict__["_rescale"] = None

    def _rescaled(self, decays: Any, rates: Any, gradients: list[Any], picks: Sequence[int]) -> list[Any]:
        """Return the gradients of the parameters at ``picks``, for the inner optimizer."""
        if self.need_scale:
            gradients = list(torch._foreach_mul(gradients, 1.0 / self.loss_scale))
        places = [place for place, pick in enumerate(picks) if self.lars_flag[pick]]
        if not places:
            return gradients
        parameters = [self.parameters[picks[place]] for place in places]
        norms = torch._foreach_norm(parameters), torch._foreach_norm([gradients[place] for place in places])
        for place, parameter, weight_norm, gradient_norm in zip(places, parameters, *norms):
            pick = picks[place]
            ratio = self.coefficient * weight_norm / (gradient_norm + decays[pick] * weight_norm + self.epsilon)
            if self.use_clip:
                ratio = torch.clamp(ratio / (rates[pick] if isinstance(rates, list) else rates), max=1.0)
            decayed = add_scaled([gradients[place]], [parameter], decays[pick])[0]
            gradients[place] = torch.mul(decayed, ratio)
        return gradients
