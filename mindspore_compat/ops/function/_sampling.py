"""Classes drawn for sampled losses. Part of ``mindspore.ops.function.random_func``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch

from mindspore_compat._random.operator_engine import Engine, LogUniform, engine_of
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.seed import SeedStream
from mindspore_compat.ops._adapt import to_dtype
from mindspore_compat.ops.function._numbers import generator_of

__all__ = ["log_uniform_candidate_sampler", "uniform_candidate_sampler"]

_int64 = torch.int64


def _sampled(
    function: str,
    make: Callable[[], Any] | None,
    true_classes: Any,
    chance: Callable[[torch.Tensor], torch.Tensor],
    range_max: int,
    num_sampled: int,
    unique: bool,
    seed: int,
    remove: bool = False,
) -> Any:
    """Return ``chance`` of classes in one draw; it is asked for true classes outside of the range, too."""
    classes = torch.arange(range_max, dtype=torch.float64, device=true_classes.device)
    weights = chance(classes)
    if remove:
        true = torch.reshape(true_classes, (-1,)).to(_int64)
        weights[true[(true >= 0) & (true < range_max)]] = 0
    engine = engine_of(seed, function, make, true_classes)
    if engine is None:
        stream = seed if isinstance(seed, SeedStream) else SeedStream(seed)
        drawn, tries = _drawn(weights, num_sampled, unique, generator_of(stream, weights.device))
    else:
        _check_enough(weights, num_sampled, unique)
        given = engine.classes(range_max, num_sampled)
        left_out = set(true.tolist()) if remove and unique else set()
        drawn, tries = _taken(given, num_sampled, unique, left_out)

    def expected(places: torch.Tensor) -> Any:
        chances = chance(places.double())
        counts = chances * tries if tries == num_sampled else -torch.expm1(tries * torch.log1p(-chances))
        return wrap(to_dtype(counts, torch.float32))

    return wrap(to_dtype(drawn, true_classes.dtype)), expected(true_classes), expected(drawn)


def _check_enough(weights: torch.Tensor, count: int, unique: bool) -> None:
    if unique and int(torch.count_nonzero(weights)) < count:
        raise ValueError(f"There are fewer than {count} classes to sample from without repetition.")


def _taken(given: Iterator[int], count: int, unique: bool, left_out: set[int]) -> tuple[torch.Tensor, int]:
    """Return (``count`` of the given classes, how many it took); with ``unique`` those that are new."""
    if not unique:
        return torch.tensor([next(given) for _ in range(count)]), count
    found: dict[int, None] = {}
    tries = 0
    while len(found) < count:
        place = next(given)
        tries += 1
        if place not in left_out:
            found[place] = None
    return torch.tensor(list(found)), tries


def _drawn(weights: torch.Tensor, count: int, unique: bool, generator: Any) -> tuple[torch.Tensor, int]:
    """Return (places drawn by their weights, how many draws it took); with ``unique`` repetitions are drawn again."""
    if not unique:
        return torch.multinomial(weights, count, True, generator=generator), count
    _check_enough(weights, count, unique)
    found: dict[int, None] = {}
    tries = 0
    while len(found) < count:
        batch = torch.multinomial(weights, max(count, 64), True, generator=generator)
        if torch._C._functorch.is_batchedtensor(batch):  # in a vmap nothing can be read: one draw for each
            return torch.multinomial(weights, count, False, generator=generator), count
        for place in batch.tolist():
            tries += len(found) < count
            if len(found) < count:
                found[place] = None
    return torch.tensor(list(found), device=weights.device), tries


def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int = 1, num_sampled: int = 5, unique: bool = True, range_max: int = 5, seed: int = 0
) -> Any:
    """Return (sampled classes, expected counts of the true ones, and of the sampled ones), more often the smaller the
    class.
    """
    whole = math.log(range_max + 1)

    def chance(classes: torch.Tensor) -> torch.Tensor:
        return torch.log((classes + 2) / (classes + 1)) / whole

    make = partial(LogUniform, seed)
    return _sampled("log_uniform_candidate_sampler", make, true_classes, chance, range_max, num_sampled, unique, seed)


def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int = 0,
    remove_accidental_hits: bool = False,
) -> Any:
    """Return (sampled classes, expected counts of the true ones, and of the sampled ones), all equally often."""

    def chance(classes: torch.Tensor) -> torch.Tensor:
        return torch.full_like(classes, 1 / range_max)

    make = partial(Engine, seed, 0) if seed else None
    sizes = range_max, num_sampled, unique, seed, remove_accidental_hits
    return _sampled("uniform_candidate_sampler", make, true_classes, chance, *sizes)
