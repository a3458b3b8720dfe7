"""torch's operators on DTensors. Operators with correct rules in DTensor use those; those that DTensor misses, or gets
wrong, have rules here; the others compute on the whole tensors, which is correct but slow, and logged once.
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
from mindspore_compat._runtime.device import current_device
from mindspore_compat.parallel._sharding._tensor import tensors_in

_aten = torch.ops.aten
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


def name_of(func: Any) -> str:
    return func._schema.name.removeprefix("aten::")


def moved(value: Any, placements: Sequence[Any]) -> Any:
    return (
        value
        if tuple(value.placements) == tuple(placements)
        else value.redistribute(value._spec.mesh, list(placements))
    )


def _in_place(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Run an operator that writes to its first argument, with that argument's placements."""
    target = args[0]
    if any(isinstance(item, Partial) for item in target.placements):
        return mode.on_whole(func, args, kwargs)
    return func(*args, **kwargs)


def _embedding(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Return rows of a table that may be cut along both axes, at ids that may be cut where the table is not."""
    table, ids = args[0], args[1]
    table = moved(table, [item if isinstance(item, Shard) else Replicate() for item in table.placements])
    ids = moved(
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
    return DTensor.from_local(found, mode.devices.mesh, placements, run_check=False)


def _rows(count: int, table: Any) -> tuple[int, int, int]:
    """Return (rows of this process's part, the first of them, all rows)."""
    start, whole = 0, table.shape[0]
    length = whole
    for size, place, here in zip(table._spec.mesh.shape, table.placements, table._spec.mesh.get_coordinate()):
        if isinstance(place, Shard) and place.dim == 0:
            length //= size
            start += here * length
    return count, start, whole


def _embedding_backward(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Return the gradient of the whole table, to be summed over the devices that cut the ids."""
    gradient, ids = args[0], args[1]
    ids = moved(ids, [item if isinstance(item, Shard) else Replicate() for item in ids.placements])
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
    gradient = moved(gradient, wanted)
    found = func(gradient._local_tensor.contiguous(), ids._local_tensor, *args[2:])
    return DTensor.from_local(found, mode.devices.mesh, placements, run_check=False)


def _convolution(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Cut along the batch only; the weight is whole."""
    x = args[0]
    batch = [item if item == Shard(0) else Replicate() for item in x.placements]
    rest = [moved(item, mode.devices.replicated) if isinstance(item, DTensor) else item for item in args[1:]]
    return mode.local(func, (moved(x, batch), *rest), kwargs, batch)


def _convolution_backward(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    gradient, x, weight = args[:3]
    batch = [
        item if item == Shard(0) and x.placements[number] == Shard(0) else Replicate()
        for number, item in enumerate(gradient.placements)
    ]
    given = (moved(gradient, batch), moved(x, batch), moved(weight, mode.devices.replicated), *args[3:])
    of_input, of_weight, of_bias = func(
        *[item._local_tensor if isinstance(item, DTensor) else item for item in given], **kwargs
    )
    summed = [Partial() if item == Shard(0) else Replicate() for item in batch]
    make = lambda value, places: (  # noqa: E731
        None if value is None else DTensor.from_local(value, mode.devices.mesh, places, run_check=False)
    )
    return make(of_input, batch), make(of_weight, summed), make(of_bias, summed)


def _by_item(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Compute locally if all tensors are cut alike along the first axes."""
    tensors = tensors_in(args, kwargs)
    axes = min(_BY_ITEM[name_of(func)], tensors[0].dim() - 2)  # a single image has no batch
    given = [item for item in tensors if item.dim() > axes]
    first = given[0]
    places = [
        item if isinstance(item, Shard) and item.dim < axes and _same(given, item.dim) else Replicate()
        for item in first.placements
    ]
    cut, whole = {id(item) for item in given}, mode.devices.replicated
    move = lambda item: (  # noqa: E731
        moved(item, places if id(item) in cut else whole) if isinstance(item, DTensor) else item
    )
    return mode.local(func, *tree_map(move, (args, kwargs)), places)


def _same(tensors: Sequence[Any], axis: int) -> bool:
    return len({item.shape[axis] for item in tensors}) == 1


def _index_select(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Return rows of a matrix, as those of an embedding's table."""
    table, axis, ids = args
    if axis != 0 or table.dim() != 2:
        return mode.on_whole(func, args, kwargs)
    return _embedding(mode, func, (table, ids), {})


def _index_add(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Add rows to a matrix, such as the gradient of `_index_select`: each process adds its own."""
    target, axis, ids, rows = args
    if axis != 0 or target.dim() != 2 or kwargs:
        return mode.on_whole(func, args, kwargs)
    places = [
        one if one == Shard(0) and other == Shard(0) else Replicate()
        for one, other in zip(ids.placements, rows.placements)
    ]
    ids, rows = moved(ids, places), moved(rows, places)
    found = torch.zeros(target.shape, dtype=target.dtype, device=target.device).index_add_(
        0, ids._local_tensor, rows._local_tensor
    )
    summed = [Partial() if item == Shard(0) else Replicate() for item in places]
    return _aten.add(DTensor.from_local(found, mode.devices.mesh, summed, run_check=False), target)


def _nll_loss(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Compute each process's part of the batch; their sums make the mean. Reduction: 0 none, 1 mean, 2 sum."""
    x, labels, weight, reduction, ignored = args
    if x.dim() != 2:
        return mode.on_whole(func, args, kwargs)
    batch = [item if item == Shard(0) else Replicate() for item in x.placements]
    x, labels = moved(x, batch), moved(labels, batch)
    weight = weight if weight is None else moved(weight, mode.devices.replicated)._local_tensor
    loss, total = func(x._local_tensor, labels._local_tensor, weight, 2 if reduction == 1 else reduction, ignored)
    summed = [Partial() if item == Shard(0) else Replicate() for item in batch]
    make = lambda value, places: DTensor.from_local(value, mode.devices.mesh, places, run_check=False)  # noqa: E731
    total = moved(make(total, summed), mode.devices.replicated)
    if reduction == 0:
        return make(loss, batch), total
    loss = moved(make(loss, summed), mode.devices.replicated)
    return _aten.div(loss, total) if reduction == 1 else loss, total


def _nll_loss_backward(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    gradient, x, labels, weight, reduction, ignored, total = args
    if x.dim() != 2:
        return mode.on_whole(func, args, kwargs)
    batch = [item if item == Shard(0) else Replicate() for item in x.placements]
    whole = mode.devices.replicated
    given = (
        moved(gradient, whole if reduction else batch),
        moved(x, batch),
        moved(labels, batch),
        weight if weight is None else moved(weight, whole),
        reduction,
        ignored,
        moved(total, whole),
    )
    return mode.local(func, given, kwargs, batch)


def _foreach(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Apply an operator to each of a list, with one other, or one for each."""
    single = getattr(_aten, name_of(func).removeprefix("_foreach_"))
    first, *rest = args
    columns = [item if isinstance(item, (list, tuple)) else [item] * len(first) for item in rest]
    return [single(*row, **kwargs) for row in zip(first, *columns)]


def _view(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Return a view. Autograd requests views by the whole's strides, which may differ from a part's."""
    try:
        return func(*args, **kwargs)
    except RuntimeError:
        x, *rest = args
        stride = torch.empty(x.shape, device="meta").stride()
        made = DTensor.from_local(
            x._local_tensor.contiguous(), mode.devices.mesh, x.placements, run_check=False, shape=x.shape, stride=stride
        )
    try:
        return func(made, *rest, **kwargs)
    except RuntimeError:
        return mode.on_whole(func, (made, *rest), kwargs)


RULES: dict[str, Callable[..., Any]] = {
    "embedding": _embedding,
    "embedding_dense_backward": _embedding_backward,
    "view": _view,
    "_unsafe_view": _view,
    "index_select": _index_select,
    "index_add": _index_add,
    "nll_loss_forward": _nll_loss,
    "nll_loss_backward": _nll_loss_backward,
    "convolution": _convolution,
    "convolution_backward": _convolution_backward,
    **dict.fromkeys("_foreach_mul _foreach_div _foreach_add _foreach_sub".split(), _foreach),
    **dict.fromkeys(_BY_ITEM, _by_item),
    **dict.fromkeys("add_ sub_ mul_ div_ copy_ zero_ fill_ relu_ neg_ clamp_".split(), _in_place),
}


#: names of operators that DTensor computes correctly; those with torch's tag "pointwise" as well
_TRUSTED = frozenset(
    """
    mm addmm bmm baddbmm dot mv t transpose reshape expand permute unsqueeze squeeze sum mean amax
    amin max min var native_layer_norm native_layer_norm_backward _softmax _softmax_backward_data _log_softmax
    _log_softmax_backward_data cat stack split slice select slice_backward select_backward clone detach alias ones_like
    zeros_like full_like empty_like _to_copy linalg_vector_norm cumsum new_zeros new_ones new_full lift_fresh
    """.split()
)
_said: set[str] = set()


class Operators(TorchDispatchMode):
    """Dispatch mode for every operator of aten, also those of the backward pass.

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
        """Turn the mode on within the context; once only."""
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
        rule = RULES.get(name_of(func))
        if rule is not None:
            return rule(self, func, args, kwargs)
        if name_of(func) in _TRUSTED or (torch.Tag.pointwise in func.tags and not func._schema.is_mutable):
            try:
                return func(*args, **kwargs)
            except (NotImplementedError, RuntimeError):  # of DTensor's planning, the same in every process
                pass
        return self.on_whole(func, args, kwargs)

    def _shared(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and not isinstance(value, DTensor):
            return DTensor.from_local(value, self.devices.mesh, list(self.devices.replicated), run_check=False)
        return value

    def _agree(self) -> None:
        """Broadcast the first process's generator state, so that all processes draw the same."""
        if not self.draws_alike:
            self.draws_alike = True
            device = current_device()
            modules: list[Any] = [torch] if device.type == "cpu" else [torch, torch.cuda]
            for module in modules:
                state = module.get_rng_state().to(device)
                dist.broadcast(state, self.devices.ranks[0])
                module.set_rng_state(state.cpu())

    def local(self, func: Any, args: Any, kwargs: Any, placements: Any) -> Any:
        """Return ``func`` on the local parts, with these placements of its results."""
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

    def on_whole(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Return ``func`` on the whole tensors, in every process; in-place writes are copied to the parts."""
        whole = self.devices.replicated
        given = tensors_in(args, kwargs)
        if any(tuple(item.placements) != whole for item in given) and str(func) not in _said:
            _said.add(str(func))
            log.info("The operator %s is computed on whole tensors in every process: it has no rule for parts.", func)
        placed: dict[int, Any] = {id(item): moved(item, whole) for item in given}
        replace = lambda item: placed[id(item)] if isinstance(item, DTensor) else item  # noqa: E731
        moved_args, moved_kwargs = tree_map(replace, (args, kwargs))
        result = self.local(func, moved_args, moved_kwargs, whole)
        if not func._schema.is_mutable:
            return result
        written = _written(func, args, kwargs)
        for item in written:
            if placed[id(item)] is not item:
                item._local_tensor.copy_(moved(placed[id(item)], item.placements)._local_tensor)
        returned = [item for item in written if isinstance(result, torch.Tensor)]
        return returned[0] if returned else result


def _written(func: Any, args: Any, kwargs: Any) -> list[Any]:
    """Return the DTensors that ``func`` writes to."""
    found: list[Any] = []
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = kwargs.get(argument.name, args[position] if position < len(args) else None)
            found.extend(item for item in tensors_in(value) if isinstance(item, DTensor))
    return found
