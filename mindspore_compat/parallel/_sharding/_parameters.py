"""Parameters cut over processes, with their optimizer states.

``enable_parallel_optimizer`` in data parallel training: each process keeps a part of the optimizer's states, updates
that part of the Parameters, and receives the rest from the others (ZeRO's first stage).
"""

from __future__ import annotations

import contextlib
import math
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard

from mindspore_compat._autograd.sparse_embedding_grads import was_looked_up
from mindspore_compat._graph.program import program
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.parallel._sharding._mesh import Devices, Placements, world
from mindspore_compat.parallel._sharding._tensor import sharded
from mindspore_compat.parallel._sharding._tensor import whole as whole_of

_Base = torch._C.TensorBase
_data = _Base.data.__get__  # type: ignore[attr-defined]
#: optimizers that treat each element of a Parameter by itself
_ELEMENTWISE = frozenset(
    """
    SGD Momentum Adam AdamWeightDecay AdamOffload Adagrad RMSProp AdaMax ASGD Rprop Adadelta FTRL ProximalAdagrad
    """.split()
)

#: functions allowed on a part: they read or replace its memory
_WITHOUT_MODE = frozenset(
    """
    __get__ __set__ size dim numel element_size stride is_contiguous is_floating_point is_complex requires_grad_ detach
    numpy data_ptr __hash__ storage_offset untyped_storage
    """.split()
)


class Cut(NamedTuple):
    """Cut of a Parameter.

    Attributes:
        devices: over which devices.
        placements: how it is kept.
        used: how operators get it: ``placements`` without the optimizer's cuts.
        shape: that of the whole.
    """

    devices: Devices
    placements: Placements
    used: Placements
    shape: tuple[int, ...]


class CutParameter(Parameter):
    """A Parameter of which this process holds a part; ``shape`` and ``asnumpy`` show the part."""

    _cut: Cut

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Raise RuntimeError outside of the mode that cut the Parameter: a part must not be used as the whole."""
        if getattr(func, "__name__", "") not in _WITHOUT_MODE:
            raise RuntimeError(
                "A Parameter that is cut over processes was used outside of the parallel mode that has cut it, or "
                "outside of a Cell. Keep the mode and compute in a Cell, or load a checkpoint into a new network."
            )
        with torch._C.DisableTorchFunction():
            return func(*args, **(kwargs or {}))

    @property
    def sliced(self) -> bool:
        return True

    @property
    def is_in_parallel(self) -> bool:
        return True

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Set the values of the whole Parameter, or of this process's part."""
        if isinstance(data, torch.Tensor) and tuple(_Base.size(data)) == self._cut.shape and not slice_shape:
            with torch._C.DisableTorchFunction():
                data = part_of(self._cut, data.detach())
        elif isinstance(data, torch.Tensor) and tuple(_Base.size(data)) != tuple(_Base.size(self)):
            raise ValueError(
                f"The Parameter '{self.name}' has the shape {self._cut.shape}, of which this process holds "
                f"{tuple(_Base.size(self))}, but got data of the shape {tuple(_Base.size(data))}."
            )
        return super().set_data(data)

    def whole(self) -> torch.Tensor:
        """Return all of it; all processes must call this."""
        return gathered(self)

    def __deepcopy__(self, memodict: dict) -> Parameter:
        result: Any = super().__deepcopy__(memodict)
        result.__class__ = CutParameter
        result._cut = self._cut
        return result


def cut_of(parameter: Any) -> Cut | None:
    """Return the cut, None if every process holds all of it."""
    return parameter.__dict__.get("_cut")


def part_of(cut: Cut, data: torch.Tensor) -> torch.Tensor:
    """Return this process's part of the whole, in its own memory."""
    whole = DTensor.from_local(data, cut.devices.mesh, list(cut.devices.replicated), run_check=False)
    return whole.redistribute(cut.devices.mesh, list(cut.placements))._local_tensor.clone()


def gathered(parameter: Parameter) -> torch.Tensor:
    """Return all of a Parameter; all processes must call this."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        data, cut = _data(parameter), cut_of(parameter)
        if cut is None:
            return data
        return whole_of(sharded(data, cut.devices.mesh, cut.placements, cut.shape))


def as_leaf(leaf: Any, parameter: Parameter) -> Any:
    """Return ``leaf``, with a reference to the Parameter."""
    leaf.of = parameter
    return leaf


def cut(
    devices: Devices, parameter: Parameter, placements: Placements, used: Placements, optimizers: Sequence[Any]
) -> None:
    """Keep only this process's part of a Parameter, and of its states in elementwise optimizers."""
    for item in (parameter, *states_of(parameter, optimizers)):
        if cut_of(item) is None:
            keep_part(item, Cut(devices, tuple(placements), tuple(used), tuple(item.shape)))
    program.changed()


