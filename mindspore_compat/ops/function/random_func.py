"""Random numbers. MindSpore: ``mindspore.ops.function.random_func``.

A ``seed`` argument other than None and 0 gives each call its own generator, so that one seed gives one result.
On a CPU the numbers of normal, uniform and Laplace functions are MindSpore's.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.random import *  # noqa: F403
from mindspore_compat.ops._mint_names import kept_in

__getattr__ = module_getattr(__name__, {**kept_in("random_func")}, fallback="ops.function")
