"""``profile``, ``Profiler`` and the handler for their traces. MindSpore: ``mindspore.profiler``."""

from __future__ import annotations

import atexit
import json
import logging
import os
import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat.profiler.constant import ProfilerActivity
from mindspore_compat.profiler.schedule import ProfilerAction

__all__ = ["Profile", "Profiler", "tensorboard_trace_handler"]

_log = logging.getLogger("mindspore_compat")
_ACTIONS = {
    ProfilerAction.NONE: torch.profiler.ProfilerAction.NONE,
    ProfilerAction.WARM_UP: torch.profiler.ProfilerAction.WARMUP,
    ProfilerAction.RECORD: torch.profiler.ProfilerAction.RECORD,
    ProfilerAction.RECORD_AND_SAVE: torch.profiler.ProfilerAction.RECORD_AND_SAVE,
}


def tensorboard_trace_handler(
    dir_name: str | None = None, worker_name: str | None = None, analyse_flag: bool = True, async_mode: bool = False
) -> Callable[[Any], None]:
    """Return a function for ``on_trace_ready`` that writes the trace to ``DIR_NAME/WORKER_NAME.TIME.pt.trace.json``,
    for TensorBoard (with torch-tb-profiler) and ui.perfetto.dev.

    Args:
        dir_name: None: ``./data``.
        worker_name: None: the machine's name and the process's number.
        analyse_flag, async_mode: without effect; the trace is whole at once.

    Raises:
        OSError: if there is a file of the folder's name.
    """
    folder = Path(dir_name or "data")
    folder.mkdir(parents=True, exist_ok=True)
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def write(profile: Any) -> None:
        target = folder / f"{worker}.{time.time_ns()}.pt.trace.json"
        unfinished = target.with_name(f".{target.name}.unfinished.json")
        try:
            getattr(profile, "torch_profile", profile).export_chrome_trace(str(unfinished))
            os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)

    return write


def _activities(chosen: Iterable[Any] | None) -> list[Any]:
    """Return torch's activities; None means all. CUDA is skipped if there is none."""
    found = (
        set(ProfilerActivity) if chosen is None else {ProfilerActivity(getattr(item, "value", item)) for item in chosen}
    )
    on_device = found & {ProfilerActivity.NPU, ProfilerActivity.GPU} and torch.cuda.is_available()
    kinds = torch.profiler.ProfilerActivity
    cpu = [kinds.CPU] if ProfilerActivity.CPU in found or not on_device else []
    return [*cpu, kinds.CUDA] if on_device else cpu


_running: list[tuple[Profile, int]] = []  # the one that is recording, and its process


@atexit.register
def _end_what_is_running() -> None:
    """End running profiles. A process that ends while torch records crashes, and the trace is lost."""
    for profile, process in list(_running):
        if process == os.getpid():
            profile._end()


