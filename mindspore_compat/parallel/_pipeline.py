"""Pipelines: each process runs the Cells of its ``pipeline_stage``, part by part of the batch
(docs/design/parallel.md).

Every process runs the whole of the network's Python. An operator belongs to the last stage among those of its inputs
and of the Cell around it. Its own process computes it; in the others it runs on the device "meta", which gives its
results' shapes. A stage's result is sent to a later stage at the operator that needs it, which is the same line of
Python in both.

Gradients go through it micro batch by micro batch, from the last stage to the first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_map

from mindspore_compat._autograd.engine import GRADS
from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._runtime.device import current_device
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.context import get_auto_parallel_context

_NAMES = ("outputs", "inputs", "grad_outputs", "retain_graph", "create_graph")


def grad(pipeline: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return torch.autograd.grad of a graph over several stages."""
    given = {**dict(zip(_NAMES, args)), **kwargs}
    if given.get("create_graph"):
        raise RuntimeError(
            "Derivatives of gradients are not available with 'pipeline_stages'. Use pipeline_stages=1 for them."
        )
    with torch._C.DisableTorchFunction():
        outputs = given["outputs"] if isinstance(given["outputs"], (tuple, list)) else [given["outputs"]]
        seeds = given.get("grad_outputs")
        seeds = [None] * len(outputs) if seeds is None else seeds if isinstance(seeds, (tuple, list)) else [seeds]
        targets = [given["inputs"]] if isinstance(given["inputs"], torch.Tensor) else list(given["inputs"])
        found = _backward(pipeline, outputs, seeds, targets)
        return tuple(exchange(pipeline, targets, found))


def _is_here(pipeline: Any, value: Any) -> bool:
    return value.__dict__.get("_stage", -1) in (-1, pipeline.stage) and not value.is_meta


def _backward(
    pipeline: Any, outputs: Sequence[Any], seeds: Sequence[Any], targets: Sequence[Any]
) -> dict[int, torch.Tensor]:
    """Return this process's gradients, by the ids of leaves: targets, received Tensors, cuts."""
    found: dict[int, torch.Tensor] = {}
    leaves: dict[int, Any] = {id(item): item for item in targets if item.requires_grad and not item.is_meta}
    for micro in pipeline.micros:
        leaves.update((id(leaf), leaf) for leaf, _ in micro.received)
        leaves.update((id(leaf), leaf) for _, leaf in micro.outputs)
    roots = [
        (output, torch.ones_like(output) if seed is None else seed)
        for output, seed in zip(outputs, seeds)
        if _is_here(pipeline, output) and output.requires_grad
    ]
    for micro in reversed(pipeline.micros):
        for value, stage in micro.sent:
            gradient = torch.empty_like(value.detach())
            dist.recv(gradient, stage)
            roots.append((value, gradient))
        roots += [(value, found[id(leaf)]) for value, leaf in micro.outputs if id(leaf) in found]
        _add(found, roots, leaves)
        roots = []
        for leaf, stage in micro.received:
            gradient = found.get(id(leaf), torch.zeros_like(leaf)).contiguous()
            pipeline.pending.append((dist.isend(gradient, stage), gradient))
    return found


def _add(found: dict[int, torch.Tensor], roots: list[tuple[Any, Any]], leaves: dict[int, Any]) -> None:
    if not roots or not leaves:
        return
    gradients = torch.autograd.grad(
        [value for value, _ in roots],
        list(leaves.values()),
        [gradient for _, gradient in roots],
        allow_unused=True,
        retain_graph=True,
    )
    for key, gradient in zip(leaves, gradients):
        if gradient is not None:
            found[key] = gradient if key not in found else found[key] + gradient


def exchange(pipeline: Any, targets: Sequence[Any], found: dict[int, torch.Tensor]) -> list[Any]:
    """Return the gradients of ``targets``: of a Parameter the sum over the stages that use it, on each request."""
    order = list(pipeline.users)
    numbers = {key: number for number, key in enumerate(order)}
    asked: list[Any] = [None] * pipeline.stages
    own = sorted(numbers[id(item)] for item in targets if id(item) in numbers)
    dist.all_gather_object(asked, (own, sum(not isinstance(item, Parameter) for item in targets)))
    shared = _shared(pipeline, order, [set(numbers) for numbers, _ in asked])
    values = [pipeline.users[order[number]][0] for number in shared]
    if max(count for _, count in asked):  # gradients of inputs, requested alike in all processes
        values += [item for item in targets if not isinstance(item, Parameter)]
    by_dtype: dict[str, list[Any]] = {}
    for value in values:
        by_dtype.setdefault(str(value.dtype), []).append(value)
    for dtype in sorted(by_dtype):
        items = by_dtype[dtype]
        flat = torch.cat([found.get(id(item), torch.zeros_like(item.detach())).reshape(-1) for item in items])
        dist.all_reduce(flat)
        for item, part in zip(items, torch.split(flat, [item.numel() for item in items])):
            found[id(item)] = part.reshape(tuple(item.detach().shape))
    return [found[id(item)] if id(item) in found else torch.zeros_like(item.detach()) for item in targets]


