"""MindSpore: ``mindspore.nn.probability.bijector.PowerTransform``, ``Exp``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.probability.bijector.bijector import Bijector

__all__ = ["Exp", "PowerTransform"]


class PowerTransform(Bijector):
    """(1 + power·x)^(1/power), exp(x) where power is 0.

    Raises:
        ValueError: if ``power`` is negative.
    """

    def __init__(self, power: Any = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name=name, param={"param_dict": {"power": power}})
        self._power = self._add_parameter(power, "power")
        if not bool(torch.all(self._power >= 0)):
            raise ValueError("Power must be greater than or equal to zero.")

    power = property(lambda self: self._power)

    def _local(self, value: Any) -> tuple[Any, Any, Any, Any]:
        """Return the value and the power of one shape, where the power is 0, and the power with 1 there."""
        value = self._check_value_dtype(value)
        value, power = torch.broadcast_tensors(value, self.cast_param_by_value(value, self._power))
        is_exp = power == 0
        return value, power, is_exp, torch.where(is_exp, 1.0, power)

    def _forward(self, x: Any) -> Any:
        x, _, is_exp, safe = self._local(x)
        return torch.where(is_exp, torch.exp(x), torch.exp(torch.log1p(x * safe) / safe))

    def _inverse(self, y: Any) -> Any:
        y, _, is_exp, safe = self._local(y)
        return torch.where(is_exp, torch.log(y), torch.expm1(torch.log(y) * safe) / safe)

    def _forward_log_jacobian(self, x: Any) -> Any:
        x, power, is_exp, safe = self._local(x)
        return torch.where(is_exp, x, (1.0 / safe - 1.0) * torch.log1p(x * power))

    def _inverse_log_jacobian(self, y: Any) -> Any:
        y, power, _, _ = self._local(y)
        return (power - 1.0) * torch.log(y)


class Exp(PowerTransform):
    """exp(x)."""

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(name=name)

    def extend_repr(self) -> str:
        return "exp"
