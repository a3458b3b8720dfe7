"""Arrays, folders and steps for the networks of the model zoo that zoo_steps.py trains."""

import os
import sys

import numpy as np
import seeded
from mindspore import Tensor, nn, ops

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return Tensor(RANDOM.normal(0, 1, shape).astype(np.float32))


def uniform(*shape):
    return Tensor(RANDOM.uniform(0, 1, shape).astype(np.float32))


def integers(high, *shape, dtype=np.int32):
    return Tensor(RANDOM.integers(0, high, shape).astype(dtype))


def one_hot(count, *shape):
    return Tensor(np.eye(count, dtype=np.float32)[RANDOM.integers(0, count, shape)])


class Resize(nn.Cell):
    """``nn.ResizeBilinear`` of MindSpore 1.x, for a given size."""

    def __init__(self, half_pixel=False):
        super().__init__()
        self.half_pixel = half_pixel

    def construct(self, x, size=None, scale_factor=None, align_corners=False):
        return ops.ResizeBilinearV2(align_corners, self.half_pixel)(x, size)


def resize(size, align_corners=False, half_pixel_centers=False):
    """``ops.ResizeBilinear`` of MindSpore 1.x."""

    def resized(x):
        return ops.ResizeBilinearV2(align_corners, half_pixel_centers)(x, size)

    return resized


def give_back():
    """What projects use and real MindSpore has lost since. Its compiler looks up no methods here: those of Tensors are
    for PYNATIVE_MODE and for what runs before.
    """
    if not hasattr(Tensor, "to_tensor"):
        Tensor.to_tensor = Tensor.init_data
    if not hasattr(nn, "ResizeBilinear"):
        nn.ResizeBilinear = Resize
    if not hasattr(ops, "ResizeBilinear"):
        ops.ResizeBilinear = resize
    try:
        Tensor([1]).repeat(2, axis=0)
    except (TypeError, RuntimeError):
        Tensor.repeat = lambda one, repeats, axis=None: one.repeat_interleave(repeats, axis)


def project(path):
    """The folder of a project, on the path and the current one, as its own scripts have it."""
    folder = os.path.abspath(path)
    give_back()
    sys.argv = sys.argv[:1]  # some read it for their settings
    os.chdir(folder)
    sys.path.insert(0, folder)
    return folder


def steps(whole, *data, optimizer=None, rate=1e-3, step=nn.TrainOneStepCell):
    """A network that gives its loss, its optimizer, what steps and a batch."""
    seeded.without_chance(seeded.fill(whole))
    return step(whole, optimizer or nn.Adam(whole.trainable_params(), rate)), data


def with_loss(network, loss, data, label):
    return steps(nn.WithLossCell(network, loss), data, label)
