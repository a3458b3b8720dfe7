"""Arithmetic, reductions and products. MindSpore: ``mindspore.ops.function.math_func``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.elementwise import *  # noqa: F403
from mindspore_compat._ops.linalg import *  # noqa: F403
from mindspore_compat._ops.reduction import *  # noqa: F403
from mindspore_compat._ops.special import *  # noqa: F403
from mindspore_compat.ops._mint_names import kept_in

__getattr__ = module_getattr(__name__, {**kept_in("math_func"), "F": "ops.functional:"}, fallback="ops.function")
