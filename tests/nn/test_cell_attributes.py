"""Cell: names of attributes, Parameters and children, what a class brings of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, nn


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda c: c.insert_param_to_cell("", Parameter(Tensor([1.0]))), KeyError),
        (lambda c: c.insert_param_to_cell("w", Tensor([1.0])), TypeError),
        (lambda c: c.insert_child_to_cell("a.b", nn.ReLU()), KeyError),
        (lambda c: c.no_such_thing, AttributeError),
    ],
)
def test_wrong_use_is_answered_as_upstream(act, error) -> None:
    with pytest.raises(error):
        act(nn.Cell())


def test_insert_child_keeps_names_and_attribute_prefixes_them() -> None:
    outer, inner = nn.Cell(), nn.Dense(2, 2)
    outer.insert_child_to_cell("child", inner)
    assert [p.name for p in outer.get_parameters()] == ["weight", "bias"]
    outer.other = nn.Dense(2, 2)
    assert [p.name for p in outer.get_parameters()] == ["weight", "bias", "other.weight", "other.bias"]
    plain = nn.Cell(auto_prefix=False)
    plain.other = nn.Dense(2, 2)
    assert [p.name for p in plain.get_parameters()] == ["weight", "bias"]


def test_prefixes_scopes_and_flags() -> None:
    net = nn.SequentialCell(nn.SequentialCell(nn.Dense(2, 2)))
    net.update_cell_prefix()
    net.generate_scope()
    assert net[0][0].param_prefix == "0.0" and net[0][0].get_scope() == "Default/0-SequentialCell/0-Dense"
    assert net.add_flags(mine=1).get_flags() == {"mine": 1} and net.mine == 1 and not hasattr(net[0], "mine")


def test_parameter_tuple_clones_with_a_prefix() -> None:
    parameters = ParameterTuple(nn.Dense(2, 3).get_parameters())
    clones = parameters.clone("moments", "zeros")
    assert [p.name for p in clones] == ["moments.weight", "moments.bias"] and not clones[0].asnumpy().any()


def test_trainable_and_untrainable_parameters() -> None:
    net = nn.BatchNorm2d(3)
    net.gamma.requires_grad = False
    assert [p.name for p in net.trainable_params()] == ["beta"]
    assert [p.name for p in net.untrainable_params()] == ["mean", "variance", "gamma"]


class _Generates:
    """A mixin behind Cell with methods that torch has, too."""

    def forward(self, **kwargs):
        return "forward", sorted(kwargs)

    def type(self):
        return "the mixin's"


class _Mixed(nn.Cell, _Generates):
    def construct(self, x):
        return x + 1


def test_a_mixin_behind_cell_wins_over_torch() -> None:
    net = _Mixed()
    assert net.forward(a=1) == ("forward", ["a"])
    assert net.type() == "the mixin's"
    assert float(net(Tensor(1.0))) == 2.0


def test_a_method_named_forward_is_not_what_a_call_runs() -> None:
    net, seen = _Mixed(), []
    net.register_forward_hook(lambda cell, inputs, output: seen.append(cell.forward(b=2)))
    assert float(net(Tensor(1.0))) == 2.0
    assert seen == [("forward", ["b"])]


def test_what_a_program_defines_itself_stays() -> None:
    class Own(nn.Cell, _Generates):
        def type(self):
            return "its own"

    class Derived(Own):
        pass

    assert Derived().type() == "its own"
    assert Derived().forward() == ("forward", [])


def test_a_child_named_forward() -> None:
    """MindSpore's Cells have no method of that name."""

    class Outer(nn.Cell):
        def __init__(self, inner: nn.Cell) -> None:
            super().__init__()
            self.forward = inner

        def construct(self, x):
            return self.forward(x) * 2

    inner = nn.Dense(2, 3)
    outer, x = Outer(inner), Tensor([[1.0, 2.0]])
    assert outer.forward is inner and [name for name, _ in outer.name_cells().items()] == ["forward"]
    assert np.array_equal(outer(x).asnumpy(), inner(x).asnumpy() * 2)
    assert nn.ReLU().forward(Tensor([-1.0])).tolist() == [0.0]
    del outer.forward
    outer.forward = nn.ReLU()
    assert outer(Tensor([3.0])).asnumpy().tolist() == [6.0]


