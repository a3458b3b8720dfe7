"""Activations, convolution, pooling, losses. Upstream: ``mindspore.ops.function.nn_func``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops.function._activation import *  # noqa: F403
from mindspore_compat.ops.function._conv import *  # noqa: F403
from mindspore_compat.ops.function._ctc import *  # noqa: F403
from mindspore_compat.ops.function._dropout import *  # noqa: F403
from mindspore_compat.ops.function._loss import *  # noqa: F403
from mindspore_compat.ops.function._multihead_attention import *  # noqa: F403
from mindspore_compat.ops.function._normalization import *  # noqa: F403
from mindspore_compat.ops.function._padding import *  # noqa: F403
from mindspore_compat.ops.function._pooling import *  # noqa: F403
from mindspore_compat.ops.function._resizing import *  # noqa: F403


def _innner_log_softmax(inputs: object, axis: int) -> object:  # upstream spells it so
    return log_softmax(inputs, axis)  # noqa: F405


# upstream keeps these here
__getattr__ = module_getattr(
    __name__,
    {
        "_get_cache_prim": "ops._primitive_cache",
        "batch_norm_ext": "mint.nn.functional:batch_norm",
        "dropout_ext": "mint.nn.functional:dropout",
        "interpolate_ext": "mint.nn.functional:interpolate",
        "prompt_flash_attention": "ops:prompt_flash_attention",
        "incre_flash_attention": "ops:incre_flash_attention",
    },
)
