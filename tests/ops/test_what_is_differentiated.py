"""What is a constant of a derivative and what is not: kept forwards, what was computed outside, order, refusals."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat
from mindspore_compat import Parameter, ParameterTuple, Tensor, context, nn, ops
from mindspore_compat.ops.function.grad import jacrev, jvp, vjp
from tests.ops.test_differentiation import MODES, Kept, Net, OwnStep, W, X


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
    """As in real MindSpore 2.10: the gradient is of the forward that ran before. It reads the weights as they are now in
    PYNATIVE_MODE, as they were in GRAPH_MODE.
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
        read = d if mode == context.GRAPH_MODE else d - 0.2 * d
        assert found == pytest.approx([d * d, d * d * 15, 2 * d, read**2 * 5])
        d -= 0.2 * d
    context.set_context(mode=context.PYNATIVE_MODE)


#: which network is updated first, the mode -> real MindSpore 2.10's losses and weights after each of two steps
TWO_UPDATES = {
    ("generator", context.GRAPH_MODE): [182.25, 27, 1.73, 2.8785, 125.542198, 19.383892, 1.505909, 2.791272],
    ("generator", context.PYNATIVE_MODE): [182.25, 27, 1.73, 2.8785, 125.542198, 19.383892, 1.505909, 2.791272],
    ("discriminator", context.GRAPH_MODE): [182.25, 27, 1.73, 2.8785, 125.542198, 19.383892, 1.505909, 2.791272],
    ("discriminator", context.PYNATIVE_MODE): [182.25, 27, 1.735467, 2.8785, 126.336967, 19.506605, 1.514096, 2.79072],
}


@pytest.mark.parametrize("first, mode", TWO_UPDATES)
def test_two_updates_of_one_step(first: str, mode: int) -> None:
    """The step of Pix2PixHD: both losses, then both gradients, with an update between."""

    class Weight(nn.Cell):
        def __init__(self, value: float, name: str, degree: int) -> None:
            super().__init__()
            self.w, self.degree = Parameter(Tensor([value]), name=name), degree

        def construct(self, x: Any) -> Any:
            return self.w * x if self.degree == 1 else self.w * x * x

    class GeneratorLoss(nn.Cell):
        def __init__(self, g: Any, d: Any) -> None:
            super().__init__()
            self.g, self.d = g, d

        def construct(self, x: Any) -> Any:
            return self.d(self.g(x)).sum()

    class DiscriminatorLoss(GeneratorLoss):
        def construct(self, x: Any) -> Any:
            return (self.d(self.g(x)) * self.d(x)).sum()

    class Step(nn.Cell):
        def __init__(self, g: Any, d: Any) -> None:
            super().__init__(auto_prefix=False)
            self.g, self.d = GeneratorLoss(g, d).set_grad(), DiscriminatorLoss(g, d).set_grad()
            self.of_g, self.of_d = nn.SGD([g.w], 0.01), nn.SGD([d.w], 0.001)
            self.grad = ops.GradOperation(get_by_list=True)
            self.is_generator_first = first == "generator"

        def generated(self, x: Any, loss: Any) -> Any:
            return ops.depend(loss, self.of_g(self.grad(self.g, self.of_g.parameters)(x)))

        def judged(self, x: Any, loss: Any) -> Any:
            return ops.depend(loss, self.of_d(self.grad(self.d, self.of_d.parameters)(x)))

        def construct(self, x: Any) -> Any:
            d, g = self.d(x), self.g(x)
            if self.is_generator_first:
                g = self.generated(x, g)
                return self.judged(x, d), g
            return self.judged(x, d), self.generated(x, g)

    context.set_context(mode=mode)
    g, d, found = Weight(2.0, "g", 1), Weight(3.0, "d", 2), []
    step, x = Step(g, d).set_train(), Tensor([1.5])
    for _ in range(2):
        found += [float(item) for item in (*step(x), g.w, d.w)]
    context.set_context(mode=context.PYNATIVE_MODE)
    assert found == pytest.approx(TWO_UPDATES[first, mode], rel=1e-6)


def test_gradients_are_taken_in_one_place() -> None:
    """`gradients` decides what keeps its graph; whoever called torch.autograd.grad beside it would have to know."""
    root, found = Path(mindspore_compat.__file__).parent, set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if (
                name.startswith("torch.autograd.") and name.rpartition(".")[2] in ("grad", "backward")
            ) or name.endswith((".backward", "run_backward")):
                found.add(f"{path.relative_to(root)}: {name}")
            if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("_autograd.engine"):
                found.update(f"{path.relative_to(root)}: {item.name}" for item in node.names if item.name == "grad")
    assert found == {
        "_autograd/forward.py: grad",
        "_autograd/engine.py: run_backward",
        "_autograd/engine.py: _engine_run_backward",
        # of DTensors: a mode's answer to the call in forward.py
        "parallel/_sharding/_region.py: run_backward",
        # of CTC, which gives its gradient as an output: at a point without history
        "_ops/loss.py: torch.autograd.grad",
        # of a pipeline's stage: gradients of its outputs come from other processes, and nobody differentiates them again
        "parallel/_pipeline.py: torch.autograd.grad",
        # of a forward that MindNLP runs itself between calls of MindSpore's executor; nobody differentiates them again
        "common/api.py: torch.autograd.grad",
        # torch's own training step
        "_tensor/torch_methods.py: torch.Tensor.backward",  # the method itself
        "train/_torch/step.py: (share if scaler is None else scaler.scale(share)).backward",
        "cli/check_gpu.py: scaler.scale(torch.nn.functional.cross_entropy(net(x), y)).backward",
    }


def test_writing_to_an_input_of_a_differentiated_function_is_refused() -> None:
    """As in real MindSpore's PYNATIVE_MODE: its gradient would pass by what was overwritten."""

    def function(x: Any) -> Any:
        x[0] = 5.0
        return (x * x).sum()

    def copied(x: Any) -> Any:
        return function(x.copy())

    x = Tensor([1.0, 2.0])
    with pytest.raises(RuntimeError, match="cannot be modified by assigning"):
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
    with pytest.raises(ValueError, match="CellList"):
        ops.vmap(cells, 0)(x.T, x.T)


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
        with mindspore_compat.no_grad(), pytest.raises(RuntimeError, match="In no_grad context, you cannot calculate"):
            ask()
        ask()  # and after it one is

    @mindspore_compat.no_grad()
    def constant(x: Tensor) -> Tensor:
        return x * x

    assert mindspore_compat.grad(lambda x: constant(x) + x)(x).asnumpy().tolist() == [1.0]
    with mindspore_compat.no_grad(), mindspore_compat.no_grad():
        pass
    assert made(x).asnumpy().tolist() == [4.0]
