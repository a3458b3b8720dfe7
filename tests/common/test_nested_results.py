"""Results whose tuples share their parts: each part is walked once."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mindspore_compat import Tensor, nn
from mindspore_compat._tensor.wrapping import wrap


def doubled(x: Any, levels: int = 200, kind: type = tuple) -> Any:
    for _ in range(levels):
        x = {"a": x, "b": x} if kind is dict else kind((x, x))
    return x


@pytest.mark.parametrize("kind", [tuple, list, dict])
def test_each_part_is_wrapped_once_and_stays_shared(kind: type) -> None:
    found = wrap(doubled(torch.ones(2).as_subclass(Shown), 200, kind))
    for _ in range(200):
        first, second = found.values() if kind is dict else found
        assert first is second
        found = first
    assert type(found) is Shown


class Shown(torch.Tensor):
    """A user's class, which no result changes."""


def test_what_becomes_a_new_tuple_stays_shared() -> None:
    class Pair(tuple):
        __slots__ = ()

    found = wrap(doubled(torch.ones(2), 200, Pair))
    assert type(found) is tuple and found[0] is found[1]
    for _ in range(200):
        found = found[0]
    assert type(found) is Tensor


def test_a_cell_may_return_it() -> None:
    class Doubling(nn.Cell):
        def construct(self, x: Any) -> Any:
            return doubled(x)

    x = Tensor([1.0])
    found = Doubling()(x)
    assert found[0] is found[1]


def test_equal_tuples_are_not_taken_for_one() -> None:
    a, b = torch.ones(1), torch.zeros(1)
    assert [[float(item) for item in part] for part in wrap([(a, b), (b, a), (a, b)])] == [[1, 0], [0, 1], [1, 0]]
