"""Who sees it when a Parameter gets other values: as real MindSpore 2.10, `set_data`, `assign_value`,
`load_param_into_net` and ``p[...] = …`` give it other memory, while optimizers and ``p[:] = …`` write where it is; and
of any Tensor, what is assigned to its elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from tests.graph.replaying import replays

ON_CPU = pytest.mark.cpu_only("arrays share memory with Tensors on a CPU alone")
ONES = np.ones((2, 3), np.float32)


def zeros() -> Tensor:
    return ops.zeros((2, 3))


class Holder(nn.Cell):
    def __init__(self, weight: Parameter) -> None:
        super().__init__()
        self.weight = weight


LOOKS: dict[str, Callable[[Parameter], Any]] = {
    "asnumpy": lambda p: p.asnumpy(),
    "a row of asnumpy": lambda p: p.asnumpy()[0],
    "data": lambda p: p.data,
    "Tensor": Tensor,
    "a slice": lambda p: p[:],
    "a row": lambda p: p[0],
    "reshape": lambda p: p.reshape(-1),
    "T": lambda p: p.T,
    "stop_gradient": ops.stop_gradient,
    "another that was loaded from it": lambda p: loaded_from(p),
}
NEW_MEMORY: dict[str, Callable[[Parameter], Any]] = {
    "set_data": lambda p: p.set_data(zeros()),
    "set_data of another dtype": lambda p: p.set_data(ops.zeros((2, 3), ms.float16)),
    "set_data of a number's shape": lambda p: p.set_data(ops.zeros((3, 2))),
    "assign_value": lambda p: p.assign_value(zeros()),
    "load_param_into_net": lambda p: ms.load_param_into_net(Holder(p), {p.name: Parameter(zeros(), name=p.name)}),
    "data": lambda p: setattr(p, "data", zeros()),
    "all elements": lambda p: p.__setitem__(Ellipsis, 0.0),
}
SAME_MEMORY: dict[str, Callable[[Parameter], Any]] = {
    "assign": lambda p: ops.assign(p, zeros()),
    "elements": lambda p: p.__setitem__(slice(None), 0.0),
    "optimizer": lambda p: nn.SGD([p], 1.0)((p + 0,)),
}


def loaded_from(source: Parameter) -> Parameter:
    other = Parameter(zeros(), name=source.name)
    ms.load_param_into_net(Holder(other), {source.name: source})
    return other


def first(value: Any) -> float:
    return float((value if isinstance(value, np.ndarray) else value.asnumpy()).flat[0])


@pytest.mark.parametrize("look", [pytest.param(name, marks=ON_CPU) if "asnumpy" in name else name for name in LOOKS])
@pytest.mark.parametrize("change", [*NEW_MEMORY, *SAME_MEMORY])
def test_who_looks_at_a_parameter_keeps_what_it_saw(look: str, change: str) -> None:
    parameter = Parameter(Tensor(ONES), name="weight")
    seen = LOOKS[look](parameter)
    ({**NEW_MEMORY, **SAME_MEMORY}[change])(parameter)
    assert first(parameter) == 0
    assert first(seen) == (1 if change in NEW_MEMORY else 0)


def test_the_values_that_were_given_stay_apart() -> None:
    given = Tensor(ONES)
    parameter = Parameter(zeros(), name="w").set_data(given)
    given[0] = 9
    assert first(parameter) == 1
    nn.SGD([parameter], 1.0)((ops.ones((2, 3)),))
    assert first(given[1]) == 1 and first(parameter) == 0


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_target_network_that_began_as_a_copy(mode: int) -> None:
    """Of reinforcement learning: loaded once, then moved a part of the way after each step."""
    ms.set_context(mode=mode)
    online, target = nn.Dense(3, 2, weight_init="ones", has_bias=False), nn.Dense(3, 2, has_bias=False)
    ms.load_param_into_net(target, online.parameters_dict())
    step = nn.TrainOneStepCell(nn.WithLossCell(online, nn.MSELoss()), nn.SGD(online.trainable_params(), 0.1))
    step.set_train()
    expected_online, expected_target = ONES.copy(), ONES.copy()
    x, y = Tensor(ONES), ops.zeros((2, 2))
    for number in range(5):
        step(x, y)
        expected_online = expected_online * (1 - 0.3)  # the derivative is the output, the sum of a row
        for mine, its in zip(target.get_parameters(), online.get_parameters(), strict=True):
            mine.set_data(0.5 * mine + 0.5 * its)
        if number == 0:
            expected_target = expected_online.copy()  # they still were one memory
        else:
            expected_target = 0.5 * expected_target + 0.5 * expected_online
        np.testing.assert_allclose(online.weight.asnumpy(), expected_online, 1e-5)
        np.testing.assert_allclose(target.weight.asnumpy(), expected_target, 1e-5)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("kept", [lambda p: p.asnumpy(), lambda p: p.data])
def test_averaged_weights_for_an_evaluation_and_back(mode: int, kept: Callable[[Parameter], Any]) -> None:
    ms.set_context(mode=mode)
    ms.set_seed(2)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    x, y = Tensor(np.random.RandomState(0).randn(8, 3), ms.float32), ops.ones((8, 1))
    for number in range(8):
        step(x, y)
        if number % 3:
            continue
        before = [parameter.asnumpy().copy() for parameter in net.trainable_params()]
        backup = [kept(parameter) for parameter in net.trainable_params()]
        for parameter in net.trainable_params():
            parameter.set_data(parameter * 0.5)
        net(x)
        for parameter, values in zip(net.trainable_params(), backup, strict=True):
            parameter.set_data(Tensor(values))
        after = [parameter.asnumpy() for parameter in net.trainable_params()]
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_steps_go_on_from_values_and_rates_that_are_set(mode: int) -> None:
    ms.set_context(mode=mode)
    net = nn.Dense(1, 1, weight_init="ones", has_bias=False)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    weight = 1.0
    for number in range(12):
        rate = 0.1 / (number + 1)
        old = optimizer.learning_rate.asnumpy()
        expected_old = float(old)
        optimizer.learning_rate.set_data(Tensor(rate, ms.float32))
        assert float(old) == expected_old
        if number % 2:
            weight *= 1.5
            net.weight.set_data(net.weight * 1.5)
        step(ops.ones((1, 1)), ops.zeros((1, 1)))
        weight -= rate * 2 * weight
        np.testing.assert_allclose(net.weight.asnumpy(), [[weight]], 1e-5)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("how", ["set_data", "attribute", "assign", "assign_value"])
def test_values_that_a_forward_sets_in_each_step(mode: int, how: str) -> None:
    """Also in steps that are recorded and replayed, where they are written in place."""
    ms.set_context(mode=mode)

    class Counting(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(3, 1, weight_init="ones", has_bias=False)
            self.seen = Parameter(ops.zeros(2), name="seen", requires_grad=False)

        def construct(self, x: Any) -> Any:
            new = self.seen + 1
            if how == "set_data":
                self.seen.set_data(new)
            elif how == "attribute":
                self.seen = new
            elif how == "assign":
                ops.assign(self.seen, new)
            else:
                self.seen.assign_value(new)
            return self.dense(x) * self.seen[0]

    net = Counting()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.L1Loss()), nn.SGD(net.dense.trainable_params(), 0.1)).set_train()
    weight = 1.0
    for number in range(1, 10):
        loss = step(ops.ones((2, 3)), ops.ones((2, 1)) * -1e4)
        np.testing.assert_allclose(loss.asnumpy(), 1e4 + 3 * weight * number, 1e-6)
        weight -= 0.1 * number
        assert net.seen.asnumpy().tolist() == [number, number]
        np.testing.assert_allclose(net.dense.weight.asnumpy(), [[weight] * 3], 1e-4, 1e-6)


@ON_CPU
def test_memory_that_nobody_else_looks_at_is_written_to() -> None:
    """So that a captured step, which other Parameters belong to, goes on."""
    parameter = Parameter(Tensor(ONES), name="w")
    place = parameter.data_ptr()
    parameter.set_data(zeros())
    assert parameter.data_ptr() == place
    row = parameter.asnumpy()[1]
    parameter.set_data(ops.ones((2, 3)))
    assert parameter.data_ptr() != place and row.tolist() == [0, 0, 0]


def numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return [numbers(item) for item in value.values()]
    if isinstance(value, (list, tuple)):
        return [numbers(item) for item in value]
    return value.asnumpy().tolist() if isinstance(value, Tensor) else value


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_weights_that_are_clipped_after_each_step(mode: int) -> None:
    """As of a WGAN's critic: what the optimizer and captured steps keep of the weights is nobody else's look at them,
    so that they stay where they are and the step is replayed.
    """
    ms.set_context(mode=mode)
    net = nn.Dense(3, 1, weight_init="ones", has_bias=False)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.5)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.L1Loss()), optimizer).set_train()
    place, weight, moment = net.weight.data_ptr(), 1.0, 0.0
    for _ in range(10):
        step(ops.ones((2, 3)), ops.ones((2, 1)) * -1e4)
        moment = 0.5 * moment + 1
        weight = min(max(weight - 0.1 * moment, -0.25), 0.25)
        net.weight.set_data(ops.clip_by_value(net.weight, -0.25, 0.25))
        np.testing.assert_allclose(net.weight.asnumpy(), [[weight] * 3], 1e-5)
    assert net.weight.data_ptr() == place
    assert mode == ms.PYNATIVE_MODE or replays(step) == 7


#: as real 2.10 in PYNATIVE_MODE: what is written where it is, and what gives the Tensor other memory
IN_PLACE: list[Any] = [
    0,
    -1,
    slice(0, 2),
    slice(None),
    (Ellipsis, 0),
    (0, 1),
    (slice(None), 1),
    (None, 0),
    (Ellipsis,),
    (),
]
ELSEWHERE: list[Any] = [
    ...,
    None,
    True,
    [0, 1],
    [True, False],
    Tensor(0),
    Tensor([0, 1]),
    Tensor([True, False]),
    "mask",
    (0, Tensor([0, 1])),
    (Tensor(0), 1),
    (slice(None), [0, 1]),
    (slice(None), Tensor([True, False, True])),
    (Tensor([0, 1]),),
]
#: another Tensor of the same memory, and whether an index gave it
OTHERS: dict[str, tuple[Callable[[Tensor], Tensor], bool]] = {
    "reshape": (lambda x: x.reshape(2, 3), False),
    "view": (lambda x: x.view(2, 3), False),
    "Tensor": (Tensor, False),
    "T": (lambda x: x.T.T, False),
    "stop_gradient": (ops.stop_gradient, False),
    "data": (lambda x: x.data, False),
    "detach": (lambda x: x.detach(), False),
    "squeeze": (lambda x: x.squeeze(), False),
    "split": (lambda x: ops.split(x, 2)[0], False),
    "from_numpy": (lambda x: Tensor.from_numpy(x.asnumpy()), False),
    "a slice's reshape": (lambda x: x[0:2].reshape(2, 3), False),
    "slice": (lambda x: x[0:2], True),
    "all": (lambda x: x[:], True),
    "row": (lambda x: x[None][0], True),
    "expand_dims": (lambda x: x.expand_dims(0)[0], True),
    "iteration": (lambda x: next(iter(x.expand_dims(0))), True),
}


@ON_CPU
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("index", range(len(IN_PLACE) + len(ELSEWHERE)))
@pytest.mark.parametrize("written", ["it", "the other"])
def test_whom_an_assignment_to_elements_reaches(index: int, other: str, written: str) -> None:
    make, by_index = OTHERS[other]
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    y = make(x)
    place = [*IN_PLACE, *ELSEWHERE][index]
    target, looks = (x, y) if written == "it" else (y, x)
    before = numbers(looks)
    target[x < 2 if place == "mask" else place] = 9.0
    reaches = index < len(IN_PLACE) or (by_index and written == "the other")
    assert (numbers(looks) != before) == reaches
    assert 9.0 in target.asnumpy()


@ON_CPU
def test_arrays_and_assignments_to_elements() -> None:
    given = np.zeros((2, 3), np.float32)
    x = Tensor.from_numpy(given)
    x[0] = 1.0
    kept = x.asnumpy()
    x[x == 0] = 2.0
    assert given.tolist() == kept.tolist() == [[1, 1, 1], [0, 0, 0]] and x.asnumpy().tolist() == [[1, 1, 1], [2, 2, 2]]
    place = x.data_ptr()
    x[x == 2] = 3.0  # nobody else looks at it any more
    assert x.data_ptr() == place
    p = Parameter(Tensor(ONES), name="p")
    kept = p.asnumpy()
    p[p > 0] = 4.0
    p[1] = 5.0
    assert kept.tolist() == ONES.tolist() and p.asnumpy().tolist() == [[4, 4, 4], [5, 5, 5]]


@pytest.mark.parametrize("same", [lambda x: x.astype(ms.float32), lambda x: x.to(ms.float32), lambda x: x.float()])
@pytest.mark.parametrize("make", [Tensor, lambda values: Parameter(Tensor(values), name="p")])
def test_a_cast_to_the_same_dtype_is_no_copy(same: Callable[[Tensor], Tensor], make: Callable[[Any], Tensor]) -> None:
    x = make(ONES)
    same(x)[0] = 3.0
    assert x.asnumpy().tolist() == [[3, 3, 3], [1, 1, 1]]
    x.copy()[0] = 4.0
    x.astype(ms.float16)[0] = 4.0
    assert x.asnumpy().tolist() == [[3, 3, 3], [1, 1, 1]]


def test_elements_of_parts_of_a_parameter() -> None:
    """``net.weight[0][1] = 2``: outside of differentiation it has no derivative."""
    p = Parameter(Tensor(ONES), name="p")
    p[0][1] = 2.0
    p.reshape(-1)[5] = Tensor(3.0)
    p[1].add_(1.0)
    assert p.asnumpy().tolist() == [[1, 2, 1], [2, 2, 4]] and p.requires_grad
    p.view(-1)[p.view(-1) > 3] = 0.0  # as of a Tensor: another one than the view's origin
    assert p.asnumpy()[1, 2] == 4

    def loss(x: Tensor) -> Tensor:
        y = p * x
        y[0] = 0.0
        return y.sum()

    assert ms.grad(loss, None, [p])(Tensor(ONES))[0].asnumpy().tolist() == [[0, 0, 0], [1, 1, 1]]
