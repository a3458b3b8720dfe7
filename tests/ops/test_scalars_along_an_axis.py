"""Operators along an axis refuse a Tensor without axes, as real MindSpore's do; ``mint`` takes it, as torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mindspore_compat import Tensor, mint, nn, ops
from tests.support.oracle import run_both

CALLS: dict[str, type[Exception]] = {
    "ops.softmax(x)": ValueError,
    "ops.softmax(x, 0)": ValueError,
    "ops.Softmax()(x)": ValueError,
    "ops.Softmax((0,))(x)": ValueError,
    "nn.Softmax()(x)": ValueError,
    "nn.Softmin()(x)": ValueError,
    "ops.softmin(x)": ValueError,
    "ops.log_softmax(x)": RuntimeError,
    "ops.LogSoftmax()(x)": RuntimeError,
    "nn.LogSoftmax()(x)": RuntimeError,
    "ops.cumsum(x, 0)": ValueError,
    "ops.cumprod(x, 0)": ValueError,
    "ops.logcumsumexp(x, 0)": ValueError,
    "ops.flip(x, (0,))": ValueError,
    "ops.unstack(x)": ValueError,
    "ops.unbind(x)": ValueError,
}


def _call(text: str) -> Callable[[], Any]:
    return lambda: eval(text, {"ops": ops, "nn": nn, "mint": mint, "x": Tensor(1.0)})


@pytest.mark.parametrize("text", CALLS)
def test_a_scalar_is_refused(text: str) -> None:
    with pytest.raises(CALLS[text], match="the rank of 'x' must be greater than or equal to 1, but got 0") as caught:
        _call(text)()
    assert type(caught.value) is CALLS[text]


@pytest.mark.parametrize("text", ["mint.cumsum(x, 0)", "mint.flip(x, ())", "mint.softmax(x, 0)"])
def test_mint_takes_a_scalar(text: str) -> None:
    assert _call(text)().shape == ()


PROGRAM = """
import mindspore as ms
from mindspore import Tensor, nn, ops
ms.set_context(pynative_synchronize=True)  # else a real error may show at the next call
x = Tensor(1.0, ms.float32)
found = {}
for text in %r:
    try:
        str(eval(text))
        found[text] = "taken"
    except Exception as error:
        found[text] = type(error).__name__
give(found)
"""


@pytest.mark.oracle
def test_real_mindspore_refuses_them_too() -> None:
    ours, real = run_both(PROGRAM % list(CALLS))
    assert ours == real == {text: error.__name__ for text, error in CALLS.items()}
