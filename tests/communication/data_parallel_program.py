"""One rank: several networks train three or four steps data parallel; prints what they became, as JSON.

Every rank takes its share of the same global batches, so that any number of ranks must end with the same Parameters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.nn.wrap.cell_wrapper import GradAccumulationCell, _TrainGradAccuStepCell
from mindspore_compat.nn.wrap.loss_scale import _TrainGradAccuWithLossScaleCell

graph = sys.argv[1] == "graph"
ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
ms.communication.init()
rank, size = ms.communication.get_rank(), ms.communication.get_group_size()
BATCH, STEPS = 8, 6
results: dict[str, list[list[float]]] = {}


class Small(nn.Cell):
    """Shares one weight between two places, has one that nobody uses, and one that no gradient is wanted of."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Dense(6, 6), nn.Dense(6, 3)
        self.unused = Parameter(Tensor(np.ones(4, np.float32)), name="unused")
        self.fixed = Parameter(Tensor(np.ones(6, np.float32)), name="fixed", requires_grad=False)

    def construct(self, x: Any) -> Any:
        return self.last(ops.tanh(self.first(ops.relu(self.first(x * self.fixed)))))


class Convolutional(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 4, 3), nn.SyncBatchNorm(4)
        self.last = nn.Dense(4, 3)

    def construct(self, x: Any) -> Any:
        return self.last(ops.relu(self.norm(self.conv(x))).mean((2, 3)))


