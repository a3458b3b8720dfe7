"""MindSpore: ``mindspore.nn.LazyAdam``."""

from __future__ import annotations

import torch

from mindspore_compat.nn.optim._device import Number, Picks, Tensors
from mindspore_compat.nn.optim.adam import VectorPowersAdam

__all__ = ["LazyAdam"]


class LazyAdam(VectorPowersAdam):
    """`Adam` with sparse updates: for a Parameter with looked-up rows (`EmbeddingLookup` with ``sparse``) a step
    changes only these rows and their moments.

    ``beta1_power`` and ``beta2_power`` have shape (1,), unlike Adam's.
    """

    _repeats = "on a device"
    _row_states = ("moment1", "moment2")

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        super()._update(
            parameters,
            [item.to_dense() if item.layout is not torch.strided else item for item in gradients],
            rate,
            decay,
            picks,
        )
