"""Small Cells of the transformer, and the argument checks that scripts borrow. Upstream:
``mindspore.parallel._transformer.layers``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api import validate
from mindspore_compat._api.placeholders import placeholder
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.context import ParallelMode
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.activation import get_activation
from mindspore_compat.parallel._utils import _get_parallel_mode, _is_sharding_propagation

__all__ = ["FixedSparseAttention"]

FLOATS = (torch.float32, torch.float16)

FixedSparseAttention = placeholder(
    f"{__name__}.FixedSparseAttention",
    "its kernels exist on Ascend only. Use MultiHeadAttention with a mask, or torch's flex_attention.",
)


# --- checks -----------------------------------------------------------------------------------------------------------


def _args_type_validator_check(
    *type_args: Any, **type_kwargs: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: ``check(value, name)`` for every named argument that the call gives; defaults are not checked.

    As upstream's: where a function takes ``**kwargs`` and gets some, only those are looked at.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        checks = signature.bind_partial(*type_args, **type_kwargs).arguments
        checks = checks.get("kwargs", checks)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            for name, value in given.get("kwargs", given).items():
                if name in checks:
                    checks[name](value, name)
            return function(*args, **kwargs)

        return wrapper

    return decorate


def _check_among(name: str, value: Any, allowed: Any, owner: str) -> None:
    if value not in allowed:
        names = [_name_of(item) for item in allowed]
        wanted = names[0] if len(names) == 1 else f"one of {names}"
        raise TypeError(f"For '{owner}', the '{name}' must be {wanted}, but got {_name_of(value)}.")


def _name_of(item: Any) -> str:
    if isinstance(item, torch.dtype):
        return dtype_name(item)
    return getattr(item, "__name__", str(item))


def _valid_type_checks(types: Any, class_name: str) -> Callable[[Any, str], None]:
    """A check that a value is of one of the classes."""

    def check(value: Any, name: str) -> None:
        if not isinstance(value, tuple(types)):
            _check_among(name, type(value), types, class_name)

    return check


def _valid_value_checks(types: Any, class_name: str) -> Callable[[Any, str], None]:
    """A check that a value is one of the dtypes."""
    return lambda value, name: _check_among(name, value, types, class_name)


def _check_input_dtype(input_dtype: Any, param_name: str, allow_dtypes: Any, cls_name: str) -> None:
    """TypeError unless the dtype is one of the allowed."""
    _check_among(param_name, input_dtype, allow_dtypes, cls_name)


def _check_past_none_input_none(
    use_past: bool, param_name: str, func_name: str, default_value: Any, is_tensor: bool, is_default: bool
) -> bool:
    """TypeError unless an input of incremental inference is a tensor, and its default otherwise."""
    if use_past and not is_tensor:
        raise TypeError(f"For '{func_name}', the '{param_name}' must be a tensor if 'use_past' is True.")
    if not use_past and (is_tensor or not is_default):
        raise TypeError(
            f"For '{func_name}', the '{param_name}' must be {default_value} if 'use_past' is False"
            + (", but got a tensor." if is_tensor else ".")
        )
    return True


def check_init(owner: str, **more: Callable[[Any, str], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of an ``__init__``: the checks that its arguments have by their names, and ``more``."""

    def bind(check: Callable[..., Any]) -> Callable[[Any, str], Any]:
        return lambda value, name: check(value, name, owner)

    sizes = (
        "hidden_size",
        "ffn_hidden_size",
        "num_heads",
        "seq_length",
        "src_seq_length",
        "tgt_seq_length",
        "num_layers",
        "vocab_size",
        "embedding_size",
        "in_channels",
        "out_channels",
        "expert_num",
        "outer_batch",
        "encoder_layers",
    )
    checks: dict[str, Any] = dict.fromkeys(sizes, bind(validate.check_positive_int))
    checks |= dict.fromkeys(
        ("attention_dropout_rate", "hidden_dropout_rate", "dropout_rate"), bind(validate.check_non_negative_float)
    )
    checks |= dict.fromkeys(
        ("post_layernorm_residual", "use_past", "has_bias", "transpose_b"), bind(validate.check_bool)
    )
    checks |= dict.fromkeys(("offset", "decoder_layers"), bind(validate.check_non_negative_int))
    checks |= dict.fromkeys(
        ("param_init_type", "compute_dtype", "softmax_compute_type", "layernorm_compute_type"),
        _valid_value_checks(FLOATS, owner),
    )
    checks |= more

    def decorate(init: Callable[..., Any]) -> Callable[..., Any]:
        names = inspect.signature(init).parameters
        return _args_type_validator_check(**{name: check for name, check in checks.items() if name in names})(init)

    return decorate


