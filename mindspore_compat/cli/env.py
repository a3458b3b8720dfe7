"""``mindspore-compat env``: versions and devices, for a bug report."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata
from pathlib import Path

import numpy
import torch

from mindspore_compat._api import alias
from mindspore_compat._runtime import extension

__all__ = ["main", "own_version"]


def main(arguments: list[str]) -> int:
    """Print versions and devices."""
    argparse.ArgumentParser(prog="mindspore-compat env").parse_args(arguments)
    lines = {
        "mindspore_compat": f"{own_version()} in {Path(__file__).parents[1]}",
        "python": f"{platform.python_version()} on {platform.platform()}",
        "torch": f"{torch.__version__} in {Path(torch.__file__).parent}",
        "numpy": numpy.__version__,
        "cuda": ", ".join(map(_describe_device, range(torch.cuda.device_count())))
        if torch.cuda.is_available()
        else f"none (torch built for {torch.version.cuda or 'CPU only'})",
        "driver": f"{_driver()}, CUDA {torch.version.cuda or 'none'}, cuDNN {torch.backends.cudnn.version() or 'none'}",
        "CUDA kernels": extension.describe(),
        "torch.distributed": ", ".join(_distributed_backends()) or "none",
        "import mindspore": "delivers mindspore_compat" if alias.is_installed() else "not taken over in this process",
        "real MindSpore": _installed_version("mindspore") or "not installed",
    }
    for key, value in lines.items():
        print(f"{key:18} {value}")
    return 0


def _describe_device(index: int) -> str:
    device = torch.cuda.get_device_properties(index)
    return f"{torch.cuda.get_device_name(index)} (sm_{device.major}{device.minor}, {device.total_memory >> 30} GiB)"


def _driver() -> str:
    file = Path("/proc/driver/nvidia/version")
    return file.read_text(encoding="utf-8").splitlines()[0] if file.exists() else "no NVIDIA driver"


def _distributed_backends() -> list[str]:
    if not torch.distributed.is_available():
        return []
    return [name for name in ("gloo", "nccl", "mpi") if getattr(torch.distributed, f"is_{name}_available")()]


def own_version() -> str:
    """Return the distribution's version; ``__version__`` may be that of the emulated MindSpore."""
    return _installed_version("mindspore_compat") or "(not installed, runs from a checkout)"


def _installed_version(distribution: str) -> str | None:

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
