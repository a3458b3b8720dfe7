"""A network of cut Parameters trained by Model, saved, loaded and described, over the processes that run this. The
first argument is a folder. Prints what it found, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np
import torch.distributed as dist
from networks import Mlp, adam, batches, trained, whole

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor, nn
from mindspore_compat.communication import get_group_size, get_rank, init, release

init()
SIZE, RANK, FOLDER = get_group_size(), get_rank(), sys.argv[1]
CUT = (((1, 1), (1, SIZE)), ((1, SIZE), (SIZE, 1)))
found: dict[str, Any] = {}


class Outputs(nn.Cell):
    """The network without its loss."""

    def __init__(self, network: Mlp) -> None:
        super().__init__(auto_prefix=False)
        self.network = network

    def construct(self, x: Tensor) -> Tensor:
        return self.network.outputs(x)


def largest(one: Any, other: Any) -> float:
    pairs = zip(one.trainable_params(), other.trainable_params(), strict=True)
    return max(float(np.abs(whole(a) - whole(b)).max()) for a, b in pairs)


losses, expected, _ = trained(Mlp(), optimizer=adam)
strategy = f"{FOLDER}/strategy_{RANK}.ckpt"
ms.set_auto_parallel_context(
    parallel_mode="semi_auto_parallel", dataset_strategy="full_batch", strategy_ckpt_save_file=strategy
)
columns = [np.concatenate(items) for items in zip(*batches("numbers"))]
data = ds.NumpySlicesDataset(tuple(columns), shuffle=False).batch(8)
net = Outputs(Mlp(CUT))
model = ms.Model(net, nn.MSELoss(), adam(net.trainable_params()), metrics={"mse": nn.MSE()})
found["layouts"] = model.infer_train_layout(data)
found["untrained"] = largest(net, Outputs(Mlp()))
model.train(1, data, dataset_sink_mode=False)
found["trained"] = largest(net.network, expected)
ms.reset_auto_parallel_context()
alone = Outputs(expected)
found["metric_alone"] = float(ms.Model(alone, nn.MSELoss(), metrics={"mse": nn.MSE()}).eval(data)["mse"])
outputs = alone(Tensor(columns[0][:8])).asnumpy()
ms.set_auto_parallel_context(
    parallel_mode="semi_auto_parallel", dataset_strategy="full_batch", strategy_ckpt_save_file=strategy
)
found["metric"] = float(model.eval(data)["mse"])
found["predicted"] = float(np.abs(model.predict(Tensor(columns[0][:8])).asnumpy() - outputs).max())
found["predict_layouts"] = model.infer_predict_layout(Tensor(columns[0][:8]))

os.makedirs(f"{FOLDER}/cut/rank_{RANK}", exist_ok=True)
ms.save_checkpoint(model.train_network, f"{FOLDER}/whole_{RANK}.ckpt")
ms.save_checkpoint(model.train_network, f"{FOLDER}/cut/rank_{RANK}/net.ckpt", integrated_save=False)
for name in ("whole", "cut"):
    file = f"{FOLDER}/whole_{RANK}.ckpt" if name == "whole" else f"{FOLDER}/cut/rank_{RANK}/net.ckpt"
    loaded = ms.load_checkpoint(file)
    found[f"shapes_{name}"] = {key: value.shape for key, value in loaded.items()}
    for parameter in net.trainable_params():
        parameter.set_data(Tensor(np.zeros(parameter.shape, np.float32)))
    found[f"not_loaded_{name}"] = ms.load_param_into_net(net, loaded)[0]
    found[f"loaded_{name}"] = largest(net.network, expected)
try:
    net.trainable_params()[0].set_data(Tensor(np.zeros((3, 3), np.float32)))
except ValueError as error:
    found["wrong_shape"] = str(error)

ms.reset_auto_parallel_context()
plain = Outputs(Mlp())
ms.load_param_into_net(plain, ms.load_checkpoint(f"{FOLDER}/whole_{RANK}.ckpt"))
found["plain"] = largest(plain.network, expected)
dist.barrier()
if RANK == 0:
    ms.transform_checkpoints(f"{FOLDER}/cut", f"{FOLDER}/one", "net", strategy, None)
    plain = Outputs(Mlp())
    ms.load_param_into_net(plain, ms.load_checkpoint(f"{FOLDER}/one/rank_0/net0.ckpt"))
    found["transformed"] = largest(plain.network, expected)
dist.barrier()

# the stages of a pipeline
ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=SIZE)
stages = nn.SequentialCell([nn.Dense(8, 8) for _ in range(SIZE)] + [nn.Dense(8, 4)])
for number, cell in enumerate(stages):
    cell.pipeline_stage = min(number, SIZE - 1)
step = nn.TrainOneStepCell(nn.WithLossCell(stages, nn.MSELoss()), adam(stages.trainable_params()))
step(*map(Tensor, next(batches("numbers"))))
ms.save_checkpoint(step, f"{FOLDER}/stage_{RANK}.ckpt")
found["stage"] = sorted(ms.load_checkpoint(f"{FOLDER}/stage_{RANK}.ckpt"))
print(json.dumps(found))
release()
