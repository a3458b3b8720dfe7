"""A profile started by a file while the program runs. MindSpore: ``mindspore.profiler.DynamicProfilerMonitor``."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Any

from mindspore_compat.common.callback import Callback
from mindspore_compat.profiler.profiling import Profile, tensorboard_trace_handler

__all__ = ["DynamicProfilerMonitor"]

_log = logging.getLogger("mindspore_compat")


class DynamicProfilerMonitor(Callback):
    """Profiler of the steps from "start_step" to "stop_step" (both included) in ``CFG_PATH/profiler_config.json``,
    which may be written at any time. A callback of `Model.train`, or call `step` after each step of a loop.

    Args:
        cfg_path: the folder of the file. Further keys of it: with_stack, profile_memory, record_shapes (bools).
        output_path: where traces are written.
        poll_interval: how often the file is looked at, in seconds.

    Raises:
        ValueError: without ``cfg_path``.
    """

    def __init__(
        self, cfg_path: Any = None, output_path: str = "./dyn_profile_data", poll_interval: float = 2, **kwargs: Any
    ) -> None:
        if not cfg_path:
            raise ValueError("For 'DynamicProfilerMonitor', 'cfg_path' must be a folder, but got nothing.")
        self._file = Path(cfg_path) / "profiler_config.json"
        self._output, self._interval = output_path, poll_interval
        self._read_at, self._modified = float("-inf"), 0
        self._config: dict[str, Any] = {}
        self._profile: Profile | None = None
        self.step_num = 0

    def step(self) -> None:
        """End a step; the next one is profiled if the file says so."""
        self.step_num += 1
        self._look()
        if self._profile is not None and self.step_num > self._config["stop_step"]:
            self._stop()
        self._start(self.step_num)

    def step_begin(self, run_context: Any) -> None:
        """Profile the step if the file says so; its number is `Model.train`'s."""
        self._look()
        self._start(run_context.original_args().cur_step_num)

    def step_end(self, run_context: Any) -> None:
        """End the profile with its last step."""
        if self._profile is not None and run_context.original_args().cur_step_num >= self._config["stop_step"]:
            self._stop()

    def _stop(self) -> None:
        if self._profile is not None:
            self._profile.stop()
        self._profile = None

    def _start(self, step_num: int) -> None:
        if self._profile is None and step_num == self._config.get("start_step"):
            options: dict[str, Any] = {
                name: bool(self._config.get(name)) for name in ("with_stack", "profile_memory", "record_shapes")
            }
            self._profile = Profile(on_trace_ready=tensorboard_trace_handler(self._output), **options)

    def _look(self) -> None:
        if self._profile is not None or time.monotonic() - self._read_at < self._interval:
            return
        self._read_at = time.monotonic()
        try:
            modified = self._file.stat().st_mtime_ns
            if modified == self._modified:
                return
            config = json.loads(self._file.read_text())
        except FileNotFoundError:
            return
        except ValueError:
            return  # being written
        self._modified = modified
        steps: list[Any] = (
            [config.get(name) for name in ("start_step", "stop_step")] if isinstance(config, dict) else []
        )
        if len(steps) == 2 and all(isinstance(item, int) for item in steps) and 0 <= steps[0] <= steps[1]:
            self._config = config
        else:
            _log.warning("%s must hold 'start_step' and 'stop_step', in this order; it is left alone.", self._file)
