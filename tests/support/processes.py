"""Runs Python code in a fresh interpreter, as a user's shell would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["run_forked", "run_python", "run_script"]

_ROOT = Path(__file__).parents[2]


def run_python(*arguments: str, cwd: Path, timeout: float = 400) -> subprocess.CompletedProcess[str]:
    """``python ARGUMENTS`` in folder `cwd`, with this checkout importable."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        timeout=timeout,
        check=False,
    )


def run_script(
    folder: Path, source: str, *arguments: str, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Write `source` to ``folder/script.py`` and run it by ``python -m mindspore_compat``."""
    (folder / "script.py").write_text(source, encoding="utf-8")
    return run_python("-m", "mindspore_compat", *options, "script.py", *arguments, cwd=folder)


#: imports once, then runs each code in a fork, as ``python -c`` would; what it prints goes into a file
_FORKS = """
import json, os, sys
import mindspore_compat.dataset, mindspore_compat.nn, mindspore_compat.ops, mindspore_compat.train
for number, code in enumerate(json.load(sys.stdin)):
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.mkdir(str(number))
        output = os.open(f"{number}.txt", os.O_CREAT | os.O_WRONLY)
        os.dup2(output, 1), os.dup2(output, 2)
        os.chdir(str(number))
        exec(code)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def run_forked(codes: Mapping[str, str], folder: Path, *options: str) -> dict[str, tuple[int, str]]:
    """{name: (exit status, output)} of the codes, each in a fork of one process that has imported the package."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *options, "-c", _FORKS],
        input=json.dumps(list(codes.values())),
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
        check=True,
    )
    statuses = map(int, done.stdout.split())
    return {name: (status, (folder / f"{n}.txt").read_text()) for n, (name, status) in enumerate(zip(codes, statuses))}
