"""What `nn.CellDict` and `nn.CellList` take."""

from __future__ import annotations

from typing import Any

import pytest

from mindspore_compat import nn


@pytest.mark.parametrize("key", [".c", "a.b", ""])
def test_keys_that_are_refused(key: Any) -> None:
    cells = nn.CellDict()
    with pytest.raises(KeyError, match="empty or have a dot"):
        cells[key] = nn.ReLU()
    assert len(cells) == 0


@pytest.mark.parametrize("key", ["x-y", "_x", "forward", "eval", "type", "0", "relu"])
def test_keys_that_are_taken(key: str) -> None:
    cells = nn.CellDict()
    first, second = nn.ReLU(), nn.Tanh()
    cells[key] = first
    cells[key] = second
    assert cells[key] is second and list(cells) == [key]


def test_slices_of_a_cell_list_keep_names() -> None:
    cells = nn.CellList([nn.Dense(1, 1, has_bias=False) for _ in range(3)])
    assert [p.name for p in cells[1:].get_parameters()] == ["1.weight", "2.weight"]
    assert [p.name for p in cells.get_parameters()] == ["0.weight", "1.weight", "2.weight"]


def test_a_cell_that_a_network_gets_later_is_named_as_its_neighbours() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.heads = nn.CellDict({"a": nn.Dense(1, 1), "b": nn.Dense(1, 1)})

    net = Net()
    net.heads["c"] = nn.Dense(1, 1, has_bias=False)
    net.heads.update({"a": nn.Dense(1, 1, has_bias=False)})
    names = [parameter.name for parameter in net.get_parameters()]
    assert names == ["heads.a.weight", "heads.b.weight", "heads.b.bias", "heads.c.weight"]
