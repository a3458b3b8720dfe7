"""Composite operators; conventionally imported as ``C``. Upstream: ``mindspore.ops.composite``."""

from mindspore_compat.ops.composite.base import (
    HyperMap,
    Map,
    MultitypeFuncGraph,
    add_flags,
    core,
    env_get,
    tail,
    zip_operation,
)
from mindspore_compat.ops.composite.grad import GradOperation, get_grad, grad, stop_gradient, value_and_grad

_LATER = {
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
}

__all__ = [
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "add_flags",
    "core",
    "env_get",
    "get_grad",
    "grad",
    "stop_gradient",
    "tail",
    "value_and_grad",
    "zip_operation",
    *sorted(_LATER),
]


def __getattr__(name: str) -> object:
    # ops.function imports composite.grad, so composite can ask for its functions only when they are wanted
    if name in _LATER:
        from mindspore_compat.ops.composite import math_ops

        globals().update({key: getattr(math_ops, key) for key in _LATER})
        return globals()[name]
    raise AttributeError(f"module 'mindspore.ops.composite' has no attribute '{name}'")
