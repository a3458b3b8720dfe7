"""What batch normalizations share. Upstream: ``mindspore.nn.layer.normalization``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.validate import check_str_in
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell

__all__ = []


def _wrong_axes(owner: str, x: Any, ndims: tuple[int, ...]) -> ValueError:
    return ValueError(
        f"For '{owner}', the input must have {' or '.join(map(str, ndims))} dims, but got shape {tuple(x.shape)}."
    )


def moved(mean: Any, variance: Any) -> tuple[Any, Any]:
    """The moving values as torch takes them: `requires_grad`, which programs set of all Parameters, gives them no
    derivative but zeros.
    """
    if getattr(mean, "_wants_grad", False) or getattr(variance, "_wants_grad", False):
        return mean.detach(), variance.detach()
    return mean, variance


def _set_norm(cell: Cell, count: int, affine: bool, inits: tuple[Any, Any, Any, Any], dtype: Any) -> None:
    """The four parameters of a norm with moving statistics, in upstream's order: mean, variance, gamma, beta."""
    mean, variance, gamma, beta = (initializer(init, (count,), dtype) for init in inits)
    cell.moving_mean = Parameter(mean, name="mean", requires_grad=False)
    cell.moving_variance = Parameter(variance, name="variance", requires_grad=False)
    cell.gamma = Parameter(gamma, name="gamma", requires_grad=affine)
    cell.beta = Parameter(beta, name="beta", requires_grad=affine)


class _BatchNorm(Cell):
    """Batch statistics in training, moving ones otherwise. ``momentum`` weighs the old moving value, unlike torch's;
    the attribute of that name is 1 - momentum, as upstream's. As there, neither it nor ``eps`` counts when it is set
    later: what normalizes has the values of the constructor.
    """

    _ndims: tuple[int, ...] = (2, 3, 4)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.num_features = num_features
        self.format = check_str_in(data_format, "data_format", ("NCHW", "NHWC"), owner)
        self.eps, self.momentum, self.affine = eps, 1.0 - momentum, affine
        self._eps, self._momentum = self.eps, self.momentum
        self.use_batch_statistics = use_batch_statistics
        self.gamma_init, self.beta_init = gamma_init, beta_init
        self.moving_mean_init, self.moving_var_init = moving_mean_init, moving_var_init
        _set_norm(self, num_features, affine, (moving_mean_init, moving_var_init, gamma_init, beta_init), dtype)

    def construct(self, x: Any) -> Any:
        if x.dim() not in self._ndims:
            raise _wrong_axes(type(self).__name__, x, self._ndims)
        if self.format == "NHWC" and x.dim() == 4:
            return torch.permute(self._normalize(torch.permute(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._normalize(x)

    def _normalize(self, x: Any) -> Any:
        # Straight from the store: `to_float` must not hand out copies, since the moving values are updated in place.
        own = self.__dict__["_parameters"]
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        return torch.batch_norm(
            x,
            own["gamma"],
            own["beta"],
            *moved(own["moving_mean"], own["moving_variance"]),
            training,
            self._momentum,
            self._eps,
            True,
        )

    def extend_repr(self) -> str:
        own = self.__dict__["_parameters"]
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, gamma={own['gamma']}, "
            f"beta={own['beta']}, moving_mean={own['moving_mean']}, moving_variance={own['moving_variance']}"
        )
