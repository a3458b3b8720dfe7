"""Small Cells of the transformer, and names of argument checks that scripts borrow. MindSpore:
``mindspore.parallel._transformer.layers``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.placeholders import placeholder
from mindspore_compat._checkparam import check_type_name
from mindspore_compat._numerics import kernels
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.context import ParallelMode
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.activation import get_activation
from mindspore_compat.parallel._utils import _get_parallel_mode, _is_sharding_propagation

__all__ = ["FixedSparseAttention"]

FixedSparseAttention = placeholder(
    f"{__name__}.FixedSparseAttention",
    "its kernels exist on Ascend only. Use MultiHeadAttention with a mask, or torch's flex_attention.",
)


# --- argument checks that scripts call --------------------------------------------------------------------------------


def _args_type_validator_check(*type_args: Any, **type_kwargs: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that calls ``check(value, name)`` for each argument that is given, of those with a check."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        checks = signature.bind_partial(*type_args, **type_kwargs).arguments

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            for name in given.keys() & checks.keys():
                checks[name](given[name], name)
            return function(*args, **kwargs)

        return checked

    return decorate


def _valid_type_checks(types: Any, class_name: str) -> Callable[..., Any]:
    """Return a check that a value is an instance of one of ``types``."""
    return lambda value, name: check_type_name(name, type(value), types, class_name)


def _valid_value_checks(types: Any, class_name: str) -> Callable[..., Any]:
    """Return a check that a value is one of ``types``."""
    return lambda value, name: check_type_name(name, value, types, class_name)


def _no_check(*args: Any, **kwargs: Any) -> bool:
    """Return True: torch's own errors come instead."""
    return True


_check_input_dtype = _check_past_none_input_none = _check_shape_equal = _no_check


class _LayerInputCheck:
    """Checks of input shapes."""

    check_shape_length = check_shape_equal = staticmethod(_no_check)
    check_shape_value_on_axis = check_shape_equal_without_batch = staticmethod(_no_check)


# --- Cells ------------------------------------------------------------------------------------------------------------


class _Dropout(Cell):
    """1.x's dropout: keeps with probability ``keep_prob`` in training."""

    def __init__(self, keep_prob: float = 0.5, dtype: Any = torch.float32) -> None:
        super().__init__()
        self.keep_prob = keep_prob

    def construct(self, x: Any) -> Any:
        return torch.dropout(x, 1 - self.keep_prob, True) if self.training and self.keep_prob < 1 else x

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}"


class _LayerNorm(Cell):
    """Layer normalization over the last axis; ``is_self_defined`` writes the formula out, which rounds differently in
    float16.
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        param_init_type: Any = torch.float32,
        is_self_defined: bool = False,
    ) -> None:
        super().__init__()
        self.is_self_defined, self.eps = is_self_defined, eps
        self.gamma = Parameter(
            initializer("ones", normalized_shape, param_init_type), name="gamma", parallel_optimizer=False
        )
        self.beta = Parameter(
            initializer("zeros", normalized_shape, param_init_type), name="beta", parallel_optimizer=False
        )

    def construct(self, x: Any) -> Any:
        if not self.is_self_defined:
            return torch.layer_norm(x, x.shape[-1:], self.gamma.to(x.dtype), self.beta.to(x.dtype), self.eps)
        difference = x - torch.mean(x, -1, keepdim=True)
        deviation = torch.sqrt(torch.mean(kernels.square(difference), -1, keepdim=True) + self.eps)
        return difference / deviation * self.gamma + self.beta

    def shard(self, strategy: Any) -> _LayerNorm:  # type: ignore[override]
        """Do nothing: one process computes the same without."""
        return self


class _Linear(Cell):
    """Dense layer that computes in ``compute_dtype`` and returns its input's dtype; with several experts each has its
    own weight.

    ``weight`` is (out, in), (in, out) without ``transpose_b``, with the experts in front if there are several.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        activation: Any = None,
        transpose_b: bool = True,
        expert_num: int = 1,
        outer_batch: int = 1,
        expert_group_size: int | None = None,
        param_init_type: Any = torch.float32,
        compute_dtype: Any = torch.float16,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.has_bias, self.transpose_b = has_bias, transpose_b
        self.expert_num, self.outer_batch, self.expert_flag = expert_num, outer_batch, expert_num > 1
        self.expert_group_size = expert_group_size
        self.use_expert_group_size = (
            self.expert_flag and _get_parallel_mode() == ParallelMode.AUTO_PARALLEL and not _is_sharding_propagation()
        )
        shape: tuple[int, ...] = (out_channels, in_channels) if transpose_b else (in_channels, out_channels)
        self.weight = Parameter(
            initializer(weight_init, (expert_num, *shape) if self.expert_flag else shape, param_init_type),
            name="weight",
        )
        self.bias = None
        if has_bias:
            shape = (1, expert_num, 1, out_channels) if self.expert_flag else (out_channels,)
            self.bias = Parameter(initializer(bias_init, shape, param_init_type), name="bias", parallel_optimizer=False)
        self.act_name = activation
        self.activation = get_activation(activation) if isinstance(activation, str) else activation and activation()
        self.activation_flag, self.dtype = activation is not None, compute_dtype

    def construct(self, x: Any) -> Any:
        shape, dtype = (*x.shape[:-1], self.out_channels), x.dtype
        lead: Any = (-1,)
        if self.expert_flag:
            lead = (
                (-1, self.expert_num, self.expert_group_size)
                if self.use_expert_group_size
                else (self.outer_batch, self.expert_num, -1)
            )
        weight = self.weight.to(self.dtype)
        weight = torch.transpose(weight, -1, -2) if self.transpose_b else weight
        x = kernels.matmul(torch.reshape(x, (*lead, self.in_channels)).to(self.dtype), weight)
        if self.bias is not None:
            x = x + self.bias.to(self.dtype)
        if self.activation is not None:
            x = self.activation(x)
        return torch.reshape(x.to(dtype), shape)

    def shard(self, strategy_matmul: Any, strategy_bias: Any = None, strategy_activation: Any = None) -> _Linear:  # type: ignore[override]
        """Do nothing: one process computes the same without."""
        return self