def test_arguments_may_have_any_name() -> None:
    class Named(nn.Cell):
        def __init__(self, box: float, cls: float) -> None:
            super().__init__()
            self.weights = (box, cls)

        def construct(self, x: Any, cls: float = 1.0, fn: float = 1.0, function: float = 1.0) -> Any:
            return x * cls * fn * function

    net = Named(box=1.0, cls=2.0)
    assert net.weights == (1.0, 2.0)
    assert net(Tensor([1.0]), cls=2.0, fn=3.0, function=4.0).asnumpy().tolist() == [24.0]
    assert ms.recompute(net, Tensor([1.0]), cls=2.0, fn=3.0, function=4.0).asnumpy().tolist() == [24.0]


class _Slots(nn.Cell):
    __slots__ = ("k", "late", "w")

    def __init__(self) -> None:
        super().__init__()
        self.k = 3
        self.w = Parameter(Tensor([1.0, 2.0]))

    def construct(self, x):
        return x * self.w + self.k


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_names_of_slots(mode: int) -> None:
    """Such as MindChemistry's tensor products."""
    ms.set_context(mode=mode)
    net = _Slots()
    assert [param.name for param in net.trainable_params()] == ["w"]
    assert net(Tensor([1.0, 1.0])).tolist() == [4.0, 5.0]
    net.k = 4
    assert net(Tensor([1.0, 1.0])).tolist() == [5.0, 6.0]
    assert not hasattr(net, "late")
    net.late = None
    with pytest.raises(KeyError, match="already exists"):
        net.late = Parameter(Tensor([1.0]))
    del net.w
    assert not hasattr(net, "w")


@pytest.mark.parametrize("name", ["modules", "children", "parameters", "buffers"])
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_names_of_torch_are_free(name: str, mode: int) -> None:
    """Such as RVRT's dictionary of cells, which keeps a list of `modules`."""
    ms.set_context(mode=mode)

    class Holder(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(2, 1, weight_init="ones", has_bias=False)
            setattr(self, name, ["a"])

        def construct(self, x: Any) -> Any:
            x = x * 1
            x[0, 0] = 1.0
            return self.dense(x)

    net, x, y = Holder(), Tensor([[1.0, 2.0]]), Tensor([[0.0]])
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    loss, (weight,) = ms.value_and_grad(lambda a: net(a).sum(), None, optimizer.parameters)(x)
    assert (loss.item(), weight.tolist()) == (3.0, [[1.0, 2.0]])
    step = nn.TrainOneStepCell(nn.WithLossCell(nn.SequentialCell(net), nn.MSELoss()), optimizer)
    assert step(x, y).item() == 9.0
    batches = ms.dataset.NumpySlicesDataset((np.ones((1, 2), np.float32), np.zeros((1, 1), np.float32))).batch(1)
    ms.Model(net, nn.MSELoss(), optimizer).train(1, batches)
    assert getattr(net, name) == ["a"]


def test_a_cell_may_grow_while_its_cells_are_listed() -> None:
    """`cambrian` replaces layers by their full names."""
    net = nn.SequentialCell(nn.SequentialCell(nn.Dense(1, 1), nn.Dense(1, 1)))
    for name, cell in net.cells_and_names():
        if isinstance(cell, nn.Dense):
            net._cells[name] = nn.ReLU()
    assert list(net._cells) == ["0", "0.0", "0.1"]


def test_a_convolution_knows_its_format_by_the_name_of_1_x() -> None:
    assert nn.Conv2d(1, 1, 1).format == nn.Conv1dTranspose(1, 1, 1).format == "NCHW"
    assert nn.Conv3d(1, 1, 1).format == "NCDHW"