class _LayerInputCheck:
    """Checks of input shapes."""

    @staticmethod
    def check_shape_length(input_shape: Any, param_name: str, func_name: str, target_len: Any) -> bool:
        """ValueError unless the number of axes is ``target_len`` (an int, or one of a list)."""
        wanted = target_len if isinstance(target_len, list) else [target_len]
        if len(input_shape) not in wanted:
            raise ValueError(
                f"For '{func_name}', the '{param_name}' must have one of {wanted} dimensions, but got shape "
                f"{input_shape}."
            )
        return True

    @staticmethod
    def check_shape_equal(input_shape: Any, param_name: str, func_name: str, target_shape: Any) -> bool:
        """ValueError unless the shape is ``target_shape`` (a list) or one of them (a list of lists)."""
        wanted = target_shape if isinstance(target_shape[0], list) else [target_shape]
        _LayerInputCheck.check_shape_length(input_shape, param_name, func_name, [len(item) for item in wanted])
        if list(input_shape) not in wanted:
            raise ValueError(
                f"For '{func_name}', the shape of '{param_name}' must be one of {wanted}, but got {input_shape}."
            )
        return True

    @staticmethod
    def check_shape_value_on_axis(
        input_shape: Any, dim: int, param_name: str, cls_name: str, target_value: int
    ) -> bool:
        """ValueError unless an axis has that length."""
        if input_shape[dim] != target_value:
            raise ValueError(
                f"For '{cls_name}', axis {dim} of '{param_name}' must be {target_value}, but got {input_shape[dim]}."
            )
        return True

    @staticmethod
    def check_shape_equal_without_batch(input_shape: Any, param_name: str, func_name: str, target_shape: Any) -> bool:
        """ValueError unless the shape is (batch, length, hidden) or (a multiple of length, hidden), for
        ``target_shape`` (length, hidden).
        """
        length, hidden = target_shape
        _LayerInputCheck.check_shape_length(input_shape, param_name, func_name, [2, 3])
        if input_shape[-1] != hidden:
            raise ValueError(
                f"For '{func_name}', the last dimension of '{param_name}' must be {hidden}, but got shape "
                f"{input_shape}."
            )
        if input_shape[0] == 0 or (len(input_shape) == 2 and input_shape[0] % length):
            raise ValueError(
                f"For '{func_name}', the first dimension of '{param_name}' must be above 0 and, with two dimensions, "
                f"a multiple of {length}, but got shape {input_shape}."
            )
        return True


# --- Cells ------------------------------------------------------------------------------------------------------------


class _Dropout(Cell):
    """1.x's dropout: keeps with probability ``keep_prob`` in training."""

    def __init__(self, keep_prob: float = 0.5, dtype: Any = torch.float32) -> None:
        super().__init__()
        if keep_prob <= 0 or keep_prob > 1:
            raise ValueError(f"For '_Dropout', the 'keep_prob' must be a number in range (0, 1], but got {keep_prob}.")
        if not isinstance(dtype, torch.dtype) or dtype is torch.bool:
            raise TypeError(f"For '_Dropout', the 'dtype' must be a number type, but got {dtype}.")
        self.keep_prob = validate.check_type(keep_prob, "keep_prob", float, "_Dropout")

    def construct(self, x: Any) -> Any:
        return torch.dropout(x, 1 - self.keep_prob, True) if self.training and self.keep_prob < 1 else x

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}"


class _LayerNorm(Cell):
    """Layer normalization over the last axis; ``is_self_defined`` spells the formula out, which rounds otherwise in
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
        _check_among("param_init_type", param_init_type, FLOATS, "_LayerNorm")
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
        """Kept out: one process computes the same without."""
        return self


class _Linear(Cell):
    """A dense layer that computes in ``compute_dtype`` and gives its input's dtype back; with several experts each has
    its own weight.

    ``weight`` is (out, in), (in, out) without ``transpose_b``, with the experts in front if there are several.
    """

    @check_init("Linear")
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
        if not (
            activation is None
            or isinstance(activation, str)
            or (isinstance(activation, type) and issubclass(activation, Cell))
        ):
            raise TypeError(
                f"For 'Linear', the 'activation' must be a str or a subclass of Cell, but got {activation}."
            )
        for name, value, wanted in (
            ("weight_init", weight_init, (out_channels, in_channels)),
            ("bias_init", bias_init, (out_channels,)),
        ):
            if isinstance(value, torch.Tensor) and tuple(value.shape) != wanted:
                raise ValueError(f"For 'Linear', the shape of '{name}' must be {wanted}, but got {tuple(value.shape)}.")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.has_bias, self.transpose_b = has_bias, transpose_b
        self.expert_num, self.outer_batch, self.expert_flag = expert_num, outer_batch, expert_num > 1
        self.expert_group_size = expert_group_size
        self.use_expert_group_size = (
            self.expert_flag and _get_parallel_mode() == ParallelMode.AUTO_PARALLEL and not _is_sharding_propagation()
        )
        if self.use_expert_group_size and expert_group_size is None:
            raise ValueError(
                "For 'Linear', the 'expert_group_size' must be set in MoEConfig under AUTO_PARALLEL, but got None."
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
        """Kept out: one process computes the same without."""
        return self
