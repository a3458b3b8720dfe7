"""What the tests of replays share: networks, and training them eagerly and in GRAPH_MODE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat import ParameterTuple, Tensor, context, nn, ops
from mindspore_compat._graph.replay.computations import computations_of

GRAPH, EAGER = context.GRAPH_MODE, context.PYNATIVE_MODE


def calls_of(owner: Any) -> list[Any]:
    return list(computations_of(owner).calls.values())


def replays(owner: Any) -> int:
    return sum(calls.replayed for calls in calls_of(owner))


class Net(nn.Cell):
    """Batch norm, dropout and an attribute that the network looks at."""

    def __init__(self, body: Callable[[Any, Any], Any] | None = None) -> None:
        super().__init__()
        self.dense1, self.norm, self.dense2 = nn.Dense(6, 8), nn.BatchNorm1d(8), nn.Dense(8, 3)
        self.dropout = nn.Dropout(p=0.25)
        self.scale: Any = 1.0
        self.body = body

    def construct(self, x: Any) -> Any:
        x = self.dropout(ops.relu(self.norm(self.dense1(x)))) * self.scale
        return self.dense2(x if self.body is None else self.body(self, x))


def batches(count: int = 12) -> list[tuple[Any, Any]]:
    random = np.random.default_rng(3)
    return [
        (Tensor(random.standard_normal((5, 6)).astype(np.float32)), Tensor(random.integers(0, 3, 5).astype(np.int32)))
        for _ in range(count)
    ]


def trained(
    mode: int,
    body: Any = None,
    between: Callable[[int, Any, Any], None] | None = None,
    optimizer: Any = None,
    wrap: Callable[[Any, Any], Any] = nn.TrainOneStepCell,
    data: Any = None,
) -> tuple[list[float], dict[str, Any], Any]:
    """(losses, parameters, the training Cell) of some steps in a mode; ``between`` is called before each."""
    np.random.seed(5)
    torch.manual_seed(5)
    net = Net(body)
    for parameter in net.get_parameters():
        parameter.set_data(
            Tensor(np.random.default_rng(len(parameter.name)).standard_normal(parameter.shape).astype(np.float32) * 0.3)
        )
    made = (optimizer or (lambda parameters: nn.Momentum(parameters, 0.1, 0.9)))(net.trainable_params())
    cell = wrap(nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")), made)
    cell.set_train()
    losses = []
    for step, batch in enumerate(data or batches()):
        if between is not None:
            between(step, net, cell)
        torch.manual_seed(step)
        context.set_context(mode=mode)
        result = cell(*batch)
        losses.append(float(result[0] if isinstance(result, tuple) else result))
    return (
        losses,
        {
            name: value.asnumpy().copy()
            for name, value in [*net.parameters_dict().items(), *made.parameters_dict().items()]
        },
        cell,
    )


def compared(**options: Any) -> Any:
    """The training Cell of the GRAPH_MODE run, after that was found equal to the eager one."""
    expected, weights, _ = trained(EAGER, **options)
    losses, ours, cell = trained(GRAPH, **options)
    np.testing.assert_allclose(losses, expected, 1e-5)
    for name, value in weights.items():
        np.testing.assert_allclose(ours[name], value, 1e-5, 1e-6, err_msg=name)
    return cell


def all_replays(cell: Any) -> int:
    return replays(cell) + replays(cell.network)


class Step(nn.TrainOneStepCell):
    """A training step as the model zoo writes them: the gradient shares the forward of the call before."""

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        sens = ops.fill(loss.dtype, loss.shape, 2.0)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return ops.depend(loss, self.optimizer(ops.clip_by_global_norm(grads, 1.0)))


class StepOfItsOwn(nn.Cell):
    def __init__(self, network: Any, optimizer: Any) -> None:
        super().__init__()
        self.network, self.optimizer = network, optimizer
        self.network.set_grad()
        self.weights = ParameterTuple(network.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True)
        self.sums = nn.CellList([nn.ReLU()])

    def construct(self, x: Any, y: Any) -> Any:
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y)
        self.optimizer(grads)
        return loss, grads[0].sum()


class Counting(nn.Optimizer):
    """An optimizer with Python in it, of which each step must see its own."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(0.1, parameters)
        self.rates = [0.1, 0.2, 0.3]
        self.seen: list[float] = []

    def construct(self, gradients: Any) -> Any:
        rate = self.rates[len(self.seen) % 3]
        self.seen.append(float(gradients[0].asnumpy().sum()))
        for parameter, gradient in zip(self.parameters, gradients):
            assert isinstance(gradient, Tensor)
            gradient *= rate
            ops.assign_sub(parameter, gradient)
        return True


def steps(fn: Any, mode: int, inputs: Any, between: Callable[[int], None] = lambda step: None) -> list[Any]:
    """Gradients of a function or Cell over some calls, each with its own seed."""
    grad_of, found = ops.grad(fn), []
    for step, item in enumerate(inputs):
        between(step)
        torch.manual_seed(step)
        context.set_context(mode=mode)
        found.append(grad_of(*(item if type(item) is tuple else (item,))).asnumpy().copy())
    return found


def alike(fn: Any, inputs: Any, between: Callable[[int], None] = lambda step: None) -> None:
    expected = steps(fn, EAGER, inputs, between)
    np.testing.assert_array_equal(steps(fn, GRAPH, inputs, between), expected)


def rows(count: int = 8) -> list[Any]:
    return [x for x, _ in batches(count)]
