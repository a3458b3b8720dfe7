"""Child of train_step.py: a hand-written torch loop.

PYTHON _step_torch.py NET [DEVICE]
"""

import sys

import numpy as np
import torch
from _turns import serve
from nets_torch import NETS

name, device = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "cpu"
torch.manual_seed(1)
rng = np.random.RandomState(0)
shape = {"mlp": (32, 32), "lenet": (32, 1, 32, 32), "resnet20": (16, 3, 32, 32)}.get(name)
if shape is None:
    x, y = torch.from_numpy(rng.randint(0, 1000, (8, 64))), torch.from_numpy(rng.randint(0, 10, 8))
else:
    x, y = torch.from_numpy(rng.randn(*shape).astype(np.float32)), torch.from_numpy(rng.randint(0, 10, shape[0]))
net = NETS[name]().to(device)
x, y = x.to(device), y.to(device)
loss_fn = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)


def step():
    optimizer.zero_grad()
    loss = loss_fn(net(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


serve(step)
