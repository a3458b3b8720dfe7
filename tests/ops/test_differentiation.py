"""Derivatives compose: whatever trains a network whose loss contains derivatives moves the weights as the closed form
says, in both modes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat
from mindspore_compat import Model, Parameter, ParameterTuple, Tensor, amp, context, dataset, jit, nn, ops
from mindspore_compat.ops.function.grad import jacfwd, jacrev, jvp, vjp
from mindspore_compat.train.train_thor import ConvertNetUtils

W, X, RATE, STEPS = 3.0, 2.0, 1e-4, 6
MODES = [context.GRAPH_MODE, context.PYNATIVE_MODE]


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
        for number in range(STEPS):
            run(Tensor([X + 0.1 * number]))
            found.append(float(net.w[0]))
        return found
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)


def expected(loss: str) -> list[float]:
    w, found = W, []
    for number in range(STEPS):
        w -= RATE * LOSSES[loss][2](w, X + 0.1 * number)
        found.append(w)
    return found


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
@pytest.mark.parametrize("step", STEPS_OF)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_that_contains_derivatives(loss: str, step: str, mode: int) -> None:
    np.testing.assert_allclose(trained(loss, step, mode), expected(loss), 1e-5)


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
@pytest.mark.parametrize("loss", [name for name in LOSSES if name not in ("kept",)])
def test_a_recomputed_loss_that_contains_derivatives(loss: str, mode: int) -> None:
    for step in ("TrainOneStepCell", "own step"):
        np.testing.assert_allclose(trained(loss, step, mode, RecomputedLoss), expected(loss), 1e-5)


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
        assert float(network.net.w[0]) == pytest.approx(expected("grad")[number], 1e-5)


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


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
def test_what_was_computed_outside_is_a_constant(mode: int) -> None:
    """As in real MindSpore; torch would follow the graph of what a Cell gave at top level."""
    context.set_context(mode=mode)
    net, x = Net(), Tensor([X])
    weights = net.trainable_params()
    made: dict[str, Callable[[], Any]] = {
        "a Cell's output": lambda: net(x),
        "operators": lambda: net.w * x * x * x,
        "a copy": lambda: net.w.copy() * X**3,
        "a derivative": lambda: ops.grad(net, None, net.w)(x) * net.w,
    }
    for name, make in made.items():
        y = make()
        for _ in range(3):  # and it can be used again
            for found in (
                ops.grad(lambda x: (net(x) * y).sum(), None, weights)(x),
                ops.grad(lambda x, y: (net(x) * y).sum(), None, weights)(x, y),
            ):
                assert float(found[0]) == pytest.approx(float(y) * X**3), name
        of_x, of_y, of_w = (lambda found: (*found[0], found[1][0]))(
            ops.grad(lambda x, y: (net(x) * y).sum(), (0, 1), weights)(x, y)
        )
        assert [float(of_x), float(of_y), float(of_w)] == pytest.approx(
            [3 * W * X**2 * float(y), W * X**3, X**3 * float(y)]
        )
    context.set_context(mode=context.PYNATIVE_MODE)


def test_weights_kept_as_they_were_pull_the_weights_back() -> None:
    """A penalty on the way from earlier weights: with the graph of the copies, its gradient would be zero."""
    net, x = Net(), Tensor([X])
    for earlier in (
        [w * 1.0 for w in net.trainable_params()],
        [w.copy() for w in net.trainable_params()],
        [w.clone() for w in net.trainable_params()],
        [w.value() + 0 for w in net.trainable_params()],
    ):
        net.w.set_data(Tensor([W + 1]))
        found = ops.grad(
            lambda x: sum(((w - e) ** 2).sum() for w, e in zip(net.trainable_params(), earlier)),
            None,
            net.trainable_params(),
        )(x)
        assert float(found[0]) == 2.0
        net.w.set_data(Tensor([W]))


def test_a_kept_forward_is_no_constant_and_its_inputs_have_gradients() -> None:
    net, x = Net().set_grad(), Tensor([X])
    y = net(x)
    assert float(ops.grad(lambda x: (net(x) * y).sum(), None, net.trainable_params())(x)[0]) == 2 * W * X**6
    calls: list[int] = []
    net.register_forward_hook(lambda *_: calls.append(1))
    for options in ({"get_all": True}, {}, {"get_all": True, "get_by_list": True}, {"get_by_list": True}):
        net(x)
        found = ops.GradOperation(**options)(net)(x)
        flat = [
            float(item)
            for item in (found if isinstance(found, tuple) else (found,))
            for item in (item if isinstance(item, tuple) else (item,))
        ]
        assert flat == {1: [X**3] if "get_by_list" in options else [3 * W * X**2], 2: [3 * W * X**2, X**3]}[len(flat)]
    assert len(calls) == 4, "no forward ran a second time"


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
def test_a_forward_kept_from_outside_of_the_step_does_not_run_again(mode: int) -> None:
    class Normed(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.dense = nn.BatchNorm1d(2, momentum=0.5), nn.Dense(2, 1)

        def construct(self, x: Any) -> Any:
            return self.dense(self.norm(x)).mean()

    class Step(OwnStep):
        def construct(self, x: Any) -> Any:
            return self.optimizer(self.grad(self.network, self.weights)(x, Tensor(1.0)))

    context.set_context(mode=mode)
    net = Normed().set_train()
    step, x, moves = (
        Step(net, nn.SGD(net.trainable_params(), 0.1)).set_train(),
        Tensor(np.float32([[1, 2], [5, 4]])),
        [],
    )
    for _ in range(6):
        net(x)
        step(x)
        moves.append(float(-np.log2(1 - net.norm.moving_mean.asnumpy()[0] / 3)))
    context.set_context(mode=context.PYNATIVE_MODE)
    assert moves == pytest.approx([1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
def test_an_update_between_a_kept_forward_and_its_gradient(mode: int) -> None:
    """As in real MindSpore's PYNATIVE_MODE: the gradient of the forward that ran before reads the weights as they are
    now.
    """

    class Discriminator(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name="d_weight")

        def construct(self, x: Any) -> Any:
            return (self.w * x * self.w).sum()

    class Generator(nn.Cell):
        def __init__(self, discriminator: Any) -> None:
            super().__init__()
            self.discriminator, self.w = discriminator, Parameter(Tensor([3.0]), name="g_weight")

        def construct(self, z: Any) -> Any:
            return self.discriminator(self.w * z)

    class Step(nn.Cell):
        def __init__(self) -> None:
            super().__init__(auto_prefix=False)
            self.d = Discriminator().set_grad()
            self.g = Generator(self.d).set_grad()
            self.of_d, self.of_g = ParameterTuple([self.d.w]), ParameterTuple([self.g.w])
            self.optimizer, self.grad = nn.SGD(self.of_d, 0.1), ops.GradOperation(get_by_list=True)

        def construct(self, x: Any, z: Any) -> Any:
            of_d, of_g = self.d(x), self.g(z)
            found = self.grad(self.d, self.of_d)(x)
            self.optimizer(found)
            return of_d, of_g, found[0], self.grad(self.g, self.of_g)(z)[0]

    context.set_context(mode=mode)
    step, d = Step(), 2.0
    for _ in range(5):
        found = [float(item) for item in step(Tensor([1.0]), Tensor([5.0]))]
        assert found == pytest.approx([d * d, d * d * 15, 2 * d, (d - 0.2 * d) ** 2 * 5])
        d -= 0.2 * d
    context.set_context(mode=context.PYNATIVE_MODE)


def test_gradients_are_taken_in_one_place() -> None:
    """`gradients` decides what keeps its graph; whoever called torch.autograd.grad beside it would have to know."""
    root, found = Path(mindspore_compat.__file__).parent, set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if (
                name.startswith("torch.autograd.") and name.rpartition(".")[2] in ("grad", "backward")
            ) or name.endswith(".backward"):
                found.add(f"{path.relative_to(root)}: {name}")
    assert found == {
        "common/_differentiation.py: torch.autograd.grad",
        # of CTC, which gives its gradient as an output: at a point without history
        "ops/function/_ctc.py: torch.autograd.grad",
        # of a pipeline's stage: gradients of its outputs come from other processes, and nobody differentiates them again
        "parallel/_stage_gradients.py: torch.autograd.grad",
        # torch's own training step
        "train/_torch/step.py: (share if scaler is None else scaler.scale(share)).backward",
    }


def test_writing_to_an_input_of_a_differentiated_function_is_refused() -> None:
    """As in real MindSpore's PYNATIVE_MODE: its gradient would pass by what was overwritten."""

    def function(x: Any) -> Any:
        x[0] = 5.0
        return (x * x).sum()

    def copied(x: Any) -> Any:
        return function(x.copy())

    x = Tensor([1.0, 2.0])
    with pytest.raises(RuntimeError, match="can not be modified by assigning"):
        ops.grad(function)(x)
    assert ops.grad(copied)(x).tolist() == [0.0, 4.0] and x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
