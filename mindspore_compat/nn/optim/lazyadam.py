"""Upstream: ``mindspore.nn.LazyAdam``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.optim._device import Number
from mindspore_compat.nn.optim.adam import Adam

__all__ = ["LazyAdam"]


class LazyAdam(Adam):
    """`Adam`, but of a Parameter whose rows are looked up (`EmbeddingLookup` with ``sparse``) a step changes these rows
    and their moments alone.

    ``beta1_power`` and ``beta2_power`` have shape (1,), unlike Adam's.
    """

    _repeats = "on a device"
    _row_states = ("moment1", "moment2")

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale)
        for name in ("beta1_power", "beta2_power"):
            power: Parameter = self._count([1.0], name)
            self.__dict__["_parameters"][name] = power

    def _update(
        self, parameters: list[Any], gradients: list[Any], rate: Number, decay: Number, picks: list[int] | None
    ) -> None:
        super()._update(
            parameters,
            [item.to_dense() if item.layout is not torch.strided else item for item in gradients],
            rate,
            decay,
            picks,
        )
