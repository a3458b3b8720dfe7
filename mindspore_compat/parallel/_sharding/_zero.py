"""``enable_parallel_optimizer`` in data parallel training: each process keeps a part of the optimizer's states, updates
that part of the Parameters, and receives the rest from the others (ZeRO's first stage).
"""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.tensor import Shard

from mindspore_compat._autograd.sparse_embedding_grads import was_looked_up
from mindspore_compat._graph.program import program
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.parallel._sharding import _parameters as parameters
from mindspore_compat.parallel._sharding._mesh import Devices, world
from mindspore_compat.parallel._sharding._tensor import sharded
from mindspore_compat.parallel._sharding._tensor import whole as whole_of

_data = torch._C.TensorBase.data.__get__  # type: ignore[attr-defined]
_CUTS = "_cuts_of_states"
_devices: list[Devices] = []


def update(optimizer: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call the optimizer on parts.

    Raises:
        RuntimeError: for an optimizer that reads whole Parameters, or rows.
    """
    if not parameters.is_elementwise(optimizer):
        raise RuntimeError(
            f"For '{type(optimizer).__name__}', 'enable_parallel_optimizer' is not supported: its step needs whole "
            "Parameters. Use Adam, AdamWeightDecay or Momentum, or leave the key out."
        )
    if optimizer._takes_rows and any(was_looked_up(item) for item in optimizer.parameters):
        raise RuntimeError(
            f"For '{type(optimizer).__name__}', 'enable_parallel_optimizer' is not supported with rows that are looked "
            "up: which, each process knows for whole tables. Use nn.Embedding, EmbeddingLookup(target='DEVICE', "
            "sparse=False), or leave the key out."
        )
    program.not_repeatable("the optimizer's states lie in several processes")
    cuts = optimizer.__dict__.get(_CUTS)
    if cuts is None:
        cuts = optimizer.__dict__[_CUTS] = _cut_states(optimizer)
    grads = list(args[0]) if isinstance(args[0], (tuple, list)) else [args[0]]
    wholes: list[tuple[Parameter, parameters.Cut, torch.Tensor]] = []
    with torch.no_grad(), torch._C.DisableTorchFunction():
        for number, (target, cut) in enumerate(zip(optimizer.parameters, cuts)):
            if cut is not None:
                grads[number] = Tensor(parameters.part_of(cut, _plain(grads[number])))
                wholes.append((target, cut, _data(target)))
                target.data = parameters.part_of(cut, _data(target))
        try:
            result = optimizer._call_here((tuple(grads), *args[1:]), kwargs)
        finally:
            for target, cut, whole in wholes:
                whole.copy_(whole_of(sharded(_data(target), cut.devices.mesh, cut.placements, cut.shape)))
                target.data = whole
    return result


def _plain(value: torch.Tensor) -> torch.Tensor:
    return torch._C.TensorBase.detach(value)


def _cut_states(optimizer: Any) -> list[Any]:
    """Return for each Parameter the new cut of its states, None for those that stay whole."""
    if not _devices:
        _devices.append(world())
    devices = _devices[0]
    found: list[Any] = []
    for target in optimizer.parameters:
        places = parameters.with_optimizer_cut(devices, target, devices.replicated)
        if not any(isinstance(item, Shard) for item in places):
            found.append(None)
            continue
        cut = parameters.Cut(devices, places, places, tuple(target.shape))
        for state in parameters.states_of(target, [optimizer]):
            parameters.keep_part(state, cut)
        found.append(cut)
    return found
