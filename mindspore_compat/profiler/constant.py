"""Options of the profiler. MindSpore: ``mindspore.profiler``'s enumerations. Ascend's own have no effect."""

from enum import Enum

__all__ = ["AicoreMetrics", "ExportType", "HostSystem", "ProfilerActivity", "ProfilerLevel"]


class ProfilerActivity(Enum):
    """Profiled device: NPU and GPU are both CUDA here."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class ProfilerLevel(Enum):
    """Level of detail; torch has one level."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AicoreMetrics(Enum):
    """Counters of Ascend's cores."""

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """Formats of MindSpore's own tables; here the trace is always written as JSON."""

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """MindSpore's samples of the host."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"
