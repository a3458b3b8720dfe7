"""Operators that MindSpore generates: in class form (`gen_ops_prim`) and as functions (`gen_ops_def`) in one namespace.
MindSpore: ``mindspore.ops.auto_generate``. Libraries import operators from here.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops._mint_names import kept_in
from mindspore_compat.ops.auto_generate import gen_ops_def, gen_ops_prim  # noqa: F401
from mindspore_compat.ops.auto_generate.gen_ops_prim import UNSUPPORTED

from mindspore_compat.ops.auto_generate.gen_ops_def import *  # noqa: F403  # isort: skip
from mindspore_compat.ops.auto_generate.gen_ops_prim import *  # type: ignore[assignment]  # noqa: F403  # isort: skip

__getattr__ = module_getattr(
    __name__,
    {
        **kept_in("gen_ops_def"),
        "gen_extend_func": "ops.auto_generate.gen_extend_func:",
        "pyboost_inner_prim": "ops.auto_generate.pyboost_inner_prim:",
    },
    UNSUPPORTED,
)
