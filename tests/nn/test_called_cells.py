"""Which Cells a SequentialCell calls: a list beside its children, as real MindSpore 2.10 has it. The numbers are its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mindspore_compat as ms
from mindspore_compat import nn


class _Add(nn.Cell):
    def __init__(self, number: float) -> None:
        super().__init__()
        self.number = number

    def construct(self, x: Any) -> Any:
        return x + self.number


def _insert(net: Any) -> None:
    net.insert_child_to_cell("z", _Add(10.0))


def _attribute(net: Any) -> None:
    net.z = _Add(10.0)


def _same_name(net: Any) -> None:
    net.insert_child_to_cell("0", _Add(30.0))


def _exchange(net: Any) -> None:
    net._cells["0"] = _Add(20.0)


def _list(net: Any) -> None:
    net.cell_list = [_Add(7.0)]


def _all(net: Any) -> None:
    net.cell_list = list(net.cells())


def _of_list(net: Any) -> None:
    net.cell_list[0] = _Add(70.0)


def _append(net: Any) -> None:
    net.append(_Add(100.0))


def _item(net: Any) -> None:
    net[0] = _Add(3.0)


def _delete(net: Any) -> None:
    del net[0]


def _pop(net: Any) -> None:
    net._cells.pop("1")


_CHANGES: list[tuple[tuple[Callable[[Any], None], ...], float, int]] = [
    ((), 3.0, 2),
    ((_insert,), 3.0, 3),
    ((_attribute,), 3.0, 3),
    ((_same_name,), 3.0, 2),
    ((_exchange,), 3.0, 2),
    ((_list,), 7.0, 2),
    ((_all,), 3.0, 2),
    ((_of_list,), 72.0, 2),
    ((_append,), 103.0, 3),
    ((_item,), 5.0, 2),
    ((_delete,), 2.0, 1),
    ((_pop,), 3.0, 1),
    ((_pop, _all), 1.0, 1),
    ((_insert, _all), 13.0, 3),
    ((_insert, _append), 113.0, 4),
    ((_insert, _item), 15.0, 3),
    ((_attribute, _append), 113.0, 4),
    ((_append, _insert), 103.0, 4),
    ((_exchange, _append), 122.0, 3),
    ((_list, _append), 103.0, 3),
    ((_of_list, _append), 103.0, 3),
]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("changes, result, children", _CHANGES)
def test_only_its_own_methods_change_what_a_sequential_cell_calls(
    changes: tuple[Callable[[Any], None], ...], result: float, children: int, mode: int
) -> None:
    ms.set_context(mode=mode)
    net: Any = nn.SequentialCell([_Add(1.0), _Add(2.0)])
    for change in changes:
        change(net)
    assert float(net(ms.Tensor([0.0]))[0]) == result
    assert len(net) == len(list(net)) == children


def test_a_child_that_is_not_called_has_no_gradient() -> None:
    net: Any = nn.SequentialCell(nn.Dense(2, 2))
    net.insert_child_to_cell("more", nn.Dense(2, 2))
    names = [parameter.name for parameter in net.trainable_params()]
    _, grads = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(ms.ops.ones((1, 2)))
    assert len(names) == 4
    assert [bool((grad != 0).any()) for grad in grads] == [True, True, False, False]


def test_what_replaces_cells_for_the_program_has_them_called() -> None:
    net: Any = nn.SequentialCell(nn.Dense(2, 2), nn.BatchNorm1d(2))
    norm = net[1]
    ms.amp.auto_mixed_precision(net, "O2")
    assert net[1] is not norm
    assert net.cell_list == list(net.cells())
