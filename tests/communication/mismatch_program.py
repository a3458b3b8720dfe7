"""Two ranks whose Parameters are not in the same order or number, and a torch module without DDP: prints the errors."""

import json

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.dataset import NumpySlicesDataset
from mindspore_compat.train import Model

ms.communication.init()
rank = ms.communication.get_rank()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True)
inputs = np.ones((2, 4), np.float32)


def message(action) -> str:
    try:
        action()
    except RuntimeError as error:
        return str(error)
    return ""


def trained(order) -> str:
    network = nn.SequentialCell(nn.Dense(4, 4), nn.Dense(4, 4))
    weights = [network.trainable_params()[place] for place in order]
    step = nn.TrainOneStepCell(network, nn.SGD(weights, 0.1))
    return message(lambda: step(Tensor(inputs)))


def trained_by_torch(wrap) -> str:
    module = wrap(torch.nn.Linear(4, 4))
    model = Model(module, torch.nn.MSELoss(), torch.optim.SGD(module.parameters(), 0.1))
    return message(lambda: model.train(1, NumpySlicesDataset((inputs, inputs)).batch(1)))


print(
    json.dumps(
        {
            "same": trained([0, 1, 2, 3]),
            "order": trained([0, 1, 2, 3] if rank else [2, 1, 0, 3]),  # of the same shapes
            "number": trained([0, 1, 2, 3] if rank else [0, 1, 2]),
            "module": trained_by_torch(lambda module: module),
            "DDP": trained_by_torch(torch.nn.parallel.DistributedDataParallel),
        }
    )
)