class Profile:
    """Recorder of operators (and kernels on CUDA) from `start` to `stop`, or of the steps of ``schedule``.

    Args:
        activities: of `ProfilerActivity`; None: all that there are.
        with_stack, profile_memory, record_shapes: whether each operator shows its place in Python, memory, shapes.
        start_profile: whether it starts at once.
        schedule: step -> `ProfilerAction`; with it `step` must be called after each step.
        on_trace_ready: gets the profile when a trace is whole; None: `tensorboard_trace_handler` into ``./data``.
        data_process, parallel_strategy, hbm_ddr, pcie, sync_enable, experimental_config: without effect.

    Examples:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> handler = ms.profiler.tensorboard_trace_handler(folder)
        >>> with ms.profiler.profile(on_trace_ready=handler):
        ...     total = ops.ones(3) + 1
        >>> import os
        >>> print(len(os.listdir(folder)))
        1
    """

    def __init__(
        self,
        activities: Iterable[Any] | None = None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        record_shapes: bool = False,
        schedule: Callable[[int], Any] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        experimental_config: Any = None,
    ) -> None:
        if schedule is not None and not callable(schedule):
            _log.warning("schedule is not Callable, set by default.")
            schedule = None
        self.schedule, self.step_num = schedule, 0
        self._metadata: dict[str, str] = {}
        self._has_started = self._has_recorded = False
        self._on_trace_ready = on_trace_ready
        self.torch_profile = torch.profiler.profile(
            activities=_activities(activities),
            schedule=None if schedule is None else lambda step: _ACTIONS[ProfilerAction(schedule(step).value)],
            on_trace_ready=lambda _: self._ready(),
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            acc_events=True,
        )
        if start_profile:
            self.start()

    def _ready(self) -> None:
        handler = self._on_trace_ready
        (tensorboard_trace_handler() if handler is None else handler)(self)

    def start(self) -> None:
        """Begin, unless another one is recording: torch supports one at a time, and crashes otherwise."""
        if self._has_started:
            _log.warning("The profile has already started. Do not turn on again in the open state.")
            return
        if _running:
            _log.error("Another profile is recording, this one records nothing. Stop the other one before its start.")
            return
        _running.append((self, os.getpid()))
        self._has_started = self._has_recorded = True
        self.torch_profile.start()
        for key, value in self._metadata.items():
            self.torch_profile.add_metadata_json(key, value)

    def stop(self) -> None:
        """End; the trace goes to ``on_trace_ready``."""
        if not self._has_started:
            _log.error("The profile has not started. Do not turn off again in the closed state.")
            return
        self._has_started = False
        _running.clear()
        self.torch_profile.stop()

    def _end(self) -> None:
        """Stop at the end of the program."""
        _log.warning("profile is not stopped at the end of the program. The data may be incomplete.")
        self.stop()

    def step(self) -> None:
        """End a step."""
        if self.schedule is None:
            _log.error("With no schedule in the Profiler, step takes no effect!")
        elif not self._has_started:
            _log.error("Profiler is stopped, step takes no effect!")
        else:
            self.step_num += 1
            self.torch_profile.step()

    def add_metadata(self, key: str, value: str) -> None:
        """Add a text to the trace under ``key``."""
        self.add_metadata_json(key, json.dumps(value))

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a value, as JSON, to the trace under ``key``; invalid JSON is skipped with a warning."""
        try:
            json.loads(value)
        except (TypeError, ValueError):
            _log.warning("The metadata value must be json format string. Skip this metadata")
            return
        self._metadata[str(key)] = value
        if self._has_started:
            self.torch_profile.add_metadata_json(str(key), value)

    def __enter__(self) -> Profile:
        if not self._has_started:
            self.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._has_started:
            self.stop()


_OPTIONS = (
    "activities with_stack profile_memory data_process start_profile record_shapes schedule on_trace_ready".split()
)


class Profiler(Profile):
    """MindSpore's older `profile`: the trace is written into ``output_path`` (``./data``) at `analyse`, or, with a
    schedule or ``on_trace_ready``, when it is complete. Options of Ascend are accepted without effect.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._folder = kwargs.get("output_path") or "data"
        self._is_written = False
        if kwargs.get("profile_framework") == "all" or kwargs.get("with_stack"):
            kwargs["with_stack"] = True
        super().__init__(**{name: kwargs[name] for name in _OPTIONS if name in kwargs})

    def _ready(self) -> None:
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)
            self._is_written = True
        elif self.schedule is not None:
            tensorboard_trace_handler(self._folder)(self)
            self._is_written = True

    def analyse(
        self, offline_path: Any = None, pretty: bool = False, step_list: Any = None, mode: str = "sync"
    ) -> None:
        """End, and write the trace."""
        if self._has_started:
            self.stop()
        if not self._has_recorded:
            _log.error("Profiler.analyse: nothing was recorded. Call start before.")
        elif not self._is_written:
            tensorboard_trace_handler(self._folder)(self)
            self._is_written = True

    def _end(self) -> None:
        _log.warning("Profiler is stopped at the end of the program.")
        self.analyse()

    @classmethod
    def offline_analyse(
        cls, path: str, pretty: bool = False, step_list: Any = None, data_simplification: bool = True
    ) -> None:
        """Do nothing: traces are complete when written."""

    def op_analyse(self, op_name: Any, device_id: int | None = None) -> Any:
        """Raise UnsupportedError.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("Profiler.op_analyse is not supported. Use 'profiler.torch_profile.key_averages()'.")
