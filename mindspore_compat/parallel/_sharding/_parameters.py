"""Parameters cut over processes, with their optimizer states."""

from __future__ import annotations

import contextlib
import math
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard

from mindspore_compat._graph.program import program
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.parallel._sharding._mesh import Devices, Placements
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
