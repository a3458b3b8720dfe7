"""Child of train_step.py: the same for a hand-written torch loop.

    PYTHON _step_torch.py NET SECONDS [DEVICE]
"""
import json
import sys
import time

import numpy as np
import torch
from nets_torch import NETS

name, seconds, device = sys.argv[1], float(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "cpu"
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
    return loss


for _ in range(5):
    step().item()
times = []
end = time.perf_counter() + seconds
while time.perf_counter() < end or len(times) < 20:
    start = time.perf_counter()
    step().item()
    times.append(time.perf_counter() - start)
times.sort()
print(json.dumps({"ms": 1000 * times[len(times) // 2], "best": 1000 * times[0], "steps": len(times)}))
