"""Arithmetic, reductions and products. MindSpore: ``mindspore.ops.function.math_func``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops._mint_names import kept_in
from mindspore_compat.ops.function._arithmetic import *  # noqa: F403
from mindspore_compat.ops.function._elementwise import *  # noqa: F403
from mindspore_compat.ops.function._norms import *  # noqa: F403
from mindspore_compat.ops.function._product_sums import *  # noqa: F403
from mindspore_compat.ops.function._reduction import *  # noqa: F403
from mindspore_compat.ops.function._rotated import *  # noqa: F403
from mindspore_compat.ops.function.linalg_func import *  # noqa: F403

# MindSpore keeps these here
__getattr__ = module_getattr(
    __name__,
    {
        **kept_in("math_func"),
        "F": "ops.functional:",
    },
    fallback="ops.function",
)
