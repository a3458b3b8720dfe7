"""The object behind ``set_auto_parallel_context``. Upstream: ``mindspore.parallel._auto_parallel_context``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.context import get_auto_parallel_context, set_auto_parallel_context

__all__ = ["auto_parallel_context"]


class _AutoParallelContext:
    """Getters and setters that the model zoo calls."""

    def get_parallel_mode(self) -> str:
        return get_auto_parallel_context("parallel_mode")

    def get_gradients_mean(self) -> bool:
        return get_auto_parallel_context("gradients_mean")

    def get_device_num(self) -> int:
        return get_auto_parallel_context("device_num")

    def get_global_rank(self) -> int:
        return get_auto_parallel_context("global_rank")

    def get_parameter_broadcast(self) -> bool:
        return get_auto_parallel_context("parameter_broadcast")

    def set_all_reduce_fusion_split_indices(self, indices: list[int], group: Any = "") -> None:
        """A hint for fusing gradient all-reduces: stored, torch's buckets decide."""
        set_auto_parallel_context(all_reduce_fusion_config=list(indices))


_context = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """The one such object."""
    return _context
