"""Both sides start with the same seed, and with one worker in each part of a pipeline: with more, operations and
functions in Python give other numbers in every run of real MindSpore, as its threads draw in any order.
"""

from __future__ import annotations

import os
import random

import numpy as np


def begin(mindspore):  # type: ignore[no-untyped-def]
    """Seed everything; projects that seed themselves do so again."""
    random.seed(0)
    mindspore.set_seed(0)
    mindspore.dataset.engine.datasets.Dataset.num_parallel_workers = property(
        lambda self: self.__dict__.get("_one_worker"),
        lambda self, value: self.__dict__.update(_one_worker=value and min(value, 1)),
    )
    mindspore.dataset.config.set_num_parallel_workers(1)
    if amount := float(os.environ.get("MOVED_WEIGHTS", "0")):
        _move_weights(mindspore, amount)


def _move_weights(mindspore, amount):  # type: ignore[no-untyped-def]
    """What an optimizer gets differs from what the project made by normal noise of this relative size."""
    optimizer, draw = mindspore.nn.Optimizer, np.random.RandomState(1)
    begin = optimizer.__init__
    seen: set[int] = set()

    def moved(self, learning_rate, parameters, *arguments, **others):  # type: ignore[no-untyped-def]
        parameters = list(parameters)
        for group in parameters:
            if isinstance(group, dict) and "params" in group:
                group["params"] = list(group["params"])
        for weight in (
            one for group in parameters for one in (group.get("params", ()) if isinstance(group, dict) else [group])
        ):
            if weight.dtype == mindspore.float32 and id(weight) not in seen:
                seen.add(id(weight))
                value = weight.asnumpy()
                noise = amount * draw.standard_normal(value.shape)
                weight.set_data(mindspore.Tensor((value * (1 + noise)).astype(value.dtype)))
        begin(self, learning_rate, parameters, *arguments, **others)

    optimizer.__init__ = moved
