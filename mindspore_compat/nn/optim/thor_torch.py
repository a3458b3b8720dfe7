"""`thor` of a plain ``torch.nn.Module``: a ``torch.optim.Optimizer``, for `Model` or a loop in torch's style."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.nn.layer.thor_layer import Schedule
from mindspore_compat.nn.optim._fused import momentum_step
from mindspore_compat.nn.optim.thor_arguments import check_options, clipped, decay_all, on_host, scheduled
from mindspore_compat.nn.optim.thor_convert import factors_of, layer_norm_parameters
from mindspore_compat.nn.optim.thor_precondition import Layer, SecondOrder, initial_inverses

__all__ = ["ThorTorch"]


class ThorTorch(torch.optim.Optimizer):
    """Arguments and steps of `thor`. ``decay_filter`` gets the parameters with a ``name``, their path in the module.

    State of a parameter: ``moments``, of a factored weight also ``matrix_a_inv`` and ``matrix_g_inv``; the first one
    has ``step``. A parameter without a gradient is left alone. With several processes (``torch.distributed``) the
    inverses are averaged.
    """

    def __init__(
        self,
        net: torch.nn.Module,
        learning_rate: Any,
        damping: Any,
        momentum: float,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        batch_size: int = 32,
        use_nesterov: bool = False,
        decay_filter: Callable[[Any], bool] = decay_all,
        split_indices: Any = None,
        enable_clip_grad: bool = False,
        frequency: int = 100,
    ) -> None:
        check_options(momentum, frequency, batch_size)
        named = [(name, item) for name, item in net.named_parameters() if item.requires_grad]
        self.damping, self.learning_rate = on_host(damping), on_host(learning_rate)
        self.loss_scale, self.frequency, self.enable_clip_grad = float(loss_scale), frequency, enable_clip_grad
        self._parameters = [item for _, item in named]
        self._decays = [
            float(weight_decay) if weight_decay > 0 and decay_filter(_Named(name, item)) else 0.0
            for name, item in named
        ]
        defaults = {
            "lr": scheduled(learning_rate, "learning_rate", 0),
            "momentum": momentum,
            "use_nesterov": use_nesterov,
        }
        super().__init__(self._parameters, defaults)
        # weak: a copied or pickled module must not take the optimizer along
        schedule = Schedule(functools.partial(_step_number_of, weakref.ref(self)), frequency)
        position = {id(item): number for number, item in enumerate(self._parameters)}
        layers = [
            Layer(factors, position[id(factors.weight)])
            for factors in factors_of(net)
            if id(factors.weight) in position
        ]
        for layer in layers:
            layer.factors.schedule = schedule
        norms = {position[id(item)] for item in layer_norm_parameters(net) if id(item) in position}
        self._second_order = SecondOrder(layers, norms, batch_size, self.loss_scale)

    def get_frequency(self) -> int:
        """Return the ``frequency``."""
        return self.frequency

    @property
    def failed_inversions(self) -> int:
        """Number of blocks whose inversion failed and that kept their previous inverse; waits for the device."""
        return self._second_order.failed

    def _step_number(self) -> int:
        return int(self.state.get(self._parameters[0], {}).get("step", 0))

    def _bind_state(self) -> None:
        """Create missing states, as torch's optimizers do: at the first step, or after loading others."""
        self.state[self._parameters[0]].setdefault("step", torch.zeros((), dtype=torch.int64))
        for parameter in self._parameters:
            if "moments" not in self.state[parameter]:
                self.state[parameter]["moments"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
        for layer in self._second_order.layers:
            state = self.state[self._parameters[layer.position]]
            if "matrix_a_inv" not in state or "matrix_g_inv" not in state:
                state["matrix_a_inv"], state["matrix_g_inv"] = initial_inverses(layer.factors)
            layer.a_inverse, layer.g_inverse = state["matrix_a_inv"], state["matrix_g_inv"]

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:  # type: ignore[override]
        """Run one step with the parameters' ``grad``; return the result of ``closure``, if given."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        number = self._step_number()
        damping, rate = (
            scheduled(self.damping, "damping", number),
            scheduled(self.learning_rate, "learning_rate", number),
        )
        self._bind_state()
        gradients: list[Any] = [item.grad for item in self._parameters]
        if self.loss_scale != 1.0:
            gradients = [None if item is None else item / self.loss_scale for item in gradients]
        if number % self.frequency == 0:
            self._average(self._second_order.invert(damping))
        gradients = self._second_order.apply(gradients, damping)
        picks = [pick for pick, item in enumerate(gradients) if item is not None]
        chosen = [
            torch.add(gradients[pick], self._parameters[pick], alpha=self._decays[pick])
            if self._decays[pick]
            else gradients[pick]
            for pick in picks
        ]
        if self.enable_clip_grad:
            chosen = clipped(chosen)
        parameters = [self._parameters[pick] for pick in picks]
        group = self.param_groups[0]
        group["lr"] = rate
        if parameters:
            moments = [self.state[item]["moments"] for item in parameters]
            momentum_step(parameters, chosen, moments, rate, group["momentum"], nesterov=group["use_nesterov"])
        self.state[self._parameters[0]]["step"].add_(1)
        return loss

    @staticmethod
    def _average(inverses: list[torch.Tensor]) -> None:
        import torch.distributed as dist

        if dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1:
            for inverse in inverses:
                dist.all_reduce(inverse)
                inverse /= dist.get_world_size()


def _step_number_of(optimizer: weakref.ref[ThorTorch]) -> int:
    alive = optimizer()
    return 1 if alive is None else alive._step_number()  # nothing to record for without one


class _Named:
    """Parameter with a ``name``, as a decay filter expects."""

    def __init__(self, name: str, parameter: torch.Tensor) -> None:
        self.name, self._parameter = name, parameter

    def __getattr__(self, key: str) -> Any:
        return getattr(self._parameter, key)
