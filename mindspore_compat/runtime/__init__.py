"""``mindspore.runtime``: streams, events, memory and threads of the device that computes.

On a CUDA device they are torch's. On a CPU everything runs in order: there is one stream, nothing has to be waited for,
and the statistics of device memory are 0, as real MindSpore's are there.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.runtime.event import Event
from mindspore_compat.runtime.executor import (
    dispatch_threads_num,
    launch_blocking,
    set_cpu_affinity,
    set_kernel_launch_capture,
    set_kernel_launch_group,
)
from mindspore_compat.runtime.memory import (
    MemPool,
    PluggableAllocator,
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    reset_peak_memory_stats,
    set_memory,
    use_mem_pool,
)
from mindspore_compat.runtime.stream import (
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    set_cur_stream,
    synchronize,
)

__all__ = [
    "Event",
    "MemPool",
    "PluggableAllocator",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "dispatch_threads_num",
    "empty_cache",
    "launch_blocking",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_cpu_affinity",
    "set_cur_stream",
    "set_kernel_launch_capture",
    "set_kernel_launch_group",
    "set_memory",
    "synchronize",
    "use_mem_pool",
]
_CORES = "it limits Ascend's cube and vector cores; a GPU's kernels can not be limited so."
__getattr__ = module_getattr(
    __name__,
    unsupported={
        **dict.fromkeys(
            (
                "get_device_limit",
                "set_device_limit",
                "get_stream_limit",
                "set_stream_limit",
                "reset_stream_limit",
                "StreamLimitCtx",
            ),
            _CORES,
        ),
        "memory_replay": "it replays a trace of upstream's memory pool; use torch.cuda.memory._record_memory_history.",
    },
)
