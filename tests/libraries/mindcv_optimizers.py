"""Trains a small network with each optimizer of mindcv, from the same weights and data, and prints a JSON line for each
case: {case: [loss, ...]}. Run in a checkout of mindcv, by both MindSpores: ``python mindcv_optimizers.py [--steps 8]``.
"""

import argparse
import json
import os
import sys

sys.path.insert(0, os.getcwd())

import mindspore as ms
import numpy as np
from mindcv.optim import create_optimizer
from mindspore import Tensor, nn, ops

NAMES = (
    "sgd",
    "nesterov",
    "momentum",
    "adam",
    "adamw",
    "lion",
    "nadam",
    "adan",
    "rmsprop",
    "adagrad",
)  # lamb: refused by MindSpore 2.10 on a CPU
RATES = {"constant": 0.01, "listed": [0.01 - 0.001 * step for step in range(8)]}


def network():
    net = nn.SequentialCell(
        nn.Conv2d(3, 8, 3, pad_mode="same", has_bias=True),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dense(8 * 8 * 8, 5),
    )
    random = np.random.default_rng(3)
    for parameter in net.trainable_params():
        values = random.normal(0, 0.1, parameter.shape) + ("gamma" in parameter.name)
        parameter.set_data(Tensor(values.astype(np.float32)))
    return net


class Loss(nn.Cell):
    """Cross entropy and a little of the scores' squares. Of cross entropy alone the gradients of the last bias add up to
    0 or to rounding's noise, and mindcv's Adan asks at each step whether they do (``reduce_sum(prev_gradient) == 0``).
    """

    def __init__(self):
        super().__init__()
        self.entropy = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, scores, labels):
        return self.entropy(scores, labels) + 0.01 * ops.square(scores).mean()


def losses(name, rate, filtered, steps, mode, scale=1.0, **more):
    ms.set_context(mode=mode)
    net = network()
    optimizer = create_optimizer(
        net, name, lr=rate, weight_decay=0.02, weight_decay_filter=filtered, loss_scale=scale, **more
    )
    step = nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), optimizer, sens=scale)
    step.set_train()
    random = np.random.default_rng(4)
    images = Tensor(random.normal(0, 1, (6, 3, 8, 8)).astype(np.float32))
    labels = Tensor(random.integers(0, 5, 6).astype(np.int32))
    return [float(step(images, labels).asnumpy()) for _ in range(steps)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--names", nargs="*", default=NAMES)
    given = parser.parse_args()

    def show(key, losses):
        print(json.dumps({key: losses}), flush=True)

    for name in given.names:
        for rate_name, rate in RATES.items():
            for filtered in ("disable", "norm_and_bias"):
                for mode, mode_name in ((ms.GRAPH_MODE, "graph"), (ms.PYNATIVE_MODE, "pynative")):
                    key = f"{name}-{rate_name}-{filtered}-{mode_name}"
                    try:
                        show(key, losses(name, rate, filtered, given.steps, mode))
                    except Exception as error:
                        show(key, f"{type(error).__name__}: {error}"[:300])
    for name in ("adamw", "lion", "nadam", "adan", "momentum"):
        show(f"{name}-scaled", losses(name, 0.01, "norm_and_bias", given.steps, ms.PYNATIVE_MODE, 16.0))
        listed = RATES["listed"]
        show(f"{name}-layers", losses(name, listed, "auto", given.steps, ms.PYNATIVE_MODE, layer_decay=0.7))


if __name__ == "__main__":
    main()
