"""Choice of a sampler by a source's arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.dataset.engine.samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    RandomSampler,
    SequentialSampler,
    Shuffle,
    SubsetSampler,
)


def select_sampler(
    num_samples: int | None,
    sampler: Any,
    shuffle: bool | Shuffle | None,
    num_shards: int | None,
    shard_id: int | None,
    random_by_default: bool = True,
) -> BuiltinSampler:
    """Return the sampler for a source's arguments. Raises: TypeError, ValueError for arguments that conflict."""
    if sampler is not None:
        if isinstance(sampler, BuiltinSampler) and any(
            v is not None for v in (num_samples, shuffle, num_shards, shard_id)
        ):
            raise ValueError(
                f"Conflicting arguments during sampler assignments. num_samples: {num_samples}, num_shards: "
                f"{num_shards}, shard_id: {shard_id}, shuffle: {shuffle}. Give them to the sampler instead."
            )
        return _as_sampler(sampler, num_samples or None)
    num_samples = num_samples or None  # 0 is all
    check_shards(num_shards, shard_id)
    is_random = random_by_default if shuffle is None else shuffle not in (False, Shuffle.FALSE)
    level = shuffle if isinstance(shuffle, Shuffle) else Shuffle.GLOBAL
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, level if is_random else False, num_samples)
    if not is_random:
        return SequentialSampler(num_samples=num_samples)
    # with num_samples, MindSpore draws with replacement
    return RandomSampler(num_samples is not None, num_samples, level)


def _as_sampler(sampler: Any, num_samples: int | None) -> BuiltinSampler:
    if isinstance(sampler, BuiltinSampler):
        return sampler
    if isinstance(sampler, (list, tuple, np.ndarray)):
        return SubsetSampler(sampler, num_samples)
    if isinstance(sampler, int):
        return SubsetSampler([int(sampler)])
    if isinstance(sampler, str) or not _is_iterable(sampler):
        raise TypeError(f"Unsupported sampler object of type ({type(sampler)})")
    return IterSampler(sampler, num_samples)


def _is_iterable(sampler: Any) -> bool:
    """Return whether it is iterable by `iter`, as in MindSpore: a sampler that draws in `__iter__` draws once more."""
    try:
        iter(sampler)
    except TypeError:
        return False
    return True


def check_shards(num_shards: int | None, shard_id: int | None) -> None:
    """Raise ValueError for one without the other, and for an invalid shard."""
    if (num_shards is None) != (shard_id is None):
        raise ValueError("num_shards and shard_id need to be passed in together.")
    if num_shards is not None and shard_id is not None and not 0 <= shard_id < num_shards:
        raise ValueError(f"shard_id should be less than num_shards, but got {shard_id} and {num_shards}.")
