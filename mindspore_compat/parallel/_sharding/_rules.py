"""Rules for operators of aten on DTensors: those that DTensor misses, or gets wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.utils._pytree import tree_map

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
