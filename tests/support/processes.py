"""Runs Python code in a process of its own, as a user's shell would."""

from __future__ import annotations

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["run_command", "run_python", "run_script"]

_ROOT = Path(__file__).parents[2]
_OURS = {"PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"}
_AT_FIRST = {**os.environ, **_OURS}  # without what tests set


def run_python(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    input: str = "",
    timeout: int = 400,
    fresh: bool = False,
) -> subprocess.CompletedProcess[str]:
    """``python ARGUMENTS`` in folder ``cwd``, with this checkout importable.

    The process is a fork of one that has imported the package, and what torch imports at its first use of optimizers,
    compilers and DTensors, which saves four seconds. ``fresh`` starts an interpreter: for what happens at an import.
    """
    environment = {**os.environ, **_OURS, **(environment or {})}
    if fresh:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, input=input, capture_output=True, text=True, cwd=cwd, env=environment, timeout=timeout, check=False
        )
    server = _fork_server()
    assert server.stdin is not None and server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("stdin", "stdout", "stderr")]
        files[0].write_text(input, encoding="utf-8")
        request = {
            "arguments": arguments,
            "folder": str(cwd),
            "environment": environment,
            "files": list(map(str, files)),
            "limit": timeout,
        }
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        outputs = [file.read_text(encoding="utf-8") if file.exists() else "" for file in files[1:]]
    return subprocess.CompletedProcess(arguments, status, *outputs)


@functools.cache
def _fork_server() -> subprocess.Popen[str]:
    """Return the process that forks, which ends with this one."""
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("fork_server.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=_AT_FIRST,
    )
    atexit.register(server.communicate)
    return server


def run_command(
    *arguments: str, cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """``python -m mindspore_compat ARGUMENTS`` in folder ``cwd``."""
    return run_python("-m", "mindspore_compat", *arguments, cwd=cwd, environment=environment)


def run_script(
    folder: Path, source: str, *arguments: str, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Write ``source`` to ``folder/script.py`` and run it as ``python -m mindspore_compat`` does."""
    (folder / "script.py").write_text(source, encoding="utf-8")
    return run_command(*options, "script.py", *arguments, cwd=folder)
