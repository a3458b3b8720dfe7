"""Two processes agree on values that differ between them: Parameters that both hold whole, and one that two stages of a
pipeline use. Prints what this process then has, as JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.boost import AdaSum
from mindspore_compat.communication import get_rank, init, release
from mindspore_compat.utils import ExitByRequest

init()
RANK = get_rank()


class Stage(nn.Cell):
    def __init__(self, stage: int) -> None:
        super().__init__()
        self.own = Parameter(Tensor(np.ones((3, 3), np.float32)), name="own")
        self.pipeline_stage = stage

    def construct(self, x: Tensor, table: Tensor) -> Tensor:
        return ops.matmul(ops.matmul(x, self.own), table)


class Tied(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.table = Parameter(Tensor(np.eye(3, dtype=np.float32)), name="table")
        self.first, self.last = Stage(0), Stage(1)

    def construct(self, x: Tensor) -> Tensor:
        return self.last(self.first(x, self.table), self.table)


def values(net: nn.Cell) -> dict[str, float]:
    return {item.name: float(item.asnumpy()[0, 0]) for item in net.get_parameters()}


def differing(net: nn.Cell) -> nn.Cell:
    for item in net.get_parameters():
        item.set_data(Tensor(np.full(item.shape, 5.0 + RANK, np.float32)))
    return net


def refusal(*arguments: Any) -> str:
    try:
        ms.parameter_broadcast(*arguments)
    except ValueError as error:
        return str(error)
    return ""


whole = [[2], [-1, -1], [3, 3], 0, True, ""]
cut = [[2], [0, -1], [3, 3], 0, True, ""]
net = differing(Tied())
layout = {"table": whole, "first.own": whole, "last.own": cut}
ms.parameter_broadcast(net, layout, RANK)
found: dict[str, Any] = {"broadcast": values(net)}
found["refused"] = [refusal(net, layout, 1 - RANK), refusal(net, layout, RANK, 1), refusal(net, {"no": whole}, RANK)]
ms.sync_pipeline_shared_parameters(differing(net))  # without stages: nothing
found["alone"] = values(net)
ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=2)
net = Tied()
net(Tensor(np.ones((2, 3), np.float32)))
differing(net)
ms.sync_pipeline_shared_parameters(net)
found["pipeline"] = values(net)


def functional(scale: float) -> list[float]:
    """Gradients of the whole pipeline by a scaled loss."""
    net = Tied()
    gradients = ms.grad(lambda x: net(x).sum() * scale, None, net.trainable_params())
    reducer = nn.PipelineGradReducer(net.trainable_params(), scale)
    return [float(item.asnumpy()[0, 0]) for item in reducer(gradients(Tensor(np.ones((2, 3), np.float32))))]


found["reduced"], found["not scaled"] = functional(4.0), functional(1.0)
ms.reset_auto_parallel_context()
found["reduced alone"] = functional(4.0)
weight = [Parameter(Tensor([value, 1.0], ms.float32), name=f"w{value}") for value in (5.0, 7.0)]
steps = [Tensor(np.array([1.0 + RANK, 2.0], np.float32)), Tensor(np.array([3.0 - RANK, 1.0], np.float32))]
old = [Tensor(item.asnumpy()) for item in weight]
AdaSum(RANK, 1, 2, weight)(steps, weight, old)
found["adasum"] = [item.asnumpy().tolist() for item in weight]
ask = ExitByRequest()
wanted, ends = Parameter(Tensor([1 - RANK], ms.int32), name="wanted"), Parameter(Tensor([False]), name="ends")
ask.exit_by_request(Tensor(0.0), wanted, ends)
found["one asks"] = bool(ends.asnumpy().any())
wanted.set_data(Tensor([1], ms.int32))
found["gradient"] = float(ask.exit_by_request(Tensor(3.0), wanted, ends))
found["all ask"] = bool(ends.asnumpy().all())
print(json.dumps(found), flush=True)
release()
sys.stdout.flush()