def _shared(pipeline: Any, order: list[int], asked: list[set[int]]) -> list[int]:
    """Return the numbers of Parameters with gradients needed outside the stages that compute them."""
    found = []
    for number in sorted(set().union(*asked)):
        parameter, users = pipeline.users[order[number]]
        askers = {stage for stage, numbers in enumerate(asked) if number in numbers}
        if not users <= askers:
            raise RuntimeError(
                f"The Parameter '{parameter.name}' is used in the pipeline stages {sorted(users)}, but only the stages "
                f"{sorted(askers)} update it. Give the optimizer net.trainable_params(), or call "
                f"add_pipeline_stage({min(users - askers)}) of the Parameter before net.infer_param_pipeline_stage()."
            )
        if len(users) > 1 or askers - users:
            found.append(number)
    return found


_Base = torch._C.TensorBase
#: functions that need no value
_OF_ITSELF = {
    _Base.__dict__[name].__get__
    for name in "requires_grad dtype device is_leaf grad_fn grad layout is_cpu is_cuda _version shape".split()
} | {_Base.size, _Base.dim, _Base.numel, _Base.stride, _Base.is_floating_point, _Base.is_complex, _Base.element_size}
_OF_ITSELF |= {torch.is_floating_point, torch.is_complex, torch.numel}
_LEAVING = {_Base.numpy, _Base.tolist, _Base.item, torch.Tensor.tolist}
#: random functions: numbers drawn before any stage come from the first one, so that all stages use the same
_DRAWING = frozenset(
    "dropout dropout_ bernoulli bernoulli_ normal normal_ uniform_ rand rand_like randn randn_like".split()
)


@dataclass
class Micro:
    """Tensors sent and received between stages for one micro batch: (tensor, other stage)."""

    sent: list[tuple[torch.Tensor, int]] = field(default_factory=list)
    received: list[tuple[torch.Tensor, int]] = field(default_factory=list)
    outputs: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)


def _tensors(*values: Any) -> list[Any]:
    return [item for item in tree_flatten(values)[0] if isinstance(item, torch.Tensor)]


def _stage_of(value: Any) -> int:
    """Return the stage of a Tensor; -1: computed by every process."""
    return value.__dict__.get("_stage", -1)


class _Functions(TorchFunctionMode):
    """Override mode for every function of torch."""

    def __init__(self, owner: Pipeline) -> None:
        super().__init__()
        self.owner = owner

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.owner.function(func, args, kwargs or {})


