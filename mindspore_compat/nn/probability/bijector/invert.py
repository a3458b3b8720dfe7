"""MindSpore: ``mindspore.nn.probability.bijector.Invert``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.nn.probability.bijector.bijector import Bijector

__all__ = ["Invert"]


class Invert(Bijector):
    """Inverse of a bijector."""

    def __init__(self, bijector: Any, name: str = "") -> None:
        super().__init__(
            bijector.is_constant_jacobian, bijector.is_injective, name or "Invert" + bijector.name, bijector.dtype
        )
        self._bijector = bijector
        self._batch_shape, self._is_scalar_batch = bijector.batch_shape, bijector.is_scalar_batch

    bijector = property(lambda self: self._bijector)

    def _forward(self, x: Any) -> Any:
        return self._bijector.inverse(x)

    def _inverse(self, y: Any) -> Any:
        return self._bijector.forward(y)

    def _forward_log_jacobian(self, x: Any) -> Any:
        return self._bijector.inverse_log_jacobian(x)

    def _inverse_log_jacobian(self, y: Any) -> Any:
        return self._bijector.forward_log_jacobian(y)
