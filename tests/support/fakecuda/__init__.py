"""A CUDA device without a GPU: torch's own CUDA dispatch key with CPU memory and the CPU's kernels.

    from tests.support import fakecuda
    if not fakecuda.unavailable():
        fakecuda.install()          # before anything computes; two devices
    with fakecuda.recorded() as traffic:
        ...
    assert not traffic.waits

It shows where tensors lie (mixed devices raise torch's error), where the host waits, what is copied and how, which
streams wait for which, what CUDA's graphs refuse and repeat. It says nothing about numbers, cuDNN, NCCL and speed.
"""

from __future__ import annotations

from .build import unavailable
from .install import install, installed
from .traffic import WAITS, Event, Traffic, recorded

__all__ = ["WAITS", "Event", "Traffic", "available", "install", "installed", "recorded", "unavailable"]


def available() -> bool:
    """Whether the device can be made here; `unavailable` says why not."""
    return unavailable() is None
