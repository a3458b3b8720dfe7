"""Fake quantization against its formulas in numpy and torch's own; no MindSpore runs it on a CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as mindspore
from mindspore_compat import Parameter, QuantDtype, Tensor, context, nn, ops
from mindspore_compat.nn.layer.quant import FakeQuantWithMinMaxObserver, quant_config_default

X = np.random.default_rng(0).normal(0, 3, (4, 3, 5)).astype(np.float32)


def rounded(
    x: np.ndarray, low: Any, high: Any, bits: int = 8, symmetric: bool = False, narrow: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The documented formulas, and where the gradient passes. A symmetric range has its zero halfway, by the formula
    and not by float32's rounding.
    """
    low, high, least, most = np.float32(low), np.float32(high), np.float32(narrow), np.float32(2**bits - 1)
    scale = 2 * np.maximum(high, np.abs(low)) / (most - least) if symmetric else (high - low) / (most - least)
    start = -np.maximum(high, np.abs(low)) if symmetric else low
    zero = (
        np.floor((least + most) / 2 + np.float32(0.5))
        if symmetric
        else np.floor(np.clip(least - start / scale, least, most) + 0.5)
    )
    bottom, top = (least - zero) * scale, (most - zero) * scale
    grid = np.floor((np.clip(x, bottom, top) - bottom) / scale + 0.5) * scale + bottom
    return grid, (x >= bottom) & (x <= top)


def gradient(cell: nn.Cell, x: np.ndarray) -> np.ndarray:
    return ops.GradOperation()(cell)(Tensor(x)).asnumpy()


@pytest.mark.parametrize("bits", [4, 7, 8])
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize(
    ("low", "high", "symmetric"),
    [(-6, 6, False), (-1.5, 3.25, False), (-1.5, 3.25, True), (0, 2.5, False), (-4.0, 0, False), (-4, 1, True)],
)
def test_values_and_gradients(bits: int, narrow: bool, low: float, high: float, symmetric: bool) -> None:
    cell = FakeQuantWithMinMaxObserver(
        low, high, quant_dtype=getattr(QuantDtype, f"INT{bits}"), symmetric=symmetric, narrow_range=narrow
    )
    expected, passes = rounded(X, low, high, bits, symmetric, narrow)
    assert np.allclose(cell(Tensor(X)).asnumpy(), expected, atol=1e-5)
    assert np.array_equal(gradient(cell, X), passes.astype(np.float32))
    assert cell(Tensor(np.zeros(3, np.float32))).asnumpy().tolist() == [0, 0, 0]


def test_the_documented_example() -> None:
    result = nn.FakeQuantWithMinMaxObserver()(Tensor(np.array([[1, 2, 1], [-2, 0, -1]], np.float32))).asnumpy()
    assert np.allclose(result, [[0.9882355, 1.9764705, 0.9882355], [-1.9764705, 0, -0.9882355]], atol=1e-6)


