"""MindSpore's training API on PyTorch: ``import mindspore_compat as mindspore``."""

import gc as _gc

_collects = _gc.isenabled()
_gc.disable()  # collections while torch and this are loaded find nothing, and take a tenth of the time

from mindspore_compat import amp, common, communication, context, log, mint, nn, ops, parallel, train
from mindspore_compat._api.alias import install, uninstall
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.common import *  # noqa: F403
from mindspore_compat.common import dtype
from mindspore_compat.common.api import JitConfig, jit, jit_class, lazy_inline, ms_class, ms_function, mutable, no_grad
from mindspore_compat.common.seed import manual_seed
from mindspore_compat.common.tensor import from_numpy, tensor
from mindspore_compat.context import *  # noqa: F403
from mindspore_compat.ops.function.grad import jacfwd, jacrev, jvp, vjp, vmap
from mindspore_compat.ops.function.grad._operation import get_grad, grad, value_and_grad
from mindspore_compat.parallel.shard import Layout, shard
from mindspore_compat.train import _eager as _train
from mindspore_compat.train._eager import *  # noqa: F403
from mindspore_compat.version import __version__, run_check

if _collects:
    _gc.enable()

__all__ = [
    "install",
    "uninstall",
    "amp",
    "common",
    "communication",
    "mint",
    "context",
    "dtype",
    "log",
    "nn",
    "ops",
    "parallel",
    "train",
    "JitConfig",
    "Layout",
    "jit",
    "jit_class",
    "lazy_inline",
    "ms_class",
    "ms_function",
    "mutable",
    "no_grad",
    "manual_seed",
    "from_numpy",
    "tensor",
    "get_grad",
    "grad",
    "value_and_grad",
    "jacfwd",
    "jacrev",
    "jvp",
    "vjp",
    "vmap",
    "run_check",
    "shard",
    "__version__",
    *common.__all__,
    *context.__all__,
    *_train.__all__,
]  # without the summaries, as upstream

__getattr__ = module_getattr(
    __name__,
    {
        **{
            name: name
            for name in ("boost", "compression", "dataset", "experimental", "mindrecord", "mint", "numpy", "profiler")
        },  # imported on first use
        **dict.fromkeys(("bool", "int", "float"), "common.dtype"),
        "Profiler": "profiler:Profiler",
        "SummaryRecord": "train.summary",
        "SummaryCollector": "train.callback._summary_collector",
        "SummaryLandscape": "train.callback._landscape",
    },
)
