"""Networks to quantize, for the tests of conversion and export."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat import Tensor, nn, ops

#: Pixels divided by 255, as the exported files take them with mean 0 and std_dev 255.
PIXELS = (np.random.default_rng(0).integers(0, 256, (8, 1, 8, 8)) / 255).astype(np.float32)


class Residual(nn.Cell):
    """Of each kind of layer that is converted one or more."""

    def __init__(self, activation: str = "relu", has_bn: bool = True) -> None:
        super().__init__()
        self.conv1 = nn.Conv2dBnAct(
            1, 4, 3, has_bias=True, has_bn=has_bn, momentum=0.9, activation="relu", weight_init="he_uniform"
        )
        self.conv2 = nn.Conv2dBnAct(
            4,
            4,
            3,
            group=4,
            pad_mode="pad",
            padding=1,
            has_bn=has_bn,
            momentum=0.9,
            activation=activation,
            weight_init="he_uniform",
        )
        self.conv3 = nn.Conv2dBnAct(4, 4, 1, weight_init="he_uniform")
        self.add, self.relu = ops.TensorAdd(), ops.ReLU()
        self.pool, self.flatten = nn.MaxPool2d(2, 2), nn.Flatten()
        self.head = nn.SequentialCell(
            [
                nn.DenseBnAct(64, 12, activation="relu6", weight_init="he_uniform"),
                nn.DenseBnAct(12, 5, weight_init="he_uniform"),
            ]
        )

    def construct(self, x: Any) -> Any:
        x = self.conv1(x)
        x = self.relu(self.add(x, self.conv3(self.conv2(x))))
        return self.head(self.flatten(self.pool(x)))


class PlainLayers(nn.Cell):
    """Layers that stay as they are, beside one that is converted."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.act = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU()
        self.fused, self.flatten, self.dense = (
            nn.Conv2dBnAct(2, 2, 3, activation="sigmoid"),
            nn.Flatten(),
            nn.Dense(128, 5),
        )

    def construct(self, x: Any) -> Any:
        return self.dense(self.flatten(self.fused(self.act(self.norm(self.conv(x))))))


def trained(net: nn.Cell, steps: int = 20, rate: float = 0.01) -> nn.Cell:
    """After some steps towards random labels, in evaluation."""
    rng = np.random.default_rng(1)
    labels = Tensor(rng.integers(0, 5, len(PIXELS)).astype(np.int32))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), rate, 0.9)).set_train()
    for _ in range(steps):
        step(Tensor(PIXELS), labels)
    return net.set_train(False)
