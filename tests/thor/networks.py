"""The three networks of the THOR checks, for any ``nn`` (ours, real MindSpore's), and as float64 references.

Weights come from numpy's generator and are rounded to float32, so that all start equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["BATCH", "CASES", "FLAGS", "OPTIONS", "RATES", "DAMPINGS", "make_cell", "make_data", "make_weights"]

BATCH = 4
FLAGS = (True, False, False, True)
#: small enough that no step changes a weight by more than 0.4
RATES = {
    case: (np.array([1.0, 0.8, 0.5, 0.5]) * rate).astype(np.float32)
    for case, rate in {"dense": 0.03, "conv": 0.001, "embedding": 0.05}.items()
}
DAMPINGS = np.array([0.03, 0.02, 0.015, 0.01], np.float32)
CASES = ("dense", "conv", "embedding")

#: settings of the optimizer; "filter": names with this in them are not decayed
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "loss_scale": {"loss_scale": 8.0},
    "decay": {"loss_scale": 8.0, "weight_decay": 0.01},
    "filter": {"weight_decay": 0.01, "filter": "bias"},
    "clip": {"loss_scale": 8.0, "enable_clip_grad": True},
    "decay_clip": {"loss_scale": 8.0, "weight_decay": 0.01, "enable_clip_grad": True},
    "nesterov": {"loss_scale": 8.0, "use_nesterov": True},
}

_SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "dense": {"fc1.weight": (8, 6), "fc1.bias": (8,), "fc2.weight": (3, 8), "fc2.bias": (3,)},
    "conv": {
        "conv1.weight": (5, 2, 3, 3),
        "conv1.bias": (5,),
        "bn.gamma": (5,),
        "bn.beta": (5,),
        "conv2.weight": (136, 5, 3, 3),
        "fc.weight": (10, 1224),
        "fc.bias": (10,),
    },
    "embedding": {
        "table.embedding_table": (11, 6),
        "norm.gamma": (6,),
        "norm.beta": (6,),
        "fc.weight": (4, 6),
        "fc.bias": (4,),
    },
}


def make_weights(case: str) -> dict[str, np.ndarray]:
    """{name: float32 start}."""
    random = np.random.RandomState(3)
    found = {}
    for name, shape in _SHAPES[case].items():
        scale = 0.3 if len(shape) < 2 else 1.0 / np.sqrt(np.prod(shape[1:]))
        found[name] = (random.standard_normal(shape) * scale + (name.endswith("gamma"))).astype(np.float32)
    return found


def make_data(case: str, step: int) -> tuple[np.ndarray, np.ndarray]:
    """(inputs, labels) of a step."""
    random = np.random.RandomState(100 + step)
    if case == "dense":
        return random.standard_normal((BATCH, 6)).astype(np.float32), random.randint(0, 3, BATCH).astype(np.int32)
    if case == "conv":
        return random.standard_normal((BATCH, 2, 8, 8)).astype(np.float32), random.randint(0, 10, BATCH).astype(
            np.int32
        )
    return random.randint(0, 11, (BATCH, 5)).astype(np.int32), random.randint(0, 4, BATCH).astype(np.int32)


def make_cell(case: str, nn: Any, ops: Any) -> Any:
    """A Cell of ``nn``, with its own start values still."""

    class DenseNet(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc1, self.relu, self.fc2 = nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 3)

        def construct(self, x):
            return self.fc2(self.relu(self.fc1(x)))

    class ConvNet(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(2, 5, 3, pad_mode="valid", has_bias=True)
            self.bn, self.relu = nn.BatchNorm2d(5), nn.ReLU()
            self.conv2 = nn.Conv2d(5, 136, 3, stride=2, pad_mode="same")
            self.flatten, self.fc = nn.Flatten(), nn.Dense(1224, 10)

        def construct(self, x):
            x = self.relu(self.conv2(self.relu(self.bn(self.conv1(x)))))
            return self.fc(self.flatten(x))

    class EmbeddingNet(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table, self.norm, self.fc = nn.Embedding(11, 6), nn.LayerNorm((6,)), nn.Dense(6, 4)
            self.mean = ops.ReduceMean()

        def construct(self, ids):
            return self.fc(self.mean(self.norm(self.table(ids)), 1))

    return {"dense": DenseNet, "conv": ConvNet, "embedding": EmbeddingNet}[case]()
