"""The profiler under the name of MindSpore's file: ``mindspore.profiler.profiler``."""

from __future__ import annotations

import os

from mindspore_compat._api.validate import check_type
from mindspore_compat.log import warning
from mindspore_compat.profiler.profiling import Profile, Profiler, tensorboard_trace_handler

__all__ = ["Profile", "Profiler", "analyse", "tensorboard_trace_handler"]


def analyse(
    profiler_path: str,
    max_process_number: int | None = None,
    pretty: bool = False,
    step_list: list[int] | None = None,
    data_simplification: bool = True,
) -> None:
    """Check for traces. MindSpore builds tables from an Ascend's data here; these traces are complete when written.
    Files in ``profiler_path`` stay unchanged, and a folder without traces is reported.
    """
    folder = os.path.realpath(check_type(profiler_path, "profiler_path", str, "analyse"))
    traces = [name for _, _, names in os.walk(folder) for name in names if name.endswith((".json", ".json.gz"))]
    if not traces:
        warning(f"analyse: {folder} holds no trace of `mindspore.profiler`; traces need no analysis here.")
