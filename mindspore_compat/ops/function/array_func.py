"""Creation, shapes, joining and indexing of tensors. MindSpore: ``mindspore.ops.function.array_func``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.creation import *  # noqa: F403
from mindspore_compat._ops.indexing import *  # noqa: F403
from mindspore_compat._ops.reduction import *  # noqa: F403
from mindspore_compat._ops.shape import *  # noqa: F403
from mindspore_compat.ops._mint_names import kept_in

__getattr__ = module_getattr(
    __name__,
    {**kept_in("array_func"), "new_ones": "_ops.creation:new_ones", "new_zeros": "_ops.creation:new_zeros"},
    fallback="ops.function",
)
