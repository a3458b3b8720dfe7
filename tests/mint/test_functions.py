"""``mindspore.mint``'s functions: every row is called, and what real MindSpore's CPU runs gives the same."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, mint
from mindspore_compat.mint import _functions
from mindspore_compat.mint.nn import functional
from tests.mint import samples
from tests.support.oracle import run_oracle
from tests.support.processes import run_python

PROGRAM = Path(__file__).with_name("calls_program.py")
RANDOM = "bernoulli dropout dropout2d multinomial normal rand rand_like randint randint_like randn randn_like randperm"
#: rows that no sample calls, and where they are tested
ELSEWHERE = {
    **dict.fromkeys(RANDOM.split(), "test_random_functions_draw_from_the_seed"),
    **dict.fromkeys("addr_ elu_ hardtanh_ relu_ sigmoid_ threshold_".split(), "test_in_place"),
    **dict.fromkeys(
        "hardshrink hardsigmoid hardswish l1_loss mish selu smooth_l1_loss softplus softshrink".split(), ""
    ),
    **dict.fromkeys(("empty", "empty_like"), "test_empty"),
    **dict.fromkeys(
        ("batch_norm_elemt", "batch_norm_gather_stats_with_counts", "batch_norm_stats"), "torch has CUDA kernels only"
    ),
    "conv_tbc": "test_conv_tbc",
}
CALLS = [
    (module, name, arguments)
    for module, table in ((mint, samples.FUNCTIONS), (functional, samples.FUNCTIONAL))
    for name, calls in table.items()
    for arguments in calls
]


def test_every_row_is_called() -> None:
    missing = {*_functions.MADE, *functional.MADE} - {*samples.FUNCTIONS, *samples.FUNCTIONAL} - {*ELSEWHERE}
    assert not missing


def _plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_plain, value))
    return isinstance(value, (Tensor, bool))


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[1]}({call[2]})")
def test_it_gives_tensors(call: Any) -> None:
    module, name, arguments = call
    names = {**samples.names_of(ms), "function": getattr(module, name)}
    assert _plain(eval(f"function({arguments})", names))


def _same(real: Any, ours: Any) -> bool:
    if isinstance(real, tuple):
        return isinstance(ours, tuple) and len(real) == len(ours) and all(map(_same, real, ours))
    if not isinstance(real, np.ndarray):
        return real == ours
    if real.dtype != ours.dtype or real.shape != ours.shape:
        return False
    return (
        np.allclose(real, ours, 1e-4, 1e-5, equal_nan=True) if real.dtype.kind in "fc" else np.array_equal(real, ours)
    )


@pytest.mark.oracle
def test_what_real_mindspore_computes_is_the_same(tmp_path: Path) -> None:
    run_oracle(f"import runpy\nrunpy.run_path({str(PROGRAM)!r}, run_name='__main__')", "real.pkl", cwd=tmp_path)
    run = run_python("-m", "mindspore_compat", str(PROGRAM), "ours.pkl", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    real, ours = (pickle.loads((tmp_path / name).read_bytes()) for name in ("real.pkl", "ours.pkl"))
    compared = {name: value for name, value in real.items() if not isinstance(value, str)}
    assert len(compared) > 300
    assert [name for name, value in compared.items() if not _same(value, ours[name])] == []


def test_signatures_are_those_of_the_rows() -> None:
    assert str(inspect.signature(mint.std)) == "(input, dim=None, *, correction=1, keepdim=False)"
    with pytest.raises(TypeError):
        mint.abs()
    with pytest.raises(TypeError):
        mint.abs(2.0)


def test_gradients() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    found = ms.grad(lambda value: mint.sum(mint.mul(value, mint.nn.functional.softmax(value, 1))))(x)
    plain = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (plain * torch.softmax(plain, 1)).sum().backward()
    assert plain.grad is not None
    np.testing.assert_allclose(found.asnumpy(), plain.grad.numpy(), 1e-6)


def test_random_functions_draw_from_the_seed() -> None:
    calls: list[Any] = [
        lambda: mint.rand(2, 3),
        lambda: mint.rand((2, 3), dtype=ms.float64),
        lambda: mint.randn((4,)),
        lambda: mint.randint(0, 10, (5,)),
        lambda: mint.randperm(6),
        lambda: mint.normal(0.0, 1.0, (3,)),
        lambda: mint.normal(Tensor([1.0, 2.0]), 0.1),
        lambda: mint.bernoulli(Tensor([0.5] * 8)),
        lambda: mint.multinomial(Tensor([0.2, 0.8]), 2),
        lambda: mint.rand_like(Tensor([1.0, 2.0])),
        lambda: mint.randn_like(Tensor([1.0, 2.0])),
        lambda: mint.randint_like(Tensor([1.0, 2.0]), 5),
        lambda: mint.randint_like(Tensor([1, 2]), 2, 5),
        lambda: functional.MADE["dropout"](Tensor([1.0] * 16)),
        lambda: functional.MADE["dropout2d"](Tensor(np.ones((2, 3, 4, 4), np.float32))),
    ]
    for call in calls:
        ms.set_seed(3)
        first = call()
        ms.set_seed(3)
        assert type(first) is Tensor
        assert np.array_equal(first.asnumpy(), call().asnumpy())
    assert mint.rand(2, 3).shape == (2, 3)
    assert sorted(mint.randperm(6).asnumpy()) == list(range(6))


def test_in_place() -> None:
    for name, expected in (("relu_", 0.0), ("elu_", -0.6321205), ("sigmoid_", 0.26894143), ("hardtanh_", -1.0)):
        x = Tensor([-1.0])
        getattr(mint.nn.functional, name)(x)
        np.testing.assert_allclose(x.asnumpy(), [expected], 1e-6)
    x = Tensor([-1.0, 2.0])
    mint.nn.functional.threshold_(x, 0.0, 5.0)
    assert x.asnumpy().tolist() == [5.0, 2.0]
    x = Tensor([[1.0, 1.0]])
    mint.addr_(x, Tensor([2.0]), Tensor([3.0, 4.0]))
    assert x.asnumpy().tolist() == [[7.0, 9.0]]


def test_empty() -> None:
    assert mint.empty(2, 3).shape == (2, 3)
    assert mint.empty((2, 3), dtype=ms.int32).dtype is ms.int32
    assert mint.empty_like(Tensor([1, 2]), dtype=ms.float16).dtype is ms.float16


def test_one_further_result_of_unique_consecutive() -> None:
    x = Tensor([[1, 1], [1, 2], [2, 2]], ms.int32)
    _, places = mint.unique_consecutive(x, True)
    assert places.asnumpy().tolist() == [[0, 0], [0, 1], [1, 1]]
    _, counts = mint.unique_consecutive(x, return_counts=True)
    assert counts.asnumpy().tolist() == [3, 3]
    _, rows = mint.unique_consecutive(x, return_inverse=True, dim=0)
    assert rows.asnumpy().tolist() == [0, 1, 2]


def test_histc_and_floor_divide() -> None:
    counts = mint.histc(Tensor([1, 2, 1], ms.int32), 4, 0, 3)
    assert counts.asnumpy().tolist() == [0, 2, 1, 0]
    assert counts.dtype is ms.int32
    by_both = ms.grad(mint.floor_divide, (0, 1))(Tensor([1.0, 5.0]), Tensor([2.0, 2.0]))
    assert [item.asnumpy().tolist() for item in by_both] == [[0, 0], [0, 0]]


def test_conv_tbc() -> None:
    x, weight = torch.randn(5, 2, 3), torch.randn(3, 3, 4)
    expected = torch.conv_tbc(x, weight, torch.zeros(4), 1)
    found = mint.conv_tbc(Tensor(x.numpy()), Tensor(weight.numpy()), Tensor(np.zeros(4, np.float32)), 1)
    np.testing.assert_allclose(found.asnumpy(), expected.numpy(), 1e-5)


@pytest.mark.parametrize("call", ["mint.exp([1, 2.0])", "mint.add(x, 'a')", "mint.nn.functional.softmax('a', 0)"])
def test_another_kind_of_argument_is_refused(call: str) -> None:
    with pytest.raises((TypeError, AttributeError)):
        eval(call, {"mint": mint, "np": np, "x": ms.Tensor([1.0])})
