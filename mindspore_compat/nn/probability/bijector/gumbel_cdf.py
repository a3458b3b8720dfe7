"""MindSpore: ``mindspore.nn.probability.bijector.GumbelCDF``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.probability.bijector.bijector import Bijector

__all__ = ["GumbelCDF"]


class GumbelCDF(Bijector):
    """exp(-exp(-(x - loc)/scale)).

    Raises:
        ValueError: if ``scale`` is not positive. TypeError: if they differ in type.
    """

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, name: str = "GumbelCDF") -> None:
        super().__init__(name=name, param={"param_dict": {"loc": loc, "scale": scale}})
        self._loc, self._scale = self._add_parameter(loc, "loc"), self._add_parameter(scale, "scale")
        if not bool(torch.all(self._scale > 0)):
            raise ValueError("scale must be greater than zero.")

    loc = property(lambda self: self._loc)
    scale = property(lambda self: self._scale)

    def _local(self, value: Any) -> tuple[Any, Any, Any]:
        value = self._check_value_dtype(value)
        return value, self.cast_param_by_value(value, self._loc), self.cast_param_by_value(value, self._scale)

    def _forward(self, x: Any) -> Any:
        x, loc, scale = self._local(x)
        return torch.exp(-torch.exp(-(x - loc) / scale))

    def _inverse(self, y: Any) -> Any:
        y, loc, scale = self._local(y)
        return loc - scale * torch.log(-torch.log(y))

    def _forward_log_jacobian(self, x: Any) -> Any:
        x, loc, scale = self._local(x)
        z = (x - loc) / scale
        return -z - torch.exp(-z) - torch.log(scale)

    def _inverse_log_jacobian(self, y: Any) -> Any:
        y, _, scale = self._local(y)
        return torch.log(scale / (-y * torch.log(y)))
