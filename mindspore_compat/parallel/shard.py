"""Cuts of tensors over devices: `Layout`, and `shard` for Cells and functions. MindSpore: ``mindspore.parallel``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat import log
from mindspore_compat._graph.program import program
from mindspore_compat.common._strategy import Layout, check_strategy
from mindspore_compat.communication.management import get_group_size

__all__ = ["Layout", "shard"]


def shard(
    fn: Any,
    in_strategy: tuple,
    out_strategy: tuple | None = None,
    parameter_plan: dict | None = None,
    device: str = "Ascend",
    level: int = 0,
) -> Callable[..., Any]:
    """Return ``fn``, run with its inputs cut by ``in_strategy``; in one process, and in other modes than
    semi_auto_parallel and auto_parallel, ``fn`` as it is.

    Args:
        fn: a Cell or function of Tensors.
        in_strategy: for each input a tuple with the number of pieces of each axis, or a `Layout`.
        out_strategy: the same for the outputs; None leaves them as they come.
        parameter_plan: {name of a Parameter of the Cell: tuple of cuts or Layout}.
        device, level: of releases before 2.4, whose only values they are.

    Raises:
        TypeError: for strategies or plans of another type.
    """
    if get_group_size() == 1:
        return fn
    check_strategy(in_strategy, "in_strategy")
    if out_strategy is not None:
        check_strategy(out_strategy, "out_strategy")
    plan = _checked_plan(fn, parameter_plan)

    def sharded(*args: Any) -> Any:
        parallel = program.parallel
        if parallel is None:
            return fn(*args)
        return parallel.sharded_call(fn, args, in_strategy, out_strategy, plan)

    return sharded


def _checked_plan(fn: Any, parameter_plan: Any) -> list[tuple[Any, Any]]:
    """Return (Parameter, cuts or Layout) of a plan."""
    if parameter_plan is None:
        return []
    by_name, found = {item.name: item for item in fn.trainable_params()}, []
    for name, layout in parameter_plan.items():
        parameter = by_name.get(name.replace("self.", ""))
        if parameter is None:
            log.warning(f"The Parameter {name!r} of 'parameter_plan' is not in the Cell, and is left out.")
            continue
        found.append((parameter, layout))
    return found
