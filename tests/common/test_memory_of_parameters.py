"""Who sees it when a Parameter gets other values: as real MindSpore 2.10, `set_data`, `assign_value` and
`load_param_into_net` give it other memory, while optimizers and ``p[:] = …`` write where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

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
}
SAME_MEMORY: dict[str, Callable[[Parameter], Any]] = {
    "assign": lambda p: ops.assign(p, zeros()),
    "elements": lambda p: p.__setitem__(slice(None), 0.0),
    "all elements": lambda p: p.__setitem__(Ellipsis, 0.0),
    "optimizer": lambda p: nn.SGD([p], 1.0)((p + 0,)),
}


def loaded_from(source: Parameter) -> Parameter:
    other = Parameter(zeros(), name=source.name)
    ms.load_param_into_net(Holder(other), {source.name: source})
    return other


def first(value: Any) -> float:
    return float((value if isinstance(value, np.ndarray) else value.asnumpy()).flat[0])


@pytest.mark.parametrize(
    "look",
    [pytest.param(name, marks=ON_CPU) if "asnumpy" in name else name for name in LOOKS],
)
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


@pytest.mark.parametrize("convert", ["to", "float", "half"])
def test_a_converted_parameter_is_no_parameter(convert: str) -> None:
    parameter = Parameter(Tensor(ONES, ms.float16 if convert == "half" else ms.float32), name="weight")
    converted = parameter.to(ms.float32) if convert == "to" else getattr(parameter, convert)()
    assert type(converted) is Tensor
    cell = Holder(parameter)
    cell.kept = converted
    assert [item.name for item in cell.get_parameters()] == ["weight"]
    weight = Parameter(Tensor(ONES), name="weight")
    assert ms.grad(lambda: weight.float().sum() * 2, None, weight)().sum() == 12


def test_unique_of_a_parameter_is_a_flag() -> None:
    parameter = Parameter(Tensor(ONES), name="weight")
    assert parameter.unique is False
    parameter.unique = True
    assert (parameter.unique, parameter.clone().unique) == (True, False)
    with pytest.raises(TypeError, match="must be bool"):
        parameter.unique = 5


@pytest.mark.parametrize("prefix", ["", ".a", "a-b"])
def test_a_prefix_of_clones_is_a_name(prefix: str) -> None:
    with pytest.raises(ValueError, match="is illegal"):
        ms.ParameterTuple([Parameter(Tensor(ONES), name="weight")]).clone(prefix)
