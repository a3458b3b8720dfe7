"""Normalization layers. MindSpore: ``mindspore.nn.layer.normalization``."""

from __future__ import annotations

import math
import numbers
from typing import Any, Literal

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._api.validate import check_float_range, check_str_in
from mindspore_compat._numerics import kernels
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.communication._collectives import all_reduce
from mindspore_compat.communication._groups import Group, find
from mindspore_compat.nn.cell import Cell

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LayerNorm",
    "LayerNormExt",
    "GroupNorm",
    "SyncBatchNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
]


def _wrong_axes(owner: str, x: Any, ndims: tuple[int, ...]) -> ValueError:
    return ValueError(
        f"For '{owner}', the input must have {' or '.join(map(str, ndims))} dims, but got shape {tuple(x.shape)}."
    )


def moved(mean: Any, variance: Any) -> tuple[Any, Any]:
    """Return the moving values for torch: `requires_grad`, which programs set on all Parameters, gives them zero
    derivatives.
    """
    if getattr(mean, "_wants_grad", False) or getattr(variance, "_wants_grad", False):
        return mean.detach(), variance.detach()
    return mean, variance


def _set_norm(cell: Cell, count: int, affine: bool, inits: tuple[Any, Any, Any, Any], dtype: Any) -> None:
    """Set the parameters of a norm with moving statistics, in MindSpore's order: mean, variance, gamma, beta."""
    mean, variance, gamma, beta = (initializer(init, (count,), dtype) for init in inits)
    cell.moving_mean = Parameter(mean, name="mean", requires_grad=False)
    cell.moving_variance = Parameter(variance, name="variance", requires_grad=False)
    cell.gamma = Parameter(gamma, name="gamma", requires_grad=affine)
    cell.beta = Parameter(beta, name="beta", requires_grad=affine)


class _BatchNorm(Cell):
    """Batch statistics in training, moving ones otherwise. ``momentum`` weighs the old moving value, unlike torch's;
    the attribute of that name is 1 - momentum, as MindSpore's. As there, a later value of it or of ``eps`` has no
    effect: the inner operator has the constructor's values.
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
        if self.format == "NHWC" and x.dim() > 2:
            return torch.movedim(self._normalize(torch.movedim(x, -1, 1)), 1, -1)
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


class BatchNorm1d(_BatchNorm):
    """Batch norm over (N, C) or (N, C, L), or (N, L, C) with ``data_format="NHWC"``.

    Examples:
        >>> net = nn.BatchNorm1d(2, momentum=0.9).set_train()
        >>> print(net(Tensor([[1.0, 2.0], [1.0, 2.0]])))
        [[0. 0.]
         [0. 0.]]
    """

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch norm over (N, C, H, W), or (N, H, W, C) with ``data_format="NHWC"``.

    Examples:
        >>> net = nn.BatchNorm2d(3).set_train()
        >>> print(net(ops.ones((2, 3, 4, 4))).shape)
        (2, 3, 4, 4)
    """

    _ndims = (4,)


class BatchNorm3d(Cell):
    """Batch norm over (N, C, D, H, W), by an inner `BatchNorm2d` with the parameters, as in MindSpore's names."""

    @arguments_of(BatchNorm2d, data_format="dtype")
    def __init__(self, dtype: Any = torch.float32, *, data_format: Literal["NCDHW"] = "NCDHW", **given: Any) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(dtype=dtype, **given)

    def construct(self, x: Any) -> Any:
        if x.dim() != 5:
            raise _wrong_axes("BatchNorm3d", x, (5,))
        return torch.reshape(self.bn2d(torch.flatten(x, 2, 3)), x.shape)


class SyncBatchNorm(_BatchNorm):
    """`BatchNorm2d` with batch statistics over all processes, or over those of one of ``process_groups`` (lists of
    ranks).

    In a single process, and with ``process_groups=0``, it is a plain batch norm.
    """

    _ndims = (2, 4)

    @arguments_of(_BatchNorm, without="data_format", process_groups="use_batch_statistics")
    def __init__(self, process_groups: Any = None, **given: Any) -> None:
        super().__init__(**given)
        self.process_groups = process_groups
        self.__dict__["_group"] = None if process_groups in (None, 0) else self._group_of(process_groups)

    def _group_of(self, process_groups: Any) -> Any:
        if not _many_processes():
            return None
        import torch.distributed as dist

        own = None
        for group in process_groups:  # every process has to take part in making each of them
            made = dist.new_group(group)
            own = Group("SyncBatchNorm", tuple(sorted(group)), made) if dist.get_rank() in group else own
        return own

    def _normalize(self, x: Any) -> Any:
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        group = self.__dict__["_group"]
        if (
            not training
            or self.process_groups == 0
            or not _many_processes()
            or (self.process_groups is not None and group is None)
        ):
            return super()._normalize(x)
        return self._synchronized(x, group)

    def _synchronized(self, x: Any, group: Any) -> Any:
        own = self.__dict__["_parameters"]
        axes = [axis for axis in range(x.dim()) if axis != 1]
        values = x.float()
        local = torch.cat(
            [
                torch.sum(values, axes),
                torch.sum(kernels.square(values), axes),
                torch.full((1,), float(math.prod(x.shape) / x.shape[1]), device=x.device),
            ]
        )
        total = all_reduce(local, "sum", group or find("hccl_world_group"))
        number, count = total[-1], self.num_features
        mean = total[:count] / number
        variance = total[count:-1] / number - kernels.square(mean)
        with torch.no_grad():
            unbiased = variance * number / (number - 1)
            for name, new in (("moving_mean", mean), ("moving_variance", unbiased)):
                torch._C.TensorBase.lerp_(own[name], new.detach().to(own[name].dtype), self._momentum)
        shape = [1, count] + [1] * (x.dim() - 2)
        scale = torch.rsqrt(variance + self._eps) * own["gamma"]
        return torch.addcmul(torch.reshape(own["beta"] - mean * scale, shape), values, torch.reshape(scale, shape)).to(
            x.dtype
        )