def test_a_derivative_is_of_its_function_alone(mode: int) -> None:
    """What an inner derivative is taken at is a point, also where it depends on the weights; the outer derivative sees
    both ways.
    """
    context.set_context(mode=mode)
    net = Net()
    weights = net.trainable_params()

    def outer(a: Any, wanted: Any) -> Any:
        x = net.w * a
        found = ops.grad(net, wanted, weights)(x)  # x³ by w, x = w·a
        return (found[1] if wanted is not None else found)[0].sum()

    for wanted in (0, None):
        for _ in range(4):
            value, (of_a, of_w) = ops.value_and_grad(lambda a, wanted=wanted: outer(a, wanted), 0, weights)(
                Tensor([2.0])
            )
            assert [float(value), float(of_a), float(of_w[0])] == [W**3 * 8, 3 * W**3 * 4, 3 * W**2 * 8]
    context.set_context(mode=context.PYNATIVE_MODE)


def test_kept_forwards_stay_connected() -> None:
    """As in real MindSpore's PYNATIVE_MODE: the gradient of the second by the weights of the first."""
    first, second = Kept(), Kept()
    second.w.name = "second"
    x = Tensor([X])
    y = first(x)
    second(y)
    found = ops.GradOperation(get_by_list=True)(second, ParameterTuple([first.w, second.w]))(y)
    assert [float(item) for item in found] == pytest.approx([W * 3 * (W * X**3) ** 2 * X**3, (W * X**3) ** 3])


