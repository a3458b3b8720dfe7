"""Which of the parallel modes is in force, and what cannot be done in it: `program.parallel` is what calls of Cells go
through then.

The keys of `set_auto_parallel_context` are only stored; they begin to matter when a network is called, and that is
where what several processes cannot do here raises (docs/design/parallel.md).
"""

from __future__ import annotations

from typing import Any

from mindspore_compat.common._program import program
from mindspore_compat.communication.management import get_group_size
from mindspore_compat.context import ParallelMode, get_auto_parallel_context, parallel_listeners

__all__ = ["Modes", "is_automatic"]

_AUTOMATIC = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def is_automatic() -> bool:
    """Whether the mode is one in which operators are cut by strategies."""
    return get_auto_parallel_context("parallel_mode") in _AUTOMATIC


class Modes:
    """Calls of Cells in the parallel modes."""

    def called(self, cell: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What the call of ``cell`` gives."""
        check()
        return cell._call_here(args, kwargs)


def check() -> None:
    """RuntimeError for keys of the context that cannot be fulfilled."""
    size, stages = get_group_size(), get_auto_parallel_context("pipeline_stages")
    mode = get_auto_parallel_context("parallel_mode")
    devices = get_auto_parallel_context("device_num")
    if is_automatic() and devices not in (1, size):
        raise RuntimeError(
            f"The 'device_num' {devices} of the auto parallel context must be the number of processes, which is {size}."
            f" Start {devices} processes (torchrun --nproc_per_node {devices}) and call init(), or leave it out."
        )
    if stages > 1:
        raise RuntimeError(
            f"'pipeline_stages' {stages} is not available. Use GradAccumulationCell for micro batches, and "
            "parallel_mode='data_parallel' for several processes."
        )
    if size > 1 and is_automatic():
        raise RuntimeError(
            f"parallel_mode={mode!r} is not available for {size} processes. Use parallel_mode='data_parallel'."
        )
    if size > 1 and get_auto_parallel_context("enable_parallel_optimizer"):
        raise RuntimeError(
            "'enable_parallel_optimizer' is not available: leave it out; every process then keeps the states of all "
            "Parameters."
        )
    if get_auto_parallel_context("grad_accumulation_step") > 1:
        raise RuntimeError(
            "'grad_accumulation_step' of the auto parallel context is not available. Wrap the network in "
            "nn.GradAccumulationCell."
        )


def _changed() -> None:
    """Calls go through `Modes` as long as some key asks for it."""
    wanted = (
        is_automatic()
        or get_auto_parallel_context("pipeline_stages") > 1
        or get_auto_parallel_context("grad_accumulation_step") > 1
        or get_auto_parallel_context("enable_parallel_optimizer")
    )
    program.parallel = MODES if wanted else None


MODES = Modes()
parallel_listeners.append(_changed)
_changed()
