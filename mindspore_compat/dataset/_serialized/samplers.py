"""Samplers as JSON and back."""

from __future__ import annotations

from typing import Any

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.engine import samplers as kinds
from mindspore_compat.dataset.engine.samplers import BuiltinSampler, Shuffle

#: MindSpore's numbers of the modes
SHUFFLES = {Shuffle.FALSE: 0, Shuffle.FILES: 1, Shuffle.GLOBAL: 2, Shuffle.INFILE: 3}


def _random(sampler: Any) -> dict[str, Any]:
    return {"replacement": sampler.replacement, "reshuffle_each_epoch": True, "shuffle_mode": SHUFFLES[sampler.shuffle]}


def _distributed(sampler: Any) -> dict[str, Any]:
    return {
        "even_dist": True,
        "num_shards": sampler.num_shards,
        "offset": sampler.offset,
        "seed": config.get_seed(),
        "shard_id": sampler.shard_id,
        "shuffle_mode": SHUFFLES[sampler.shuffle],
    }


def _indices(sampler: Any) -> dict[str, Any]:
    return {"indices": sampler.indices_list.tolist()}


def _shuffled(number: Any) -> Shuffle:
    return next(mode for mode, item in SHUFFLES.items() if item == number)


#: class -> (its arguments as JSON, the sampler from JSON and the number of samples)
_KINDS: dict[str, tuple[Any, Any]] = {
    "SequentialSampler": (
        lambda item: {"start_index": item.start_index or 0},
        lambda data, count: kinds.SequentialSampler(data["start_index"] or None, count),
    ),
    "RandomSampler": (
        _random,
        lambda data, count: kinds.RandomSampler(data["replacement"], count, _shuffled(data.get("shuffle_mode", 2))),
    ),
    "DistributedSampler": (
        _distributed,
        lambda data, count: kinds.DistributedSampler(
            data["num_shards"], data["shard_id"], _shuffled(data["shuffle_mode"]), count, data.get("offset", -1)
        ),
    ),
    "SubsetSampler": (_indices, lambda data, count: kinds.SubsetSampler(data["indices"], count)),
    "SubsetRandomSampler": (_indices, lambda data, count: kinds.SubsetRandomSampler(data["indices"], count)),
    "WeightedRandomSampler": (
        lambda item: {"replacement": item.replacement, "weights": item.weights.tolist()},
        lambda data, count: kinds.WeightedRandomSampler(data["weights"], count, data["replacement"]),
    ),
    "PKSampler": (
        lambda item: {"num_val": item.num_val, "shuffle": item.shuffle},
        lambda data, count: kinds.PKSampler(data["num_val"], shuffle=data["shuffle"], num_samples=count),
    ),
}


def sampler_to(sampler: BuiltinSampler) -> dict[str, Any]:
    """Return the JSON of a sampler. Raises: ValueError for a user's sampler, and one on top of another."""
    kind = type(sampler).__name__
    if kind not in _KINDS or type(sampler).__module__ != kinds.__name__ or sampler.child_sampler is not None:
        raise ValueError(f"For 'serialize', the sampler must be one of {sorted(_KINDS)}, without a child: {kind}.")
    return {"num_samples": sampler.num_samples or 0, "sampler_name": kind, **_KINDS[kind][0](sampler)}


def sampler_from(data: Any) -> BuiltinSampler:
    """Return the sampler. Raises: ValueError if the JSON describes none."""
    kind = data.get("sampler_name") if isinstance(data, dict) else None
    if kind not in _KINDS or data.get("child_sampler"):
        raise ValueError(f"For 'deserialize', the sampler must be one of {sorted(_KINDS)}, but got {data!r}.")
    return _KINDS[kind][1](data, data.get("num_samples") or None)
