"""torch's operators on DTensors. Those of which DTensor's own rules are known to be right use them; a few have rules
here; the others compute on the whole tensors, which is right and slow, and is said once in the log.

Which are known to be right is what tests/parallel/sharded_operators_program.py compares with one process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from mindspore_compat import log
from mindspore_compat.parallel._sharding._tensor import tensors_in

__all__ = ["Operators"]

_aten = torch.ops.aten
#: names of operators that DTensor computes rightly; those with torch's tag "pointwise" as well
_TRUSTED = frozenset(
    """
    mm addmm bmm baddbmm dot mv t transpose view _unsafe_view reshape expand permute unsqueeze squeeze sum mean amax
    amin max min var native_layer_norm native_layer_norm_backward _softmax _softmax_backward_data _log_softmax
    _log_softmax_backward_data cat stack split slice select slice_backward select_backward clone detach alias ones_like
    zeros_like full_like empty_like _to_copy linalg_vector_norm cumsum new_zeros new_ones new_full lift_fresh
    """.split()
)
#: operators that treat the first axes of their tensors one by one: name -> how many
_BY_ITEM = {
    "max_pool2d_with_indices": 2,
    "max_pool2d_with_indices_backward": 2,
    "avg_pool2d": 2,
    "avg_pool2d_backward": 2,
    "_adaptive_avg_pool2d": 2,
    "_adaptive_avg_pool2d_backward": 2,
    "_scaled_dot_product_flash_attention_for_cpu": 2,
    "_scaled_dot_product_flash_attention_for_cpu_backward": 2,
}
_said: set[str] = set()


def _name(func: Any) -> str:
    return func._schema.name.removeprefix("aten::")


def _moved(value: Any, placements: Sequence[Any]) -> Any:
    return (
        value
        if tuple(value.placements) == tuple(placements)
        else value.redistribute(value._spec.mesh, list(placements))
    )


class Operators(TorchDispatchMode):
    """Sees every operator of aten, also those of the backward pass.

    Args:
        devices: what tensors are cut over.
    """

    def __init__(self, devices: Any) -> None:
        super().__init__()
        self.devices = devices
        self.draws_alike = False  # the processes' random generators agree
        self._depth = 0

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Within, the mode is on; once only."""
        if self._depth:
            yield
            return
        self._depth = 1
        try:
            with self:
                yield
        finally:
            self._depth = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if torch.Tag.nondeterministic_seeded in func.tags:
            self._agree()
        tensors = tensors_in(args, kwargs)
        if not any(isinstance(item, DTensor) for item in tensors):
            return func(*args, **kwargs)
        if func.namespace not in ("aten", "prim", "prims"):
            raise RuntimeError(
                f"The operator {func} is not available on tensors that several processes share. Communication between "
                "processes is made by the strategies; take it out of the network, or use "
                "parallel_mode='data_parallel'."
            )
        if any(not isinstance(item, DTensor) for item in tensors):
            args, kwargs = tree_map(self._shared, (args, kwargs))
        rule = _RULES.get(_name(func))
        if rule is not None:
            return rule(self, func, args, kwargs)
        if _name(func) in _TRUSTED or (torch.Tag.pointwise in func.tags and not func._schema.is_mutable):
            try:
                return func(*args, **kwargs)
            except (NotImplementedError, RuntimeError):  # of DTensor's planning, the same in every process
                pass
        return self._on_whole(func, args, kwargs)

    def _shared(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and not isinstance(value, DTensor):
            return DTensor.from_local(value, self.devices.mesh, list(self.devices.replicated), run_check=False)
        return value

    def _agree(self) -> None:
        """All processes draw what the first draws."""
        if not self.draws_alike:
            self.draws_alike = True
            state = torch.get_rng_state()
            dist.broadcast(state, self.devices.ranks[0], group=self._group())
            torch.set_rng_state(state)

    def _group(self) -> Any:
        return None if len(self.devices.ranks) == dist.get_world_size() else self.devices.group

    def local(self, func: Any, args: Any, kwargs: Any, placements: Any) -> Any:
        """``func`` on the local parts, its results placed so."""
        args, kwargs = tree_map(lambda item: item._local_tensor if isinstance(item, DTensor) else item, (args, kwargs))
        result = func(*args, **kwargs)
        mesh = self.devices.mesh

        def placed(item: Any) -> Any:
            return (
                DTensor.from_local(item, mesh, list(placements), run_check=False)
                if isinstance(item, torch.Tensor)
                else item
            )

        return tree_map(placed, result)

    def _on_whole(self, func: Any, args: Any, kwargs: Any) -> Any:
        """``func`` on the whole tensors, in every process; what it writes to is written to the parts."""
        whole = self.devices.replicated
        given = tensors_in(args, kwargs)
        if any(tuple(item.placements) != whole for item in given) and str(func) not in _said:
            _said.add(str(func))
            log.info("The operator %s is computed on whole tensors in every process: it has no rule for parts.", func)
        moved: dict[int, Any] = {id(item): _moved(item, whole) for item in given}
        replace = lambda item: moved[id(item)] if isinstance(item, DTensor) else item  # noqa: E731
        result = self.local(func, *tree_map(replace, (args, kwargs)), whole)
        if not func._schema.is_mutable:
            return result
        written = _written(func, args, kwargs)
        for item in written:
            if moved[id(item)] is not item:
                item._local_tensor.copy_(_moved(moved[id(item)], item.placements)._local_tensor)
        returned = [item for item in written if isinstance(result, torch.Tensor)]
        return returned[0] if returned else result


def _written(func: Any, args: Any, kwargs: Any) -> list[Any]:
    """The DTensors that ``func`` writes to."""
    found = []
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = kwargs.get(argument.name, args[position] if position < len(args) else None)
            found.extend(item for item in tensors_in(value) if isinstance(item, DTensor))
    return found


# --- rules ------------------------------------------------------------------------------------------------------------


def _in_place(self: Operators, func: Any, args: Any, kwargs: Any) -> Any:
    """An operator that writes to its first argument: computed as that lies."""
    target = args[0]
    if any(isinstance(item, Partial) for item in target.placements):
        return self._on_whole(func, args, kwargs)
    return func(*args, **kwargs)


def _embedding(self: Operators, func: Any, args: Any, kwargs: Any) -> Any:
    """Rows of a table that may be cut along both axes, at ids that may be cut where the table is not."""
    table, ids = args[0], args[1]
    table = _moved(table, [item if isinstance(item, Shard) else Replicate() for item in table.placements])
    ids = _moved(
        ids,
        [
            item if isinstance(item, Shard) and isinstance(place, Replicate) else Replicate()
            for item, place in zip(ids.placements, table.placements)
        ],
    )
    rows, start, _ = _rows(table._local_tensor.shape[0], table)
    local_ids = ids._local_tensor - start
    outside = (local_ids < 0) | (local_ids >= rows)
    if (ids._local_tensor < 0).any() or (ids._local_tensor >= table.shape[0]).any():
        raise IndexError("index out of range in self")
    found = _aten.embedding(table._local_tensor, local_ids.masked_fill(outside, 0))
    found = found.masked_fill(outside.unsqueeze(-1), 0)
    placements: list[Any] = []
    for place, item in zip(table.placements, ids.placements):
        if isinstance(place, Shard):
            placements.append(Partial() if place.dim == 0 else Shard(found.dim() - 1))
        else:
            placements.append(item)
    return DTensor.from_local(found, self.devices.mesh, placements, run_check=False)


def _rows(count: int, table: Any) -> tuple[int, int, int]:
    """(rows of this process's part, the first of them, all rows)."""
    start, whole = 0, table.shape[0]
    length = whole
    for size, place, here in zip(table._spec.mesh.shape, table.placements, table._spec.mesh.get_coordinate()):
        if isinstance(place, Shard) and place.dim == 0:
            length //= size
            start += here * length
    return count, start, whole


def _embedding_backward(self: Operators, func: Any, args: Any, kwargs: Any) -> Any:
    """The gradient of the whole table, to be summed over the devices that cut the ids."""
    gradient, ids = args[0], args[1]
    ids = _moved(ids, [item if isinstance(item, Shard) else Replicate() for item in ids.placements])
    last = gradient.dim() - 1
    wanted, placements = [], []
    for item, place in zip(ids.placements, gradient.placements):
        if isinstance(item, Shard):
            wanted.append(item)
            placements.append(Partial())
        elif isinstance(place, Shard) and place.dim == last:
            wanted.append(place)
            placements.append(Shard(1))
        else:
            wanted.append(Replicate())
            placements.append(Replicate())
    gradient = _moved(gradient, wanted)
    found = func(gradient._local_tensor.contiguous(), ids._local_tensor, *args[2:])
    return DTensor.from_local(found, self.devices.mesh, placements, run_check=False)


def _convolution(self: Operators, func: Any, args: Any, kwargs: Any) -> Any:
    """Cut along the batch only; the weight is whole."""
    x = args[0]
    batch = [item if item == Shard(0) else Replicate() for item in x.placements]
    rest = [_moved(item, self.devices.replicated) if isinstance(item, DTensor) else item for item in args[1:]]
    return self.local(func, (_moved(x, batch), *rest), kwargs, batch)


def _convolution_backward(self: Operators, func: Any, args: Any, kwargs: Any) -> Any:
    gradient, x, weight = args[:3]
    batch = [
        item if item == Shard(0) and x.placements[number] == Shard(0) else Replicate()
        for number, item in enumerate(gradient.placements)
    ]
    given = (_moved(gradient, batch), _moved(x, batch), _moved(weight, self.devices.replicated), *args[3:])
    of_input, of_weight, of_bias = func(
        *[item._local_tensor if isinstance(item, DTensor) else item for item in given], **kwargs
    )
    summed = [Partial() if item == Shard(0) else Replicate() for item in batch]
    make = lambda value, places: (  # noqa: E731
        None if value is None else DTensor.from_local(value, self.devices.mesh, places, run_check=False)
    )
    return make(of_input, batch), make(of_weight, summed), make(of_bias, summed)


def _by_item(self: Operators, func: Any, args: Any, kwargs: Any) -> Any:
    """Local where all tensors are cut alike along the first axes."""
    tensors = tensors_in(args, kwargs)
    axes = min(_BY_ITEM[_name(func)], tensors[0].dim() - 2)  # a single image has no batch
    given = [item for item in tensors if item.dim() > axes]
    first = given[0]
    places = [
        item if isinstance(item, Shard) and item.dim < axes and _same(given, item.dim) else Replicate()
        for item in first.placements
    ]
    cut, whole = {id(item) for item in given}, self.devices.replicated
    move = lambda item: (  # noqa: E731
        _moved(item, places if id(item) in cut else whole) if isinstance(item, DTensor) else item
    )
    return self.local(func, *tree_map(move, (args, kwargs)), places)


def _same(tensors: Sequence[Any], axis: int) -> bool:
    return len({item.shape[axis] for item in tensors}) == 1


_RULES: dict[str, Callable[..., Any]] = {
    "embedding": _embedding,
    "embedding_dense_backward": _embedding_backward,
    "convolution": _convolution,
    "convolution_backward": _convolution_backward,
    **dict.fromkeys(_BY_ITEM, _by_item),
    **dict.fromkeys("add_ sub_ mul_ div_ copy_ zero_ fill_ relu_ neg_ clamp_".split(), _in_place),
}
