"""The checkpoint that lenet_digits.py wrote, in a LeNet written as a plain torch module.

python examples/lenet_in_torch.py lenet_ckpt/LeNet5-15_44.ckpt
"""

import sys

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

from mindspore_compat import load_checkpoint, load_param_into_net
from mindspore_compat.dataset import vision


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, bias=False)
        self.conv2 = nn.Conv2d(6, 16, 5, bias=False)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc3(torch.relu(self.fc2(x)))


def test_digits() -> tuple[torch.Tensor, torch.Tensor]:
    """The pictures that lenet_digits.py tests with, resized as there: (N, 1, 32, 32) in [0, 1]."""
    digits = load_digits()
    images = (digits.images * 15.9).astype(np.uint8)[..., None]
    _, images, _, labels = train_test_split(images, digits.target, test_size=0.2, random_state=0)
    resize = vision.Resize((32, 32))
    stacked = np.stack([resize(image) for image in images]).reshape(-1, 1, 32, 32).astype(np.float32) / 255.0
    return torch.from_numpy(stacked), torch.from_numpy(labels)


def main() -> None:
    net = LeNet5()
    missing, unused = load_param_into_net(net, load_checkpoint(sys.argv[1]))
    print(
        f"loaded into torch: {len(list(net.parameters())) - len(missing)} parameters, {len(missing)} missing, "
        f"{len(unused)} of the checkpoint not used (the optimizer's)"
    )
    images, labels = test_digits()
    with torch.no_grad():
        accuracy = (net(images).argmax(1) == labels).float().mean().item()
    print(f"Test in torch: {accuracy}")


if __name__ == "__main__":
    main()
