"""Steps to 97 % on scikit-learn's digits: THOR against the best tuned SGD with momentum, on a small convolutional
network.

    python benchmarks/thor_digits.py [--tune] [--seeds 0 1 2] [--picture docs/images/thor_digits.png]

Constant learning rates, batch 64, 450 of 1,797 images held out by the seed; after every fourth step the accuracy on
them. With ``--tune`` the grids of both are run first, on seeds 0 to 2, and the settings with the least mean number of
steps are taken; without, the settings that a run with it found.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_digits

sys.path.insert(0, str(Path(__file__).parents[1]))
import mindspore_compat as ms
from mindspore_compat import Tensor, nn

TUNING_SEEDS, BATCH, EVERY, LIMIT, GOAL = (0, 1, 2), 64, 4, 240, 0.97
SGD_GRID = list(itertools.product((0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5), (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)))
THOR_GRID = list(itertools.product((0.01, 0.02, 0.03), (0.005, 0.01, 0.02, 0.03), (0.7, 0.8, 0.9), (2, 10)))
Make = Callable[[Any], Any]


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 16, 3, has_bias=True), nn.Conv2d(16, 32, 3, stride=2, has_bias=True)
        self.fc1, self.fc2 = nn.Dense(512, 64), nn.Dense(64, 10)
        self.flatten, self.relu = nn.Flatten(), nn.ReLU()

    def construct(self, x: Any) -> Any:
        x = self.relu(self.conv2(self.relu(self.conv1(x))))
        return self.fc2(self.relu(self.fc1(self.flatten(x))))


def sgd(rate: float, momentum: float) -> Make:
    return lambda net: nn.Momentum(net.trainable_params(), rate, momentum)


def thor(rate: float, damping: float, momentum: float, frequency: int) -> Make:
    rates, dampings = (np.full(LIMIT, value, np.float32) for value in (rate, damping))
    return lambda net: nn.thor(net, Tensor(rates), Tensor(dampings), momentum, batch_size=BATCH, frequency=frequency)


def curve(seed: int, make: Make, steps: int = LIMIT, stop: bool = False) -> tuple[list[float], float]:
    """(accuracy after every fourth step, milliseconds of a step); ``stop``: not beyond the goal."""
    images, labels = load_digits(return_X_y=True)
    images, labels = (images / 16).astype(np.float32).reshape(-1, 1, 8, 8), labels.astype(np.int32)
    random = np.random.RandomState(seed)
    order = random.permutation(len(images))
    test, train = order[:450], order[450:]
    ms.set_seed(seed)
    net = Net()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(True, "mean")), make(net)
    ).set_train()
    found: list[float] = []
    seconds, number = 0.0, 0
    while number < steps:
        order = random.permutation(train)
        for start in range(0, len(train) - BATCH + 1, BATCH):
            picks = order[start : start + BATCH]
            begin = time.perf_counter()
            step(Tensor(images[picks]), Tensor(labels[picks]))
            seconds += time.perf_counter() - begin
            number += 1
            if number % EVERY == 0:
                with torch.no_grad():
                    found.append(float((net(Tensor(images[test])).asnumpy().argmax(1) == labels[test]).mean()))
                if stop and found[-1] >= GOAL:
                    return found, 1000 * seconds / number
            if number == steps:
                break
    return found, 1000 * seconds / number


def steps_to_goal(accuracies: list[float]) -> float:
    return next((EVERY * (place + 1) for place, value in enumerate(accuracies) if value >= GOAL), float("inf"))


def tuned(name: str, grid: list[tuple], make: Callable[..., Make]) -> tuple:
    """The setting with the least mean number of steps."""
    results = {}
    for setting in grid:
        results[setting] = [steps_to_goal(curve(seed, make(*setting), stop=True)[0]) for seed in TUNING_SEEDS]
        print(f"  {name}{setting}: {results[setting]}", flush=True)
    return min(results, key=lambda setting: sum(results[setting]))


def draw(path: Path, curves: dict[str, list[list[float]]]) -> None:
    """Mean, least and greatest accuracy over the seeds against the step, as a PNG."""
    from PIL import Image, ImageDraw

    width, height, left, top, low = 900, 520, 70, 50, 0.5
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image, "RGBA")
    last = EVERY * max(len(item) for items in curves.values() for item in items)

    def place(step: float, accuracy: float) -> tuple[float, float]:
        return left + (width - left - 30) * step / last, top + (height - top - 60) * (
            1 - (max(accuracy, low) - low) / (1 - low)
        )

    for accuracy in (0.5, 0.6, 0.7, 0.8, 0.9, GOAL, 1.0):
        pen.line(
            [place(0, accuracy), place(last, accuracy)],
            fill=(200, 60, 60, 255) if accuracy == GOAL else (225, 225, 225, 255),
        )
        pen.text((left - 45, place(0, accuracy)[1] - 6), f"{100 * accuracy:.0f} %", fill="black")
    for step in range(0, last + 1, 20):
        pen.text((place(step, low)[0] - 8, height - 52), str(step), fill="black")
    pen.text((width // 2 - 20, height - 30), "step", fill="black")
    pen.text(
        (left, 15),
        "digits, small convolutional network: accuracy on held-out images, mean and range over the seeds",
        fill="black",
    )
    for (name, items), colour in zip(curves.items(), ((230, 120, 20), (30, 90, 200), (20, 140, 80))):
        values = np.array(items)
        points = [(EVERY * (k + 1), column) for k, column in enumerate(values.T)]
        pen.polygon(
            [place(step, column.max()) for step, column in points]
            + [place(step, column.min()) for step, column in reversed(points)],
            fill=(*colour, 40),
        )
        pen.line([place(step, column.mean()) for step, column in points], fill=(*colour, 255), width=2)
        index = list(curves).index(name)
        pen.line(
            [(width - 380, height - 150 + 22 * index), (width - 350, height - 150 + 22 * index)],
            fill=(*colour, 255),
            width=3,
        )
        pen.text((width - 340, height - 156 + 22 * index), name, fill="black")
    path.parent.mkdir(parents=True, exist_ok=True)
    image.quantize(64).save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(TUNING_SEEDS))
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    best_sgd = tuned("sgd", SGD_GRID, sgd) if options.tune else (0.2, 0.8)
    best_thor = tuned("thor", THOR_GRID, thor) if options.tune else (0.03, 0.02, 0.7, 10)
    contestants = {f"SGD, lr {best_sgd[0]}, momentum {best_sgd[1]}": sgd(*best_sgd)}
    for setting in (best_thor, (0.01, 0.005, 0.7, 2)):
        contestants["THOR, lr {}, damping {}, momentum {}, frequency {}".format(*setting)] = thor(*setting)
    print(f"\nsteps to {100 * GOAL:.0f} % for seeds {options.seeds}\n{'':96}mean   to SGD   ms a step")
    curves: dict[str, list[list[float]]] = {}
    means: list[float] = []
    for name, make in contestants.items():
        runs = [curve(seed, make, steps=LIMIT) for seed in options.seeds]
        curves[name] = [accuracies for accuracies, _ in runs]
        steps = [steps_to_goal(accuracies) for accuracies in curves[name]]
        means.append(sum(steps) / len(steps))
        print(f"{name:62}{steps!s:34}{means[-1]:7.1f}{means[-1] / means[0]:9.2f}{min(item for _, item in runs):10.2f}")
    if options.picture:
        draw(options.picture, curves)


if __name__ == "__main__":
    main()
