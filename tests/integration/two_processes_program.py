"""One rank of a data-parallel run; prints the parameters after three steps. RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
say which.
"""

import json
import os
import sys

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn

kind = sys.argv[1]
ms.communication.init()
rank, size = ms.communication.get_rank(), ms.communication.get_group_size()
rng = np.random.RandomState(0)
net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 3))
for parameter in net.get_parameters():
    parameter.set_data(Tensor(rng.randn(*parameter.shape).astype(np.float32)))
x, y = rng.randn(3, 8, 4).astype(np.float32), rng.randint(0, 3, (3, 8)).astype(np.int64)
share = slice(rank * 8 // size, (rank + 1) * 8 // size)
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
if kind == "grad_reducer":
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=size)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
    for a, b in zip(x, y):
        step(Tensor(a[share]), Tensor(b[share]))
else:
    optimizer = torch.optim.SGD(list(net.parameters()), 0.1, momentum=0.9)
    model = torch.nn.parallel.DistributedDataParallel(net) if size > 1 else net
    net.set_train()  # else torch records no call of it with MindSpore's Tensors
    for a, b in zip(x, y):
        optimizer.zero_grad()
        loss_fn(model(Tensor(a[share])), Tensor(b[share])).backward()
        optimizer.step()
if rank == size - 1:
    print(json.dumps([parameter.asnumpy().ravel().tolist() for parameter in net.get_parameters()]))
ms.communication.release()
sys.stdout.flush()
os._exit(0)
