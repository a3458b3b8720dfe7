"""A small LeNet."""

from mindspore import nn
from mindspore.ops import operations as P


class LeNet(nn.Cell):
    """Two convolutions and two dense layers."""

    def __init__(self, num_class=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, pad_mode="same")
        self.conv2 = nn.Conv2d(8, 16, 3, pad_mode="same")
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.fc1 = nn.Dense(16 * 4 * 4, 64)
        self.fc2 = nn.Dense(64, num_class)
        self.reshape = P.Reshape()
        self.shape = P.Shape()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.reshape(x, (self.shape(x)[0], -1))
        x = self.relu(self.fc1(x))
        return self.fc2(x)
