"""What a step costs in GRAPH_MODE whose state changes every few calls: its time over that of the same steps in
PYNATIVE_MODE (eager).

    python benchmarks/state_changes.py [--steps 400] [--repeats 5] [--every 1 2 3 4 6 10 50]

Rows: an attribute of a layer, the learning rate, or the training mode is set before every N-th step. Given are the
medians over repeats in turn.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np

from mindspore_compat import Tensor, context, nn


def mlp() -> tuple[Any, tuple[int, ...]]:
    return nn.SequentialCell(nn.Dense(20, 64), nn.ReLU(), nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 10)), (32, 20)


def lenet() -> tuple[Any, tuple[int, ...]]:
    return nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid"),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5, pad_mode="valid"),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(256, 120),
        nn.ReLU(),
        nn.Dense(120, 10),
    ), (32, 1, 28, 28)


def change(what: str, number: int, net: Any, step: Any) -> None:
    if what == "attribute":
        net.rate = number
    elif what == "rate":
        step.optimizer.learning_rate.set_data(Tensor(0.01 / (1 + number)))
    else:
        step.set_train(number % 2 == 0)


def seconds(mode: int, make: Any, what: str, every: int, steps: int) -> float:
    """Of all steps, from a new network on."""
    context.set_context(mode=mode)
    net, shape = make()
    random = np.random.default_rng(0)
    x, y = (
        Tensor(random.standard_normal(shape).astype(np.float32)),
        Tensor(random.integers(0, 10, shape[0]).astype(np.int32)),
    )
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")),
        nn.Momentum(net.trainable_params(), 0.01, 0.9),
    ).set_train()
    start = time.perf_counter()
    for number in range(steps):
        if number % every == 0:
            change(what, number // every, net, step)
        step(x, y)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--every", type=int, nargs="+", default=[1, 2, 3, 4, 6, 10, 50])
    args = parser.parse_args()
    print(
        f"GRAPH_MODE / PYNATIVE_MODE, {args.steps} steps\n{'net':<8}{'what':<12}"
        + "".join(f"{f'every {every}':>10}" for every in args.every)
    )
    for make in (mlp, lenet):
        seconds(context.GRAPH_MODE, make, "mode", 1, 20)
        for what in ("attribute", "rate", "mode"):
            row = []
            for every in args.every:
                ratios = []
                for _ in range(args.repeats):
                    eager = seconds(context.PYNATIVE_MODE, make, what, every, args.steps)
                    ratios.append(seconds(context.GRAPH_MODE, make, what, every, args.steps) / eager)
                row.append(statistics.median(ratios))
            print(f"{make.__name__:<8}{what:<12}" + "".join(f"{ratio:>10.2f}" for ratio in row), flush=True)


if __name__ == "__main__":
    main()