def test_parameters_that_are_not_named_come_in_the_order_of_their_use() -> None:
    """As real MindSpore's PyNative mode: those that were used, the first first; of functions too."""

    class Inner(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.p = Parameter(Tensor(2.0), name="p")

        def construct(self, x: Tensor) -> Tensor:
            return x * self.p

    class Outer(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()
            self.q, self.r = Parameter(Tensor(3.0), name="q"), Parameter(Tensor(5.0), name="r")
            self.unused = Parameter(Tensor(7.0), name="unused")

        def construct(self, x: Tensor) -> Tensor:
            return self.r * self.inner(x) * self.q

    net, by_list = Outer(), ops.GradOperation(get_by_list=True)
    assert [float(item) for item in by_list(net)(Tensor(1.0))] == [15, 6, 10]
    assert [float(item) for item in by_list(lambda x: net(x) + 1)(Tensor(1.0))] == [15, 6, 10]
    assert [float(item) for item in by_list(net, net.trainable_params())(Tensor(1.0))] == [10, 6, 0, 15]
    inputs, weights = ops.GradOperation(get_all=True, get_by_list=True)(net)(Tensor(1.0))
    assert [float(item) for item in inputs] == [30] and [float(item) for item in weights] == [15, 6, 10]


def test_vmap_of_a_list_of_cells() -> None:
    class Scaled(nn.Cell):
        def __init__(self, scale: float) -> None:
            super().__init__()
            self.a = Parameter(Tensor([scale, 2 * scale, 3 * scale]), name="a")

        def construct(self, x: Tensor, y: Tensor) -> Tensor:
            return (x + y) * self.a

    cells, y = nn.CellList([Scaled(1.0), Scaled(2.0)]), Tensor([1.0, 1.0, 1.0])
    x = Tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    expected = [[1, 4, 9], [8, 20, 36]]
    assert ops.vmap(cells, (0, None))(x, y).asnumpy().tolist() == expected
    assert ops.vmap(cells, (1, None))(x.T, y).asnumpy().tolist() == expected
    assert ops.vmap(cells, (0, None), 1)(x, y).asnumpy().tolist() == np.transpose(expected).tolist()
    for axes in (None, (None, None)):
        assert ops.vmap(cells, axes)(y, y).asnumpy().tolist() == [[2, 4, 6], [4, 8, 12]]
    by_input = ops.grad(lambda x: ops.vmap(cells, (0, None))(x, y))(x)
    assert by_input.asnumpy().tolist() == [[1, 2, 3], [2, 4, 6]]
    for given, axes, args in ((nn.CellList([Scaled(1.0)]), 0, (x, x)), (cells, 0, (x.T, x.T))):
        with pytest.raises(RuntimeError, match="CellList"):
            ops.vmap(given, axes)(*args)


def test_tensors_in_a_list_beside_a_tensor_keep_their_history() -> None:
    x = Tensor([1.0, 2.0])
    for function, expected in (
        (lambda x: (x, x * 2) + x, [5, 5]),
        (lambda x: x - [x * 3, x], [-2, -2]),
        (lambda x: x * (x, [1.0, 1.0]), [3, 5]),
        (lambda x: ops.add([x * 2, x], x), [5, 5]),
        (lambda x: ops.maximum(x * 0, [x, x * 3]), [4, 4]),
    ):
        assert ops.grad(lambda x, function=function: function(x).sum())(x).asnumpy().tolist() == expected

    def written(x: Tensor) -> Tensor:
        y = x * 1
        y[0] = [x[1]]
        y[:] = [y[0] * 2, x[0]]
        return y.sum()

    assert ops.grad(written)(x).asnumpy().tolist() == [1, 2]


def test_a_parameter_that_is_given_back_has_a_gradient() -> None:
    class Given(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.a = Parameter(Tensor([1.0, 2.0]), name="a")

        def construct(self, x: Tensor) -> Tensor:
            return self.a

    (found,) = ops.GradOperation(get_by_list=True)(Given())(Tensor(1.0))
    assert found.asnumpy().tolist() == [1, 1]


def test_no_gradient_is_computed_within_no_grad() -> None:
    x, square = Tensor([2.0]), lambda x: x * x
    made = mindspore_compat.grad(square)
    for ask in (
        lambda: made(x),
        lambda: mindspore_compat.value_and_grad(square)(x),
        lambda: mindspore_compat.ops.GradOperation()(square)(x),
        lambda: vjp(square, x)[1](x),
        lambda: jvp(square, x, x),
        lambda: jacrev(square)(x),
    ):
        with mindspore_compat.no_grad(), pytest.raises(RuntimeError, match="In no_grad context, you can not calculate"):
            ask()
        ask()  # and after it one is

    @mindspore_compat.no_grad()
    def constant(x: Tensor) -> Tensor:
        return x * x

    assert mindspore_compat.grad(lambda x: constant(x) + x)(x).asnumpy().tolist() == [1.0]
    with mindspore_compat.no_grad(), mindspore_compat.no_grad():
        pass
    assert made(x).asnumpy().tolist() == [4.0]


@pytest.mark.parametrize("kind", [tuple, list])
def test_one_may_differentiate_by_a_sequence_of_tensors(kind: type) -> None:
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 6.0])
    found = ops.grad(lambda pair, k: (pair[0] * pair[1] * k).sum())(kind((x, y)), y)
    assert type(found) is kind
    assert [item.asnumpy().tolist() for item in found] == [[9.0, 36.0], [3.0, 12.0]]
    weight = Parameter(y, name="w")
    value, (of_pair, of_weights) = ops.value_and_grad(lambda pair: (pair[0] * weight).sum(), 0, [weight])(kind((x, y)))
    assert float(value) == 15 and of_weights[0].asnumpy().tolist() == [1.0, 2.0]
    assert [item.asnumpy().tolist() for item in of_pair] == [[3.0, 6.0], [0.0, 0.0]]


def test_a_sequence_beside_a_tensor_has_no_gradient_as_in_pynative_mode() -> None:
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 6.0])
    assert ops.grad(lambda a, pair: (a * pair[0]).sum(), (0, 1))(x, (y, y)).asnumpy().tolist() == [3.0, 6.0]
