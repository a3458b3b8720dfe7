"""``remove_redundancy``: in data parallel training each process saves its share of the parameters, and receives the
rest from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat._graph.program import program
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.communication.management import get_group_size, get_rank
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.nn.cell import Cell
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.train._checkpoint.strategy import Layouts, device_num, layouts_of, read_layouts
from mindspore_compat.train._torch.names import items_of_cell, torch_targets


def _named(net: Any) -> list[tuple[str, torch.Tensor]]:
    return list(items_of_cell(net) if isinstance(net, Cell) else torch_targets(net))


def require_parallel(what: str) -> int:
    """Return the number of processes; raise TypeError if there is only one, as in MindSpore."""
    size = get_group_size() if dist.is_available() and dist.is_initialized() else 1
    if size == 1:
        raise TypeError(
            f"For {what} a checkpoint, 'remove_redundancy' needs several processes, under torchrun and after "
            "mindspore.communication.init(). Leave it out."
        )
    return size


def own_share(net: Any) -> Callable[[str], bool]:
    """Return a function that says whether this process saves a name: about the same number of bytes for each, every
    parameter once.

    Raises:
        TypeError: in a single process, as in MindSpore.
    """
    loads = [0] * require_parallel("saving")
    owners: dict[str, int] = {}
    for name, tensor in sorted(_named(net), key=lambda item: (-item[1].nbytes, item[0])):
        owners[name] = loads.index(min(loads))
        loads[owners[name]] += tensor.nbytes
    rank = get_rank()
    return lambda name: owners.get(name, rank) == rank


def share_loaded(net: Any, missing: Iterable[str]) -> list[str]:
    """Give each process its missing values from the first that has them; return the names that no process has.

    Raises:
        TypeError: in a single process, as in MindSpore.
    """
    size = require_parallel("loading")

    lists: list[Sequence[str]] = [()] * size
    dist.all_gather_object(lists, list(missing))
    absent = [set(names) for names in lists]
    wanted = set().union(*absent)
    device = torch.device("cuda", torch.cuda.current_device()) if dist.get_backend() == "nccl" else torch.device("cpu")
    nowhere = []
    for name, tensor in _named(net):
        if name not in wanted:
            continue
        owner = next((rank for rank in range(size) if name not in absent[rank]), None)
        if owner is None:
            nowhere.append(name)
            continue
        data = plain(tensor).detach()
        buffer = data.to(device).contiguous()
        dist.broadcast(buffer, src=owner)
        data.copy_(buffer)
    return nowhere


def get_parameter_redundancy(
    layout_obj: Any, initial_rank: int | None = None
) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Return {name: groups of ranks that hold the same values}.

    Args:
        layout_obj: a network that every process trains whole, a strategy file, or {name: [device matrix, tensor map,
            slice shape, field, uniform split, group over which the optimizer cuts, ...]} as ``parameter_layout_dict``.
        initial_rank: the first rank of the pipeline stage; None: of the stage of this process.

    Raises:
        ValueError: if a layout has no room for the optimizer's pieces, or is none.
    """
    size = get_group_size() if dist.is_available() and dist.is_initialized() else 1
    if isinstance(layout_obj, Cell):
        ranks = tuple(range(size))
        return dict.fromkeys(sorted(parameter.name for parameter in layout_obj.get_parameters()), (ranks,))
    if isinstance(layout_obj, str):
        layouts: Layouts = read_layouts(layout_obj) or {}
        pieces = {name: layout.opt_size for name, layout in layouts.items()}
    else:
        layouts = layouts_of(layout_obj, "get_parameter_redundancy") or {}
        pieces = {
            name: get_group_size(item[5]) if len(item) > 5 and item[5] else 0 for name, item in layout_obj.items()
        }
    first = initial_rank
    if first is None:
        devices = device_num(layouts) if layouts else 1
        first = (get_rank() if size > 1 else 0) // devices * devices
    return {name: _groups(name, layouts[name], pieces[name], first) for name in sorted(layouts)}


