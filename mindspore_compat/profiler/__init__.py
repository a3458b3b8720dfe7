"""MindSpore's profiler, accepted without effect: scripts that profile run, and profile nothing. Upstream:
``mindspore.profiler``.

To profile here use ``torch.profiler``.
"""

from mindspore_compat.profiler.profiling import Profiler

__all__ = ["Profiler"]
