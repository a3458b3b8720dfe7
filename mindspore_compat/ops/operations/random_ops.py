"""Random numbers in class form. MindSpore: ``mindspore.ops.operations.random_ops``. Seeds work as in
``function.random_func``.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import random

globals().update(random.PRIMITIVES)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
