"""Seeds, guards against what a test may leave behind, and what is skipped where."""

from __future__ import annotations

import collections
import functools
import gc
import math
import multiprocessing
import os
import random
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
import torch

from tests.support.oracle import oracle_python
from tests.support.sessions_device import on_cuda, skip_cpu_only, start_on_cuda

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # torch.compile leaves no pool of threads behind

hypothesis.settings.register_profile("untimed", deadline=None)  # no test fails for a slow machine
hypothesis.settings.load_profile("untimed")

# set by libraries when they first work, not by us
_FOREIGN_VARIABLES = (
    "PYTEST_",
    "KMP_",
    "TORCHINDUCTOR_",
    "_TORCHINDUCTOR_",
    "TRITON_",
    "CUDA_MODULE_LOADING",
    "TF_",
    "COLUMNS",
    "LINES",
)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--device") == "cuda":
        start_on_cuda()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--device") == "cuda":
        skip_cpu_only(items)
    reasons = {
        "oracle": (lambda: oracle_python() is not None, "no real MindSpore installed (make oracle)"),
        "gpu": (torch.cuda.is_available, "no CUDA device"),
    }
    for name, (is_there, reason) in reasons.items():
        marked = [item for item in items if item.get_closest_marker(name)]
        if marked and not is_there():
            for item in marked:
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave out of Python's garbage collections what was imported and collected; tensors that move to a device stay."""
    if session.config.getoption("--device") != "cuda":
        gc.collect()
        gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        choices=("cpu", "cuda"),
        default="cpu",
        help="where the session's tensors lie; cuda without a GPU is the fake device (tests/support/fakecuda)",
    )
    parser.addoption(
        "--known-skips",
        metavar="FILE",
        help="fail if tests are skipped that FILE does not expect: CI's tests/expected_skips.txt",
    )


def expected_skips(text: str) -> list[tuple[float, re.Pattern[str]]]:
    """(most of them, pattern of the reason) of each line ``NUMBER PATTERN`` or ``any PATTERN``; # starts a comment."""
    rows = [line.split(maxsplit=1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(math.inf if count == "any" else int(count), re.compile(pattern)) for count, pattern in rows]


def unexpected_skips(reasons: list[str], expected: list[tuple[float, re.Pattern[str]]]) -> list[str]:
    """What of the reasons for skips is not expected, or more often than it is."""
    counts = collections.Counter(
        next((place for place, (_, pattern) in enumerate(expected) if pattern.search(reason)), reason)
        for reason in reasons
    )
    return [
        f"{count} x {key}"
        if isinstance(key, str)
        else f"{count} x {expected[key][1].pattern}, {expected[key][0]} expected"
        for key, count in counts.items()
        if isinstance(key, str) or count > expected[key][0]
    ]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    file = session.config.getoption("--known-skips")
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if file is None or reporter is None:
        return
    reasons = [report.longrepr[2].removeprefix("Skipped: ") for report in reporter.stats.get("skipped", [])]
    found = unexpected_skips(reasons, expected_skips(Path(file).read_text()))
    if found:
        reporter.write_line("\nSkipped without a reason in " + f"{file}:\n" + "\n".join(found), red=True)
        session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def seed(request: pytest.FixtureRequest) -> None:
    """Every test starts from the same random state, and without a seed that another chose."""
    random.seed(1)
    np.random.seed(1)
    if request.config.getoption("--device") == "cuda":
        torch.manual_seed(1)
    else:
        torch.default_generator.manual_seed(1)  # without the half millisecond in which torch looks for devices
    if chosen := sys.modules.get("mindspore_compat.common.seed"):
        chosen._seed = chosen._generator = None
    if datasets := sys.modules.get("mindspore_compat.dataset.core.randomness"):
        datasets.reseed(datasets.DEFAULT_SEED)


@pytest.fixture(autouse=True, scope="module")
def pynative_at_first() -> None:
    """Every file starts in PyNative mode, whatever ran before it in this process."""
    context = sys.modules.get("mindspore_compat.context")
    if context is not None and context.is_graph_mode():
        context.set_context(mode=context.PYNATIVE_MODE)


@pytest.fixture(autouse=True)
def device(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test starts on the session's device."""
    if request.config.getoption("--device") == "cuda":
        with on_cuda():
            yield
    else:
        yield


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    """A test leaves no environment variable, import hook, child process, torch default or process group behind."""
    before = _process_state()
    yield
    for child in multiprocessing.active_children():
        child.join(timeout=5)
    after = _process_state()
    leaked = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    assert not leaked, f"the test left this changed (before, after): {leaked}"


@functools.lru_cache(1)
def _environment(variables: tuple[tuple[bytes, bytes], ...]) -> dict[str, str]:
    """The environment without `_FOREIGN_VARIABLES`; most tests leave it as it is, so it is seldom made anew."""
    return {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN_VARIABLES)}


def _process_state() -> dict[str, object]:
    return {
        "environment": _environment(tuple(os.environ._data.items())),
        "working folder": os.getcwd(),
        "import hooks": [type(finder).__name__ for finder in sys.meta_path if "mindspore" in type(finder).__module__],
        "child processes": [child.name for child in multiprocessing.active_children()],
        "threads": sorted(t.name for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()),
        "torch default dtype": torch.get_default_dtype(),
        "gradients on": torch.is_grad_enabled(),
        "autocast on": torch.is_autocast_enabled(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "process group": torch.distributed.is_available() and torch.distributed.is_initialized(),
    }
