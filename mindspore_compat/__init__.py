"""MindSpore's training API on PyTorch: ``import mindspore_compat as mindspore``."""

import gc as _gc
from os import environ as _environ

_collects = _gc.isenabled()
_gc.disable()  # collections while torch and this are loaded find nothing, and take a tenth of the time

from mindspore_compat import amp, common, communication, context, log, nn, ops, parallel, train
from mindspore_compat._api.alias import install, uninstall
from mindspore_compat._api.moved import register as _register
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._autograd.grad_function import _Function as _Function
from mindspore_compat._releases import select_inherited as _select_inherited
from mindspore_compat.common import *  # noqa: F403
from mindspore_compat.common import dtype
from mindspore_compat.common.api import JitConfig, jit, jit_class, lazy_inline, ms_class, ms_function, mutable, no_grad
from mindspore_compat.common.api import _no_grad as _no_grad
from mindspore_compat.common.device import DeviceCtx
from mindspore_compat.common.dump import set_dump
from mindspore_compat.common.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from mindspore_compat.common.tensor import from_numpy, tensor
from mindspore_compat.context import *  # noqa: F403
from mindspore_compat.ops import get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp, vmap
from mindspore_compat.ops.primitive import constexpr as constexpr
from mindspore_compat.parallel.shard import Layout, shard
from mindspore_compat.train import _eager as _train
from mindspore_compat.train._eager import *  # noqa: F403
from mindspore_compat.version import __version__, run_check

if "MINDSPORE_COMPAT_RELEASE" in _environ:
    _select_inherited()
if _collects:
    _gc.enable()

__all__ = [
    "install",
    "uninstall",
    "amp",
    "common",
    "communication",
    "mint",  # noqa: F405  (loads when asked for)
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
    "DeviceCtx",
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_dump",
    "set_rng_state",
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
]  # without the summaries, as in MindSpore

__getattr__ = module_getattr(
    __name__,
    {
        **{
            name: name
            for name in (
                *("boost", "compression", "dataset", "device_context", "experimental", "hal", "mindrecord", "mint"),
                "multiprocessing",
                *("numpy", "profiler", "rewrite", "runtime", "scipy", "utils"),
            )
        },  # imported on first use
        **dict.fromkeys(("bool", "int", "float", *dtype.PRINTED), "common.dtype"),
        **dict.fromkeys(
            "Event MemPool PluggableAllocator Stream StreamCtx StreamLimitCtx communication_stream current_stream "
            "default_stream dispatch_threads_num empty_cache get_device_limit get_stream_limit launch_blocking "
            "max_memory_allocated max_memory_reserved memory_allocated memory_replay memory_reserved memory_stats "
            "memory_summary reset_max_memory_allocated reset_max_memory_reserved reset_peak_memory_stats "
            "reset_stream_limit set_cpu_affinity set_cur_stream set_device_limit set_kernel_launch_capture "
            "set_kernel_launch_group set_memory set_stream_limit synchronize use_mem_pool".split(),
            "runtime",
        ),
        **dict.fromkeys(
            ("UntypedStorage", "frombuffer", "register_saved_tensors_hooks", "saved_tensors_hooks", "swap_tensors"),
            "common.saved_tensors",
        ),
        **dict.fromkeys(("Node", "NodeType", "ScopedValue", "SymbolTree", "ValueType"), "rewrite"),
        **dict.fromkeys(("parameter_broadcast", "sync_pipeline_shared_parameters"), "parallel"),
        **dict.fromkeys(("load_obf_params_into_net", "obfuscate_ckpt"), "train._checkpoint.obfuscation"),
        "issubclass_": "_ops.former",
        "recompute": "nn.recompute:recompute",
        "enable_dynamic": "common.enable_dynamic:enable_dynamic",
        **dict.fromkeys(("load_mindir", "save_mindir"), "train._export._write"),
        "no_inline": "common.api",
        "ms_memory_recycle": "common.api",
        "get_level": "log",
        "get_log_config": "log",
        "Profiler": "profiler:Profiler",
        "SummaryRecord": "train.summary",
        "SummaryCollector": "train.callback._summary_collector",
        "SummaryLandscape": "train.callback._landscape",
    },
)

_register()

if _environ.get("MS_PROFILER_OPTIONS"):  # MindSpore profiles from its import on
    from mindspore_compat import profiler  # noqa: F401
