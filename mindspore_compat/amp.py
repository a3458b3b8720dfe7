"""Mixed precision, and loss scalers for training steps in functional style. MindSpore: ``mindspore.amp``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch

from mindspore_compat._api.validate import check_positive_int, check_type
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager

__all__ = [
    "DynamicLossScaleManager",
    "LossScaleManager",
    "FixedLossScaleManager",
    "build_train_network",
    "DynamicLossScaler",
    "StaticLossScaler",
    "LossScaler",
    "auto_mixed_precision",
    "all_finite",
    "custom_mixed_precision",
    "get_white_list",
    "get_black_list",
    "init_status",
]


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [plain(value)]
    return [tensor for item in value for tensor in _tensors(item)]


def all_finite(inputs: Any, status: Any = None) -> Any:
    """Return a bool Tensor (): whether all values in a tuple or list of Tensors are finite.

    ``status``, from `init_status`, is MindSpore 2.0's argument for Ascend; it has no effect.
    """
    finite = [torch.isfinite(tensor).all() for tensor in _tensors(inputs)]
    return wrap(torch.stack(finite).all() if finite else torch.tensor(True, device=current_device()))


def init_status() -> Any:
    """Return the status that `all_finite` of MindSpore 2.0 accepted: zeros of shape (8,)."""
    return Tensor([0.0] * 8, torch.float32)


class LossScaler(ABC):
    """Base of loss scalers; a derived class has `scale`, `unscale` and `adjust`."""

    @abstractmethod
    def scale(self, inputs: Any) -> Any:
        """Return a loss, or a tuple of Tensors, times the scale."""

    @abstractmethod
    def unscale(self, inputs: Any) -> Any:
        """Return gradients over the scale."""

    @abstractmethod
    def adjust(self, grads_finite: Any) -> Any:
        """Change the scale by whether the gradients were finite."""


def _scaled(value: Any, factor: torch.Tensor) -> Any:
    if isinstance(value, torch.Tensor):
        return wrap(value * factor.to(value.dtype))
    return tuple([_scaled(item, factor) for item in value])


def _grad_scale_map(scale_value: Any, inputs: Any) -> Any:
    """Return nested Tensors times a scale, for a program's own `LossScaler` classes."""
    return _scaled(inputs, plain(scale_value))


def _grad_unscale_map(scale_value: Any, inputs: Any) -> Any:
    """Return nested Tensors over a scale."""
    return _scaled(inputs, plain(scale_value).reciprocal())


class _ParameterScaler(LossScaler):
    """Scaler by the Parameter ``scale_value``, on the device."""

    def __init__(self, scale_value: float) -> None:
        check_type(scale_value, "scale_value", (float, int), type(self).__name__)
        if scale_value < 1.0:
            raise ValueError(f"The argument 'scale_value' must be > 1, but got {scale_value}")
        self.scale_value = Parameter(Tensor(scale_value, torch.float32).to(current_device()), name="scale_value")

    def scale(self, inputs: Any) -> Any:
        return _grad_scale_map(self.scale_value, inputs)

    def unscale(self, inputs: Any) -> Any:
        return _grad_unscale_map(self.scale_value, inputs)


class StaticLossScaler(_ParameterScaler):
    """Loss scaler with a constant scale.

    Raises:
        TypeError: if ``scale_value`` is no number. ValueError: if it is below 1.
    """

    def adjust(self, grads_finite: Any) -> bool:
        """Return False: nothing changes."""
        return False


class DynamicLossScaler(_ParameterScaler):
    """Loss scaler that divides the scale by ``scale_factor`` (to at least 1) after gradients that are not finite. It
    multiplies it after ``scale_window`` finite steps in a row, unless the scale would become infinite.

    Raises:
        TypeError, ValueError: for wrong arguments.
    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__(scale_value)
        self.scale_window = check_positive_int(scale_window, "scale_window", "")
        self.scale_factor = check_positive_int(scale_factor, "scale_factor", "")
        self.counter = Parameter(Tensor(0, torch.int32).to(current_device()), name="counter")

    def adjust(self, grads_finite: Any) -> bool:
        """Change the scale, without waiting for the device; return True."""
        scale, counter = plain(self.scale_value), plain(self.counter)
        finite = (
            plain(grads_finite)
            if isinstance(grads_finite, torch.Tensor)
            else torch.tensor(bool(grads_finite), device=scale.device)
        )
        finite = finite.to(torch.bool).reshape(scale.shape)
        grown = scale * self.scale_factor
        grows = (counter == self.scale_window - 1) & torch.isfinite(grown)
        scale.copy_(
            torch.where(finite, torch.where(grows, grown, scale), torch.clamp(scale / self.scale_factor, min=1.0))
        )
        counter.copy_(torch.remainder(counter + 1, self.scale_window) * finite)
        return True
