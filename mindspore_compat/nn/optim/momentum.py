"""MindSpore: ``mindspore.nn.Momentum``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.nn.optim._device import Number, Picks, Tensors, on_device
from mindspore_compat.nn.optim._fused import momentum_step
from mindspore_compat.nn.optim._groups import not_negative
from mindspore_compat.nn.optim.optimizer import Optimizer, _item, host_parameter

__all__ = ["Momentum"]


class Momentum(Optimizer):
    """v = momentum·v + g; p -= lr·v, or with Nesterov p -= lr·(g + momentum·v).

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
        >>> print(optimizer.get_lr().asnumpy())
        0.1
    """

    _repeats = "always"
    _fused_states = ("moments",)

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        momentum: float,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.momentum = host_parameter(not_negative(momentum, "momentum"), "momentum")
        self.params = self.parameters
        self.use_nesterov = use_nesterov
        self.moments = self.parameters.clone(prefix="moments", init="zeros")  # type: ignore[attr-defined]

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        momentum_step(
            parameters,
            gradients,
            self._picked(self.moments, picks),
            rate,
            _item(self.momentum),
            nesterov=self.use_nesterov,
            decay=decay,
            found_inf=self._found_inf() if self._is_fused() else None,
        )

    def _is_fused(self) -> bool:
        return on_device(self.parameters[0]) and (bool(_item(self.momentum)) or not self.use_nesterov)
