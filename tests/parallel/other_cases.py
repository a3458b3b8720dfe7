"""Further cases of modes_program: what a network may do beside computing, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from networks import Mlp, batches, dense, difference, momentum, trained

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.communication import get_group_size, get_rank
from mindspore_compat.nn.wrap.cell_wrapper import _TrainGradAccuStepCell

__all__ = ["others", "refused"]

SIZE = get_group_size()
CUT = (((1, 1), (1, SIZE)), ((1, SIZE), (SIZE, 1)))


class Counting(Mlp):
    """Assigns Parameters, and looks at a cut one as a whole."""

    def __init__(self, cut: Any = None) -> None:
        super().__init__(cut)
        self.count = Parameter(Tensor(0.0), name="count", requires_grad=False)
        self.average = Parameter(Tensor(np.zeros(4, np.float32)), name="average", requires_grad=False)

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        found = self.outputs(x)
        ops.assign(self.count, self.count + 1)
        ops.assign(self.average, self.average * 0.9 + found.mean(0) * 0.1)
        return self.loss(found, y) + 0.01 * (self.first**2).sum() / self.first.shape[1]


class TwoStages(nn.Cell):
    """A loss with a gradient of its own behind two stages, and between them a Cell with a bprop."""

    class Own(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * x

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
            return (3 * x * dout,)

    def __init__(self, stages: bool) -> None:
        super().__init__()
        self.first, self.own, self.second = dense(8, 8, 1), TwoStages.Own(), dense(8, 4, 2)
        self.loss = nn.BCELoss(reduction="mean")
        if stages:
            self.first.pipeline_stage, self.second.pipeline_stage = 0, SIZE - 1

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return self.loss(ops.sigmoid(self.second(self.own(self.first(x)))), ops.sigmoid(y))


def others(report: Callable[..., None]) -> None:
    """Assignments, accumulated gradients, gradients of inputs, functions with gradients of their own."""
    accumulated = lambda network, optimizer: _TrainGradAccuStepCell(nn.GradAccumulationCell(network, 2), optimizer)
    for name, make, step in (("assign", Counting, nn.TrainOneStepCell), ("accumulate", Mlp, accumulated)):
        ms.reset_auto_parallel_context()
        expected = trained(make(), step=step)
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
        report("other", name, difference(trained(make(CUT), step=step, parts=True), expected))
    ms.reset_auto_parallel_context()
    expected = trained(TwoStages(False))
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=SIZE)
    report("other", "own_gradients_in_stages", difference(trained(TwoStages(True)), expected))
    inputs = list(map(Tensor, next(batches("numbers"))))
    ms.reset_auto_parallel_context()
    expected = ms.grad(Mlp(), (0, 1))(*inputs)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    found = ms.grad(Mlp(CUT), (0, 1))(*inputs)
    report("other", "inputs", max(np.abs(a.asnumpy() - b.asnumpy()).max() for a, b in zip(found, expected)))


def _says(run: Callable[[], Any], text: str) -> bool:
    try:
        run()
    except RuntimeError as error:
        return text in str(error)
    return False


class _Assigning(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        y = x * 2
        y[0] = 5
        return y.sum()


class _Communicating(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return ops.AllReduce()(x)


def refused(report: Callable[..., None]) -> None:
    """What would give wrong results raises in every process."""
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    inputs = list(map(Tensor, next(batches("numbers"))))
    uneven = [item[: 8 - 4 * (get_rank() % 2)] for item in inputs]
    module = torch.nn.Linear(8, 4)
    model = ms.Model(module, torch.nn.MSELoss(), torch.optim.SGD(module.parameters(), 0.1))
    cut = trained(Mlp(CUT), parts=True)[1]
    one = ((1, 1), (1, 1))
    cases: dict[str, tuple[Callable[[], Any], str]] = {
        "uneven": (lambda: Mlp()(*uneven), "inputs of the same shapes"),
        "elements": (lambda: _Assigning()(inputs[0]), "Assigning to elements"),
        "communication": (lambda: _Communicating()(inputs[0]), "is not available on tensors that several processes"),
        "torch": (lambda: model.train(1, [tuple(item.asnumpy() for item in inputs)]), "torch.nn.Module"),
        "indivisible": (lambda: Mlp((((3, 1), (1, 1)), one))(*inputs), "must be divisible"),
        "apart": (lambda: Mlp((((1, 1), (SIZE, 1)), one))(*inputs), "belong together"),
        "too_many": (lambda: Mlp((((8, 1), (1, 1)), one))(*inputs), "needs 8 devices"),
        "axes": (lambda: Mlp((((1, 1, 1), (1, 1)), one))(*inputs), "a number for each axis"),
    }
    for name, (run, text) in cases.items():
        report("refused", name, 0.0, _says(run, text))
    ms.reset_auto_parallel_context()
    report("refused", "outside", 0.0, _says(lambda: cut(*inputs), "outside of the parallel mode"))
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=SIZE)
    stages = TwoStages(True)
    stages.first.pipeline_stage, stages.second.pipeline_stage = SIZE - 1, 0
    cases = {
        "no_stages": (lambda: TwoStages(False)(*inputs), "must have a 'pipeline_stage'"),
        "order": (lambda: stages(*inputs), "must follow one another"),
        "update": (_one_stage_updates, "but only the stages [0] update it"),
        "strategies": (lambda: _sharded_stage(inputs), "strategies are not available"),
    }
    for name, (run, text) in cases.items():
        report("refused", name, 0.0, _says(run, text))
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=SIZE + 1)
    report("refused", "count", 0.0, _says(lambda: TwoStages(True)(*inputs), "must be the number of processes"))
    ms.reset_auto_parallel_context()


def _one_stage_updates() -> None:
    class Shared(TwoStages):
        def construct(self, x: Tensor, y: Tensor) -> Tensor:
            return super().construct(x, y) + self.first.weight.sum()

    network = Shared(True)
    step = nn.TrainOneStepCell(network, momentum(network.infer_param_pipeline_stage()))
    step(*map(Tensor, next(batches("numbers"))))


def _sharded_stage(inputs: list[Tensor]) -> None:
    network = TwoStages(True)
    product = ops.MatMul().shard(((1, 1), (1, 1)))

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def construct(self, x: Tensor) -> Tensor:
            return product(self.network.first(x), x)

    Net()(inputs[0])