def states_of(parameter: Parameter, optimizers: Sequence[Any]) -> list[Any]:
    """Return the states of elementwise optimizers for each element of a Parameter."""
    return [
        state
        for optimizer in optimizers
        if is_elementwise(optimizer)
        for state in optimizer.get_parameters()
        if state is not parameter
        and state.name.endswith("." + parameter.name)
        and tuple(state.shape) == tuple(parameter.shape)
    ]


def with_optimizer_cut(devices: Devices, parameter: Parameter, used: Placements) -> Placements:
    """Return ``used``, with ``enable_parallel_optimizer`` also cut along axis 0 over the devices that would hold
    copies. Return ``used`` itself for a Parameter that is too small, or cannot be cut so.
    """
    if not get_auto_parallel_context("enable_parallel_optimizer") or not parameter.parallel_optimizer:
        return used
    config = get_auto_parallel_context("parallel_optimizer_config")
    shape, size = tuple(parameter.shape), parameter.element_size()
    if not shape or math.prod(shape) * size < config.get("parallel_optimizer_threshold", 64) * 1024:
        return used
    limit = config.get("optimizer_weight_shard_size", get_auto_parallel_context("optimizer_weight_shard_size"))
    found, left, count = list(used), shape[0] // devices.cuts(used, len(shape))[0], 1
    for axis in reversed(range(len(used))):
        more = devices.sizes[axis]
        if isinstance(used[axis], Replicate) and left % more == 0 and (limit < 1 or count * more <= limit):
            found[axis], left, count = Shard(0), left // more, count * more
    return tuple(found)


def keep_part(item: Parameter, cut: Cut) -> None:
    item.data = part_of(cut, _data(item))
    item.__class__ = CutParameter
    item._cut = cut  # type: ignore[attr-defined]


@contextlib.contextmanager
def whole(devices: Devices, targets: Sequence[Parameter]) -> Iterator[None]:
    """Make Parameters whole in every process within the context."""
    kept = [(item, item.__dict__["_cut"]) for item in targets if cut_of(item) is not None]
    for item, _ in kept:
        item.data = gathered(item)
        item.__class__ = Parameter
        del item.__dict__["_cut"]
    try:
        yield
    finally:
        for item, cut in kept:
            keep_part(item, cut)


def is_elementwise(optimizer: Any) -> bool:
    """Return whether its step on a part of a Parameter is that part of its step on the whole."""
    return (
        type(optimizer).__name__ in _ELEMENTWISE
        and type(optimizer).__module__.startswith("mindspore_compat.")
        and not any(getattr(optimizer, "grad_centralization_flags", ()))
    )


class Seen:
    """Parameters with synchronized values: each starts from the first process's."""

    def __init__(self, devices: Devices) -> None:
        self.devices = devices
        self.known: weakref.WeakValueDictionary[int, Parameter] = weakref.WeakValueDictionary()

    def broadcast(self, parameter: Parameter) -> None:
        """Broadcast a Parameter before its first use."""
        if id(parameter) not in self.known:
            self.known[id(parameter)] = parameter
            if cut_of(parameter) is None:
                dist.broadcast(_data(parameter), self.devices.ranks[0])


_view = torch._C.TensorBase.data.__get__  # type: ignore[attr-defined]
_CUTS = "_cuts_of_states"
_devices: list[Devices] = []


def update(optimizer: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call the optimizer on parts.

    Raises:
        RuntimeError: for an optimizer that reads whole Parameters, or rows.
    """
    if not is_elementwise(optimizer):
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
    wholes: list[tuple[Parameter, Cut, torch.Tensor]] = []
    with torch.no_grad(), torch._C.DisableTorchFunction():
        for number, (target, cut) in enumerate(zip(optimizer.parameters, cuts)):
            if cut is not None:
                grads[number] = Tensor(part_of(cut, _plain(grads[number])))
                wholes.append((target, cut, _view(target)))
                target.data = part_of(cut, _view(target))
        try:
            result = optimizer._call_here((tuple(grads), *args[1:]), kwargs)
        finally:
            for target, cut, whole in wholes:
                whole.copy_(whole_of(sharded(_view(target), cut.devices.mesh, cut.placements, cut.shape)))
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
        places = with_optimizer_cut(devices, target, devices.replicated)
        if not any(isinstance(item, Shard) for item in places):
            found.append(None)
            continue
        cut = Cut(devices, places, places, tuple(target.shape))
        for state in states_of(target, [optimizer]):
            keep_part(state, cut)
        found.append(cut)
    return found
