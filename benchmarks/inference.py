"""Time of an evaluation call and of a greedy generation beside torch's eager, the same network and weights, in one run.

python benchmarks/inference.py [--rounds 60]
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import mindspore_compat

mindspore_compat.install()
import nets_mindspore
import nets_torch

from mindspore_compat import Tensor, context, nn


def turns(runs: dict[str, Callable[[], Any]], rounds: int, count: int) -> dict[str, list[float]]:
    """Milliseconds of each run in each round, the contestants in another order in each."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name in random.sample(list(runs), len(runs)):
            runs[name]()
            start = time.process_time()
            for _ in range(count):
                runs[name]()
            times[name].append(1000 * (time.process_time() - start) / count)
    return times


def blocks(depth: int, dim: int, heads: int) -> tuple[Any, Any]:
    ours = nn.SequentialCell(*[nets_mindspore.EncoderLayer(dim, heads) for _ in range(depth)])
    theirs = torch.nn.Sequential(*[nets_torch.EncoderLayer(dim, heads) for _ in range(depth)]).eval()
    for a, b in zip(ours.get_parameters(), theirs.parameters(), strict=True):
        a.set_data(Tensor(b.detach().numpy()))
    return ours.set_train(False), theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    args = parser.parse_args()
    torch.set_num_threads(1)
    ours, theirs = blocks(12, 64, 4)
    data = np.random.default_rng(0).standard_normal((1, 4, 64)).astype(np.float32)
    x, y = Tensor(data), torch.from_numpy(data)

    def in_mode(mode: int) -> Callable[[], Any]:
        def run() -> Any:
            context.set_context(mode=mode)
            return ours(x)

        return run

    def eager() -> Any:
        with torch.no_grad():
            return theirs(y)

    runs = {"torch": eager, "pynative": in_mode(context.PYNATIVE_MODE), "graph": in_mode(context.GRAPH_MODE)}
    for run in runs.values():
        for _ in range(5):
            np.testing.assert_allclose(run().numpy(), eager().numpy(), 1e-4, 1e-5)
    times = turns(runs, args.rounds, 20)
    for name, found in times.items():
        ratio = statistics.median(a / b for a, b in zip(found, times["torch"], strict=True))
        print(f"{name:<10}{statistics.median(found):>9.3f} ms{ratio:>7.2f}")


if __name__ == "__main__":
    main()
