"""Compiles ``source/`` into a library for the torch that is installed, once for each torch and each state of the
sources.
"""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

__all__ = ["library", "unavailable"]

SOURCE = Path(__file__).parent / "source"
FLAGS = ["-O1", "-std=c++20", "-fPIC", "-Wno-maybe-uninitialized"]


def _cache() -> Path:
    """Where libraries are kept: MINDSPORE_COMPAT_FAKECUDA, or build/fakecuda of the checkout."""
    given = os.environ.get("MINDSPORE_COMPAT_FAKECUDA")
    return Path(given) if given else Path(__file__).parents[3] / "build" / "fakecuda"


def _compiler() -> str | None:
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")


@functools.cache
def unavailable() -> str | None:
    """Why there can be no fake device here, or None: it needs a C++ compiler and torch's CPU build."""
    if torch.version.cuda is not None or torch.version.hip is not None:
        return f"torch {torch.__version__} has a CUDA of its own; the fake device is for its CPU build"
    if not sys.platform.startswith("linux"):
        return "the fake CUDA device is built on Linux only"
    if _compiler() is None:
        return "no C++ compiler: install g++, or set CXX"
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 9):
        return f"the fake CUDA device is written for torch 2.9 and newer, here is {torch.__version__}"
    return None


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"The fake CUDA device does not compile:\n{' '.join(command)}\n{done.stderr[-4000:]}")


def _compile(target: Path) -> None:
    compiler = _compiler()
    assert compiler is not None
    root = Path(torch.__file__).parent
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        objects = {file: Path(folder) / f"{file.stem}.o" for file in sorted(SOURCE.glob("*.cpp"))}
        commands = [
            [compiler, *FLAGS, f"-I{root / 'include'}", "-c", str(file), "-o", str(made)]
            for file, made in objects.items()
        ]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(_run, commands))
        libraries = [f"-L{root / 'lib'}", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{root / 'lib'}"]
        linked = Path(folder) / target.name
        _run([compiler, "-shared", "-o", str(linked), *map(str, objects.values()), *libraries])
        os.replace(linked, target)  # of two that build at a time, either's is right


def library() -> Path:
    """The library's path; the first call compiles it (20 s on two cores)."""
    reason = unavailable()
    if reason is not None:
        raise RuntimeError(reason)
    digest = hashlib.sha256(f"{torch.__version__} {FLAGS}".encode())
    for file in sorted(SOURCE.iterdir()):
        digest.update(file.read_bytes())
    target = _cache() / f"fakecuda-{torch.__version__}-{digest.hexdigest()[:16]}.so"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        _compile(target)
    return target
