"""The current parallel mode, and its limits: calls of Cells go through `program.parallel` then.

The keys of `set_auto_parallel_context` are only stored; they take effect when a network is called, and unsupported
settings for several processes raise there (docs/design/parallel.md).
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._runtime.module_tree import modules
from mindspore_compat.common._strategy import Layout
from mindspore_compat.communication.management import get_group_size
from mindspore_compat.context import ParallelMode, get_auto_parallel_context, parallel_listeners

_REDUCED = (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL)
_AUTOMATIC = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def is_automatic() -> bool:
    """Return whether the mode cuts operators by strategies."""
    return get_auto_parallel_context("parallel_mode") in _AUTOMATIC


class Modes:
    """Calls of Cells and operators in the parallel modes."""

    def called(self, cell: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Return the result of the call of ``cell``."""
        region = self._region()
        if region is not None:
            return region.called(cell, args, kwargs)
        if cell._is_optimizer and get_auto_parallel_context("enable_parallel_optimizer"):
            _check_optimizer_mode()
            if get_group_size() > 1:
                return _load("_parameters").update(cell, args, kwargs)
        return cell._call_here(args, kwargs)

    def differentiated(self, fn: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run ``fn``, which takes gradients."""
        region = self._region()
        return fn(*args, **kwargs) if region is None else region.run(fn, args, kwargs)

    def operator(self, primitive: Any, run: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Return the result of the operator's ``run``, by its strategy."""
        region = self._region()
        if region is not None:
            return region.operator(primitive, run, args, kwargs)
        if is_automatic():
            _check_alone(primitive)
        return run(*args, **kwargs)

    def sharded_call(self, fn: Any, args: tuple, in_strategy: Any, out_strategy: Any, plan: Any) -> Any:
        """Call a Cell or function to which `mindspore.shard` has given strategies."""
        region = self._region()
        return fn(*args) if region is None else region.sharded_call(fn, args, in_strategy, out_strategy, plan)

    def micro_batches(self, parts: Iterator[tuple[Any, ...]], network: Callable[..., Any]) -> Any:
        """Return the sum of a network's outputs for the parts of a batch; None without a pipeline."""
        region = self._region()
        return region.micro_batches(parts, network) if hasattr(region, "micro_batches") else None

    def _region(self) -> Any:
        """Return the region or pipeline of the network over processes; None if this process computes all of it."""
        check()
        stages = get_auto_parallel_context("pipeline_stages")
        if stages > 1:
            return importlib.import_module("mindspore_compat.parallel._pipeline").pipeline(stages)
        if get_group_size() == 1 or not is_automatic():
            return None
        if torch.torch_version.TorchVersion(torch.__version__) < (2, 13):
            raise RuntimeError(
                f"parallel_mode {get_auto_parallel_context('parallel_mode')!r} needs torch 2.13 or newer, but this is "
                f"{torch.__version__}: DTensor of older ones was not tried. Use 'data_parallel', or another torch."
            )
        return _load("_region").region()


def _check_optimizer_mode() -> None:
    mode = get_auto_parallel_context("parallel_mode")
    if mode in (ParallelMode.STAND_ALONE, ParallelMode.HYBRID_PARALLEL):
        raise RuntimeError(
            f"For 'Optimizer', parallel optimizer is not supported in {mode}, you should set parallel mode to "
            "'data_parallel', 'semi_auto_parallel' or 'auto_parallel'."
        )


def _load(name: str) -> Any:
    return importlib.import_module(f"mindspore_compat.parallel._sharding.{name}")


def check_torch(network: torch.nn.Module) -> None:
    """Raise RuntimeError for a torch module in a mode that cuts Cells, or that would train one per process."""
    mode = get_auto_parallel_context("parallel_mode")
    if (program.parallel is None and mode not in _REDUCED) or get_group_size() == 1:
        return
    if program.parallel is not None:
        raise RuntimeError(
            "A torch.nn.Module is not trained in this parallel mode. Use torch's own DistributedDataParallel or "
            "fully_shard on it with parallel_mode='data_parallel', or write it as a Cell."
        )
    from torch.distributed.fsdp import FullyShardedDataParallel

    wrappers = (torch.nn.parallel.DistributedDataParallel, FullyShardedDataParallel)
    is_wrapped = any(isinstance(module, wrappers) for module in modules(network))
    if not is_wrapped and not any(hasattr(item, "device_mesh") for item in network.parameters()):
        raise RuntimeError(
            f"With parallel_mode='{mode}' the gradients of a torch.nn.Module are not averaged: each process would "
            "train a module of its own. Give Model torch's DistributedDataParallel of it, or apply fully_shard; if it "
            "averages its gradients itself, leave parallel_mode at 'stand_alone'."
        )


def is_here(name: str) -> bool:
    """Return whether a checkpoint of this process holds the Parameter, or the optimizer's state, of that name."""
    region: Any = MODES._region() if program.parallel is not None else None
    left_out = region.left_out() if hasattr(region, "left_out") else ()
    return not any(name == item or name.endswith("." + item) for item in left_out)


def layouts(network: Any, inputs: Callable[[], Any], trains: bool) -> dict[str, list[Any]]:
    """Return {Parameter name: MindSpore's list} of a network after a call with ``inputs()``, which is then undone."""
    region = MODES._region()
    if hasattr(region, "layouts"):
        network.set_train(trains)
        return region.layouts(network, lambda: network(*inputs()))
    return {
        getattr(item, "name", ""): [[1], [-1] * item.dim(), list(item.shape), 0, True, ""]
        for item in network.get_parameters()
    }


def _check_alone(primitive: Any) -> None:
    """Raise RuntimeError for a strategy that one process cannot fulfil."""
    for strategy in primitive.in_strategy or ():
        count = math.prod(strategy.to_dict()["device_matrix"] if isinstance(strategy, Layout) else strategy)
        if count > 1:
            raise RuntimeError(
                f"For '{primitive.name}': the strategy {primitive.in_strategy} needs {count} devices, but there is one "
                f"process. Start {count} or more (torchrun --nproc_per_node {count}) and call init()."
            )


def check() -> None:
    """Raise RuntimeError for unsupported keys of the context."""
    size, stages = get_group_size(), get_auto_parallel_context("pipeline_stages")
    devices = get_auto_parallel_context("device_num")
    if is_automatic() and devices not in (1, size):
        raise RuntimeError(
            f"The 'device_num' {devices} of the auto parallel context must be the number of processes, which is {size}."
            f" Start {devices} processes (torchrun --nproc_per_node {devices}) and call init(), or leave it out."
        )
    if stages > 1 and stages != size:
        raise RuntimeError(
            f"'pipeline_stages' {stages} must be the number of processes here, which is {size}: stages that are "
            f"themselves spread over processes are not available. Start {stages} (torchrun --nproc_per_node {stages}), "
            "or use pipeline_stages=1."
        )
    if stages > 1 and not is_automatic():
        raise RuntimeError(
            "'pipeline_stages' needs parallel_mode='semi_auto_parallel' or 'auto_parallel', but it is "
            f"{get_auto_parallel_context('parallel_mode')!r}. Set it by set_auto_parallel_context."
        )
    if stages > 1 and get_auto_parallel_context("enable_parallel_optimizer"):
        raise RuntimeError(
            "'enable_parallel_optimizer' is not available together with 'pipeline_stages'. Leave it out."
        )
    if get_auto_parallel_context("grad_accumulation_step") > 1:
        raise RuntimeError(
            "'grad_accumulation_step' of the auto parallel context is not available. Wrap the network in "
            "nn.GradAccumulationCell."
        )


def _changed() -> None:
    """Route calls through `Modes` while some key needs it."""
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
