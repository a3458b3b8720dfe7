"""What the programs share: seeded weights and batches, and the record of what they computed. Runs under either
MindSpore.
"""

import zlib

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

STEPS = 5
PROJECTIONS = 3


def random_of(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def drawn(name, *shape, scale=0.5):
    """An array that depends on nothing but its name and shape."""
    return (random_of(name).standard_normal(shape) * scale).astype(np.float32)


def tensor(name, *shape, scale=0.5):
    return Tensor(drawn(name, *shape, scale=scale))


def fill(*cells):
    """Give every Parameter the value that its name draws: norms near one, variances positive."""
    for cell in cells:
        for parameter in cell.get_parameters():
            value = drawn(parameter.name, *parameter.shape)
            if "variance" in parameter.name:
                value = np.abs(value) + 0.5
            elif "gamma" in parameter.name:
                value = 1.0 + 0.2 * value
            parameter.set_data(Tensor(value.astype(parameter.asnumpy().dtype)))
    return cells[0] if len(cells) == 1 else cells


def batch(step, labels="float", rows=4):
    """(x, y) of a step: x is (rows, 6); y what the loss wants of 4 outputs."""
    random = random_of(f"batch{step}")
    x = random.standard_normal((rows, 6)).astype(np.float32)
    y = {
        "float": lambda: random.standard_normal((rows, 4)).astype(np.float32),
        "index": lambda: random.integers(0, 4, rows).astype(np.int32),
        "onehot": lambda: np.eye(4, dtype=np.float32)[random.integers(0, 4, rows)],
        "binary": lambda: (random.random((rows, 4)) > 0.5).astype(np.float32),
        "sign": lambda: np.sign(random.standard_normal((rows, 4))).astype(np.float32),
        "probability": lambda: random.dirichlet(np.ones(4), rows).astype(np.float32),
    }[labels]()
    return x, y


class Record:
    """Labelled values in the order in which they were seen; large arrays as their norm and some projections."""

    def __init__(self):
        self.values = []

    def __call__(self, label, value):
        if isinstance(value, (tuple, list)):
            for number, item in enumerate(value):
                self(f"{label}.{number}", item)
        elif isinstance(value, dict):
            for key in sorted(value):
                self(f"{label}.{key}", value[key])
        elif isinstance(value, (str, type(None))):
            self.values.append([label, "is", [str(value)]])
        else:
            if isinstance(value, Tensor):
                value = (value.astype(ms.float32) if value.dtype == ms.bfloat16 else value).asnumpy()
            array = np.asarray(value, np.float64)
            self.values.append([label, list(array.shape), fingerprint(array)])

    def state(self, label, *cells):
        """All Parameters of the Cells, by name."""
        for cell in cells:
            for parameter in cell.get_parameters():
                self(f"{label}:{parameter.name}", parameter)

    def step(self, number, loss, cells, optimizers=()):
        """What is compared after each step."""
        self(f"{number} loss", loss)
        self.state(f"{number} net", *cells)
        self.state(f"{number} opt", *optimizers)


def fingerprint(array):
    flat = array.ravel()
    if flat.size <= 6:
        return [float(f"{value:.7g}") for value in flat]
    places = np.arange(1, flat.size + 1)
    found = [np.sqrt((flat * flat).sum())] + [(flat * np.cos(places * (0.7 + k))).sum() for k in range(PROJECTIONS)]
    return [float(f"{value:.7g}") for value in found]


class Block(nn.Cell):
    """Two layers, to be nested, shared and recomputed."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(6, 5), nn.Dense(5, 6)

    def construct(self, x):
        return x + self.second(ops.sin(self.first(x)))


class Declared(nn.Cell):
    """A sine, with a gradient of its own declaration."""

    def construct(self, x):
        return ops.sin(x)

    def bprop(self, x, out, dout):
        return (dout * (1.0 - 0.9 * out * out),)


class OwnLoss(nn.Cell):
    def construct(self, h, y):
        return ops.log(1.0 + ops.square(h - y)).mean()


class OwnBase(nn.LossBase):
    def construct(self, h, y):
        return self.get_loss(ops.abs(h - y) ** 1.5)


class Divergence(nn.Cell):
    def construct(self, h, y):
        return ops.kl_div(ops.log_softmax(h, -1), y, "batchmean")


class OwnRate(nn.learning_rate_schedule.LearningRateSchedule):
    def construct(self, global_step):
        return 0.05 / (1.0 + 0.5 * ops.cast(global_step, ms.float32))


class Decaying(nn.Cell):
    """A weight decay that depends on the step."""

    def construct(self, global_step):
        return 0.02 / (1.0 + ops.cast(global_step, ms.float32))


class OwnOptimizer(nn.Optimizer):
    """Gradient descent with a sign, as a project would write it."""

    def __init__(self, params, learning_rate):
        super().__init__(learning_rate, params)
        self.moments = self.parameters.clone(prefix="moments", init="zeros")

    def construct(self, gradients):
        rate = self.get_lr()
        done = True
        for weight, moment, gradient in zip(self.parameters, self.moments, gradients):
            done = ops.depend(done, ops.assign(moment, moment * 0.9 + gradient))
            done = ops.depend(done, ops.assign_sub(weight, rate * (moment + 0.01 * ops.sign(gradient))))
        return done
