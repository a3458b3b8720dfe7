"""MindSpore: ``mindspore.nn.probability.bijector.ScalarAffine``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.probability.bijector.bijector import Bijector

__all__ = ["ScalarAffine"]


class ScalarAffine(Bijector):
    """scale·x + shift.

    Raises:
        TypeError: if ``scale`` and ``shift`` differ in type.
    """

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0, name: str = "ScalarAffine") -> None:
        super().__init__(is_constant_jacobian=True, name=name, param={"param_dict": {"scale": scale, "shift": shift}})
        self._scale, self._shift = self._add_parameter(scale, "scale"), self._add_parameter(shift, "shift")

    scale = property(lambda self: self._scale)
    shift = property(lambda self: self._shift)

    def _local(self, value: Any) -> tuple[Any, Any, Any]:
        value = self._check_value_dtype(value)
        return value, self.cast_param_by_value(value, self._scale), self.cast_param_by_value(value, self._shift)

    def _forward(self, x: Any) -> Any:
        x, scale, shift = self._local(x)
        return scale * x + shift

    def _inverse(self, y: Any) -> Any:
        y, scale, shift = self._local(y)
        return (y - shift) / scale

    def _forward_log_jacobian(self, x: Any) -> Any:
        return torch.log(torch.abs(self._local(x)[1]))

    def _inverse_log_jacobian(self, y: Any) -> Any:
        return -torch.log(torch.abs(self._local(y)[1]))
