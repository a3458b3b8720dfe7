"""One rank: when gradients are sent, and what is said about ranks that differ; as JSON."""

import json
import logging

import numpy as np
import torch.distributed as dist

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.nn.wrap._buckets import Reduction
from mindspore_compat.nn.wrap.grad_reducer import DistributedGradReducer

found: dict[str, object] = {}
warnings: list[str] = []
handler = logging.Handler()
handler.emit = lambda record: warnings.append(record.getMessage())  # type: ignore[method-assign]
logging.getLogger("mindspore_compat").addHandler(handler)
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
network = nn.SequentialCell(nn.Dense(4, 5), nn.Dense(5, 6), nn.Dense(6, 3))
try:
    DistributedGradReducer(network.trainable_params())((Tensor(np.ones(2, np.float32)),))
except RuntimeError as error:
    found["not met"] = str(error)
ms.communication.init()
rank = ms.communication.get_rank()
for parameter in network.get_parameters():
    parameter.set_data(Tensor(np.full(parameter.shape, 0.1 + rank, np.float32)))
ms.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "index", "config": [2, 4]}})
step = nn.TrainOneStepCell(network, nn.SGD(network.trainable_params(), 0.1))
x = Tensor(np.ones((2, 4), np.float32))
step(x)  # which compares the ranks first

order: list[str] = []
network[0].bias.register_hook(lambda gradient: order.append("first layer"))
sends = dist.all_reduce


def noted(*args: object, **kwargs: object) -> object:
    order.append("sent")
    return sends(*args, **kwargs)


dist.all_reduce = noted
step(x)
dist.all_reduce = sends
found["order"] = order
found["warning"] = "".join(warnings) if rank == 0 else "begin with different values of 6 of 6 Parameters"

weights = network.trainable_params()
reducer = DistributedGradReducer(weights)
reduction: Reduction = reducer.reduction(weights)
reduction.put(0, weights[0])
try:
    reduction.put(0, weights[0])
except RuntimeError as error:
    found["twice"] = str(error)
ms.communication.release()
print(json.dumps(found))