def _many_processes() -> bool:
    import torch.distributed as dist

    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


class LayerNorm(Cell):
    """Normalization over the axes from ``begin_norm_axis`` on; ``gamma`` and ``beta`` have ``normalized_shape``. As
    MindSpore's, it keeps the constructor's values if its attributes change later.
    """

    def __init__(
        self,
        normalized_shape: Any,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-7,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        self.normalized_shape = normalized_shape
        self.begin_norm_axis, self.begin_params_axis, self.epsilon = begin_norm_axis, begin_params_axis, epsilon
        self._axis, self._epsilon = begin_norm_axis, epsilon
        self.gamma = Parameter(initializer(gamma_init, self.normalized_shape, dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, self.normalized_shape, dtype), name="beta")

    def construct(self, input_x: Any) -> Any:
        gamma, beta = self.gamma, self.beta
        if gamma.dtype is not input_x.dtype:
            gamma, beta = gamma.to(input_x.dtype), beta.to(input_x.dtype)
        shape = input_x.shape[self._axis :]
        if shape == torch.Tensor.size(gamma):
            return torch.layer_norm(input_x, shape, gamma, beta, self._epsilon)
        if tuple(input_x.shape[self.begin_params_axis :]) != tuple(gamma.shape):
            raise ValueError(
                f"For 'LayerNorm', gamma or beta shape must match input shape, but got input shape: "
                f"{tuple(input_x.shape)}, gamma shape: {tuple(gamma.shape)}, beta shape: {tuple(beta.shape)}. "
                f"The input's axes from {self.begin_params_axis} on must be those of 'normalized_shape'."
            )
        return torch.addcmul(beta, torch.layer_norm(input_x, shape, None, None, self._epsilon), gamma)

    def extend_repr(self) -> str:
        own = self.__dict__["_parameters"]
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{own['gamma']}, beta={own['beta']}"
        )


class LayerNormExt(Cell):
    """`LayerNorm` with the arguments of ``mint.nn.LayerNorm``; its parameters are ``weight`` and ``bias``."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, numbers.Integral) else normalized_shape
        self.normalized_shape, self.eps, self.elementwise_affine = tuple(shape), eps, elementwise_affine
        dtype = dtype or torch.float32
        self.weight = (
            Parameter(initializer("ones", self.normalized_shape, dtype), name="weight") if elementwise_affine else None
        )
        self.bias = (
            Parameter(initializer("zeros", self.normalized_shape, dtype), name="bias")
            if elementwise_affine and bias
            else None
        )

    def construct(self, input: Any) -> Any:
        return torch.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"normalized_shape={self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class _InstanceNorm(Cell):
    """Statistics of each sample and channel, in training and evaluation; the moving ones are only stored.

    ``momentum`` weighs the new value here, unlike in batch norm.
    """

    _ndim = 4

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.num_features = num_features
        self.eps = eps
        self.momentum = check_float_range(momentum, "momentum", owner, 0.0, 1.0)
        self.affine = affine
        _set_norm(self, num_features, affine, ("zeros", "ones", gamma_init, beta_init), dtype)

    def construct(self, x: Any) -> Any:
        if x.dim() != self._ndim:
            raise _wrong_axes(type(self).__name__, x, (self._ndim,))
        own = self.__dict__["_parameters"]
        return torch.instance_norm(
            x,
            own["gamma"],
            own["beta"],
            *moved(own["moving_mean"], own["moving_variance"]),
            True,
            self.momentum,
            self.eps,
            True,
        )

    def extend_repr(self) -> str:
        own = self.__dict__["_parameters"]
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, gamma={own['gamma']}, "
            f"beta={own['beta']}, moving_mean={own['moving_mean']}, moving_variance={own['moving_variance']}"
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance norm over (N, C, L)."""

    _ndim = 3


class InstanceNorm2d(_InstanceNorm):
    """Instance norm over (N, C, H, W)."""


class InstanceNorm3d(_InstanceNorm):
    """Instance norm over (N, C, D, H, W)."""

    _ndim = 5


class GroupNorm(Cell):
    """Normalization of (N, C, *) over groups of channels; ``gamma`` and ``beta`` have a value for each channel."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps, self.affine = eps, affine
        self.gamma = Parameter(initializer(gamma_init, (num_channels,), dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, (num_channels,), dtype), name="beta", requires_grad=affine)

    def construct(self, x: Any) -> Any:
        return self._cal_output(x)

    def _cal_output(self, x: Any) -> Any:
        gamma, beta = (item if item.dtype is x.dtype else item.to(x.dtype) for item in (self.gamma, self.beta))
        return kernels.group_norm(x, self.num_groups, gamma, beta, self.eps, True)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"
