"""MindSpore: ``mindspore.mint.optim.Adam``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.experimental.optim.adamw import DecoupledAdam, FusedAdam

__all__ = ["Adam"]


class TorchAdam(DecoupledAdam):
    """Base of `Adam` and AdamW: arguments, states, rates from ``param_groups``."""

    _amsgrad_in_group = True
    _first_count = 0.0

    def _add_counter(self) -> None:
        self.state_step = self._count([self._first_count], "state_step", torch.float32)

    @property
    def _step(self) -> torch.Tensor:
        """In float64, in which torch's kernels correct the bias."""
        return (super()._step - self._first_count).to(torch.float64)

    def _tops(self, group: dict[str, Any], part: slice) -> Sequence[Any]:
        if not group["amsgrad"]:
            return ()
        start = self.group_start_id[[item is group for item in self.param_groups].index(True)]
        return group["max_exp_avg_sq"][part.start - start : part.stop - start]

    def _rate(self, number: int, group: dict[str, Any]) -> float:
        return float(group["lr"])

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group as MindSpore's `Optimizer`; a later group gets its states as well."""
        super().add_param_group(param_group)
        if "exp_avg" not in self.__dict__:  # still being made
            return
        from_here = type(self.parameters)(param_group["params"])
        self.exp_avg += from_here.clone(prefix="exp_avg", init="zeros")  # type: ignore[assignment]
        self.exp_avg_sq += from_here.clone(prefix="exp_avg_sq", init="zeros")  # type: ignore[assignment]


class Adam(TorchAdam):
    """torch's Adam: m, v as usual; p -= lr/(1 - beta1ᵗ) · m/(sqrt(v)/sqrt(1 - beta2ᵗ) + eps); with ``amsgrad`` the
    running maximum of v takes its place; weight decay is added to the gradients.

    Raises:
        TypeError: for other types. ValueError: for a rate or decay below 0, betas outside [0, 1).

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = ms.mint.optim.Adam(net.trainable_params(), lr=0.1)
        >>> print(optimizer.state_step.name)
        state_step
    """

    _decays_gradients = True

    @arguments_of(FusedAdam)
    def __init__(self, lr: float = 1e-3, **given: Any) -> None:
        super().__init__(lr=lr, **given)