def test_torch_rounds_to_the_same_values() -> None:
    scale = 12 / 255
    theirs = torch.fake_quantize_per_tensor_affine(torch.tensor(X), scale, 128, 0, 255)
    assert np.allclose(FakeQuantWithMinMaxObserver()(Tensor(X)).asnumpy(), theirs.numpy(), atol=1e-5)
    cell = FakeQuantWithMinMaxObserver(
        [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0], per_channel=True, num_channels=3, symmetric=True, narrow_range=True
    )
    scales = torch.tensor([1.0, 2.0, 3.0]) * 2 / 254
    theirs = torch.fake_quantize_per_channel_affine(
        torch.tensor(X), scales, torch.full((3,), 128, dtype=torch.int32), 1, 1, 255
    )
    assert np.allclose(cell(Tensor(X)).asnumpy(), theirs.numpy(), atol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_range_for_each_channel(axis: int) -> None:
    count = X.shape[axis]
    low, high = [-1.0 - i for i in range(count)], [2.0 + i for i in range(count)]
    cell = FakeQuantWithMinMaxObserver(low, high, per_channel=True, channel_axis=axis, num_channels=count)
    parts = [rounded(np.take(X, i, axis), low[i], high[i]) for i in range(count)]
    assert np.allclose(cell(Tensor(X)).asnumpy(), np.stack([part[0] for part in parts], axis), atol=1e-5)
    assert np.array_equal(gradient(cell, X), np.stack([part[1] for part in parts], axis))
    cell = FakeQuantWithMinMaxObserver(per_channel=True, channel_axis=axis, num_channels=count).set_train()
    cell(Tensor(X))
    others = tuple(i for i in range(3) if i != axis % 3)
    assert np.allclose(cell.minq.asnumpy(), X.min(others)) and np.allclose(cell.maxq.asnumpy(), X.max(others))


@pytest.mark.parametrize("ema", [False, True])
def test_the_range_follows_the_data_in_training_and_holds_zero(ema: bool) -> None:
    cell = FakeQuantWithMinMaxObserver(-6, 6, ema=ema, ema_decay=0.75).set_train()
    low, high = -6.0, 6.0
    for x in (X, X * 0.1 + 5, X - 20):
        low, high = (0.25 * x.min() + 0.75 * low, 0.25 * x.max() + 0.75 * high) if ema else (x.min(), x.max())
        low, high = min(low, 0), max(high, 0)
        assert np.allclose(cell(Tensor(x)).asnumpy(), rounded(x, low, high)[0], atol=1e-4)
        assert np.allclose([cell.minq.asnumpy()[0], cell.maxq.asnumpy()[0]], [low, high], atol=1e-5)
    cell.set_train(False)
    cell(Tensor(X * 100))
    assert np.allclose(cell.maxq.asnumpy(), high, atol=1e-5)


def test_nothing_but_zeros_stays_zero() -> None:
    cell = FakeQuantWithMinMaxObserver().set_train()
    assert cell(Tensor(np.zeros((2, 2), np.float32))).asnumpy().tolist() == [[0, 0], [0, 0]]


def test_before_the_delay_the_input_passes_in_training() -> None:
    cell = FakeQuantWithMinMaxObserver(quant_delay=2).set_train()
    x = Tensor(X)
    changed = [not np.array_equal(cell(x).asnumpy(), X) for _ in range(4)]
    assert changed == [False, False, True, True]
    fresh = FakeQuantWithMinMaxObserver(quant_delay=2)
    assert not np.array_equal(fresh(x).asnumpy(), X)


def test_half_precision_stays() -> None:
    result = FakeQuantWithMinMaxObserver()(Tensor(X.astype(np.float16)))
    assert result.dtype == mindspore.float16
    assert np.allclose(result.asnumpy(), rounded(X.astype(np.float16), -6, 6)[0], atol=4e-3)


def learned(x: np.ndarray, top: float, bits: int, cut: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and gradients of the input and of maxq, as documented."""
    count, least = 2.0 ** (bits if cut else bits - 1) - 1, 0.0 if cut else -1.0
    share = x.astype(np.float64) / top
    grid = np.floor(np.clip(share, least, 1) * count + 0.5) / count
    inside = (share > least) & (share < 1)
    return grid * top, inside.astype(np.float64), np.where(inside, grid - share, np.where(share >= 1, 1.0, least))


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("bits", [4, 8])
def test_learned_scale(bits: int, cut: bool) -> None:
    cell = FakeQuantWithMinMaxObserver(
        -2,
        2,
        quant_dtype=getattr(QuantDtype, f"INT{bits}"),
        symmetric=True,
        narrow_range=not cut,
        neg_trunc=cut,
        mode="LEARNED_SCALE",
    ).set_train()
    value, dx, dmax = learned(X, 2.0, bits, cut)
    assert np.allclose(cell(Tensor(X)).asnumpy(), value, atol=1e-5)
    found = ops.GradOperation(get_all=True, get_by_list=True)(cell, [cell.maxq])(Tensor(X))
    assert np.allclose(found[0][0].asnumpy(), dx) and np.allclose(found[1][0].asnumpy(), dmax.sum(), atol=1e-3)
    assert cell.minq.asnumpy().tolist() == [0.0 if cut else -2.0] and [p.name for p in cell.trainable_params()] == [
        "minq",
        "maxq",
    ]
    cell.reset(QuantDtype.INT4, -1, 1)
    assert np.allclose(cell(Tensor(X)).asnumpy(), learned(X, 1.0, 4, cut)[0], atol=1e-5)


def test_names_in_a_network_and_partial_constructors() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.fake = quant_config_default.weight.partial_init(max_init=3)(ema=True)

    net = Net()
    assert [p.name for p in net.get_parameters()] == ["fake.minq", "fake.maxq"] and not net.trainable_params()
    assert (
        net.fake.max_init == 3
        and net.fake.ema
        and "ema=True(0.999)" in str(net)
        and isinstance(net.fake.minq, Parameter)
    )


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_training_with_it(mode: int, request: pytest.FixtureRequest) -> None:
    """Both modes: the range moves in every step, also in those that are replayed."""
    before = context.get_context("mode")
    request.addfinalizer(lambda: context.set_context(mode=before))
    context.set_context(mode=mode)
    rng = np.random.default_rng(1)
    net = nn.SequentialCell(
        FakeQuantWithMinMaxObserver(-4, 4, ema=True, ema_decay=0.5, quant_delay=3),
        nn.Dense(3, 1, weight_init="ones", bias_init="zeros"),
    )
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.01)).set_train()
    low, high, weight, bias = -4.0, 4.0, np.ones(3), 0.0
    for i in range(12):
        x = rng.normal(0, 1, (8, 3)).astype(np.float32)
        found = float(step(Tensor(x), Tensor(np.zeros((8, 1), np.float32))))
        low, high = 0.5 * low + 0.5 * min(x.min(), 0), 0.5 * high + 0.5 * max(x.max(), 0)
        q = rounded(x, low, high)[0] if i >= 3 else x
        y = q @ weight + bias
        assert found == pytest.approx((y**2).mean(), rel=1e-4)
        weight, bias = weight - 0.01 * 2 * (y @ q) / 8, bias - 0.01 * 2 * y.mean()


@pytest.mark.parametrize(
    ("kwargs", "error"),
    [
        ({"min_init": 6}, ValueError),
        ({"mode": "LEARNED_SCALE"}, ValueError),
        ({"quant_dtype": QuantDtype.INT3}, ValueError),
    ],
)
def test_wrong_arguments(kwargs: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        FakeQuantWithMinMaxObserver(**kwargs)
