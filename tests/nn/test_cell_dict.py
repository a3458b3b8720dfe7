"""What `nn.CellDict` and `nn.CellList` refuse, as real MindSpore does."""

from __future__ import annotations

from typing import Any

import pytest

from mindspore_compat import nn


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (1, TypeError),
        (None, TypeError),
        ("_scope", KeyError),
        ("keys", KeyError),
        ("construct", KeyError),
        ("training", KeyError),
        (".c", KeyError),
        ("a.b", KeyError),
        ("", KeyError),
    ],
)
def test_keys_that_are_refused(key: Any, error: type[Exception]) -> None:
    cells = nn.CellDict()
    with pytest.raises(error, match="CellDict"):
        cells[key] = nn.ReLU()
    assert len(cells) == 0


@pytest.mark.parametrize("key", ["x-y", "_x", "forward", "eval", "type", "0", "relu"])
def test_keys_that_are_taken(key: str) -> None:
    cells = nn.CellDict()
    first, second = nn.ReLU(), nn.Tanh()
    cells[key] = first
    cells[key] = second
    assert cells[key] is second and list(cells) == [key]


@pytest.mark.parametrize(
    "make", [lambda: None, lambda: 1, nn.CellDict, nn.CellList, nn.SequentialCell, lambda: nn.ReLU]
)
def test_cells_that_are_refused(make: Any) -> None:
    for call in (lambda: nn.CellDict({"a": make()}), lambda: nn.CellDict().update([["a", make()]])):
        with pytest.raises(TypeError, match="For 'CellDict'"):
            call()


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        (3, TypeError, "iterable of key-value pairs, but got int"),
        (None, TypeError, "but got NoneType"),
        ([3], TypeError, "element #0 should be Iterable; but got int"),
        ([["a"]], ValueError, "has length 1"),
        ([["a", nn.ReLU(), 3]], ValueError, "has length 3"),
    ],
)
def test_what_update_refuses(given: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        nn.CellDict().update(given)
    with pytest.raises(error, match=told):
        nn.CellDict(given)


def test_a_list_of_cells_takes_no_dict_of_cells() -> None:
    for call in (lambda: nn.CellList([nn.CellDict()]), lambda: nn.CellList().extend([nn.ReLU(), nn.CellDict()])):
        with pytest.raises(TypeError, match="can not be CellDict"):
            call()
    cells = nn.CellList([nn.ReLU()])
    cells.append(nn.CellDict())
    assert len(cells) == 2 and isinstance(nn.SequentialCell(nn.CellDict())[0], nn.CellDict)


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
