"""Options of ``mindspore.profiler._ExperimentalConfig``: stored; they have an effect on Ascend only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mindspore_compat.profiler.constant import AicoreMetrics, ExportType, ProfilerLevel

__all__ = ["_ExperimentalConfig"]


@dataclass
class _ExperimentalConfig:
    """Options of MindSpore's tools."""

    profiler_level: ProfilerLevel = ProfilerLevel.Level0
    aic_metrics: AicoreMetrics = AicoreMetrics.AiCoreNone
    l2_cache: bool = False
    mstx: bool = False
    data_simplification: bool = True
    export_type: list[Any] = field(default_factory=lambda: [ExportType.Text])
    mstx_domain_include: list[str] = field(default_factory=list)
    mstx_domain_exclude: list[str] = field(default_factory=list)
    sys_io: bool = False
    sys_interconnection: bool = False
    host_sys: list[Any] = field(default_factory=list)
