"""The benchmark's networks as a MindSpore user writes them; runs on MindSpore and on mindspore_compat."""

import mindspore.nn as nn
import mindspore.ops.operations as P
import numpy as np
from mindspore import Tensor


class MLP(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(32, 64)
        self.fc2 = nn.Dense(64, 64)
        self.fc3 = nn.Dense(64, 10)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


class LeNet5(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, 10)
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


class Block(nn.Cell):
    def __init__(self, in_channel, out_channel, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channel, out_channel, 3, stride, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(out_channel)
        self.conv2 = nn.Conv2d(out_channel, out_channel, 3, 1, pad_mode="pad", padding=1)
        self.bn2 = nn.BatchNorm2d(out_channel)
        self.relu = nn.ReLU()
        self.add = P.Add()
        self.down_sample = None
        if stride != 1 or in_channel != out_channel:
            self.down_sample = nn.SequentialCell(
                [nn.Conv2d(in_channel, out_channel, 1, stride), nn.BatchNorm2d(out_channel)]
            )

    def construct(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.down_sample is not None:
            identity = self.down_sample(x)
        return self.relu(self.add(out, identity))


class ResNet(nn.Cell):
    def __init__(self, blocks=3, widths=(16, 32, 64)):
        super().__init__()
        self.conv1 = nn.Conv2d(3, widths[0], 3, 1, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(widths[0])
        self.relu = nn.ReLU()
        layers, channel = [], widths[0]
        for stage, width in enumerate(widths):
            for number in range(blocks):
                layers.append(Block(channel, width, 2 if stage > 0 and number == 0 else 1))
                channel = width
        self.layers = nn.SequentialCell(layers)
        self.mean = P.ReduceMean(keep_dims=False)
        self.end_point = nn.Dense(channel, 10)

    def construct(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.layers(x)
        return self.end_point(self.mean(x, (2, 3)))


class EncoderLayer(nn.Cell):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.size = heads, dim // heads
        self.query, self.key, self.value, self.out = (
            nn.Dense(dim, dim),
            nn.Dense(dim, dim),
            nn.Dense(dim, dim),
            nn.Dense(dim, dim),
        )
        self.norm1, self.norm2 = nn.LayerNorm((dim,)), nn.LayerNorm((dim,))
        self.fc1, self.fc2, self.gelu = nn.Dense(dim, 4 * dim), nn.Dense(4 * dim, dim), nn.GELU()
        self.reshape, self.transpose, self.softmax = P.Reshape(), P.Transpose(), nn.Softmax()
        self.scores, self.context = P.BatchMatMul(transpose_b=True), P.BatchMatMul()
        self.scale = 1.0 / np.sqrt(self.size)
        self.shape = P.Shape()

    def split(self, x):
        batch, length, _ = self.shape(x)
        return self.transpose(self.reshape(x, (batch, length, self.heads, self.size)), (0, 2, 1, 3))

    def construct(self, x):
        batch, length, dim = self.shape(x)
        weights = self.softmax(self.scores(self.split(self.query(x)), self.split(self.key(x))) * self.scale)
        mixed = self.transpose(self.context(weights, self.split(self.value(x))), (0, 2, 1, 3))
        x = self.norm1(x + self.out(self.reshape(mixed, (batch, length, dim))))
        return self.norm2(x + self.fc2(self.gelu(self.fc1(x))))


class Encoder(nn.Cell):
    def __init__(self, vocabulary=1000, dim=256, heads=4, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dim)
        self.layers = nn.CellList([EncoderLayer(dim, heads) for _ in range(layers)])
        self.mean = P.ReduceMean()
        self.head = nn.Dense(dim, 10)

    def construct(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.mean(x, 1))


NETS = {"mlp": MLP, "lenet": LeNet5, "resnet20": ResNet, "encoder": Encoder}


def batch(name, seed=0):
    """(input, label) as numpy arrays."""
    rng = np.random.RandomState(seed)
    if name == "mlp":
        x = rng.randn(32, 32)
    elif name == "lenet":
        x = rng.randn(32, 1, 32, 32)
    elif name == "resnet20":
        x = rng.randn(16, 3, 32, 32)
    else:
        return rng.randint(0, 1000, (8, 64)).astype(np.int32), rng.randint(0, 10, 8).astype(np.int32)
    return x.astype(np.float32), rng.randint(0, 10, len(x)).astype(np.int32)


def fill(net, seed=0):
    """The same values in the parameters wherever this runs: scaled normal matrices, zero biases, norms as they are."""
    rng = np.random.RandomState(seed)
    for parameter in net.trainable_params():
        shape = parameter.shape
        if len(shape) > 1:
            fan_in = int(np.prod(shape[1:]))
            parameter.set_data(Tensor((rng.randn(*shape) * np.sqrt(1.0 / fan_in)).astype(np.float32)))
        elif parameter.name.endswith("bias"):
            parameter.set_data(Tensor(np.zeros(shape, np.float32)))
