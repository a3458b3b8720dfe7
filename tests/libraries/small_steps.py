"""Trains networks of libraries that have no small configuration: ``python small_steps.py NAME MODE`` in a checkout takes five
steps with the library's own network, loss, optimizer and step, from seeded values, on seeded arrays, and prints the losses.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import mindspore as ms
import numpy as np
import seeded
from mindspore import Tensor, nn, ops

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return Tensor(RANDOM.normal(0, 1, shape).astype(np.float32))


def integers(high, *shape):
    return Tensor(RANDOM.integers(0, high, shape).astype(np.int32))


class Less(nn.Cell):
    """``Less`` that takes a number before a Tensor, as MindSpore 1.x's."""

    def construct(self, one, other):
        return one < other


def give_back():
    """What mindface uses and real MindSpore has lost since."""
    import mindspore._checkparam as checks
    from mindspore.common import api

    if not hasattr(api, "ms_function"):
        api.ms_function = ms.jit
    if not hasattr(checks, "Validator"):  # its functions and constants are the module's own now
        checks.Validator = checks.Rel = checks
    try:
        ops.scalar_to_array(1.0)
    except RuntimeError:
        ops.scalar_to_array = Tensor
    try:
        ops.Less()(0.0, Tensor(1.0))
    except TypeError:
        ops.operations.Less = Less


def pose(backbone, head, loss, rate=1e-6, **arguments):
    """mindpose: heatmaps of a quarter of the picture's sides."""
    from mindpose.models import create_loss, create_network, create_network_with_loss
    from mindpose.optim import create_optimizer

    network = create_network(backbone, head, num_joints=17, **arguments)
    criterion = create_loss(loss, use_target_weight=True)
    whole = create_network_with_loss(network, criterion, has_extra_inputs=True)
    optimizer = create_optimizer(whole.trainable_params(), name="adam", learning_rate=rate, weight_decay=1e-4)
    weight = Tensor(RANDOM.integers(0, 2, (4, 17)).astype(np.float32))
    return whole, optimizer, nn.TrainOneStepCell, (normal(4, 3, 64, 64), normal(4, 17, 16, 16), weight)


def arcface(make, optimizer, rate):
    """mindface's recognition: a backbone's 512 features, cosines to ten classes, the margin in the angle."""
    give_back()
    sys.path.insert(0, os.path.join(os.getcwd(), "mindface", "recognition"))
    import loss
    import models
    import optim
    import runner

    backbone = getattr(models, make)(num_features=512)
    network = nn.WithLossCell(runner.Network(backbone, models.PartialFC(10, 1)), loss.ArcFace(1, s=8.0, m=0.1))
    rates = runner.lr_generator(rate, [1], 0.5, 2, 3)
    made = optim.create_optimizer(network.trainable_params(), opt=optimizer, lr=rates, weight_decay=5e-4)
    return network, made, nn.TrainOneStepCell, (normal(8, 3, 112, 112), integers(10, 8))


def retinaface():
    """mindface's detection: boxes, classes and landmarks of the anchors of 64 x 64 pixels."""
    give_back()
    sys.path.insert(0, os.path.join(os.getcwd(), "mindface", "detection"))
    import loss
    import models
    import runner

    anchors = 2 * (8 * 8 + 4 * 4 + 2 * 2)
    detector = models.RetinaFace(phase="train", backbone=models.mobilenet025(1000), in_channel=32, out_channel=64)
    network = models.RetinaFaceWithLossCell(detector, loss.MultiBoxLoss(2, anchors, 7))
    optimizer = nn.SGD(network.trainable_params(), 1e-4, momentum=0.9, weight_decay=5e-4)
    kinds = Tensor((RANDOM.random((4, anchors)) < 0.1).astype(np.int32))
    data = (normal(4, 3, 64, 64), normal(4, anchors, 4), kinds, normal(4, anchors, 10))
    return network, optimizer, lambda *parts: runner.TrainingWrapper(*parts, grad_clip=True), data


NETWORKS = {
    "simplebaseline": lambda: pose("resnet50", "simple_baseline_head", "joint_mse"),
    "hrnet": lambda: pose("hrnet_w32", "hrnet_head", "joint_mse"),
    "mobilefacenet": lambda: arcface("get_mbf", "momentum", 1e-3),
    "vit": lambda: arcface("vit_t", "adamw", 1e-5),
    "retinaface": retinaface,
}


def main(name, mode):
    ms.set_context(mode=int(mode))
    sys.path.insert(0, os.getcwd())
    network, optimizer, step_of, data = NETWORKS[name]()
    seeded.without_chance(seeded.fill(network))
    step = step_of(network, optimizer)
    step.set_train()
    for _ in range(5):
        print(f"loss: {float(step(*data).asnumpy()):.6f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
