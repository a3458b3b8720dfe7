"""Builds the CUDA library of csrc/ with nvcc where there is one; without, the package installs all the same. Metadata:
setup.cfg.

MINDSPORE_COMPAT_CUDA=0 leaves it out, =1 makes a failed build an error. NVCC names the compiler. No GPU is needed to
build.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools < 70.1
    from wheel.bdist_wheel import bdist_wheel  # type: ignore[no-redef]

SOURCE = Path("csrc/thor/kron_inverse.cu")
LIBRARY = Path("mindspore_compat/_lib/libmindspore_compat_cuda.so")
#: machine code for those of these that nvcc knows (each also runs on the later ones of its generation), and PTX of the
#: last for what comes after
ARCHITECTURES = ("70", "75", "80", "90", "100", "110", "120")


def nvcc() -> str | None:
    """The CUDA compiler, or None if there is none or it is not wanted."""
    if os.environ.get("MINDSPORE_COMPAT_CUDA") == "0":
        return None
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    return os.environ.get("NVCC") or shutil.which("nvcc") or shutil.which("nvcc", path=str(Path(home) / "bin"))


def architectures(compiler: str) -> tuple[str, ...]:
    """Those of `ARCHITECTURES` that this nvcc compiles for: CUDA 13 has left out 70, CUDA 11 knows none after 90."""
    try:
        done = subprocess.run([compiler, "--list-gpu-code"], capture_output=True, text=True, check=False)
    except OSError:
        return ("80", "90")
    known = {line.strip().removeprefix("sm_") for line in done.stdout.splitlines()}
    return tuple(item for item in ARCHITECTURES if item in known) or ("80", "90")


def compile_command(compiler: str, target: Path) -> list[str]:
    """The command line of the build."""
    chosen = architectures(compiler)
    code = [f"-gencode=arch=compute_{item},code=sm_{item}" for item in chosen]
    last = chosen[-1]
    return [
        compiler,
        "-O3",
        "-std=c++17",
        "--shared",
        "-Xcompiler",
        "-fPIC",
        "-cudart",
        "static",
        *code,
        f"-gencode=arch=compute_{last},code=compute_{last}",
        str(SOURCE),
        "-o",
        str(target),
    ]


def build_library(target: Path) -> bool:
    """Build the library at ``target``; False with the reason printed if that is not possible."""
    required = os.environ.get("MINDSPORE_COMPAT_CUDA") == "1"
    compiler = nvcc()
    if compiler is None:
        if required:
            raise SystemExit(
                "MINDSPORE_COMPAT_CUDA=1, but no nvcc was found. Set NVCC or CUDA_HOME, or put it on the PATH."
            )
        print("mindspore_compat: no nvcc, so no CUDA kernel for THOR; torch.linalg does its work.")
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(compile_command(compiler, target), capture_output=True, text=True, check=False)
        problem = "" if done.returncode == 0 else done.stderr[-2000:]
    except OSError as error:
        problem = str(error)
    if problem and required:
        raise SystemExit(f"MINDSPORE_COMPAT_CUDA=1, but {compiler} failed:\n{problem}")
    if problem:
        print(f"mindspore_compat: warning: {compiler} failed, going on without the CUDA kernel for THOR:\n{problem}")
    return not problem


class BuildWithLibrary(build_py):
    """Python files as ever, then the library: beside them, or in the source tree of an editable install."""

    def run(self) -> None:
        super().run()
        root = Path(".") if getattr(self, "editable_mode", False) else Path(self.build_lib)
        target = root / LIBRARY
        target.unlink(missing_ok=True)
        build_library(target)


class PlatformWheel(bdist_wheel):
    """A wheel with the library in it is for one platform, but for every Python 3."""

    def get_tag(self) -> tuple[str, str, str]:
        tag: Any = super().get_tag()
        if not (Path(self.bdist_dir or "") / LIBRARY).exists():
            return tag
        from sysconfig import get_platform

        return "py3", "none", get_platform().replace("-", "_").replace(".", "_")


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
