"""Runs Python code in a fresh interpreter, as a user's shell would."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["run_command", "run_forked", "run_python", "run_script"]

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
    """Write `source` to ``folder/script.py`` and run it as ``python -m mindspore_compat`` does."""
    (folder / "script.py").write_text(source, encoding="utf-8")
    return run_command(*options, "script.py", *arguments, cwd=folder)


#: imports the package, then runs each command line in a fork
_COMMANDS = """
import json, os, runpy, sys
import mindspore_compat.nn, mindspore_compat.ops
for line in sys.stdin:
    folder, arguments = json.loads(line)
    child = os.fork()
    if not child:
        for number, name in ((0, os.devnull), (1, "out.txt"), (2, "error.txt")):
            os.dup2(os.open(os.path.join(folder, ".run", name), os.O_CREAT | os.O_RDWR), number)
        os.chdir(folder)
        sys.path[0] = folder
        sys.argv = ["", *arguments]
        runpy.run_module("mindspore_compat", run_name="__main__", alter_sys=True)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@functools.cache
def _commands() -> subprocess.Popen[str]:
    """Return the process that runs commands, which ends with this one."""
    return subprocess.Popen(
        [sys.executable, "-c", _COMMANDS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"},
    )


def run_command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """``python -m mindspore_compat ARGUMENTS`` in folder `cwd`, in a fork of a process that has imported the package."""
    process = _commands()
    assert process.stdin is not None and process.stdout is not None
    folder = cwd / ".run"
    folder.mkdir(exist_ok=True)
    for name in ("out.txt", "error.txt"):
        (folder / name).unlink(missing_ok=True)
    process.stdin.write(json.dumps([str(cwd), arguments]) + "\n")
    process.stdin.flush()
    code = int(process.stdout.readline())
    outputs = [(folder / name).read_text(encoding="utf-8") for name in ("out.txt", "error.txt")]
    return subprocess.CompletedProcess(arguments, code, *outputs)


_IMPORTS = "import mindspore_compat.dataset, mindspore_compat.nn, mindspore_compat.ops, mindspore_compat.train"
#: imports once, then runs each code in a fork, as ``python -c`` would; what it prints goes into a file
_FORKS = """
import json, os, sys
exec(sys.argv[1])
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


def run_forked(
    codes: Mapping[str, str], folder: Path, *options: str, imports: str = _IMPORTS
) -> dict[str, tuple[int, str]]:
    """{name: (exit status, output)} of the codes, each in a fork of one process that has run ``imports``."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *options, "-c", _FORKS, imports],
        input=json.dumps(list(codes.values())),
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
        check=True,
    )
    statuses = map(int, done.stdout.split())
    return {name: (status, (folder / f"{n}.txt").read_text()) for n, (name, status) in enumerate(zip(codes, statuses))}
