"""Operators along an axis refuse a Tensor without axes, as real MindSpore's do; ``mint`` takes it, as torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mindspore_compat import Tensor, mint, nn, ops


def _call(text: str) -> Callable[[], Any]:
    return lambda: eval(text, {"ops": ops, "nn": nn, "mint": mint, "x": Tensor(1.0)})


@pytest.mark.parametrize("text", ["mint.cumsum(x, 0)", "mint.flip(x, ())", "mint.softmax(x, 0)"])
def test_mint_takes_a_scalar(text: str) -> None:
    assert _call(text)().shape == ()
