"""Activations, convolution, pooling, losses. MindSpore: ``mindspore.ops.function.nn_func``."""

import math
from typing import Any

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.activation import *  # noqa: F403
from mindspore_compat._ops.attention import *  # noqa: F403
from mindspore_compat._ops.attention import (  # noqa: F401
    _check_attn_mask_shape,
    _check_kpm_shape,
    _check_qkv_shape,
    _in_projection,
    _in_projection_packed,
    _inner_dropout,
    _inner_pad,
    _scaled_dot_product_attention,
    linear,
    multi_head_attention_forward,
)
from mindspore_compat._ops.conv import *  # noqa: F403
from mindspore_compat._ops.image import *  # noqa: F403
from mindspore_compat._ops.loss import *  # noqa: F403
from mindspore_compat._ops.normalization import *  # noqa: F403
from mindspore_compat._ops.pooling import *  # noqa: F403
from mindspore_compat._ops.random import *  # noqa: F403
from mindspore_compat._ops.shape import *  # noqa: F403
from mindspore_compat.ops._mint_names import kept_in


def _innner_log_softmax(inputs: object, axis: int) -> object:  # MindSpore spells it so
    return log_softmax(inputs, axis)  # noqa: F405


def _interploate_ext_make_tuple(input: Any, value: Any) -> Any:  # and so
    """Return a size or factor for each axis of the picture."""
    return value if isinstance(value, (list, tuple)) else (value,) * (input.dim() - 2)


def _interpolate_ext_scale_factor_convert_size(input: Any, scale_factor: Any) -> tuple[int, ...]:
    """Return the lengths of the picture's axes times their factors, rounded down."""
    return tuple(math.floor(size * factor) for size, factor in zip(input.shape[2:], scale_factor))


__getattr__ = module_getattr(
    __name__,
    {
        **kept_in("nn_func"),
        "_get_cache_prim": "ops._primitive_cache",
        "prompt_flash_attention": "ops:prompt_flash_attention",
        "incre_flash_attention": "ops:incre_flash_attention",
    },
    fallback="ops.function",
)
