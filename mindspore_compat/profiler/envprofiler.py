"""A profile set by the environment. MindSpore: ``mindspore.profiler.EnvProfiler``."""

from __future__ import annotations

import atexit
import json
import logging
import os
from typing import Any

from mindspore_compat.profiler.constant import ProfilerActivity
from mindspore_compat.profiler.profiling import Profile, tensorboard_trace_handler

__all__ = ["EnvProfiler"]

_log = logging.getLogger("mindspore_compat")


class EnvProfiler:
    """Profile of the whole run from the import, by ``MS_PROFILER_OPTIONS='{"start": true, "output_path": "traces"}'``.

    Known keys: start, output_path, activities, with_stack, profile_memory, record_shapes.
    """

    profiler: Any = None

    @classmethod
    def init_profiler(cls) -> None:
        """Start the profile of the environment; the trace is written at the end of the process."""
        text = os.environ.get("MS_PROFILER_OPTIONS")
        if not text or cls.profiler is not None:
            return
        try:
            options = json.loads(text)
            assert isinstance(options, dict)
        except (ValueError, AssertionError):
            _log.error("MS_PROFILER_OPTIONS must be a JSON object, but it is %r. Nothing is profiled.", text)
            return
        if not options.get("start", False):
            return
        chosen = [ProfilerActivity(name) for name in options.get("activities", ()) if name in ("NPU", "GPU", "CPU")]
        flags: dict[str, Any] = {
            name: bool(options.get(name)) for name in ("with_stack", "profile_memory", "record_shapes")
        }
        cls.profiler = Profile(
            activities=chosen or None, on_trace_ready=tensorboard_trace_handler(options.get("output_path")), **flags
        )
        atexit.register(cls().analyse)

    def analyse(self) -> None:
        """End the profile and write its trace."""
        if self.profiler is not None and self.profiler._has_started:
            self.profiler.stop()
