"""Runs a project's stages, each in a process group of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .recipe import Edit, Project, Stage, losses_in

__all__ = ["run_project"]

ROOT = Path(__file__).parents[2]
START = Path(__file__).with_name("start")
_SIGNS_KEPT = 1500
_COMPARED = 6  # losses kept beside the first and the last
_QUIET = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "Agg",
    "DEVICE_ID": "0",
    "RANK_ID": "0",
    "RANK_SIZE": "1",
    "DEVICE_NUM": "1",
}  # as the projects' shell scripts set them
_REAL = {**_QUIET, "ONEDNN_MAX_CPU_ISA": "AVX2", "DNNL_MAX_CPU_ISA": "AVX2", "GLOG_v": "3"}


def run_project(
    project: Project, models: Path, oracle: str | None = None, keep: Path | None = None, moved: float = 0.0
) -> dict[str, dict[str, Any]]:
    """{stage: what came of it}, of ours, or with ``oracle`` (a Python) of real MindSpore. With ``moved`` what
    optimizers get is moved by this part of itself first.

    What came of it: ``end`` ("ended", "failed" or "timeout"), ``seconds``, ``losses`` (first, last),
    ``begins`` (the first few), ``tail`` of the output, ``error``. ``keep`` is a folder to work in and leave as it is;
    without it a temporary one is used and removed.
    """
    if keep is not None:
        shutil.rmtree(keep, ignore_errors=True)
        keep.mkdir(parents=True)
        return _run_in(keep, project, models, oracle, moved)
    with tempfile.TemporaryDirectory(prefix=f"{project.name}-") as folder:
        return _run_in(Path(folder), project, models, oracle, moved)


def _run_in(
    folder: Path, project: Project, models: Path, oracle: str | None, moved: float
) -> dict[str, dict[str, Any]]:
    home, data, out, library = folder / "zoo" / project.path, folder / "data", folder / "out", folder / "library"
    for path in (project.path, *project.needs):
        shutil.copytree(models / path, folder / "zoo" / path, symlinks=True, dirs_exist_ok=True)
    for made in (data, out, library):
        made.mkdir()
    # alone: the checkout's other packages are not for the project to see
    for name, source in {
        "mindspore_compat": ROOT / "mindspore_compat",
        "sitecustomize.py": START / "ours/sitecustomize.py",
        "alike.py": START / "alike.py",
    }.items():
        (library / name).symlink_to(source)
    project.data(data)
    for edit in (*project.edits, *(project.real if oracle else ())):
        apply(edit, home, {"data": str(data), "out": str(out)})
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    environment |= {**(_REAL if oracle else _QUIET), "MOVED_WEIGHTS": str(moved), **project.environment}
    first = [str(START / "real"), str(START)] if oracle else [str(library)]
    environment["PYTHONPATH"] = os.pathsep.join([*first, *filter(None, [project.environment.get("PYTHONPATH")])])
    start = [oracle] if oracle else [sys.executable, "-m", "mindspore_compat"]
    return {stage.name: _run_stage(stage, start, home, data, out, environment) for stage in project.stages}


def apply(edit: Edit, home: Path, places: dict[str, str]) -> None:
    """Raises ValueError: no file has what is to be replaced."""
    new = edit.new
    for key, value in places.items():
        new = new.replace("{" + key + "}", value)
    found = 0
    for path in sorted(home.glob(edit.glob)):
        text, count = re.subn(edit.pattern, new, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if count:
            path.chmod(0o644)
            path.write_text(text, encoding="utf-8")
        found += count
    if not found:
        raise ValueError(f"nothing in {home}/{edit.glob} matches {edit.pattern!r}")


def _filled(command: str, home: Path, data: Path, out: Path) -> list[str]:
    def newest(found: re.Match[str]) -> str:
        paths = [path for base in (home, out) for path in base.glob(found.group(1))]
        if not paths:
            raise FileNotFoundError(f"an earlier stage left no {found.group(1)}")
        return str(max(paths, key=lambda path: (path.stat().st_mtime_ns, str(path))))

    text = command.replace("{data}", str(data)).replace("{out}", str(out))
    return shlex.split(re.sub(r"\{newest:([^}]+)\}", newest, text))


def _run_stage(
    stage: Stage, start: Sequence[str], home: Path, data: Path, out: Path, environment: dict[str, str]
) -> dict[str, Any]:
    try:
        command = [*start, *_filled(stage.command, home, data, out)]
    except FileNotFoundError as error:
        return {"end": "failed", "seconds": 0.0, "losses": [], "error": str(error), "tail": ""}
    before = {path: path.stat().st_mtime_ns for path in _products(stage, home, out)}
    log = out.parent / f"{stage.name}.log"
    began = time.monotonic()
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=home / stage.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(stage.timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end_group(process)
    seconds = round(time.monotonic() - began, 1)
    text = log.read_text(encoding="utf-8", errors="replace")
    losses = losses_in(text, stage.loss)
    end, error = "ended", ""
    if code is None:
        end, error = "timeout", f"not at its end after {stage.timeout:.0f} s"
    elif code != 0:
        end, error = "failed", _last_error(text) or f"left with {code}"
    elif stage.product and not [
        path for path in _products(stage, home, out) if before.get(path) != path.stat().st_mtime_ns
    ]:
        end, error = "failed", f"ended, but made no {stage.product}"
    elif stage.says and not re.search(stage.says, text):
        end, error = "failed", f"ended, but did not say {stage.says!r}"
    tail = text[-_SIGNS_KEPT:] if end == "ended" else text[-3 * _SIGNS_KEPT :]
    return {
        "end": end,
        "seconds": seconds,
        "losses": [losses[0], losses[-1]] if losses else [],
        "begins": losses[:_COMPARED],
        "error": error,
        "tail": tail,
    }


def _products(stage: Stage, home: Path, out: Path) -> list[Path]:
    return [path for base in (home, out) for path in base.glob(stage.product)] if stage.product else []


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the process and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _last_error(text: str) -> str:
    """The last line that names an exception, or ""."""
    named = [
        line.strip()
        for line in text.splitlines()
        if re.match(r"\s*(\w+\.)*\w*(Error|Exception|Interrupt|Exit)\b", line)
    ]
    return named[-1][:300] if named else ""
