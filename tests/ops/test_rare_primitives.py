"""Operators that few programs use: steps of AdaFactor as the oracle takes them, one step of an LSTM, dumped gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, ops
from mindspore_compat.ops import operations as P
from tests.support.oracle import run_oracle

#: what both libraries run: Parameters after two steps for the flags and the shape
STEPS = """
def steps(ms, P, np, flags, shape, norm):
    Tensor, rng = ms.Tensor, np.random.RandomState(0)
    of = lambda values, name: ms.Parameter(Tensor(np.array(values, np.float32)), name=name)
    state = [
        of(rng.randn(*shape), "param"), of(np.full(shape, 0.1), "avg"), of(np.full(shape[:-1] or (1,), 0.2), "row"),
        of(np.full(shape[:-2] + shape[-1:], 0.3), "col"), of(np.full(shape, 0.4), "whole"),
    ]
    scalars = [Tensor([1e-30, 1e-3], ms.float32)] + [Tensor(x, ms.float32) for x in (0.8, 0.9, 0.99, 0.01, 0.1)]
    op = (P.FusedAdaFactorWithGlobalNorm if norm else P.FusedAdaFactor)(*flags)
    for _ in range(2):
        gradient = Tensor(rng.randn(*shape).astype(np.float32))
        out = op(*scalars, gradient, *state, *([Tensor(2.0, ms.float32)] if norm else []))
    out = out[0] if isinstance(out, (tuple, list)) else out
    return [item.asnumpy().tolist() for item in (*state, out)]
