"""A run with SummaryCollector and the four summary operators, for real MindSpore and for this package alike."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np


def make_net(ms: Any) -> Any:
    nn, ops = ms.nn, ms.ops

    class Small(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3, pad_mode="valid", has_bias=False)
            self.relu = nn.ReLU()
            self.flat = nn.Flatten()
            self.fc = nn.Dense(32, 3)
            self.scalar = ops.ScalarSummary()
            self.histogram = ops.HistogramSummary()
            self.tensor = ops.TensorSummary()
            self.image = ops.ImageSummary()

        def construct(self, x: Any) -> Any:
            y = self.fc(self.flat(self.relu(self.conv(x))))
            self.scalar("mean_logit", y.mean())
            self.histogram("logits", y)
            self.tensor("logits_t", y)
            self.image("inp", x)
            return y

    net = Small()
    random = np.random.RandomState(3)
    for parameter in net.get_parameters():
        parameter.set_data(ms.Tensor((random.randn(*parameter.shape) * 0.2).astype(np.float32)))
    return net


def data(ms: Any) -> Any:
    random = np.random.RandomState(11)
    x, y = random.randn(12, 1, 6, 6).astype(np.float32), random.randint(0, 3, 12).astype(np.int32)
    return ms.dataset.NumpySlicesDataset({"image": x, "label": y}, shuffle=False).batch(4)


def run(ms: Any, collector: Any, folder: str) -> None:
    """Two epochs, then an evaluation."""
    net = make_net(ms)
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, ms.nn.Momentum(net.trainable_params(), 0.05, 0.9), metrics={"acc", "loss"})
    chosen = {"histogram_regular": "^.*(conv|fc).*weight.*", "collect_landscape": None}
    model.train(
        2,
        data(ms),
        callbacks=[
            collector(
                folder,
                collect_freq=2,
                custom_lineage_data={"dataset": "rand", "lr2": 0.5, "k": 3},
                collect_specified_data=chosen,
            )
        ],
        dataset_sink_mode=False,
    )
    time.sleep(1.2)  # names carry whole seconds
    model.eval(
        data(ms),
        callbacks=[collector(folder, collect_specified_data={"collect_landscape": None})],
        dataset_sink_mode=False,
    )


if __name__ == "__main__":  # under real MindSpore
    import mindspore
    import mindspore.dataset

    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    run(mindspore, mindspore.SummaryCollector, sys.argv[1])
