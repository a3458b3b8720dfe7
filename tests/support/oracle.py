"""Runs code under a real MindSpore, where one is installed (`make oracle`)."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.support.processes import run_command, run_python

__all__ = ["oracle_python", "run_both", "run_oracle", "run_program_both"]

_ROOT = Path(__file__).parents[2]
_CANDIDATES = (_ROOT / ".venv-oracle/bin/python", Path("/opt/oracle/venv/bin/python"))
# MindSpore's CPU convolutions are some 70 times slower with the AVX-512 code that oneDNN would choose by itself
_ENVIRONMENT = {"ONEDNN_MAX_CPU_ISA": "AVX2", "DNNL_MAX_CPU_ISA": "AVX2", "GLOG_v": "3"}
_RESULT = "ORACLE-RESULT "
_PRELUDE = f"import json\ndef give(value):\n    print({_RESULT!r} + json.dumps(value), flush=True)\n"


@functools.cache
def oracle_python() -> str | None:
    """The Python that has a real MindSpore, or None."""
    named = os.environ.get("MINDSPORE_ORACLE_PYTHON")
    if named:
        return named
    return next((str(path) for path in _CANDIDATES if path.exists() and _has_mindspore(path)), None)


def _has_mindspore(python: Path) -> bool:
    code = "import importlib.util as u, sys; sys.exit(u.find_spec('mindspore') is None)"
    return subprocess.run([str(python), "-c", code], check=False).returncode == 0


def run_oracle(code: str, *arguments: str, timeout: float = 300, cwd: str | Path | None = None) -> Any:
    """Run `code` under real MindSpore; `arguments` are its ``sys.argv[1:]``.

    The code may call ``give(value)`` with anything that JSON holds.

    Returns:
        What the last ``give`` got; without one, everything it printed.
    Raises:
        RuntimeError: it failed; the message holds the end of its stderr.
    """
    python = oracle_python()
    if python is None:
        raise RuntimeError("no real MindSpore found: mark the test @pytest.mark.oracle, or run `make oracle`.")
    # neither the checkout nor the alias may stand in the real one's way
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [python, "-c", _PRELUDE + code, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env={**environment, **_ENVIRONMENT},
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the oracle's code failed with {done.returncode}:\n{done.stderr[-4000:]}")
    return _given(done.stdout)


def _given(output: str) -> Any:
    given = [line for line in output.splitlines() if line.startswith(_RESULT)]
    return json.loads(given[-1][len(_RESULT) :]) if given else output


def run_both(code: str) -> tuple[Any, Any]:
    """What the last ``give`` of `code` gets here, in a process where ``import mindspore`` is ours, and from real
    MindSpore.
    """
    ours = "import mindspore_compat; mindspore_compat.install()\n" + _PRELUDE + code
    done = run_python("-c", ours, cwd=_ROOT)
    assert done.returncode == 0, done.stderr
    return _given(done.stdout), run_oracle(code)


def run_program_both(program: Path, folder: Path) -> tuple[Any, Any]:
    """What `program` writes as JSON into the file that it is given, where ``import mindspore`` is ours and under the
    real one.
    """
    file = folder / "found.json"
    done = run_command(str(program), str(file), cwd=_ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    ours = json.loads(file.read_text())
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"GLOG_v": "4"}
    command = [str(oracle_python()), str(program), str(file)]
    done = subprocess.run(command, env=environment, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return ours, json.loads(file.read_text())
