"""One rank of a data-parallel THOR run; prints weights and inverses after two steps, and local inverses. Arguments:
cell or torch, mean or sum.
"""

import json
import os
import sys

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn

kind, mean = sys.argv[1], sys.argv[2] == "mean"
ms.communication.init()
rank, size = ms.communication.get_rank(), ms.communication.get_group_size()
random = np.random.RandomState(0)
start = {
    "0.weight": random.randn(8, 4),
    "0.bias": random.randn(8),
    "2.weight": random.randn(3, 8),
    "2.bias": random.randn(3),
}
x, y = random.randn(2, 8, 4).astype(np.float32), random.randint(0, 3, (2, 8)).astype(np.int64)
share = slice(rank * 8 // size, (rank + 1) * 8 // size)
rates = Tensor(np.full(2, 0.01, np.float32))
options = {
    "learning_rate": rates,
    "damping": Tensor(np.full(2, 0.05, np.float32)),
    "momentum": 0.9,
    "batch_size": 4,
    "frequency": 2,
}
if kind == "cell":
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=mean, device_num=size)
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 3))
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(start[parameter.name].astype(np.float32)))
    optimizer = nn.thor(net, **options)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")), optimizer
    ).set_train()
    for a, b in zip(x, y):
        step(Tensor(a[share]), Tensor(b[share]))
    layers = optimizer.__dict__["_second_order"].layers
    weights = [item.asnumpy().ravel().tolist() for item in net.trainable_params()]
else:
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.copy_(torch.from_numpy(start[name]))
    optimizer = nn.thor(net, **options)
    model = torch.nn.parallel.DistributedDataParallel(net)
    for a, b in zip(x, y):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(torch.from_numpy(a[share])), torch.from_numpy(b[share])).backward()
        optimizer.step()
    layers = optimizer._second_order.layers
    weights = [item.detach().numpy().ravel().tolist() for item in net.parameters()]
local = [
    np.linalg.inv(factor.detach().numpy().astype(np.float64) * scale + np.sqrt(0.05) * np.eye(len(factor)))
    .ravel()
    .tolist()
    for layer in layers
    for factor, scale in ((layer.factors.a, 1.0), (layer.factors.g, 16.0))
]
shared = [item.detach().numpy().ravel().tolist() for layer in layers for item in (layer.a_inverse, layer.g_inverse)]
print(json.dumps({"weights": weights, "local": local, "shared": shared}))
ms.communication.release()
sys.stdout.flush()
os._exit(0)