"""
CASES = [
    ([scales, moment, decays], shape, norm)
    for scales, moment, decays in ([False] * 3, [True, False, False], [False, True, False], [True, True, True])
    for shape in ([2, 3], [5], [2, 3, 4])
    for norm in (False, True)
]


def ours(case: Any) -> Any:
    names: dict[str, Any] = {}
    exec(STEPS, names)
    flags, shape, norm = case
    return names["steps"](ms, P, np, flags, tuple(shape), norm)


@pytest.mark.oracle
def test_ada_factor_is_the_oracles() -> None:
    found = run_oracle(
        f"{STEPS}\nimport numpy as np, mindspore as ms\nfrom mindspore.ops import operations as P\n"
        f"give([steps(ms, P, np, flags, tuple(shape), norm) for flags, shape, norm in {CASES!r}])"
    )
    for case, expected in zip(CASES, found, strict=True):
        for name, one, other in zip(("param", "avg", "row", "col", "whole", "out"), ours(case), expected, strict=True):
            assert np.allclose(one, other, rtol=2e-5, atol=1e-6), (case, name)


def test_ada_factor_by_its_formula() -> None:
    rng = np.random.RandomState(1)
    x, g = rng.randn(4), rng.randn(4)
    param, whole = Parameter(Tensor(x, ms.float32), name="x"), Parameter(Tensor(np.ones(4), ms.float32), name="v")
    others = [Parameter(Tensor(np.zeros(n), ms.float32), name=f"o{n}") for n in (4, 1, 4)]
    scalars = [Tensor(v, ms.float32) for v in ([1e-30, 1e-3], 1.0, 0.0, 0.9, 0.0, 0.5)]
    P.FusedAdaFactor()(*scalars, Tensor(g, ms.float32), param, *others, whole)
    second = 0.9 + 0.1 * g**2
    update = g / np.sqrt(second)
    update /= max(1, np.sqrt(np.mean(update**2)))
    assert np.allclose(whole.asnumpy(), second, rtol=1e-5)
    assert np.allclose(param.asnumpy(), x - 0.5 * update, rtol=1e-5, atol=1e-6)


def test_basic_lstm_cell_is_torchs_step() -> None:
    rng = np.random.RandomState(2)
    x, h, c, w, b = (rng.randn(*shape).astype(np.float32) for shape in ((2, 3), (2, 4), (2, 4), (7, 16), (16,)))
    found = P.BasicLSTMCell(forget_bias=0.5)(*map(Tensor, (x, h, c, w, b)))
    cell = torch.nn.LSTMCell(3, 4)
    order = [0, 2, 1, 3]  # torch: i, f, g, o
    bias = b.copy()
    bias[8:12] += 0.5
    gates = lambda values: torch.tensor(np.concatenate([np.split(values, 4, -1)[place] for place in order], -1))
    with torch.no_grad():
        cell.weight_ih.copy_(gates(w[:3]).T)
        cell.weight_hh.copy_(gates(w[3:]).T)
        cell.bias_ih.copy_(gates(bias))
        cell.bias_hh.zero_()
        hidden, state = cell(torch.tensor(x), (torch.tensor(h), torch.tensor(c)))
    assert np.allclose(found[0].asnumpy(), state.numpy(), rtol=1e-5, atol=1e-6)
    assert found[1].dtype == ms.float16 and np.allclose(found[1].asnumpy(), hidden.numpy(), atol=2e-3)
    i, j, f, o, shown = (item.asnumpy() for item in found[2:])
    assert np.allclose(f * c + i * j, found[0].asnumpy(), atol=1e-6)
    assert np.allclose(o * shown, hidden.numpy(), atol=1e-5)
    with pytest.raises(NotImplementedError, match="keep_prob"):
        P.BasicLSTMCell(keep_prob=0.5)
    with pytest.raises(ValueError, match="activation"):
        P.BasicLSTMCell(activation="relu")


def test_dumped_gradients(tmp_path: Path) -> None:
    dump = ops.DumpGradient()
    path = str(tmp_path / "x.npy")
    gradients = ms.grad(lambda x, y: dump(path, x, "out") * y, (0, 1))(Tensor(1.0), Tensor(2.0))
    assert [float(item) for item in gradients] == [2, 1]
    assert np.load(path) == 2


def test_3d_upsampling_with_the_sizes_in_the_constructor() -> None:
    """MindSpore 1.9; `BCS-NET` resizes so."""
    x = ms.Tensor(np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2))
    trilinear = ops.UpsampleTrilinear3D(output_size=[3, 2, 2], align_corners=True)(x)
    np.testing.assert_allclose(trilinear.asnumpy()[0, 0, 1], [[2, 3], [4, 5]])
    assert np.array_equal(ops.UpsampleTrilinear3D([3, 2, 2], None, True)(x).asnumpy(), trilinear.asnumpy())
    assert ops.UpsampleNearest3D(scales=[1.0, 1.0, 2.0])(x).asnumpy()[0, 0, 0].tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]
    assert ops.UpsampleNearest3D()(x, (2, 2, 4), None).shape == (1, 1, 2, 2, 4)


def test_gamma_broadcasts_its_shape() -> None:
    """The shapes of MindSpore's documentation and its test on Ascend; `RandomGamma` appends alpha's."""
    alpha = Tensor([[3, 4], [5, 6]], ms.float32)
    for beta in ([1.0], [1.0, 2.0], [[1.0], [2.0]]):
        assert ops.gamma((3, 1, 2), alpha, Tensor(beta), seed=5).shape == (3, 2, 2)
    assert P.Gamma()((3, 1, 2), ops.ones((3, 2, 1)), ops.ones(1)).shape == (3, 2, 2)
    assert P.RandomGamma()(Tensor([3, 1], ms.int32), alpha).shape == (3, 1, 2, 2)


def test_euclidean_norm_keeps_the_dtype() -> None:
    whole = P.EuclideanNorm()(Tensor([[3, 4], [100, 60]], ms.int8), Tensor([1]))
    assert whole.dtype == ms.int8 and whole.asnumpy().tolist() == [5, 116]
    complex_norm = P.EuclideanNorm(True)(Tensor(np.array([[3 + 4j, 12]], np.complex64)), Tensor([1]))
    assert complex_norm.dtype == ms.complex64 and complex_norm.asnumpy().tolist() == [[13]]


@pytest.mark.parametrize("name", ["ScatterMax", "ScatterMin", "ScatterUpdate"])
def test_each_scattered_update_gets_the_gradient_of_its_place(name: str) -> None:
    """Chosen or not, as in MindSpore 2.10."""
    variable = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(3, 2)), name="x")
    updates = Tensor([[1, 2], [3, 0.5], [1, np.inf]], ms.float32)
    dout = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    total = ms.grad(lambda u: (getattr(P, name)()(variable, Tensor([0, 0, 2], ms.int32), u) * Tensor(dout)).sum())
    found = total(updates)
    assert found.asnumpy().tolist() == dout[[0, 0, 2]].tolist()
    expected = {"ScatterMax": [[3, 2], [2, 3], [4, np.inf]], "ScatterMin": [[0, 0.5], [2, 3], [1, 5]]}
    assert variable.asnumpy().tolist() == expected.get(name, [[3, 0.5], [2, 3], [1, np.inf]])


def test_ormqr_takes_fewer_factors_than_vectors() -> None:
    """The numbers of MindSpore's test on a GPU."""
    x = np.array([[-114.6, 10.9, 1.1], [-0.304, 38.07, 69.38], [-0.45, -0.17, 62]])
    other = np.array([[15.5862, 10.6579, 63.8084], [0.1885, -10.0553, 4.4496]])
    found = P.Ormqr(False, False)(Tensor(x), Tensor(np.array([15.5862, 10.6579])), Tensor(other)).asnumpy()
    expected = [[270.6946003, 553.6791758, -156.4879992], [-19.1850094, 64.0901946, 1.5641681]]
    np.testing.assert_allclose(found, expected, 1e-5)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float16])
def test_dilation_of_integers(dtype: Any) -> None:
    image, kernel = Tensor(np.ones((1, 1, 4, 4), dtype)), Tensor(np.ones((1, 2, 2), dtype))
    found = P.Dilation2D(1, 1)(image, kernel).asnumpy()
    assert found.dtype == dtype and np.array_equal(found, np.full((1, 1, 4, 4), 2))


def test_statistics_of_instance_norm_are_flat() -> None:
    x = np.random.RandomState(0).randn(2, 3, 4, 5).astype(np.float16)
    states = [Parameter(ops.ones(3), name=name) for name in ("gamma", "beta", "mean", "variance")]
    _, mean, variance = P.InstanceNorm()(Tensor(x), *states)
    assert mean.dtype == variance.dtype == ms.float32
    np.testing.assert_allclose(mean.asnumpy(), x.astype(np.float32).mean((2, 3)).ravel(), atol=1e-6)
    np.testing.assert_allclose(variance.asnumpy(), x.astype(np.float32).var((2, 3)).ravel(), atol=1e-6)