def _groups(name: str, layout: TensorLayout, pieces: int, first: int) -> tuple[tuple[int, ...], ...]:
    """Return the ranks with equal slices, in MindSpore's order: by the coordinates on the device axes from the last."""
    cutting = {axis for axes in layout.tensor_map for axis in axes if axis >= 0}
    found: dict[tuple[int, ...], list[int]] = {}
    for rank in range(layout.device_num):
        places = layout.coordinates(rank)[::-1]
        found.setdefault(tuple(place if axis in cutting else 0 for axis, place in enumerate(places)), []).append(
            rank + first
        )
    groups = tuple(tuple(found[place]) for place in sorted(found))
    if not pieces:
        return groups
    copies = len(groups[0])
    pieces = copies if pieces < 0 else pieces
    if copies % pieces:
        raise ValueError(f"The optimizer cuts {name!r} into {pieces} pieces, but {copies} ranks hold each slice.")
    return tuple(group[place::pieces] for group in groups for place in range(pieces))


def parameter_broadcast(net: Cell, layout: dict[str, Any], cur_rank: int = 0, initial_rank: int = 0) -> None:
    """Broadcast each slice of a Parameter to the ranks that hold it, from a rank that saves it by
    `remove_param_redundancy`.

    Args:
        net: the network.
        layout: {name: layout}, as ``net.parameter_layout_dict`` or a strategy file gives them.
        cur_rank: this process.
        initial_rank: the first rank of its pipeline stage.

    Raises:
        ValueError: if one of the ranks is not that, or ``net`` has no Parameter of a name in ``layout``.
    """
    size = get_group_size() if dist.is_available() and dist.is_initialized() else 1
    if not layout or size <= 1:
        return
    stages = get_auto_parallel_context("pipeline_stages")
    for name, rank, is_right in (
        ("cur_rank", cur_rank, cur_rank == get_rank()),
        ("initial_rank", initial_rank, initial_rank % (size / stages) == 0),
    ):
        if not is_right:
            raise ValueError(f"For parameter broadcast, the {name}: {rank} is wrong.")
    groups = get_parameter_redundancy(layout, initial_rank)
    savers = remove_param_redundancy(groups)
    own = {parameter.name: parameter for parameter in net.get_parameters()}
    for name, members in groups.items():
        if name not in own:
            raise ValueError(f"For parameter broadcast, the param: {name} cannot be found.")
        group = next((item for item in members if cur_rank in item), ())
        if len(group) > 1:
            _broadcast(own[name], next(rank for rank in group if name in savers[rank]), group)


def _broadcast(parameter: Any, source: int, group: Sequence[int]) -> None:
    """Broadcast to the others of a group of ranks; only they take part."""
    data = plain(parameter).detach()
    buffer = data.to("cuda" if dist.get_backend() == "nccl" else "cpu").contiguous()
    if len(group) == get_group_size():
        dist.broadcast(buffer, source)
    elif get_rank() == source:
        for request in [dist.isend(buffer, rank) for rank in group if rank != source]:
            request.wait()
    else:
        dist.recv(buffer, source)
    data.copy_(buffer)
    program.changed()


def remove_param_redundancy(param_redundancy_dict: dict[str, Any], keep_redundancy: int = 1) -> dict[int, set[str]]:
    """Return {rank: names that it saves}, with each name saved by ``keep_redundancy`` ranks of each of its groups."""
    names_of: dict[tuple[int, ...], list[str]] = {}
    for name, groups in param_redundancy_dict.items():
        for group in groups:
            names_of.setdefault(tuple(group), []).append(name)
    saved: dict[int, set[str]] = {}
    for turn in range(keep_redundancy):
        for group, names in names_of.items():
            for place, name in enumerate(names):
                saved.setdefault(group[(place + turn) % len(group)], set()).add(name)
    return saved
