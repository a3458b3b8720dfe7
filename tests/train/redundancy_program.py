"""One rank of a run that saves its share of the parameters only, and loads everything again. RANK, WORLD_SIZE,
MASTER_ADDR, MASTER_PORT say which.
"""

import json
import os
import sys

import numpy as np

import mindspore_compat as ms
from mindspore_compat import CheckpointConfig, Model, ModelCheckpoint, Tensor, nn

ms.communication.init()
rank = ms.communication.get_rank()
folder = f"{sys.argv[1]}/rank_{rank}"


def network() -> nn.Cell:
    rng = np.random.RandomState(0)
    net = nn.SequentialCell(nn.Dense(4, 8), nn.Dense(8, 3))
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(rng.randn(*parameter.shape).astype(np.float32)))
    return net


net = network()
data = [(Tensor(np.ones((2, 4), np.float32)), Tensor(np.zeros(2, np.int32)))]
model = Model(
    net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), nn.Momentum(net.trainable_params(), 0.1, 0.9)
)
config = CheckpointConfig(1, remove_redundancy=True, format=sys.argv[2], async_save=True)
model.train(1, data, callbacks=[ModelCheckpoint("n", folder, config)])
own = ms.load_checkpoint(f"{folder}/n-1_1.{sys.argv[2]}", format=sys.argv[2])
fresh = nn.SequentialCell(nn.Dense(4, 8), nn.Dense(8, 3))
left, _ = ms.load_param_into_net(fresh, own, remove_redundancy=True)
same = all(np.array_equal(a.asnumpy(), b.asnumpy()) for a, b in zip(net.get_parameters(), fresh.get_parameters()))
print(json.dumps({"own": list(own), "left": left, "same": same}))
ms.communication.release()
sys.stdout.flush()
os._exit(0)
