"""Derivatives compose: whatever trains a network whose loss contains derivatives moves the weights as the closed form
says, in both modes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import Model, Parameter, ParameterTuple, Tensor, amp, context, dataset, jit, nn, ops
from mindspore_compat.ops.function.grad import jacfwd, jacrev, jvp, vjp
from mindspore_compat.train.train_thor import ConvertNetUtils

W, X, RATE, STEPS = 3.0, 2.0, 1e-4, 6
MODES = [context.GRAPH_MODE, context.PYNATIVE_MODE]
STEPS_IN = {context.GRAPH_MODE: STEPS, context.PYNATIVE_MODE: 2}  # replays begin at the fourth


class Net(nn.Cell):
    """w·x³"""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor([W]), name="w")

    def construct(self, x: Any) -> Any:
        return self.w * x * x * x


class Recomputed(Net):
    def __init__(self) -> None:
        super().__init__()
        self.recompute()


class Kept(Net):
    def __init__(self) -> None:
        super().__init__()
        self.set_grad()


class OwnGradient(Net):
    """w·x³, of which ``bprop`` says that the derivative by x is 5·x²·w."""

    class Cube(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x * x * x

        def bprop(self, x: Any, out: Any, dout: Any) -> Any:
            return (dout * 5 * x * x,)

    def __init__(self) -> None:
        super().__init__()
        self.cube = self.Cube()

    def construct(self, x: Any) -> Any:
        return self.w * self.cube(x)


class Through(Net):
    """Its derivative is that of the function of a function of the network: the first derivative is taken by a Cell of
    its own.
    """

    class First(nn.Cell):
        def __init__(self, net: Any) -> None:
            super().__init__()
            self.net, self.grad = net, ops.GradOperation()

        def construct(self, x: Any) -> Any:
            return self.grad(self.net)(x)


def _first(net: Any) -> Callable[[Any], Any]:
    return ops.grad(net)


def _tangent(net: Any) -> Callable[[Any], Any]:
    return lambda x: jvp(net, x, ops.ones_like(x))[1]


def _pulled(net: Any) -> Callable[[Any], Any]:
    return lambda x: vjp(net, x)[1](ops.ones_like(x))[0]


def _row(net: Any) -> Callable[[Any], Any]:
    return lambda x: jacrev(net)(x).reshape((1,))


def _column(net: Any) -> Callable[[Any], Any]:
    return lambda x: jacfwd(net)(x).reshape((1,))


def _adapted(net: Any, x: Any) -> Any:
    """The network after a step of its own on w·x³ squared: w - 0.01·2w·x⁶."""
    inner = ops.grad(lambda x: (net(x) ** 2).sum(), None, net.w)(x)
    return (net.w - 0.01 * inner) * x * x * x


# name: (network, loss of (net, x), its derivative by w)
LOSSES: dict[str, tuple[Any, Callable[[Any, Any], Any], Callable[[float, float], float]]] = {
    "grad": (Net, lambda net, x: _first(net)(x) ** 2, lambda w, x: 2 * 3 * w * x**2 * 3 * x**2),
    "grad and value": (Net, lambda net, x: _first(net)(x) * net(x), lambda w, x: 2 * w * 3 * x**5),
    "GradOperation": (Net, lambda net, x: ops.GradOperation()(net)(x), lambda w, x: 3 * x**2),
    "GradOperation, all": (Net, lambda net, x: ops.GradOperation(get_all=True)(net)(x)[0], lambda w, x: 3 * x**2),
    "GradOperation, sens": (
        Net,
        lambda net, x: ops.GradOperation(sens_param=True)(net)(x, net(x)),
        lambda w, x: 2 * w * 3 * x**5,
    ),
    "in a Cell": (Net, lambda net, x: Through.First(net)(x) ** 2, lambda w, x: 18 * w * x**4),
    "second": (Net, lambda net, x: _first(_first(net))(x) ** 2, lambda w, x: 2 * 6 * w * x * 6 * x),
    "third": (Net, lambda net, x: _first(_first(_first(net)))(x) ** 2, lambda w, x: 2 * 36 * w),
    "value_and_grad": (Net, lambda net, x: sum(ops.value_and_grad(net)(x)), lambda w, x: x**3 + 3 * x**2),
    "by weights": (Net, lambda net, x: ops.grad(lambda x: net(x) ** 2, None, net.w)(x), lambda w, x: 2 * x**6),
    "adapted": (Net, _adapted, lambda w, x: x**3 * (1 - 0.02 * x**6)),
    "jvp": (Net, lambda net, x: _tangent(net)(x) ** 2, lambda w, x: 18 * w * x**4),
    "jvp, value": (Net, lambda net, x: jvp(net, x, ops.ones_like(x))[0], lambda w, x: x**3),
    "jvp of jvp": (Net, lambda net, x: _tangent(_tangent(net))(x), lambda w, x: 6 * x),
    "jvp of grad": (Net, lambda net, x: _tangent(_first(net))(x), lambda w, x: 6 * x),
    "grad of jvp": (Net, lambda net, x: _first(_tangent(net))(x), lambda w, x: 6 * x),
    "vjp": (Net, lambda net, x: _pulled(net)(x) ** 2, lambda w, x: 18 * w * x**4),
    "vjp of vjp": (Net, lambda net, x: _pulled(_pulled(net))(x), lambda w, x: 6 * x),
    "jacrev": (Net, lambda net, x: _row(net)(x) ** 2, lambda w, x: 18 * w * x**4),
    "jacfwd of jacrev": (Net, lambda net, x: _column(_row(net))(x), lambda w, x: 6 * x),
    "bprop": (OwnGradient, lambda net, x: _first(net)(x) ** 2, lambda w, x: 2 * 5 * w * x**2 * 5 * x**2),
    "bprop, second": (OwnGradient, lambda net, x: _first(_first(net))(x), lambda w, x: 10 * x),
    "bprop, third": (OwnGradient, lambda net, x: _first(_first(_first(net)))(x) * net.w, lambda w, x: 20 * w),
    "recompute": (Recomputed, lambda net, x: _first(net)(x) ** 2, lambda w, x: 18 * w * x**4),
    "recompute, second": (Recomputed, lambda net, x: _first(_first(net))(x) ** 2, lambda w, x: 72 * w * x**2),
    "kept": (Kept, lambda net, x: net(x) * _first(net)(x), lambda w, x: 2 * w * 3 * x**5),
    "stopped": (Net, lambda net, x: ops.stop_gradient(_first(net)(x)) * net(x), lambda w, x: 3 * w * x**2 * x**3),
}


class Loss(nn.Cell):
    def __init__(self, net: Any, loss: Any) -> None:
        super().__init__()
        self.net, self.loss = net, loss

    def construct(self, x: Any) -> Any:
        return self.loss(self.net, x).sum()


class RecomputedLoss(Loss):
    def __init__(self, net: Any, loss: Any) -> None:
        super().__init__(net, loss)
        self.recompute()


class OwnStep(nn.Cell):
    """As projects write it: the loss, then gradients from the forward that the network kept."""

    def __init__(self, network: Any, optimizer: Any) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, ParameterTuple(network.trainable_params())
        network.set_grad()
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs, ops.fill(loss.dtype, loss.shape, 1.0))
        return ops.depend(loss, self.optimizer(grads))


class ColdStep(OwnStep):
    def construct(self, *inputs: Any) -> Any:
        grads = self.grad(self.network, self.weights)(*inputs, Tensor(1.0))
        return ops.depend(grads, self.optimizer(grads))


def _functional(
    gradient: Callable[[Any, Any, Any], Any], decorate: Any = lambda step: step
) -> Callable[[Any, Any], Any]:
    def made(network: Any, optimizer: Any) -> Any:
        @decorate
        def step(x: Any) -> Any:
            grads = gradient(network, network.trainable_params(), x)
            return optimizer(grads)

        return step

    return made


def _scaled(network: Any, optimizer: Any) -> Any:
    scaler = amp.DynamicLossScaler(1024.0, 2, 50)
    grad_of = ops.value_and_grad(lambda x: scaler.scale(network(x)), None, network.trainable_params())
    return lambda x: optimizer(scaler.unscale(grad_of(x)[1]))


def _by_model(network: Any, optimizer: Any) -> Any:
    model = Model(network, optimizer=optimizer)
    return lambda x: model.train(
        1, dataset.NumpySlicesDataset([x.asnumpy()], ["x"], shuffle=False), dataset_sink_mode=False
    )


def _by_grad_cell(cls: Any, **options: Any) -> Callable[[Any, Any], Any]:
    def made(network: Any, optimizer: Any) -> Any:
        cell = cls(network, **({"weights": ParameterTuple(network.trainable_params()), **options} if options else {}))
        return lambda x: optimizer(cell(x)[1] if options else cell(x))

    return made


STEPS_OF: dict[str, Callable[[Any, Any], Any]] = {
    "TrainOneStepCell": nn.TrainOneStepCell,
    "TrainOneStepCell, sens": lambda network, optimizer: nn.TrainOneStepCell(network, optimizer, 1.0),
    "Model": _by_model,
    "fixed loss scale": lambda network, optimizer: nn.TrainOneStepWithLossScaleCell(network, optimizer, Tensor(512.0)),
    "dynamic loss scale": lambda network, optimizer: nn.TrainOneStepWithLossScaleCell(
        network, optimizer, nn.DynamicLossScaleUpdateCell(1024, 2, 3)
    ),
    "accumulated": lambda network, optimizer: nn.wrap.cell_wrapper._TrainGradAccuStepCell(
        nn.GradAccumulationCell(network, 1), optimizer
    ),
    "own step": OwnStep,
    "own step, no forward": ColdStep,
    "value_and_grad": _functional(lambda network, weights, x: ops.value_and_grad(network, None, weights)(x)[1]),
    "grad": _functional(lambda network, weights, x: ops.grad(network, None, weights)(x)),
    "GradOperation": _functional(
        lambda network, weights, x: ops.GradOperation(get_by_list=True)(network, ParameterTuple(weights))(x)
    ),
    "vjp": _functional(lambda network, weights, x: vjp(network, x, weights=weights)[1](Tensor(1.0))[1]),
    "jit": _functional(lambda network, weights, x: ops.value_and_grad(network, None, weights)(x)[1], jit),
    "loss scaler": _scaled,
    "WithGradCell": _by_grad_cell(nn.WithGradCell),
    "ForwardValueAndGrad": _by_grad_cell(nn.ForwardValueAndGrad, get_by_list=True),
}


def trained(loss: str, step: str, mode: int, wrap: Any = Loss) -> list[float]:
    """The weight after each step."""
    context.set_context(mode=mode)
    try:
        cls, function, _ = LOSSES[loss]
        net = cls()
        run = STEPS_OF[step](wrap(net, function), nn.SGD(net.trainable_params(), RATE))
        found = []
        for number in range(STEPS_IN[mode]):
            run(Tensor([X + 0.1 * number]))
            found.append(float(net.w[0]))
        return found
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)


def expected(loss: str, mode: int) -> list[float]:
    w, found = W, []
    for number in range(STEPS_IN[mode]):
        w -= RATE * LOSSES[loss][2](w, X + 0.1 * number)
        found.append(w)
    return found


#: each step with half of the losses in one mode, and with the others in the other
COMBINATIONS = [
    pytest.param(loss, step, MODES[number % 2], id=f"{loss}-{step}-{'pynative' if number % 2 else 'graph'}")
    for row, loss in enumerate(LOSSES)
    for number, step in enumerate(STEPS_OF, row)
]


@pytest.mark.parametrize(("loss", "step", "mode"), COMBINATIONS)
def test_a_loss_that_contains_derivatives(loss: str, step: str, mode: int) -> None:
    np.testing.assert_allclose(trained(loss, step, mode), expected(loss, mode), 1e-5)


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
@pytest.mark.parametrize("loss", [name for name in LOSSES if name not in ("kept",)])
def test_a_recomputed_loss_that_contains_derivatives(loss: str, mode: int) -> None:
    for step in ("TrainOneStepCell", "own step"):
        np.testing.assert_allclose(trained(loss, step, mode, RecomputedLoss), expected(loss, mode), 1e-5)


def test_a_torch_network_that_contains_derivatives() -> None:
    class Torch(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = Net()

        def forward(self, x: Any) -> Any:
            return (ops.grad(self.net)(x) ** 2).sum()

    network = Torch()
    model = Model(network, optimizer=torch.optim.SGD(network.parameters(), RATE))
    for number in range(STEPS):
        model.train(
            1,
            dataset.NumpySlicesDataset([np.float32([X + 0.1 * number])], ["x"], shuffle=False),
            dataset_sink_mode=False,
        )
        assert float(network.net.w[0]) == pytest.approx(expected("grad", context.GRAPH_MODE)[number], 1e-5)


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
def test_thor_gets_the_gradients_that_others_get(mode: int) -> None:
    def found(make: Callable[[Any], Any]) -> list[Any]:
        net = nn.SequentialCell(
            nn.Dense(3, 4, weight_init="ones", bias_init="zeros"),
            nn.Tanh(),
            nn.Dense(4, 1, weight_init="ones", bias_init="zeros"),
        )
        ConvertNetUtils().convert_to_thor_net(net)
        optimizer, seen = make(net), []
        construct = optimizer.construct
        object.__setattr__(
            optimizer,
            "construct",
            lambda gradients: (seen.append([item.detach().numpy().copy() for item in gradients]), construct(gradients))[
                1
            ],
        )
        step = nn.TrainOneStepCell(Loss(net, lambda net, x: ops.grad(net)(x) ** 2), optimizer).set_train()
        for number in range(STEPS):
            step(Tensor(np.linspace(-1, 1, 6).reshape(2, 3).astype(np.float32) + 0.1 * number))
        return seen

    context.set_context(mode=mode)
    ours = found(lambda net: nn.thor(net, Tensor([0.0] * 10), Tensor([0.05] * 10), 0.9, batch_size=2, frequency=3))
    others = found(lambda net: nn.SGD(net.trainable_params(), 0.0))
    context.set_context(mode=context.PYNATIVE_MODE)
    assert len(ours) == len(others) == STEPS and np.abs(others[0][0]).max() > 0.1
    for ours_of_step, others_of_step in zip(ours, others):
        for a, b in zip(ours_of_step, others_of_step):
            np.testing.assert_allclose(a, b, 1e-5, 1e-6)
