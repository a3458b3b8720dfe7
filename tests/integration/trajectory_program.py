"""Trains a network 50 steps and writes losses and parameters; a plain MindSpore script, run under both libraries.

PYTHON trajectory_program.py NET OUT.npz      with benchmarks/ on the path for its networks
"""

import sys

import mindspore as ms
import mindspore.nn as nn
import numpy as np
from nets_mindspore import Encoder, LeNet5, ResNet, batch, fill

NETS = {
    "lenet": (LeNet5, "lenet"),
    "resnet": (lambda: ResNet(1, (4, 8)), "resnet20"),
    "encoder": (lambda: Encoder(1000, 32, 2), "encoder"),
}


def main(name, out):
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    make, data = NETS[name]
    net = make()
    fill(net)
    for parameter in net.get_parameters():
        if "embedding" in parameter.name:
            parameter.set_data(parameter * 3)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    # LeNet on noise is chaotic at a large step: with 0.01, one thread and two differ by 1e-2 after 50 steps on one and
    # the same library
    optimizer = (
        nn.Adam(net.trainable_params(), 1e-3)
        if name == "encoder"
        else nn.Momentum(net.trainable_params(), 0.002 if name == "lenet" else 0.01, 0.9, weight_decay=1e-4)
    )
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)
    step.set_train()
    losses = []
    for number in range(50):
        x, y = batch(data, number % 4)
        losses.append(float(step(ms.Tensor(x), ms.Tensor(y)).asnumpy()))
    found = {"losses": np.array(losses)}
    for parameter in step.get_parameters():
        values = parameter.asnumpy().astype(np.float64).ravel()
        # the whole would be a megabyte: the norm and 16 values spread over the parameter say as much
        picks = values[np.linspace(0, values.size - 1, min(16, values.size)).astype(int)]
        found[parameter.name] = np.concatenate([[np.linalg.norm(values)], picks])
    np.savez_compressed(out, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
