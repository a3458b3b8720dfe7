"""The child's side of train_step.py: runs as many steps as the parent asks for, then says how long each took.

The parent lets the contestants take turns of a fraction of a second and keeps the others stopped, so that a slow moment
of the machine hits all of them alike and the ratio of two turns in a row means something.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator


def serve(step: Callable[[], object]) -> None:
    """Time ``step``, which returns only when its work is done, as often as each line of standard input says."""
    for _ in range(5):
        step()
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            step()
            times.append(1000 * (time.perf_counter() - start))
        print(json.dumps(times), flush=True)


class Batches:
    """The same for a loop that is not ours to call, as Model.train: a source of batches that times what happens between
    them.
    """

    def __init__(self, *batch: object, warm_up: int = 5) -> None:
        self.batch, self.warm_up = batch, warm_up

    def __len__(self) -> int:
        return 10**9

    def __iter__(self) -> Iterator[tuple]:
        for _ in range(self.warm_up):
            yield self.batch
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            count = int(line)
            start = time.perf_counter()
            for _ in range(count):
                yield self.batch
            print(json.dumps([1000 * (time.perf_counter() - start) / count]), flush=True)
