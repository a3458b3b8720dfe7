"""Where the golden files of real MindSpore are, and the networks they belong to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from mindspore_compat import Tensor, nn

__all__ = ["GOLDEN", "LeNet5", "Small", "batches", "read_json", "xent"]

GOLDEN = Path(__file__).parents[1] / "golden" / "upstream"


def read_json(name: str) -> Any:
    """A JSON file of the golden folder."""
    return json.loads((GOLDEN / name).read_text())


def batches(name: str, size: int) -> list[tuple[Tensor, Tensor]]:
    """The batches of a golden run, in order."""
    data = np.load(GOLDEN / name)
    x, y = data["x"], data["y"]
    return [(Tensor(x[i : i + size]), Tensor(y[i : i + size])) for i in range(0, len(x), size)]


def xent() -> nn.Cell:
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


class LeNet5(nn.Cell):
    """LeNet5 of make_goldens.py."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, 10)
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


class Small(nn.Cell):
    """Small of make_goldens.py: conv, batch norm, dense."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, pad_mode="valid", has_bias=False)
        self.bn = nn.BatchNorm2d(2)
        self.relu = nn.ReLU()
        self.flat = nn.Flatten()
        self.fc = nn.Dense(32, 3)

    def construct(self, x):
        return self.fc(self.flat(self.relu(self.bn(self.conv(x)))))