class Half(Small):
    """A 16-bit part between 32-bit ones, with 16-bit Parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.middle = nn.Dense(3, 3, dtype=ms.float16)

    def construct(self, x: Any) -> Any:
        return self.middle(super().construct(x).astype(ms.float16)).astype(ms.float32)


class Counted(Small):
    """Communicates within the network."""

    def __init__(self) -> None:
        super().__init__()
        self.all_reduce = ops.AllReduce()

    def construct(self, x: Any) -> Any:
        out = super().construct(x)
        return out + self.all_reduce(out.sum(0, keepdims=True)) / BATCH


class Penalized(nn.Cell):
    """Takes gradients by its own weights within the forward."""

    def __init__(self, network: Any, loss: Any) -> None:
        super().__init__()
        self.network, self.loss = network, loss
        self.inner = ops.GradOperation(get_by_list=True)

    def construct(self, x: Any, y: Any) -> Any:
        weights = ms.ParameterTuple([self.network.last.weight])
        slope = self.inner(self.network, weights)(x)[0]  # of a sum over the batch
        return self.loss(self.network(x), y) + slope.sum() / x.shape[0]


class ByHand(nn.TrainOneStepCell):
    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs, ops.ones_like(loss))
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        return loss


def filled(network: Any, seed: int = 0) -> Any:
    rng = np.random.RandomState(seed)
    for parameter in network.get_parameters():
        if "moving" not in parameter.name and "fixed" not in parameter.name:
            parameter.set_data(Tensor((rng.randn(*parameter.shape) * 0.5).astype(parameter.asnumpy().dtype)))
    return network


def batches(shape: tuple[int, ...] = (6,)) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.RandomState(1)
    return [
        (rng.randn(BATCH, *shape).astype(np.float32), rng.randint(0, 3, BATCH).astype(np.int32)) for _ in range(STEPS)
    ]


def share(array: np.ndarray) -> Tensor:
    return Tensor(array[rank * BATCH // size : (rank + 1) * BATCH // size])


LOSS = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def trained(
    name: str, network: Any, made: Callable[[Any], Any], data: list[tuple[np.ndarray, np.ndarray]] | None = None
) -> None:
    step = made(network).set_train()
    given = []
    for x, y in data or batches():
        out = step(share(x), share(y))
        if isinstance(out, tuple):  # overflow and scale; not the loss, which is this rank's own
            given.append([float(item.asnumpy().reshape(-1)[0]) for item in out[1:]])
    results[name] = [p.asnumpy().astype(np.float64).ravel().tolist() for p in network.get_parameters()] + given


def with_loss(network: Any) -> Any:
    return nn.WithLossCell(network, LOSS)


def momentum(network: Any) -> Any:
    return nn.Momentum(network.trainable_params(), 0.1, 0.9)


def scaled(network: Any) -> Any:
    manager = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 2)
    return nn.TrainOneStepWithLossScaleCell(with_loss(network), momentum(network), manager)


ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=size)
trained("Momentum", filled(Small()), lambda net: nn.TrainOneStepCell(with_loss(net), momentum(net)))
trained("Adam", filled(Small()), lambda net: nn.TrainOneStepCell(with_loss(net), nn.Adam(net.trainable_params(), 0.01)))
trained(
    "torch's SGD",
    filled(Small()),
    lambda net: nn.TrainOneStepCell(with_loss(net), torch.optim.SGD(net.trainable_params(), 0.1)),
)
trained("by hand", filled(Small()), lambda net: ByHand(with_loss(net), momentum(net)))
trained("16-bit Parameters", filled(Half()), lambda net: nn.TrainOneStepCell(with_loss(net), momentum(net), 8.0))
trained("AllReduce in the network", filled(Counted()), lambda net: nn.TrainOneStepCell(with_loss(net), momentum(net)))
trained(
    "gradients in the network", filled(Small()), lambda net: nn.TrainOneStepCell(Penalized(net, LOSS), momentum(net))
)
trained(
    "SyncBatchNorm",
    filled(Convolutional()),
    lambda net: nn.TrainOneStepCell(with_loss(net), momentum(net)),
    batches((2, 5, 5)),
)
bad = batches()
bad[2][0][0, 0] = np.inf  # in rank 0's share only
trained("loss scale", filled(Small()), scaled, bad)
trained(
    "accumulated",
    filled(Small()),
    lambda net: _TrainGradAccuStepCell(GradAccumulationCell(with_loss(net), 2), momentum(net)),
)
trained(
    "accumulated and scaled",
    filled(Small()),
    lambda net: _TrainGradAccuWithLossScaleCell(
        GradAccumulationCell(with_loss(net), 2), momentum(net), nn.FixedLossScaleUpdateCell(64.0)
    ),
)
for name, settings in {
    "fusion by size": {"comm_fusion": {"allreduce": {"mode": "size", "config": 1}}},
    "fusion by index": {"comm_fusion": {"allreduce": {"mode": "index", "config": [1, 3]}}},
    "fusion by split": {"comm_fusion": {}, "all_reduce_fusion_config": [2]},
}.items():
    ms.set_auto_parallel_context(**settings)
    trained(name, filled(Small()), lambda net: nn.TrainOneStepCell(with_loss(net), momentum(net)))
ms.set_auto_parallel_context(all_reduce_fusion_config=[])
trained(
    "fusion of Parameters",
    filled(Small()),
    lambda net: (net.first.set_comm_fusion(2), nn.TrainOneStepCell(with_loss(net), momentum(net)))[1],
)
ms.set_auto_parallel_context(parameter_broadcast=True)
trained("broadcast", filled(Small(), rank), lambda net: nn.TrainOneStepCell(with_loss(net), momentum(net)))
ms.set_auto_parallel_context(parameter_broadcast=False, gradients_mean=False)
trained(
    "sums", filled(Small()), lambda net: nn.TrainOneStepCell(with_loss(net), nn.SGD(net.trainable_params(), 0.1 / size))
)
ms.set_auto_parallel_context(gradients_mean=True)

own = filled(Small())
own.last.bias.layerwise_parallel = True
trained("layerwise", own, lambda net: nn.TrainOneStepCell(with_loss(net), momentum(net)))
results.pop("layerwise")
layerwise = {p.name: p.asnumpy().tolist() for p in own.get_parameters()}

for kind, options in {
    "Model": {},
    "Model with a loss scale": {"loss_scale_manager": ms.FixedLossScaleManager(8.0)},
}.items():
    network = filled(Small())
    rows = [(x, y) for batch in batches() for x, y in zip(*batch)]
    order = [i for step in range(STEPS) for i in range(step * BATCH, (step + 1) * BATCH)]
    mine = [i for i in order if (i % BATCH) * size // BATCH == rank]
    data = ms.dataset.GeneratorDataset([rows[i] for i in mine], ["x", "y"], shuffle=False).batch(BATCH // size)
    model = ms.Model(network, LOSS, momentum(network), **options)
    model.train(1, data, dataset_sink_mode=False)
    results[kind] = [p.asnumpy().ravel().tolist() for p in network.get_parameters()]
ms.communication.release()
print(json.dumps({"results": results, "layerwise": layerwise}))
