"""Gradients of operators as operators, where upstream keeps them: ``mindspore.ops.operations._grad_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops.operations._gradient_layer_ops import *  # noqa: F403
from mindspore_compat.ops.operations._gradient_ops import *  # noqa: F403
from mindspore_compat.ops.operations._gradient_table import *  # noqa: F403

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
