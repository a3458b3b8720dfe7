"""What compiled code takes of Parameters and gives to the program, and who sees what it writes to them: as real
MindSpore 2.10 in GRAPH_MODE.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from tests.common.test_shared_memory import ON_CPU, ONES, loaded_from, numbers, zeros
from tests.graph.replaying import replays

TAKES: dict[str, Callable[[Parameter], Any]] = {
    "a row": lambda p: p[0],
    "the last row": lambda p: p[-1],
    "a new axis": lambda p: p[None],
    "reshape": lambda p: p.reshape(-1),
    "view": lambda p: p.view(3, 2),
    "reshape's elements": lambda p: p.reshape(-1)[0:2],
    "Reshape": lambda p: ops.Reshape()(p, (-1,)),
    "T": lambda p: p.T,
    "swapaxes": lambda p: p.swapaxes(0, 1),
    "stop_gradient": ops.stop_gradient,
    "expand_dims": lambda p: ops.expand_dims(p, 0),
    "squeeze": lambda p: p.squeeze(),
    "broadcast_to": lambda p: ops.broadcast_to(p, (2, 3)),
    "narrow": lambda p: p.narrow(0, 0, 1),
    "strided_slice": lambda p: ops.strided_slice(p, (0, 0), (1, 3), (1, 1)),
    "split": lambda p: list(ops.split(p, 1)),
    "in a dict": lambda p: {"row": (1, p[1])},
    "value": lambda p: p.value(),
}
WRITES: dict[str, Callable[[nn.Cell, Tensor], Any]] = {
    "assign": lambda cell, v: ops.assign(cell.p, v),
    "assign_add": lambda cell, v: ops.assign_add(cell.p, v),
    "Assign": lambda cell, v: ops.Assign()(cell.p, v),
    "attribute": lambda cell, v: setattr(cell, "p", v),
    "set_data": lambda cell, v: cell.p.set_data(v),
    "assign_value": lambda cell, v: cell.p.assign_value(v),
    "scatter_update": lambda cell, v: ops.scatter_update(cell.p, Tensor([0, 1]), v),
    "elements": lambda cell, v: cell.p.__setitem__((0, Ellipsis), v[0]),
    "add_": lambda cell, v: cell.p.add_(v),
    "optimizer": lambda cell, v: cell.optimizer((v,)),
}


class Taking(nn.Cell):
    """What compiled code takes of a Parameter that it then writes to. Compared with real 2.10, by whose scheduling
    ``p[0:1]`` and ``p[:, 0]`` alone see what is written later (docs/differences.md).
    """

    def __init__(self, take: Callable[[Parameter], Any], write: Callable[[nn.Cell, Tensor], Any]) -> None:
        super().__init__()
        self.p = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), name="p")
        self.take, self.write = take, write
        self.optimizer = nn.SGD([self.p], 1.0)

    def construct(self, v: Tensor) -> Any:
        taken = self.take(self.p)
        self.write(self, v)
        return taken


@pytest.mark.parametrize(
    ("take", "write"),  # torch refuses writes in place beside parts of one split
    [pair for pair in product(TAKES, WRITES) if pair not in (("split", "add_"), ("split", "elements"))],
)
def test_what_compiled_code_took_of_it_before_keeps_its_values(take: str, write: str) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    cell, v = Taking(TAKES[take], WRITES[write]), Tensor(np.full((2, 3), 7, np.float32))
    for _ in range(5):  # the cell holds an optimizer, so that it may be recorded
        before = numbers(TAKES[take](cell.p))
        assert numbers(cell(v)) == before
        assert cell.p.asnumpy()[0].tolist() != [0, 1, 2]


def test_what_it_took_is_found_in_a_list_that_holds_itself() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)

    class Listing(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.p = Parameter(zeros(), name="p")

        def construct(self) -> Any:
            items: list[Any] = [self.p[1]]
            items.append(items)
            ops.assign_add(self.p, ops.ones((2, 3)))
            return items[0]

    net = Listing()
    assert [net().asnumpy()[0] for _ in range(3)] == [0, 1, 2]


@ON_CPU
@pytest.mark.parametrize("write", [name for name in WRITES if name not in ("set_data", "assign_value")])
def test_who_looks_from_outside_sees_what_compiled_code_writes(write: str) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    cell, v = Taking(lambda p: p.sum(), WRITES[write]), Tensor(np.full((2, 3), 7, np.float32))
    looks = [cell.p.asnumpy(), cell.p.data, cell.p[:], loaded_from(cell.p)]
    for _ in range(2):
        cell(v)
        assert all(numbers(Tensor(look)) == numbers(cell.p) for look in looks)
        assert cell.p.asnumpy()[0].tolist() != [0, 1, 2]


def test_a_step_that_keeps_what_a_state_was() -> None:
    """In a training step, which would be recorded and replayed: its views would change with the Parameter then."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Moving(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(3, 1, weight_init="ones", has_bias=False)
            self.centre = Parameter(ops.zeros((1, 3)), name="centre", requires_grad=False)

        def construct(self, x: Any) -> Any:
            old = self.centre[0]
            ops.assign(self.centre, self.centre * 0.5 + x.mean(axis=0, keep_dims=True))
            return self.dense(x - old)

    net = Moving()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.L1Loss()), nn.SGD(net.dense.trainable_params(), 0.01))
    step.set_train()
    weight, centre = np.ones(3), np.zeros(3)
    for number in range(8):
        x = ONES * number + np.arange(3)
        loss = step(Tensor(x, ms.float32), ops.ones((2, 1)) * -1e4)
        np.testing.assert_allclose(loss.asnumpy(), 1e4 + ((x - centre) @ weight).mean(), 1e-6)
        weight -= 0.01 * (x - centre).mean(axis=0)
        centre = centre * 0.5 + x.mean(axis=0)
        np.testing.assert_allclose(net.dense.weight.asnumpy(), [weight], 1e-5)
    assert not replays(step)


