"""Gradients through a pipeline: micro batch by micro batch, from the last stage to the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat.common.parameter import Parameter

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
