"""Normalization layers. Upstream: ``mindspore.nn.layer.normalization``."""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm"]


class _BatchNorm(Cell):
    """Batch statistics in training, moving ones otherwise. ``momentum`` weighs the old moving value, unlike torch's."""

    _ndims: tuple[int, ...] = ()

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.9, affine: bool = True, gamma_init: Any = "ones",
                 beta_init: Any = "zeros", moving_mean_init: Any = "zeros", moving_var_init: Any = "ones",
                 use_batch_statistics: bool | None = None, data_format: str = "NCHW", dtype: Any = torch.float32) -> None:
        super().__init__()
        where = type(self).__name__
        self.num_features = check_positive_int(num_features, "num_features", where)
        if not 0 <= momentum <= 1:
            raise ValueError(f"For '{where}', the 'momentum' must be in range [0, 1], but got {momentum}.")
        if use_batch_statistics is not None and not isinstance(use_batch_statistics, bool):
            raise ValueError(f"For '{where}', the 'use_batch_statistics' must be a boolean value or None, but got {use_batch_statistics!r}.")
        self.eps, self.momentum, self.affine, self.data_format = eps, momentum, affine, data_format
        self.use_batch_statistics = use_batch_statistics
        self.moving_mean = Parameter(initializer(moving_mean_init, num_features, dtype), name="mean", requires_grad=False)
        self.moving_variance = Parameter(initializer(moving_var_init, num_features, dtype), name="variance", requires_grad=False)
        self.gamma = Parameter(initializer(gamma_init, num_features, dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_features, dtype), name="beta", requires_grad=affine)

    def construct(self, x: Any) -> Any:
        if self._ndims and x.dim() not in self._ndims:
            raise ValueError(f"For '{type(self).__name__}', the input must have {' or '.join(map(str, self._ndims))} axes, but got {x.dim()}.")
        # Straight from the store: `to_float` must not hand out copies, since the moving values are updated in place.
        own = self.__dict__["_parameters"]
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        swap = self.data_format == "NHWC" and x.dim() == 4
        if swap:
            x = torch.permute(x, (0, 3, 1, 2))
        y = torch.batch_norm(x, own["gamma"], own["beta"], own["moving_mean"], own["moving_variance"], training, 1.0 - self.momentum,
                             self.eps, torch.backends.cudnn.enabled)
        return torch.permute(y, (0, 2, 3, 1)) if swap else y

    def extend_repr(self) -> str:
        own = self.__dict__["_parameters"]
        return (f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, gamma={own['gamma']}, beta={own['beta']}, "
                f"moving_mean={own['moving_mean']}, moving_variance={own['moving_variance']}")


class BatchNorm1d(_BatchNorm):
    """Over (N, C) or (N, C, L)."""

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Over (N, C, H, W), or (N, H, W, C) with ``data_format="NHWC"``."""

    _ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """Over (N, C, D, H, W)."""

    _ndims = (5,)


class LayerNorm(Cell):
    """Normalizes over the axes from ``begin_norm_axis`` on; ``gamma`` and ``beta`` have ``normalized_shape``."""

    def __init__(self, normalized_shape: Any, begin_norm_axis: int = -1, begin_params_axis: int = -1, gamma_init: Any = "ones",
                 beta_init: Any = "zeros", epsilon: float = 1e-7, dtype: Any = torch.float32) -> None:
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError(f"For 'LayerNorm', the type of 'normalized_shape' must be tuple[int] or list[int], but got {normalized_shape} "
                            f"and the type is {type(normalized_shape)}.")
        if not normalized_shape:
            raise ValueError("For 'LayerNorm', the length of 'normalized_shape' must not be 0.")
        self.normalized_shape = tuple(normalized_shape)
        self.begin_norm_axis, self.begin_params_axis, self.epsilon = begin_norm_axis, begin_params_axis, epsilon
        self.gamma = Parameter(initializer(gamma_init, self.normalized_shape, dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, self.normalized_shape, dtype), name="beta")

    def construct(self, x: Any) -> Any:
        first = self.begin_norm_axis % x.dim()
        shape = x.shape[first:]
        if shape == self.normalized_shape:
            return torch.layer_norm(x, shape, self.gamma, self.beta, self.epsilon)
        return torch.addcmul(self.beta, torch.layer_norm(x, shape, None, None, self.epsilon), self.gamma)

    def extend_repr(self) -> str:
        return (f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, begin_params_axis={self.begin_params_axis}, "
                f"gamma{self.gamma}, beta={self.beta}")
