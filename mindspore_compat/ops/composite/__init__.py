"""Composite operators; conventionally imported as ``C``. Upstream: ``mindspore.ops.composite``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops.composite.base import (
    HyperMap,
    Map,
    MultitypeFuncGraph,
    add_flags,
    core,
    env_get,
    iter_converter,
    ms_hasnext,
    ms_next,
    tail,
    zip_operation,
)
from mindspore_compat.ops.composite.math_ops import (
    batch_dot,
    clip_by_global_norm,
    clip_by_value,
    count_nonzero,
    dot,
    gamma,
    laplace,
    matmul,
    mm,
    multinomial,
    normal,
    ones_like,
    poisson,
    repeat_elements,
    sequence_mask,
    tensor_dot,
    uniform,
    zeros_like,
)
from mindspore_compat.ops.function.grad._operation import GradOperation, get_grad, grad, stop_gradient, value_and_grad

__all__ = [
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "add_flags",
    "iter_converter",
    "ms_hasnext",
    "ms_next",
    "core",
    "env_get",
    "get_grad",
    "grad",
    "stop_gradient",
    "tail",
    "value_and_grad",
    "zip_operation",
    "batch_dot",
    "clip_by_global_norm",
    "clip_by_value",
    "count_nonzero",
    "dot",
    "gamma",
    "laplace",
    "matmul",
    "mm",
    "multinomial",
    "normal",
    "ones_like",
    "poisson",
    "repeat_elements",
    "sequence_mask",
    "tensor_dot",
    "uniform",
    "zeros_like",
]
_AUGMENTED = (
    "augassign_add augassign_sub augassign_mul augassign_div augassign_floordiv augassign_mod hyper_add".split()
)
_FUNCTIONS = ("cummin", "repeat_interleave", "vecdot")
__all__ += [*_AUGMENTED, *_FUNCTIONS, "recompute_block"]
__getattr__ = module_getattr(
    __name__,
    {
        **dict.fromkeys(_AUGMENTED, "ops.composite._augmented"),
        **dict.fromkeys(_FUNCTIONS, "ops.function"),
        "recompute_block": "nn._bprop",
    },
)
