"""Strategies of mixed precision against real MindSpore's dtypes, and what they do to gradients and networks."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.train import amp
from tests.support.oracle import run_both

PROGRAM = """
import json, sys
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.train import amp
x = Tensor(np.ones((2, 2), "float32"))
half = x.astype(ms.float16)
norm = nn.BatchNorm1d(2).set_train()
calls = {
    "matmul": lambda: ops.MatMul()(x, x), "exp": lambda: ops.exp(half),
    "Exp": lambda: ops.Exp()(half), "add": lambda: x + x, "mixed add": lambda: ops.add(x, half),
    "relu": lambda: ops.relu(x), "norm": lambda: norm(x), "softmax": lambda: ops.softmax(half),
    "concat": lambda: ops.cat((x, x)), "sum": lambda: ops.ReduceSum()(x), "integer": lambda: ops.add(Tensor([1]), 1),
}
found = {}
for level in (amp.AmpLevel.AmpO0, amp.AmpLevel.AmpO1, amp.AmpLevel.AmpO2, amp.AmpLevel.AmpO3, amp.AmpLevel.AmpAuto):
    for black in ("Exp", "BatchNorm"):
        with amp.AmpDecorator(level, ms.float16, [("MatMul", []), ("Dense", [])], [(black, [])]):
            results = {name: call() for name, call in calls.items()}
        for name, result in results.items():
            found[f"{level.name} {black} {name}"] = str(result.dtype).split(".")[-1].lower()
give(found)
"""


@pytest.mark.oracle
def test_dtypes_are_those_of_real_mindspore() -> None:
    ours, theirs = run_both(PROGRAM)
    assert ours == theirs


def test_gradients_pass_the_casts_in_float32() -> None:
    weight = ms.Parameter(Tensor(np.ones((2, 3), "float32")), name="w")
    x = Tensor(np.full((4, 2), 0.1, "float32"))

    def forward(x: Tensor) -> Tensor:
        with amp.AmpDecorator(amp.AmpLevel.AmpAuto, ms.float16, [("MatMul", [])], [("ReduceSum", [])]):
            product = ops.matmul(x, weight)
            assert product.dtype is ms.float16
            return ops.ReduceSum()(product)

    value, (gradient,) = ms.value_and_grad(forward, None, [weight])(x)
    assert value.dtype is ms.float32 and gradient.dtype is ms.float32
    np.testing.assert_allclose(gradient.asnumpy(), np.full((2, 3), 0.4), rtol=1e-3)


def test_the_last_strategy_counts_and_ends() -> None:
    x = Tensor(np.ones((2, 2), "float32"))
    amp.push_amp_strategy(amp.AmpLevel.AmpO3, ms.float16, [], [])
    amp.push_amp_strategy(amp.AmpLevel.AmpO3, ms.bfloat16, [], [])
    assert ops.matmul(x, x).dtype is ms.bfloat16
    amp.pop_amp_strategy()
    assert ops.matmul(x, x).dtype is ms.float16
    amp.pop_amp_strategy()
    assert ops.matmul(x, x).dtype is ms.float32
    amp.pop_amp_strategy()
    strategy = amp.create_amp_strategy(amp.AmpLevel.AmpO1, ms.float16, [("MatMul", [0])], [])
    assert (strategy.get_amp_level(), strategy.get_white_list()) == (amp.AmpLevel.AmpO1, [("MatMul", [0])])


def test_auto_follows_its_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    x = Tensor(np.ones((2, 2), "float32"))

    class Net(nn.Cell):
        def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return ops.matmul(x, x), ops.relu(x)

    def dtypes() -> list[object]:
        return [item.dtype for item in amp.auto_mixed_precision(Net(), "auto")(x)]

    assert dtypes() == [ms.float16, ms.float32]
    relu = next(item for item in amp.AMP_WHITE_LIST if item.__name__ == "ReLU")
    monkeypatch.setattr(amp, "AMP_AUTO_WHITE_LIST", [relu])
    assert dtypes() == [ms.float32, ms.float16]


def test_amp_cast_leaves_what_is_no_float() -> None:
    assert amp.amp_cast(Tensor([1.0]), ms.float16).dtype is ms.float16
    assert amp.amp_cast(Tensor([1]), ms.float16).dtype is ms.int64 and amp.amp_cast(3, ms.float16) == 3
