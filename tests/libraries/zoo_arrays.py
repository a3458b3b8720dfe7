"""Arrays, folders and steps for the networks of the model zoo that zoo_steps.py trains."""

import os
import sys

import numpy as np
import seeded
from mindspore import Tensor, nn

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return Tensor(RANDOM.normal(0, 1, shape).astype(np.float32))


def uniform(*shape):
    return Tensor(RANDOM.uniform(0, 1, shape).astype(np.float32))


def integers(high, *shape, dtype=np.int32):
    return Tensor(RANDOM.integers(0, high, shape).astype(dtype))


def one_hot(count, *shape):
    return Tensor(np.eye(count, dtype=np.float32)[RANDOM.integers(0, count, shape)])


def project(path):
    """The folder of a project, on the path and the current one, as its own scripts have it."""
    folder = os.path.abspath(path)
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
