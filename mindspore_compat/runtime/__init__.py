"""``mindspore.runtime``: streams, events, memory and threads of the current device.

On a CUDA device they are torch's. On a CPU everything runs in order: there is one stream, waiting is never necessary,
and the statistics of device memory are 0, as in real MindSpore.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.runtime import executor, memory, stream
from mindspore_compat.runtime.event import Event
from mindspore_compat.runtime.executor import *  # noqa: F403
from mindspore_compat.runtime.memory import *  # noqa: F403
from mindspore_compat.runtime.stream import *  # noqa: F403

__all__ = ["Event", *executor.__all__, *memory.__all__, *stream.__all__]
_CORES = "it limits Ascend's cube and vector cores; a GPU's kernels cannot be limited so."
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
        "memory_replay": "it replays a trace of MindSpore's memory pool; use torch.cuda.memory._record_memory_history.",
    },
)