GIVEN: dict[str, Callable[[nn.Cell, Tensor], Any]] = {
    "reshape": lambda cell, x: cell.p.reshape(-1),
    "row": lambda cell, x: cell.p[0],
    "T": lambda cell, x: cell.p.T,
    "split": lambda cell, x: ops.split(cell.p, 1),
    "in a tuple": lambda cell, x: (cell.p.reshape(-1), x),
    "in a dict": lambda cell, x: {"p": [cell.p[0], x[0]]},
    "broadcast_to": lambda cell, x: ops.broadcast_to(cell.p, (2, 3)),
    "input's reshape": lambda cell, x: x.reshape(-1),
    "input's row": lambda cell, x: x[0],
    "input twice": lambda cell, x: (x, x),
    "input's new axis": lambda cell, x: ops.expand_dims(x, 0),
    "of an inner Cell": lambda cell, x: nn.Flatten()(x)[0],
}


@pytest.mark.parametrize("how", ["cell", "hooked", "jit"])
@pytest.mark.parametrize("given", GIVEN)
def test_what_compiled_code_gives_is_its_own(given: str, how: str) -> None:
    """As real 2.10's results, which later steps leave alone; but for an input that is the whole result."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Giving(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.p = Parameter(Tensor(ONES), name="p")

        def construct(self, x: Tensor) -> Any:
            return GIVEN[given](self, x)

    net, x = Giving(), Tensor(ONES * 2)
    if how == "hooked":
        net.register_forward_hook(lambda cell, inputs, output: None)
    result = ms.jit(lambda x: GIVEN[given](net, x))(x) if how == "jit" else net(x)
    before = numbers(result)
    nn.SGD([net.p], 1.0)((ops.ones((2, 3)),))
    ops.assign(net.p, zeros())
    x[0] = 5.0
    assert numbers(result) == before
    first = result
    while not isinstance(first, Tensor):
        first = next(iter(first.values())) if isinstance(first, dict) else first[0]
    first[...] = 7.0
    assert net.p.asnumpy().max() == 0 and x.asnumpy().tolist() == [[5, 5, 5], [2, 2, 2]]


def test_compiled_code_gives_an_input_itself() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    x = Tensor(ONES)
    assert nn.Identity()(x) is x