class Pipeline:
    """Pipeline of the process.

    Attributes:
        stage: this process's.
        users: the stages that use a Parameter, by id, in the order of first use.
        micros: Tensors sent and received in this region.
    """

    def __init__(self, stages: int) -> None:
        self.stages, self.stage = stages, dist.get_rank()
        self.mode = _Functions(self)
        self.depth, self.paused = 0, False
        self.around: list[int] = []  # the stages of the Cells that run
        self.micros = [Micro()]
        self.users: dict[int, tuple[Parameter, set[int]]] = {}
        self.is_plain = True  # no differentiation in this region
        self.pending: list[tuple[Any, torch.Tensor]] = []  # sends, with their buffers

    # --- calls --------------------------------------------------------------------------------------------------------

    def called(self, cell: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a Cell's call."""
        if self.paused:
            return cell._call_here(args, kwargs)
        if cell._is_optimizer:
            return self.update(cell, args, kwargs)
        if not self.depth:
            self._check(cell)
            self.is_plain = not cell._trains and not THREAD.running
            return self.run(lambda *args, **kwargs: self.called(cell, args, kwargs), args, kwargs)
        stage = cell.pipeline_stage
        if stage is None:
            stage = self.around[-1] if self.around else -1
        self.around.append(stage)
        try:
            with torch._C.DisableTorchFunction():
                args, kwargs = self._brought(max([stage, *map(_stage_of, _tensors(args, kwargs))]), args, kwargs)
            return cell._call_here(args, kwargs)
        finally:
            self.around.pop()

    def run(self, fn: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run ``fn`` as the outermost call."""
        if self.depth or self.paused:
            return fn(*args, **kwargs)
        self.micros = [Micro()]
        with self._entered():
            result = fn(*args, **kwargs)
            with torch._C.DisableTorchFunction():
                result = tree_map(self._output, result)
        for work, _ in self.pending:
            work.wait()
        self.pending.clear()
        return result

    @contextlib.contextmanager
    def _entered(self) -> Iterator[None]:
        self.depth += 1
        try:
            with self.mode:
                yield
        finally:
            self.depth -= 1
            self.around.clear()

    def update(self, optimizer: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run the optimizer's step: each process by itself, with the gradients of all its Parameters."""
        self.paused = True
        try:
            with torch._C.DisableTorchFunction():
                return optimizer._call_here(args, kwargs)
        finally:
            self.paused = False

    def operator(self, primitive: Any, run: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Raise RuntimeError for an operator with a strategy."""
        raise RuntimeError(
            f"For '{primitive.name}': strategies are not available together with 'pipeline_stages'. Leave 'shard' out, "
            "or use pipeline_stages=1."
        )

    def sharded_call(self, fn: Any, args: tuple, in_strategy: Any, out_strategy: Any, plan: Any) -> Any:
        """Raise RuntimeError for a Cell or function with strategies."""
        raise RuntimeError("'shard' is not available together with 'pipeline_stages'. Use pipeline_stages=1.")

    def left_out(self) -> frozenset[str]:
        """Return the names of Parameters that only other stages use."""
        return frozenset(item.name for item, users in self.users.values() if users and self.stage not in users)

    def micro_batches(self, parts: Iterator[tuple[Any, ...]], network: Callable[..., Any]) -> Any:
        """Return the sum of a network's outputs for the parts of a batch, which are differentiated one by one."""
        total = None
        for part in parts:
            self.micros.append(Micro())
            outputs = tree_map(self._cut, network(*part))
            total = outputs if total is None else total + outputs
        self.micros.append(Micro())
        return total

    def _cut(self, value: Any) -> Any:
        """Return the output of a micro batch as a leaf, where a separate backward pass starts."""
        if not isinstance(value, torch.Tensor) or _stage_of(value) not in (-1, self.stage):
            return value
        with torch._C.DisableTorchFunction():
            if not value.requires_grad:
                return value
            leaf = Tensor(value.detach()).requires_grad_()
            leaf.__dict__.update(value.__dict__)
            self.micros[-1].outputs.append((value, leaf))
            return leaf

    def _check(self, cell: Any) -> None:
        """Raise RuntimeError for a network without stages, or with invalid ones."""
        found = {item.pipeline_stage for _, item in cell.cells_and_names()} - {None}
        if any(True for _ in cell.get_parameters()) and (not found or max(found) >= self.stages):
            raise RuntimeError(
                f"With 'pipeline_stages' {self.stages} the Cells of the network must have a 'pipeline_stage' from 0 to "
                f"{self.stages - 1}, but it has {sorted(found)}. Set it on the Cells, or by PipelineCell."
            )

    # --- operators ----------------------------------------------------------------------------------------------------

    def function(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Return the result of a torch function: a value in its stage, its shape elsewhere."""
        if func in GRADS:
            return grad(self, args, kwargs)
        if func in _OF_ITSELF:
            return func(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            tensors = _tensors(args, kwargs)
            around = self.around[-1] if self.around else -1
            inputs = max(map(_stage_of, tensors), default=-1)
            if func in _LEAVING and inputs not in (-1, self.stage):
                raise RuntimeError(
                    f"A value of pipeline stage {inputs} was asked for by Python in stage {self.stage}, which does not "
                    "have it. Compute with Tensors instead, or look at the network's outputs."
                )
            if inputs > around >= 0:
                raise RuntimeError(
                    f"A Cell of pipeline stage {around} was given a result of stage {inputs}. Stages must follow one "
                    "another in the order of their numbers."
                )
            stage = max(inputs, around)
            if stage < 0 and getattr(func, "__name__", "") in _DRAWING:
                stage = 0
            self._note(tensors, stage)
            if stage < 0:
                return self._marked(func(*args, **kwargs), -1, tensors)
            args, kwargs = self._brought(stage, args, kwargs)
            if stage != self.stage:
                args, kwargs = tree_map(_as_meta, (args, kwargs))
            if stage != self.stage and kwargs.get("device") is not None:
                kwargs = {**kwargs, "device": "meta"}
            return self._marked(func(*args, **kwargs), stage, ())

    def _marked(self, result: Any, stage: int, tensors: Sequence[Any]) -> Any:
        """Mark the results with their stage, or with the Parameters that every process computed them from."""
        made_of = frozenset().union(*(self._made_of(item) for item in tensors)) if tensors else frozenset()

        def mark(value: Any) -> Any:
            if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
                if stage >= 0:
                    value.__dict__["_stage"] = stage
                elif made_of:
                    value.__dict__["_made_of"] = made_of
            return value

        return tree_map(mark, result)

    def _made_of(self, value: Any) -> frozenset[Any]:
        return frozenset((id(value),)) if isinstance(value, Parameter) else value.__dict__.get("_made_of", frozenset())

    def _note(self, tensors: Sequence[Any], stage: int) -> None:
        """Record which stages use which Parameter; all processes begin with the first one's values. Gradients in a
        training step do not count: there processes may differ, since their optimizers may.
        """
        if not self.is_plain and not THREAD.running:
            return
        for item in tensors:
            if isinstance(item, Parameter) and id(item) not in self.users:
                self.users[id(item)] = item, set()
                dist.broadcast(_Base.data.__get__(item), 0)  # type: ignore[attr-defined]
            if stage >= 0 and _stage_of(item) < 0:
                for key in self._made_of(item) & self.users.keys():
                    self.users[key][1].add(stage)

    def _brought(self, stage: int, args: Any, kwargs: Any) -> Any:
        """Return the arguments for ``stage``, with Tensors from earlier stages moved to its process."""

        def bring(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or not 0 <= _stage_of(value) < stage:
                return value
            if _stage_of(value) == self.stage:
                self._send(value, stage)
            return self._received(value) if stage == self.stage else value

        return tree_map(bring, (args, kwargs))

    def _send(self, value: Any, stage: int) -> None:
        given = value.__dict__.setdefault("_given_to", set())
        if stage in given:
            return
        given.add(stage)
        data = value.detach().contiguous()
        self.pending.append((dist.isend(data, stage), data))
        if value.requires_grad:
            self.micros[-1].sent.append((value, stage))

    def _received(self, value: Any) -> Any:
        found = value.__dict__.get("_here")
        if found is None:
            found = Tensor(torch.empty(tuple(_Base.size(value)), dtype=value.dtype, device=current_device()))
            dist.recv(found, _stage_of(value))
            if value.requires_grad:
                found.requires_grad_()
                self.micros[-1].received.append((found, _stage_of(value)))
            found.__dict__["_stage"] = self.stage
            value.__dict__["_here"] = found
        return found

    def _output(self, value: Any) -> Any:
        """Return a stage's result, in every process."""
        if not isinstance(value, torch.Tensor) or _stage_of(value) < 0:
            return value
        stage = _stage_of(value)
        data = (
            value.detach().contiguous()
            if stage == self.stage
            else torch.empty(tuple(_Base.size(value)), dtype=value.dtype, device=current_device())
        )
        dist.broadcast(data, stage)
        return Tensor(data)


def _as_meta(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or value.is_meta:
        return value
    made = torch.empty_like(value.detach(), device="meta")
    made.requires_grad_(value.requires_grad)
    made.__class__ = Tensor
    return made


_made: list[Pipeline] = []


def pipeline(stages: int) -> Pipeline:
    """Return the pipeline of this process."""
    if not _made or _made[0].stages != stages:
        _made[:] = [Pipeline(stages)]
    return _made[0]


def sync_pipeline_shared_parameters(net: Any) -> None:
    """Broadcast Parameters that several stages of a pipeline use, from the first of these; do nothing without
    ``pipeline_stages``. Run the network once before, as MindSpore's has to be compiled: only then the stages of each
    Parameter are known.
    """
    if get_auto_parallel_context("pipeline_stages") < 2:
        return
    users = pipeline(get_auto_parallel_context("pipeline_stages")).users
    for parameter in net.get_parameters():
        stages = users.get(id(parameter), (None, set()))[1]
        if len(stages) > 1:
            dist.broadcast(_Base.data.__get__(parameter), min(stages))  # type: ignore[attr-defined]
