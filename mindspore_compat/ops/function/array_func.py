"""Creation, shapes, joining and indexing of tensors. MindSpore: ``mindspore.ops.function.array_func``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops._mint_names import kept_in
from mindspore_compat.ops.function._creation import *  # noqa: F403
from mindspore_compat.ops.function._indexing import *  # noqa: F403
from mindspore_compat.ops.function._joining import *  # noqa: F403
from mindspore_compat.ops.function._lookups import *  # noqa: F403
from mindspore_compat.ops.function._ordering import *  # noqa: F403
from mindspore_compat.ops.function._padding import *  # noqa: F403
from mindspore_compat.ops.function._scattering import *  # noqa: F403
from mindspore_compat.ops.function._shaping import *  # noqa: F403

# MindSpore keeps these here
__getattr__ = module_getattr(
    __name__,
    {
        **kept_in("array_func"),
        "new_ones": "ops.function._creation:new_ones",
        "new_zeros": "ops.function._creation:new_zeros",
    },
    fallback="ops.function",
)
