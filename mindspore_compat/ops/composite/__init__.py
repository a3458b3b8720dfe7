"""Composite operators; conventionally imported as ``C``. MindSpore: ``mindspore.ops.composite``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.grad_operation import GradOperation, get_grad, grad, stop_gradient, value_and_grad
from mindspore_compat.ops.composite import base, math_ops
from mindspore_compat.ops.composite.base import *  # noqa: F403
from mindspore_compat.ops.composite.math_ops import *  # noqa: F403

__all__ = [*base.__all__, *math_ops.__all__, "GradOperation", "get_grad", "grad", "stop_gradient", "value_and_grad"]
_AUGMENTED = (
    "augassign_add augassign_sub augassign_mul augassign_div augassign_floordiv augassign_mod hyper_add".split()
)
_FUNCTIONS = ("cummin", "repeat_interleave", "vecdot")
__all__ += [*_AUGMENTED, *_FUNCTIONS, "recompute_block"]  # noqa: F405
__getattr__ = module_getattr(
    __name__,
    {
        **dict.fromkeys(_AUGMENTED, "ops.composite._augmented"),
        **dict.fromkeys(_FUNCTIONS, "ops.function"),
        "recompute_block": "_autograd.cell_bprop",
    },
)
