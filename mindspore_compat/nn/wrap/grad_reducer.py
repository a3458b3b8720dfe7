"""Averages of gradients over processes. MindSpore: ``mindspore.nn.wrap.grad_reducer``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

import torch

from mindspore_compat import log
from mindspore_compat._autograd.recorded import keeps_graph
from mindspore_compat._graph.program import program
from mindspore_compat._numerics.portions import portions
from mindspore_compat._ops.communication import AllReduce
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.communication import _collectives as collectives
from mindspore_compat.communication import _groups, _start
from mindspore_compat.communication.management import get_group_size
from mindspore_compat.context import get_auto_parallel_context, is_graph_mode
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.wrap._buckets import Reduction, allreduce_fusion, plan
from mindspore_compat.parallel._utils import _get_gradients_mean

__all__ = ["DistributedGradReducer", "PipelineGradReducer", "agree_on_parameters", "reducing"]


class DistributedGradReducer(Cell):
    """Sum of the gradients over all processes of the group, divided by their number if ``mean``; in one process nothing
    changes.

    Gradients are sent in buckets (`_buckets`); those of 16 bits as float32. Parameters that are ``layerwise_parallel``
    keep their own.

    As in MindSpore, the attribute ``degree`` is a Tensor of 1 / degree, ``allreduce`` the operator, and
    ``allreduce_filter`` selects the gradients to send.

    Args:
        parameters: the Parameters, in the gradients' order.
        mean: divide the sum by ``degree``; None takes ``gradients_mean`` of the parallel context.
        degree: number of processes; None takes the group's size.
        fusion_type: a hint of MindSpore's, without effect; see ``comm_fusion`` and ``all_reduce_fusion_config`` of
            `set_auto_parallel_context`, and ``Cell.set_comm_fusion``.
    """

    def __init__(
        self,
        parameters: Any,
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = "nccl_world_group",
    ) -> None:
        super().__init__(auto_prefix=False)
        self.mean = _get_gradients_mean() if mean is None else mean
        number = get_group_size() if degree is None else degree
        self.degree = Tensor(1.0 / number, torch.float32)
        self.group = group
        self.allreduce = AllReduce("sum", group)  # for subclasses; here buckets travel
        items = list(parameters)
        self.allreduce_filter = tuple(not getattr(item, "layerwise_parallel", False) for item in items)
        self.__dict__["_processes"] = number
        self.__dict__["_splits"] = _splits(items)
        self.__dict__["_plans"] = {}
        self.__dict__["_unchecked"] = [item for item, reduced in zip(items, self.allreduce_filter) if reduced]

    def construct(self, grads: Any) -> Any:
        return self.reduction(grads).finish(grads) if self.reduces() else grads

    def reduces(self) -> bool:
        """Return whether there are other processes to reduce with.

        Raises:
            RuntimeError: if a launcher started several processes, but they have not met.
        """
        if _start.is_running():
            return True
        if self._processes > 1:
            raise RuntimeError(
                f"For 'DistributedGradReducer', gradients of {self._processes} processes are to be summed, but they "
                "have not met. Call mindspore.communication.init() before the training network is built."
            )
        return False

    def reduction(self, tensors: Sequence[torch.Tensor], scale: torch.Tensor | None = None) -> Reduction:
        """Return a reduction of gradients like ``tensors``, which are multiplied by ``scale`` first."""
        if self.__dict__["_unchecked"]:
            _check_order(self.__dict__["_unchecked"], _groups.find(self.group))
            self.__dict__["_unchecked"] = []
        key = tuple([(item.dtype, item.device, tuple(item.shape)) for item in tensors])
        plans = self.__dict__["_plans"]
        if key not in plans:
            known = len(self.allreduce_filter) == len(tensors)
            reduced = self.allreduce_filter if known else [True] * len(tensors)
            plans[key] = plan(tensors, reduced, self._splits if known else ())
        factor = 1.0 / self._processes if self.mean else None
        return Reduction(plans[key], _groups.find(self.group), scale, factor)


class PipelineGradReducer(Cell):
    """Gradients of a pipeline's step in the functional style, divided by the scale of its loss. MindSpore's class keeps
    sums over micro batches and stages; here `value_and_grad` already returns them (docs/design/parallel.md).

    Args:
        parameters: the Parameters, in the gradients' order.
        scale_sense: the scale; a number or a Tensor.
        opt_shard: accepted without effect: gradients of cut Parameters are the parts' already.

    Examples:
        >>> reducer = nn.PipelineGradReducer(nn.Dense(2, 2).trainable_params(), scale_sense=2.0)
        >>> print(reducer((Tensor([4.0]),))[0])
        [2.]
    """

    def __init__(self, parameters: Any, scale_sense: Any = 1.0, opt_shard: bool | None = None) -> None:
        super().__init__(auto_prefix=False)
        self.scale_sense = Tensor(scale_sense)
        self.opt_shard = get_auto_parallel_context("enable_parallel_optimizer") if opt_shard is None else opt_shard

    def construct(self, grads: Any) -> Any:
        return tuple(gradient / self.scale_sense.to(gradient.dtype) for gradient in grads)


def _check_order(parameters: Sequence[Any], group: _groups.Group) -> None:
    """Raise RuntimeError unless all processes have the same Parameters in the same order: gradients are identified by
    their positions.
    """
    names = [str(getattr(item, "name", "")) for item in parameters]
    forms = [(tuple(item.shape), str(item.dtype)) for item in parameters]
    numbers = [len(names), *(crc32(repr(item).encode()) for item in (forms, sorted(names), names))]
    own = torch.tensor(numbers, dtype=torch.int64, device=parameters[0].device)
    least, most = (collectives.plain_all_reduce(own, op, group) for op in ("min", "max"))
    alike = (least == most).tolist()
    if not (alike[0] and alike[1]) or (alike[2] and not alike[3]):  # names may contain the rank
        raise RuntimeError(
            "For 'DistributedGradReducer', the processes must train the same Parameters in the same order, but their "
            f"numbers, shapes or places differ; this process has {len(names)}: {', '.join(names[:4])}"
            f"{', …' if len(names) > 4 else ''}. Give all the same list, and do not take its order from a set."
        )


def _splits(parameters: Sequence[Any]) -> list[Any]:
    """Return a label for each Parameter, by the fusion settings; empty without one."""
    ids = [getattr(item, "comm_fusion", 1) for item in parameters]
    if len(set(ids)) > 1:
        return ids
    mode, config = allreduce_fusion()
    indices = config if mode == "index" else get_auto_parallel_context("all_reduce_fusion_config")
    if not indices:
        return []
    return [sum(position >= index for index in indices) for position in range(len(parameters))]


@contextmanager
def reducing(
    reducer: Any, weights: Sequence[torch.Tensor], scale: torch.Tensor | None = None, in_parts: bool = False
) -> Iterator[Callable[[Any], Any]]:
    """Take the gradients of ``weights`` in this context, and pass them to the yielded function.

    In PYNATIVE_MODE they are sent during the backward pass; in GRAPH_MODE, where it is replayed, after it.

    The function empties a list of gradients as it goes.

    Args:
        reducer: a `DistributedGradReducer`, or any function of gradients.
        scale: of shape (), the gradients are multiplied by it before.
        in_parts: they come of several backward passes.
    """
    if not isinstance(reducer, DistributedGradReducer) or not reducer.reduces() or keeps_graph():
        yield lambda found: reducer(_scaled(found, scale))
        return
    program.not_repeatable("it communicates")
    reduction = reducer.reduction(weights, scale)
    if is_graph_mode() or in_parts or not reduction.is_worth_while:
        yield reduction.finish
        return
    with reduction.along(weights):
        yield reduction.finish


def _scaled(found: Any, scale: torch.Tensor | None) -> Any:
    """Multiply gradients. On a device a list drops each as soon as its product exists, to free its memory."""
    if scale is None:
        return found
    given = found if isinstance(found, list) else list(found)
    for part in portions(given):
        given[part] = torch._foreach_mul([plain(item) for item in given[part]], scale)
    return tuple(given)


def agree_on_parameters(parameters: Sequence[Any]) -> None:
    """Copy rank 0's values to all processes if ``parameter_broadcast`` is set, else check whether theirs are the same.

    As in MindSpore, training goes on with different ones, with a warning: the same averaged gradient then changes
    different networks.
    """
    shared = [item for item in parameters if not getattr(item, "layerwise_parallel", False)]
    group = _groups.find("hccl_world_group")
    if get_auto_parallel_context("parameter_broadcast"):
        for item in shared:
            plain(item).copy_(collectives.plain_broadcast(plain(item), 0, group))
        program.values_written()
        return
    if not shared:
        return
    sums = torch.stack([value for item in shared for value in _summary(plain(item))])
    least, most = (collectives.plain_all_reduce(sums, op, group) for op in ("min", "max"))
    differ = (least != most).reshape(-1, 2).any(1).tolist()
    names = [str(getattr(item, "name", "?")) for item, differs in zip(shared, differ) if differs]
    if names and _start.world_rank() == 0:
        log.warning(
            "Processes of data parallel training begin with different values of %s of %s Parameters (%s%s): each "
            "trains another network. Call mindspore.set_seed before they are made, load a checkpoint, or "
            "set_auto_parallel_context(parameter_broadcast=True).",
            len(names),
            len(shared),
            ", ".join(names[:3]),
            ", …" if len(names) > 3 else "",
        )


def _summary(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two sums that differ for different values."""
    numbers = torch.nan_to_num(values.detach().reshape(-1).to(torch.float64))
    places = torch.linspace(1.0, 2.0, numbers.numel(), dtype=torch.float64, device=numbers.device)
    return numbers.sum(), (numbers * places).sum()
