"""`ops.operations._quant_ops`: the formulas of docs/quant.md; no kernel of upstream runs on a CPU."""

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.common.dtype import QuantDtype
from mindspore_compat.ops.operations import FakeQuantParam, _quant_ops

X = Tensor([[-3.0, -0.26, 0.0, 0.26], [0.74, 1.9, 2.6, 9.0]], ms.float32)
STEP = Tensor([0], ms.int32)


def _range(low: float, high: float, count: int = 1) -> tuple[Tensor, Tensor]:
    return Tensor([low] * count, ms.float32), Tensor([high] * count, ms.float32)


def test_attributes_of_a_parameter_of_quantization() -> None:
    """As real MindSpore 2.10 lists them."""
    param = FakeQuantParam.linear_quant_param(QuantDtype.INT8, 2.0, 2)
    assert (param.attrs["quant_dtype"], param.attrs["is_per_channel"]) == (7, False)
    assert param.attrs[FakeQuantParam.attr_key_linear_quant_scale] == [2.0]
    assert param.attrs[FakeQuantParam.attr_key_linear_quant_zero_point] == [2]
    np.testing.assert_array_equal(param(X).asnumpy(), X.asnumpy())


def test_rounding_and_its_gradient() -> None:
    """Four bits between -1 and 6.5 are half a unit apart; outside of them the gradient is 0."""
    operator = _quant_ops.FakeQuantPerLayer(num_bits=4)
    found = operator(X, *_range(-1, 6.5)).asnumpy()
    np.testing.assert_allclose(found, [[-1, -0.5, 0, 0.5], [0.5, 2, 2.5, 6.5]])
    gradient = ms.grad(lambda x: operator(x, *_range(-1, 6.5)).sum())(X)
    assert gradient.asnumpy().tolist() == [[0, 1, 1, 1], [1, 1, 1, 0]]


def test_each_channel_has_its_own_grid() -> None:
    low, high = Tensor([-1.0, -2.0], ms.float32), Tensor([6.5, 13.0], ms.float32)
    found = _quant_ops.FakeQuantPerChannel(num_bits=4, channel_axis=0)(X, low, high).asnumpy()
    np.testing.assert_allclose(found, [[-1, -0.5, 0, 0.5], [1, 2, 3, 9]])


def test_rounding_begins_after_some_calls() -> None:
    operator = _quant_ops.FakeQuantPerLayer(num_bits=4, quant_delay=2)
    changed = [not np.array_equal(operator(X, *_range(-1, 6.5)).asnumpy(), X.asnumpy()) for _ in range(4)]
    assert changed == [False, False, True, True]


def test_ranges_follow_the_data() -> None:
    low, high = _quant_ops.MinMaxUpdatePerLayer()(X, *_range(-6, 6))
    assert (low.asnumpy().tolist(), high.asnumpy().tolist()) == ([-3.0], [9.0])
    low, high = _quant_ops.MinMaxUpdatePerLayer(ema=True, ema_decay=0.75)(X, *_range(-7, 1))
    assert (low.asnumpy().tolist(), high.asnumpy().tolist()) == ([-6.0], [3.0])
    low, high = _quant_ops.MinMaxUpdatePerChannel(channel_axis=0)(X, *_range(-6, 6, 2))
    np.testing.assert_allclose([low.asnumpy(), high.asnumpy()], [[-3, 0], [0.26, 9]])


def test_a_learned_scale_has_a_gradient() -> None:
    operator = _quant_ops.FakeLearnedScaleQuantPerLayer()
    alpha, count = Tensor([2.0], ms.float32), Tensor([4.0], ms.float32)
    np.testing.assert_allclose(operator(X, alpha, count).asnumpy(), [[-2, -0.5, 0, 0.5], [0.5, 2, 2, 2]])
    found = ms.grad(lambda a: operator(X, a, count).sum())(alpha).asnumpy()
    moved = (-0.5 + 0.26) / 2 + (0.5 - 0.26) / 2 + (0.5 - 0.74) / 2 + (2 - 1.9) / 2
    np.testing.assert_allclose(found, [moved - 1 + 1 + 1], rtol=1e-5)


def test_learned_scales_by_channel_are_those_of_each_row() -> None:
    alpha, count = Tensor([2.0, 4.0], ms.float32), Tensor([4.0], ms.float32)
    found = _quant_ops.FakeLearnedScaleQuantPerChannel(channel_axis=0)(X, alpha, count).asnumpy()
    rows = [
        _quant_ops.FakeLearnedScaleQuantPerLayer()(X[place], alpha[place : place + 1], count).asnumpy()
        for place in range(2)
    ]
    np.testing.assert_allclose(found, rows)


def test_a_folded_batch_norm_is_one() -> None:
    """With the corrections of weights and sums: what a batch norm over the batch gives."""
    data = np.random.default_rng(0).normal(size=(4, 2, 3, 3)).astype(np.float32)
    x, ones = Tensor(data), np.ones(2, np.float32)
    mean, variance = ms.Parameter(Tensor(0 * ones)), ms.Parameter(Tensor(ones))
    beta, gamma = Tensor(0.5 * ones), Tensor(2 * ones)
    fold = _quant_ops.BatchNormFold(momentum=0.9, epsilon=1e-5, freeze_bn=10)
    batch_mean, batch_std, running_mean, running_std = fold(x, mean, variance, STEP)
    weight = _quant_ops.CorrectionMul()(Tensor(np.ones((2, 1), np.float32)), gamma, running_std)
    scaled = x * weight.reshape(1, 2, 1, 1)
    found = _quant_ops.BatchNormFold2(freeze_bn=10)(
        scaled, beta, gamma, batch_std, batch_mean, running_std, running_mean, STEP
    )
    axes = (0, 2, 3)
    center, spread = data.mean(axes, keepdims=True), data.var(axes, keepdims=True)
    expected = 2 * (data - center) / np.sqrt(spread + 1e-5) + 0.5
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(mean.asnumpy(), 0.1 * data.mean(axes), rtol=1e-5)
    np.testing.assert_allclose(variance.asnumpy(), 0.9 + 0.1 * data.var(axes, ddof=1), rtol=1e-5)
    frozen = _quant_ops.BatchNormFold(freeze_bn=0)(x, mean, variance, STEP)
    assert (frozen[0].asnumpy().tolist(), frozen[1].asnumpy().tolist()) == ([0, 0], [1, 1])
