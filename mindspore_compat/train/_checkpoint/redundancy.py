"""``remove_redundancy``: in data parallel training each process saves its share of the parameters, and gets the rest
from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat.common._wrap import plain
from mindspore_compat.communication.management import get_group_size, get_rank
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._torch.names import torch_targets

__all__ = [
    "get_parameter_redundancy",
    "own_share",
    "remove_param_redundancy",
    "require_parallel",
    "share_loaded",
]


def _named(net: Any) -> list[tuple[str, torch.Tensor]]:
    if isinstance(net, Cell):
        return [(parameter.name, parameter) for parameter in net.get_parameters()]
    return list(torch_targets(net))


def require_parallel(what: str) -> int:
    """The number of processes; TypeError if there is but one, as upstream."""
    size = get_group_size() if dist.is_available() and dist.is_initialized() else 1
    if size == 1:
        raise TypeError(
            f"The deduplication feature for {what} checkpoint can only be used in parallel scenarios, but got "
            "stand_alone. Leave 'remove_redundancy' out, or call mindspore.communication.init() under torchrun."
        )
    return size


def own_share(net: Any) -> Callable[[str], bool]:
    """Whether this process saves the parameter of a name: about the same number of bytes for each, every parameter
    once.

    Raises:
        TypeError: in a single process, as upstream.
    """
    loads = [0] * require_parallel("saving")
    owners: dict[str, int] = {}
    for name, tensor in sorted(_named(net), key=lambda item: (-item[1].nbytes, item[0])):
        owners[name] = loads.index(min(loads))
        loads[owners[name]] += tensor.nbytes
    rank = get_rank()
    return lambda name: owners.get(name, rank) == rank


def share_loaded(net: Any, missing: Iterable[str]) -> list[str]:
    """Give each process what it misses from the first that has it; returns the names that nobody has.

    Raises:
        TypeError: in a single process, as upstream.
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
    """{name: groups of ranks that hold the same values} of a network that every process trains whole.

    Raises:
        UnsupportedError: for a strategy file or a dict of layouts.
    """
    if not isinstance(layout_obj, Cell):
        raise UnsupportedError(
            "get_parameter_redundancy takes the network: what files and layouts of sharded training leave to whom is "
            "not read. save_checkpoint writes whole Parameters."
        )
    ranks = tuple(range(get_group_size() if dist.is_available() and dist.is_initialized() else 1))
    return dict.fromkeys(sorted(parameter.name for parameter in layout_obj.get_parameters()), (ranks,))


def remove_param_redundancy(param_redundancy_dict: dict[str, Any], keep_redundancy: int = 1) -> dict[int, set[str]]:
    """{rank: names that it saves}, so that each name is saved by ``keep_redundancy`` ranks of each of its groups."""
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
