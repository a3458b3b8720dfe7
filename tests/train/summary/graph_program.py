"""Three networks that are trained for one step in GRAPH_MODE with a graph, for real MindSpore and for this package
alike.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

NAMES = ("lenet", "conv_bn", "transformer")


def networks(ms: Any) -> dict[str, Any]:
    """name -> class"""
    nn, ops = ms.nn, ms.ops

    class LeNet5(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
            self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
            self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)
            self.relu, self.max_pool2d, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()

        def construct(self, x: Any) -> Any:
            x = self.max_pool2d(self.relu(self.conv1(x)))
            x = self.max_pool2d(self.relu(self.conv2(x)))
            x = self.relu(self.fc1(self.flatten(x)))
            return self.fc3(self.relu(self.fc2(x)))

    class ConvBn(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.SequentialCell(
                nn.Conv2d(3, 8, 3, has_bias=True, pad_mode="same"), nn.BatchNorm2d(8), nn.ReLU(), nn.AvgPool2d(2, 2)
            )
            self.drop = nn.Dropout(p=0.3)
            self.head = nn.Dense(8, 4)

        def construct(self, x: Any) -> Any:
            y = self.body(x)
            return self.head(self.drop(ops.mean(y + y * 0.5, (2, 3))))

    class Transformer(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(20, 16)
            self.q, self.k, self.v = nn.Dense(16, 16), nn.Dense(16, 16), nn.Dense(16, 16)
            self.norm1, self.norm2 = nn.LayerNorm((16,)), nn.LayerNorm((16,))
            self.up, self.gelu, self.down = nn.Dense(16, 32), nn.GELU(), nn.Dense(32, 16)
            self.softmax, self.head = nn.Softmax(-1), nn.Dense(16, 4)

        def construct(self, ids: Any) -> Any:
            x = self.embedding(ids)
            q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
            w = self.softmax(ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) / 8**0.5)
            x = self.norm1(x + ops.reshape(ops.transpose(ops.matmul(w, v), (0, 2, 1, 3)), (4, 6, 16)))
            x = self.norm2(x + self.down(self.gelu(self.up(x))))
            return self.head(ops.mean(x, 1))

        def heads(self, x: Any) -> Any:
            return ops.transpose(ops.reshape(x, (4, 6, 2, 8)), (0, 2, 1, 3))

    return dict(zip(NAMES, (LeNet5, ConvBn, Transformer)))


def data(name: str) -> tuple[Any, Any]:
    random = np.random.RandomState(0)
    labels = random.randint(0, 4, 8).astype(np.int32)
    if name == "transformer":
        return random.randint(0, 20, (8, 6)).astype(np.int32), labels
    return random.standard_normal((8, 1, 32, 32) if name == "lenet" else (8, 3, 8, 8)).astype(np.float32), labels


def train(ms: Any, name: str, callbacks: Any) -> Any:
    """One epoch of two steps in GRAPH_MODE; the network."""
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    net = networks(ms)[name]()
    pairs = ms.dataset.NumpySlicesDataset(data(name), ["x", "y"], shuffle=False).batch(4)
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    ms.Model(net, loss, ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)).train(
        1, pairs, callbacks=callbacks, dataset_sink_mode=False
    )
    return net


def run(ms: Any, name: str, folder: str) -> Any:
    return train(ms, name, [ms.SummaryCollector(folder, 1, collect_specified_data={"collect_landscape": None})])


if __name__ == "__main__":  # under real MindSpore
    import mindspore
    import mindspore.dataset

    for which in NAMES:
        run(mindspore, which, f"{sys.argv[1]}/{which}")
