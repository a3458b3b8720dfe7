"""MindSpore: ``mindspore.nn.probability.bijector.Softplus``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.probability.bijector.bijector import Bijector

__all__ = ["Softplus"]


def _inverse_softplus(x: torch.Tensor) -> torch.Tensor:
    """Return log(exp(x) - 1)."""
    return x + torch.log(-torch.expm1(-x))


class Softplus(Bijector):
    """log(1 + exp(sharpness·x))/sharpness."""

    def __init__(self, sharpness: Any = 1.0, name: str = "Softplus") -> None:
        super().__init__(name=name, param={"param_dict": {"sharpness": sharpness}})
        self._sharpness = self._add_parameter(sharpness, "sharpness")

    sharpness = property(lambda self: self._sharpness)

    def _scaled(self, value: Any) -> tuple[Any, Any]:
        value = self._check_value_dtype(value)
        sharpness = self.cast_param_by_value(value, self._sharpness)
        return sharpness * value, sharpness

    def _forward(self, x: Any) -> Any:
        scaled, sharpness = self._scaled(x)
        return -torch.nn.functional.logsigmoid(-scaled) / sharpness

    def _inverse(self, y: Any) -> Any:
        scaled, sharpness = self._scaled(y)
        return _inverse_softplus(scaled) / sharpness

    def _forward_log_jacobian(self, x: Any) -> Any:
        return torch.nn.functional.logsigmoid(self._scaled(x)[0])

    def _inverse_log_jacobian(self, y: Any) -> Any:
        scaled, _ = self._scaled(y)
        return scaled - _inverse_softplus(scaled)
