"""Runs Python code in a fresh interpreter, as a user's shell would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["run_python", "run_script"]

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
