"""Which files and which records of them a source reads: patterns, shards, readers in turns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import type_check
from mindspore_compat.dataset.engine.samplers import Shuffle

__all__ = ["check_reading", "equal_share", "found_files", "in_turns"]


def found_files(dataset_files: Any) -> list[str]:
    """The files of a name, a pattern or a list of them. Raises: TypeError; ValueError if there is none."""
    if not isinstance(dataset_files, (str, list)) or not all(isinstance(item, str) for item in dataset_files):
        raise TypeError("dataset_files should be type str or a list of strings.")
    patterns = [dataset_files] if isinstance(dataset_files, str) else dataset_files
    found: list[str] = []
    missing: list[str] = []
    for pattern in patterns:
        matches = (
            [pattern]
            if os.path.isfile(pattern)
            else sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
        )
        found.extend(matches)
        missing.extend([] if matches else [pattern])
    if missing or not found:
        raise ValueError(f"The following patterns did not match any files: {missing}.")
    return found


def check_reading(num_samples: Any, shuffle: Any, num_shards: Any, shard_id: Any) -> None:
    """Checks of what all sources of records or lines take."""
    if num_samples is not None:
        type_check(num_samples, int, "num_samples")
        if num_samples < 0:
            raise ValueError("num_samples exceeds the boundary between 0 and 9223372036854775807(INT64_MAX)!")
    if not isinstance(shuffle, (bool, Shuffle)):
        raise TypeError(
            "shuffle must be of boolean or enum of 'Shuffle' values like 'Shuffle.GLOBAL' or 'Shuffle.FILES', but got "
            f"{shuffle!r}."
        )
    if num_shards is not None and shard_id is None:
        raise RuntimeError("num_shards is specified and currently requires shard_id as well.")
    if shard_id is not None and num_shards is None:
        raise RuntimeError("shard_id is specified but num_shards is not.")
    if num_shards is not None:
        type_check(num_shards, int, "num_shards")
        type_check(shard_id, int, "shard_id")
        if num_shards < 1:
            raise ValueError(f"num_shards exceeds the boundary between 1 and 2147483647(INT32_MAX)! Got {num_shards}.")
        if not 0 <= shard_id < num_shards:
            raise ValueError(f"Input shard_id is not within the required interval of [0, {num_shards - 1}].")


def equal_share(ranges: Iterable[np.ndarray], shards: int, shard: int) -> list[np.ndarray]:
    """The share of a shard when all get as many rows: a run of rows, beginning again where they end."""
    ranges = list(ranges)
    total = sum(map(len, ranges))
    each = -(-total // shards)
    first, share = shard * each, []
    for begin in (0, total):  # the second time round fills up the last shard
        place = begin
        for part in ranges:
            share.append(part[max(0, first - place) : max(0, first + each - place)])
            place += len(part)
    return [part for part in share if len(part)]


def in_turns(ranges: list[np.ndarray], workers: int) -> np.ndarray:
    """Rows as `workers` readers give them by turns; reader k reads parts k, k + workers, …"""
    if not ranges:
        return np.empty(0, np.int64)
    lanes = [np.concatenate(ranges[lane::workers]) for lane in range(min(workers, len(ranges)))]
    turns = np.concatenate([np.arange(len(lane)) * len(lanes) + number for number, lane in enumerate(lanes)])
    return np.concatenate(lanes)[np.argsort(turns, kind="stable")]
