"""Both sides start with the same seed, and with one worker in each part of a pipeline: with more, operations and
functions in Python give other numbers in every run of real MindSpore, as its threads draw in any order.
"""

from __future__ import annotations

import random


def begin(mindspore):  # type: ignore[no-untyped-def]
    """Seed everything; projects that seed themselves do so again."""
    random.seed(0)
    mindspore.set_seed(0)
    mindspore.dataset.engine.datasets.Dataset.num_parallel_workers = property(
        lambda self: self.__dict__.get("_one_worker"),
        lambda self, value: self.__dict__.update(_one_worker=value and min(value, 1)),
    )
    mindspore.dataset.config.set_num_parallel_workers(1)
