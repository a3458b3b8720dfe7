"""`ThorGpu`: THOR for Cells. Formulas: `thor`, docs/design/thor.md."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import memory, plain
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.nn.layer.thor_layer import Schedule
from mindspore_compat.nn.optim._fused import momentum_step
from mindspore_compat.nn.optim.optimizer import Optimizer, host_parameter
from mindspore_compat.nn.optim.thor_arguments import check_options, clipped, decay_all, on_host, scheduled
from mindspore_compat.nn.optim.thor_convert import factors_of, layer_norm_parameters
from mindspore_compat.nn.optim.thor_precondition import Layer, SecondOrder, initial_inverses
from mindspore_compat.nn.wrap.grad_reducer import DistributedGradReducer
from mindspore_compat.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

__all__ = ["ThorGpu"]


def _value_of(counter: torch.Tensor) -> int:
    return int(counter.item())


class ThorGpu(Optimizer):
    """Optimizer that `thor` returns for a Cell, under MindSpore's name; on every device.

    State: ``moments.NAME``, ``matrix_a_inv_I`` and ``matrix_g_inv_I`` of the I-th factored weight, ``cov_step``,
    ``global_step``, ``momentum``, ``learning_rate``.
    """

    _counts = ()  # Python decides on second-order steps

    def __init__(
        self,
        net: Any,
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
        super().__init__(learning_rate, net.trainable_params(), weight_decay, loss_scale)
        check_options(momentum, frequency, batch_size)
        self.momentum = host_parameter(momentum, "momentum")
        self.params = self.parameters
        self.moments = self.parameters.clone(prefix="moments", init="zeros")  # type: ignore[attr-defined]
        self.cov_step = host_parameter([0], "cov_step", torch.int32)
        self.cov_step.requires_grad = False
        self.net = net
        self.use_nesterov, self.enable_clip_grad, self.frequency = use_nesterov, enable_clip_grad, frequency
        self.batch_size, self.split_indices = batch_size, split_indices
        own = self.__dict__
        own["damping"] = on_host(damping)
        self._set_decay(weight_decay, decay_filter)
        step = self.cov_step
        own["_schedule"] = Schedule(functools.partial(_value_of, step), frequency)
        own["_second_order"] = self._find_layers(net)
        self.matrix_a = ParameterTuple([layer.a_inverse for layer in own["_second_order"].layers])
        self.matrix_g = ParameterTuple([layer.g_inverse for layer in own["_second_order"].layers])
        self.is_distributed = _get_parallel_mode() != "stand_alone"
        if self.is_distributed:
            self.grad_reducer = DistributedGradReducer((), _get_gradients_mean(), _get_device_num())

    def _set_decay(self, weight_decay: float, decay_filter: Callable[[Any], bool]) -> None:
        own = self.__dict__
        own["weight_decay"] = weight_decay
        self.decay_flags = tuple(bool(decay_filter(item)) for item in self.parameters)  # type: ignore[attr-defined]
        self.exec_weight_decay = weight_decay > 0 and any(self.decay_flags)

    def _find_layers(self, net: Any) -> SecondOrder:
        position = {id(item): number for number, item in enumerate(self.parameters)}  # type: ignore[arg-type]
        found = {position[id(factors.weight)]: factors for factors in factors_of(net) if id(factors.weight) in position}
        layers = []
        for number, place in enumerate(sorted(found)):
            layer = Layer(found[place], place)
            layer.factors.schedule = self.__dict__["_schedule"]
            values = initial_inverses(layer.factors)
            layer.a_inverse, layer.g_inverse = (
                Parameter(value, f"matrix_{side}_inv_{number}", requires_grad=False)
                for side, value in zip("ag", values)
            )
            layers.append(layer)
        norms = {position[id(item)] for item in layer_norm_parameters(net) if id(item) in position}
        return SecondOrder(layers, norms, self.batch_size, self.loss_scale)

    @property
    def thor(self) -> bool:
        """True if the next step has second order: by ``add_flags_recursive(thor=...)``, else every ``frequency``-th."""
        forced = self._func_graph_flags.get("thor")
        return _value_of(self.cov_step) % self.frequency == 0 if forced is None else bool(forced)

    @thor.setter
    def thor(self, value: bool) -> None:
        self.add_flags(thor=value)

    @property
    def failed_inversions(self) -> int:
        """Number of blocks whose inversion failed and that kept their previous inverse; waits for the device."""
        return self.__dict__["_second_order"].failed

    def get_frequency(self) -> int:
        """Return the ``frequency``."""
        return self.frequency

    def follow_loss_scale(self, scale: torch.Tensor) -> None:
        """Set ``scale``: the changing loss scale of a training step that passes unscaled gradients; G is divided by its
        square.
        """
        self.__dict__["_schedule"].scale = scale

    def construct(self, gradients: Any) -> Any:
        """Run one step with a tuple of gradients in the order of ``parameters``.

        Raises:
            ValueError: for another number of gradients, or past the end of ``learning_rate`` or ``damping``.
        """
        gradients = [plain(item) for item in gradients]
        if len(gradients) != self.param_length:
            raise ValueError(
                f"For 'thor', the number of gradients must be that of the parameters {self.param_length}, but got "
                f"{len(gradients)}."
            )
        own = self.__dict__
        second_order, step = own["_second_order"], int(self.cov_step.item())
        damping, rate = scheduled(own["damping"], "damping", step), self._rate()
        parameters = [memory(item) for item in self.parameters]  # type: ignore[attr-defined]
        with torch.no_grad():
            if self.need_scale:
                gradients = list(torch._foreach_mul(gradients, 1.0 / self.loss_scale))
            if self.thor:
                self._average(second_order.invert(damping))
            gradients = second_order.apply(gradients, damping)
            if self.exec_weight_decay:
                gradients = [
                    torch.add(gradient, parameter, alpha=self.weight_decay) if flag else gradient
                    for gradient, parameter, flag in zip(gradients, parameters, self.decay_flags)
                ]
            if self.enable_clip_grad:
                gradients = clipped(gradients)
            momentum_step(
                parameters,
                gradients,
                [plain(item) for item in self.moments],
                rate,
                self.momentum.item(),
                nesterov=self.use_nesterov,
            )
            plain(self.cov_step).add_(1)
            plain(self.__dict__["_parameters"]["global_step"]).add_(1)
        return (True,) * len(parameters)

    def _rate(self) -> float:
        """Return this step's learning rate, from the state in checkpoints."""
        rates = self.learning_rate._parameters["learning_rate"] if self.dynamic_lr else self.learning_rate
        return scheduled(plain(rates), "learning_rate", int(self.__dict__["_parameters"]["global_step"].item()))

    def _average(self, inverses: list[torch.Tensor]) -> None:
        if self.is_distributed and inverses:
            for inverse, reduced in zip(inverses, self.grad_reducer(tuple(plain(item) for item in inverses))):
                plain(inverse).copy_(reduced)
