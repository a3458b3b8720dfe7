"""``mindspore.profiler`` on ``torch.profiler``: traces of operators and kernels that TensorBoard and Perfetto open."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.profiler.constant import AicoreMetrics, ExportType, HostSystem, ProfilerActivity, ProfilerLevel
from mindspore_compat.profiler.dynamic_profiler import DynamicProfilerMonitor
from mindspore_compat.profiler.envprofiler import EnvProfiler
from mindspore_compat.profiler.experimental_config import _ExperimentalConfig
from mindspore_compat.profiler.mstx import Mstx as mstx
from mindspore_compat.profiler.profiling import Profile as profile
from mindspore_compat.profiler.profiling import Profiler, tensorboard_trace_handler
from mindspore_compat.profiler.schedule import Schedule as schedule

__all__ = [
    "AicoreMetrics",
    "DynamicProfilerMonitor",
    "EnvProfiler",
    "ExportType",
    "HostSystem",
    "Profiler",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "mstx",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]
__getattr__ = module_getattr(__name__, {"profiler": "profiler.profiler:"})
EnvProfiler.init_profiler()
