"""Files and records of a source: patterns, shards, readers in turns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from typing import Any

import numpy as np


def found_files(dataset_files: Any) -> list[str]:
    """Return the files of a name, a pattern or a list of them, in the order of their names.

    Raises:
        TypeError: for another type. ValueError: if there is none.
    """
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
    return sorted(found)


def equal_share(ranges: Iterable[np.ndarray], shards: int, shard: int) -> list[np.ndarray]:
    """Return the share of a shard when all get as many rows: a run of rows, which wraps around at the end."""
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
    """Return rows in the order of `workers` readers by turns; reader k reads parts k, k + workers, …"""
    if not ranges:
        return np.empty(0, np.int64)
    lanes = [np.concatenate(ranges[lane::workers]) for lane in range(min(workers, len(ranges)))]
    turns = np.concatenate([np.arange(len(lane)) * len(lanes) + number for number, lane in enumerate(lanes)])
    return np.concatenate(lanes)[np.argsort(turns, kind="stable")]
