"""Layers with rounded weights against their formulas in numpy's float64, and observers against torch.ao; no MindSpore
runs them on a CPU.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mindspore_compat import QuantDtype, Tensor, nn, ops
from mindspore_compat.compression.quant import create_quant_config
from mindspore_compat.nn.layer.quant import FakeQuantWithMinMax, FakeQuantWithMinMaxObserver, quant_config_default

RNG = np.random.default_rng(0)
X = RNG.normal(0, 1, (4, 3, 7, 6)).astype(np.float32)
# Narrow: of a symmetric range with an even number of values, the least one lies halfway between two, where float32's
# last bit decides.
PER_CHANNEL = create_quant_config(per_channel=(True, False), symmetric=(True, False), narrow_range=(True, False))


def quantized(
    x: np.ndarray, bits: int = 8, symmetric: bool = False, narrow: bool = False, channels: bool = False
) -> np.ndarray:
    """The documented formulas in float64, for the range of ``x`` itself."""
    x = x.astype(np.float64)
    axes = tuple(range(1, x.ndim)) if channels else None
    low, high = np.minimum(x.min(axes, keepdims=True), 0), np.maximum(x.max(axes, keepdims=True), 0)
    if symmetric:
        high = np.maximum(high, -low)
        low = -high
    least, most = int(narrow), 2**bits - 1
    scale = (high - low) / (most - least)
    zero = (
        np.floor(np.clip(least - low / scale, least, most) + 0.5)
        if not symmetric
        else np.floor((least + most) / 2 + 0.5)
    )
    bottom, top = (least - zero) * scale, (most - zero) * scale
    return np.floor((np.clip(x, bottom, top) - bottom) / scale + 0.5) * scale + bottom


def convolved(x: np.ndarray, weight: np.ndarray, group: int = 1) -> np.ndarray:
    return torch.nn.functional.conv2d(
        torch.tensor(x, dtype=torch.float64), torch.tensor(weight, dtype=torch.float64), groups=group
    ).numpy()


def column(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, 1, 1, 1)


def row(values: np.ndarray) -> np.ndarray:
    return values.reshape(1, -1, 1, 1)


def filled(cell: Any, seed: int = 1) -> Any:
    """Parameters other than at the start; one negative gamma."""
    rng = np.random.default_rng(seed)
    for name in ("gamma", "beta", "moving_mean", "moving_variance", "bias", "weight"):
        for owner in (cell, getattr(cell, "batchnorm", None)):
            if owner is not None and getattr(owner, name, None) is not None:
                value = rng.normal(0.2, 0.8, getattr(owner, name).shape)
                getattr(owner, name).set_data(
                    Tensor((np.abs(value) + 0.3 if name == "moving_variance" else value).astype(np.float32))
                )
    return cell


def values(cell: Any, *names: str) -> list[np.ndarray]:
    return [getattr(cell, name).asnumpy().astype(np.float64) for name in names]


@pytest.mark.parametrize("group", [1, 3])
@pytest.mark.parametrize("config", [quant_config_default, PER_CHANNEL])
def test_a_convolution(config: Any, group: int) -> None:
    cell = filled(
        nn.Conv2dQuant(3, 6, 3, pad_mode="valid", group=group, has_bias=True, quant_config=config)
    ).set_train()
    weight, bias = values(cell, "weight", "bias")
    wanted = convolved(
        X, quantized(weight, **dict.fromkeys(("symmetric", "narrow", "channels"), config is PER_CHANNEL)), group
    ) + row(bias)
    np.testing.assert_allclose(cell(Tensor(X)).asnumpy(), wanted, atol=2e-5)


def test_a_dense_layer() -> None:
    x = X.reshape(4, -1)[:, :20]
    cell = nn.DenseQuant(
        20, 5, weight_init="xavier_uniform", bias_init="ones", activation="relu", quant_config=PER_CHANNEL
    ).set_train()
    weight, bias = values(cell, "weight", "bias")
    wanted = np.maximum(
        x.astype(np.float64) @ quantized(weight, symmetric=True, narrow=True, channels=True).T + bias, 0
    )
    np.testing.assert_allclose(cell(Tensor(x)).asnumpy(), wanted, atol=1e-5)


def test_a_batch_norm_beside_the_convolution() -> None:
    cell = filled(
        nn.Conv2dBnWithoutFoldQuant(3, 6, 3, pad_mode="valid", has_bias=True, eps=1e-3, momentum=0.9)
    ).set_train()
    weight, bias = values(cell, "weight", "bias")
    gamma, beta, mean, variance = values(cell.batchnorm, "gamma", "beta", "moving_mean", "moving_variance")
    out = convolved(X, quantized(weight)) + row(bias)
    wanted = (out - out.mean((0, 2, 3), keepdims=True)) / np.sqrt(out.var((0, 2, 3), keepdims=True) + 1e-3) * row(
        gamma
    ) + row(beta)
    np.testing.assert_allclose(cell(Tensor(X)).asnumpy(), wanted, atol=2e-5)
    np.testing.assert_allclose(cell.batchnorm.moving_mean.asnumpy(), 0.9 * mean + 0.1 * out.mean((0, 2, 3)), atol=1e-5)
    np.testing.assert_allclose(
        cell.batchnorm.moving_variance.asnumpy(), 0.9 * variance + 0.1 * out.var((0, 2, 3), ddof=1), atol=1e-5
    )


def test_a_folded_batch_norm_with_statistics_of_the_float_convolution_and_its_freeze() -> None:
    cell = filled(
        nn.Conv2dBnFoldQuant(
            3, 6, 3, pad_mode="valid", has_bias=True, eps=1e-3, momentum=0.9, freeze_bn=2, quant_config=PER_CHANNEL
        )
    )
    cell.set_train()
    weight, bias, gamma, beta = values(cell, "weight", "bias", "gamma", "beta")
    for step in range(4):
        x = (X + step).astype(np.float32)
        mean, variance = values(cell, "moving_mean", "moving_variance")
        deviation = np.sqrt(variance + 1e-3)
        out = convolved(x, weight) + row(bias)
        used_mean, used = (out.mean((0, 2, 3)), np.sqrt(out.var((0, 2, 3)) + 1e-3)) if step < 2 else (mean, deviation)
        folded = convolved(x, quantized(weight * column(gamma / deviation), symmetric=True, narrow=True, channels=True))
        wanted = folded * row(deviation / used) + row(beta + gamma * (bias - used_mean) / used)
        np.testing.assert_allclose(cell(Tensor(x)).asnumpy(), wanted, atol=5e-5, err_msg=f"step {step}")
        if step < 2:
            mean, variance = 0.9 * mean + 0.1 * out.mean((0, 2, 3)), 0.9 * variance + 0.1 * out.var((0, 2, 3), ddof=1)
        np.testing.assert_allclose(cell.moving_mean.asnumpy(), mean, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(cell.moving_variance.asnumpy(), variance, rtol=1e-5)
    assert cell.step.asnumpy().tolist() == [4] and cell.step.dtype is torch.int32


def test_a_folded_batch_norm_with_statistics_of_the_rounded_convolution() -> None:
    cell = filled(
        nn.Conv2dBnFoldQuantOneConv(
            3, 6, 3, pad_mode="valid", has_bias=True, eps=1e-3, momentum=0.9, quant_config=PER_CHANNEL
        )
    )
    cell.set_train()
    weight, bias, gamma, beta, mean, variance = values(
        cell, "weight", "bias", "gamma", "beta", "moving_mean", "moving_variance"
    )
    factor = gamma / np.sqrt(variance + 1e-3)
    out = convolved(X, quantized(weight * column(factor), symmetric=True, narrow=True, channels=True)) / row(
        factor
    ) + row(bias)
    wanted = (out - out.mean((0, 2, 3), keepdims=True)) / np.sqrt(out.var((0, 2, 3), keepdims=True) + 1e-3) * row(
        gamma
    ) + row(beta)
    np.testing.assert_allclose(cell(Tensor(X)).asnumpy(), wanted, atol=5e-5)
    np.testing.assert_allclose(cell.moving_mean.asnumpy(), 0.9 * mean + 0.1 * out.mean((0, 2, 3)), atol=1e-5)
    np.testing.assert_allclose(
        cell.moving_variance.asnumpy(), 0.9 * variance + 0.1 * out.var((0, 2, 3), ddof=1), atol=1e-5
    )


FOLDED = {
    "float statistics": nn.Conv2dBnFoldQuant,
    "one convolution": nn.Conv2dBnFoldQuantOneConv,
    "not folded": nn.Conv2dBnWithoutFoldQuant,
}


@pytest.mark.parametrize("cls", FOLDED.values(), ids=FOLDED)
@pytest.mark.parametrize("config", [quant_config_default, PER_CHANNEL])
def test_in_evaluation_it_is_the_convolution_that_is_deployed(cls: Any, config: Any) -> None:
    """By ``integers``: whole numbers in their bounds, their scales, a bias; also for a negative gamma and one of 0."""
    cell = filled(cls(3, 6, 3, pad_mode="valid", has_bias=True, quant_config=config)).set_train()
    owner = cell.batchnorm if cls is nn.Conv2dBnWithoutFoldQuant else cell
    gamma = owner.gamma.asnumpy()
    gamma[:2] = -0.7, 0
    owner.gamma.set_data(Tensor(gamma))
    cell(Tensor(X))
    before = {parameter.name: parameter.asnumpy().copy() for parameter in cell.get_parameters()}
    cell.set_train(False)
    result = cell(Tensor(X)).asnumpy()
    assert all(np.array_equal(parameter.asnumpy(), before[parameter.name]) for parameter in cell.get_parameters())
    index, grid, bias = cell.integers()
    index, scale, zero, bias = (item.detach().numpy() for item in (index, grid.scale, grid.zero, bias))
    assert np.array_equal(index, np.round(index)) and index.min() >= grid.lowest and index.max() <= grid.highest
    weight = (index - zero.reshape(-1, 1, 1, 1)) * scale.astype(np.float64).reshape(-1, 1, 1, 1)
    np.testing.assert_allclose(result, convolved(X, weight) + row(bias), atol=5e-5)
    assert np.isfinite(result).all()


@pytest.mark.parametrize("cls", [nn.Conv2dBnFoldQuant, nn.Conv2dBnFoldQuantOneConv])
def test_folding_with_float_weights_is_a_batch_norm(cls: Any) -> None:
    """Values, moving statistics and all gradients are those of a convolution with a batch norm."""
    cell = filled(cls(3, 4, 3, pad_mode="valid", eps=1e-5, momentum=0.9, fake=False)).set_train()
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, bias=False), torch.nn.BatchNorm2d(4, momentum=0.1)).double()
    with torch.no_grad():
        for target, name in (
            (net[0].weight, "weight"),
            (net[1].weight, "gamma"),
            (net[1].bias, "beta"),
            (net[1].running_mean, "moving_mean"),
            (net[1].running_var, "moving_variance"),
        ):
            target.copy_(torch.tensor(getattr(cell, name).asnumpy()))
    factor = np.random.default_rng(3).normal(0, 1, (4, 4, 5, 4))
    wanted = net(torch.tensor(X, dtype=torch.float64))
    (wanted * torch.tensor(factor)).sum().backward()
    parameters = [cell.weight, cell.gamma, cell.beta]
    grads = ops.GradOperation(get_by_list=True)(Weighted(cell, factor), parameters)(Tensor(X))
    np.testing.assert_allclose(cell(Tensor(X)).asnumpy(), wanted.detach().numpy(), atol=2e-4)
    for found, right in zip(grads, (net[0].weight, net[1].weight, net[1].bias)):
        np.testing.assert_allclose(found.asnumpy(), right.grad.numpy(), rtol=2e-3, atol=2e-3)
    with pytest.raises(ValueError, match="with 'fake' False the weight has no grid"):
        cell.integers()


class Weighted(nn.Cell):
    def __init__(self, cell: nn.Cell, factor: np.ndarray) -> None:
        super().__init__()
        self.cell, self.factor = cell, Tensor(factor.astype(np.float32))

    def construct(self, x: Any) -> Any:
        return (self.cell(x) * self.factor).sum()


def test_the_gradient_passes_inside_the_range_only() -> None:
    """Straight through: of weights the gradient of the rounded ones, of results nothing outside."""
    cell = nn.ActQuant(nn.ReLU())
    x = np.array([-1.0, 0.5, 5.9, 7.0], np.float32)  # the range is [-6, 6]
    assert ops.GradOperation()(cell)(Tensor(x)).asnumpy().tolist() == [0, 1, 1, 0]
    layer = nn.Conv2dQuant(3, 2, 1, weight_init="normal")
    found = ops.GradOperation(get_by_list=True)(Weighted(layer, np.ones((4, 2, 7, 6))), [layer.weight])(Tensor(X))[
        0
    ].asnumpy()
    np.testing.assert_allclose(found, np.broadcast_to(X.sum((0, 2, 3)).reshape(1, 3, 1, 1), (2, 3, 1, 1)), rtol=1e-4)


@pytest.mark.parametrize(
    "make",
    [
        lambda **old: nn.Conv2dQuant(3, 4, 3, **old),
        lambda **old: nn.Conv2dBnFoldQuant(3, 4, 3, **old),
        lambda **old: nn.DenseQuant(3, 4, **old),
        lambda **old: nn.Conv2dBnWithoutFoldQuant(3, 4, 3, **old),
    ],
)
def test_the_arguments_of_1_0(make: Any) -> None:
    observer = make(per_channel=True, num_bits=4, symmetric=True, narrow_range=True, quant_delay=900).fake_quant_weight
    assert (
        observer.per_channel,
        observer.num_bits,
        observer.symmetric,
        observer.narrow_range,
        observer.quant_delay,
    ) == (True, 4, True, True, 900)
    assert (observer.ema, observer.num_channels, observer.channel_axis) == (False, 4, 0)
    assert FakeQuantWithMinMax(num_bits=7).num_bits == 7
    act = nn.ActQuant(nn.ReLU(), per_channel=False, quant_delay=3).fake_quant_act
    assert (act.ema, act.min_init, act.max_init, act.quant_delay) == (True, 0, 6, 3)
    assert isinstance(nn.HSwishQuant(nn.HSwish(), num_bits=8).fake_quant_act_after, FakeQuantWithMinMaxObserver)


def test_operators_with_a_rounded_result() -> None:
    """The documented examples of TensorAddQuant, MulQuant and ActQuant."""
    x1 = Tensor(np.array([[1, 2, 1], [-2, 0, -1]], np.float32))
    added = nn.TensorAddQuant()(x1, Tensor(np.ones((2, 3), np.float32))).asnumpy()
    assert np.allclose(added, [[1.9764705, 3.011765, 1.9764705], [-0.9882355, 0.9882355, 0]], atol=1e-6)
    product = nn.MulQuant()(x1, Tensor(np.full((2, 3), 2, np.float32))).asnumpy()
    assert np.allclose(product, [[1.9764705, 4.0000005, 1.9764705], [-4, 0, -1.9764705]], atol=1e-6)
    found = nn.ActQuant(nn.ReLU())(Tensor(np.array([[1, 2, -1], [-2, 0, -1]], np.float32))).asnumpy()
    assert np.allclose(found, [[0.9882355, 1.9764705, 0], [0, 0, 0]], atol=1e-6)
    before = nn.LeakyReLUQuant(nn.LeakyReLU(0.5))
    assert (
        np.allclose(before(Tensor(np.array([-1.0], np.float32))).asnumpy(), [-0.5], atol=0.05)
        and before.get_origin() is before.act
    )


def test_a_block_of_integer_operators() -> None:
    weight = np.array([[1, -2], [3, 4]], np.float32)
    block = nn.QuantBlock(
        ops.MatMul(),
        Tensor(weight),
        lambda x: ops.round(x * 10),
        lambda x, scale: x * scale,
        0.1,
        Tensor(np.array([5.0, 0], np.float32)),
        nn.ReLU(),
    )
    assert (
        np.allclose(block(Tensor(np.array([[0.1, -0.2]], np.float32))).asnumpy(), [[0, 0]])
        and block.weight.name == "weight"
    )
    assert np.allclose(block(Tensor(np.array([[0.3, 0.2]], np.float32))).asnumpy(), [[1.4, 0.2]])


# --- torch.ao ---------------------------------------------------------------------------------------------------------


def torch_ao() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.ao.quantization import observer
    return observer


@pytest.mark.parametrize("decay", [0.0, 0.9, 0.999])
def test_a_moving_average_that_starts_at_the_batch_is_torchs(decay: float) -> None:
    """With ``starts_at_batch``, which converted networks have; torch does not hold 0 in the range before it computes
    the grid.
    """
    theirs = torch_ao().MovingAverageMinMaxObserver(averaging_constant=1 - decay, dtype=torch.quint8, eps=1e-12)
    ours = FakeQuantWithMinMaxObserver(ema=True, ema_decay=decay).set_train()
    ours.starts_at_batch = True
    rng = np.random.default_rng(2)
    for size in (0.2, 1.0, 3.0, 0.5):
        x = rng.normal(0, size, 100).astype(np.float32)
        rounded = ours(Tensor(x)).asnumpy()
        theirs(torch.tensor(x))
        scale, zero = theirs.calculate_qparams()
        assert np.allclose(ours.minq.asnumpy(), theirs.min_val.item(), rtol=1e-5) and np.allclose(
            ours.maxq.asnumpy(), theirs.max_val.item(), rtol=1e-5
        )
        right = torch.fake_quantize_per_tensor_affine(torch.tensor(x, device=scale.device), scale, zero, 0, 255).numpy()
        steps = np.abs(rounded - right) / scale.item()
        assert (steps < 1.001).all() and (
            steps > 0.01
        ).mean() <= 0.02  # where rounding the zero point or a tie goes the other way


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("channels", [False, True])
def test_the_grid_of_one_batch_is_that_of_torchs_observers(symmetric: bool, channels: bool) -> None:
    kind = {
        (False, False): torch.per_tensor_affine,
        (True, False): torch.per_tensor_symmetric,
        (False, True): torch.per_channel_affine,
        (True, True): torch.per_channel_symmetric,
    }[symmetric, channels]
    more = {"ch_axis": 1} if channels else {}
    cls = torch_ao().PerChannelMinMaxObserver if channels else torch_ao().MinMaxObserver
    theirs = cls(dtype=torch.quint8, qscheme=kind, eps=1e-12, **more)
    ours = FakeQuantWithMinMaxObserver(
        per_channel=channels, channel_axis=1, num_channels=3, symmetric=symmetric
    ).set_train()
    x = X + np.float32(0.3) * np.arange(3, dtype=np.float32).reshape(1, 3, 1, 1)
    ours(Tensor(x))
    theirs(torch.tensor(x))
    scale, zero = theirs.calculate_qparams()
    found = ours.grid()
    np.testing.assert_allclose(found.scale.numpy(), scale.numpy(), rtol=1e-5)
    assert np.array_equal(found.zero.numpy(), zero.numpy()) and (found.lowest, found.highest) == (
        theirs.quant_min,
        theirs.quant_max,
    )


def test_a_loaded_range_goes_on_and_does_not_start_again() -> None:
    ours = FakeQuantWithMinMaxObserver(ema=True, ema_decay=0.5).set_train()
    ours.starts_at_batch = True
    ours.minq.set_data(Tensor(np.array([-2.0], np.float32)))
    ours.maxq.set_data(Tensor(np.array([4.0], np.float32)))
    ours(Tensor(np.array([-1.0, 1.0], np.float32)))
    assert ours.minq.asnumpy().tolist() == [-1.5] and ours.maxq.asnumpy().tolist() == [2.5]


@given(st.integers(0, 2**32 - 1), st.sampled_from([4, 7, 8]), st.booleans(), st.booleans(), st.booleans())
def test_rounding_is_torchs_fake_quantize_and_the_formulas(
    seed: int, bits: int, symmetric: bool, narrow: bool, channels: bool
) -> None:
    rng = np.random.default_rng(seed)
    x = (rng.normal(0, 10.0 ** rng.integers(-3, 3), (3, 64)) + rng.normal(0, 2, (3, 1))).astype(np.float32)
    cell = FakeQuantWithMinMaxObserver(
        per_channel=channels,
        channel_axis=0,
        num_channels=3,
        quant_dtype=getattr(QuantDtype, f"INT{bits}"),
        symmetric=symmetric,
        narrow_range=narrow,
    ).set_train()
    found = cell(Tensor(x)).asnumpy()
    scale, zero, lowest, highest = cell.grid()
    scale, zero = scale.detach().as_subclass(torch.Tensor), zero.detach().as_subclass(torch.Tensor)
    column = scale.numpy()[:, None]
    wanted = quantized(x, bits, symmetric, narrow, channels)
    theirs = (
        torch.fake_quantize_per_channel_affine(
            torch.tensor(x, device=scale.device), scale, zero.int(), 0, lowest, highest
        )
        if channels
        else torch.fake_quantize_per_tensor_affine(torch.tensor(x), scale.item(), int(zero), lowest, highest)
    ).numpy()
    for other, most in ((wanted, 1.01), (theirs, 1.01)):
        steps = np.abs(found - other) / column
        assert steps.max() < most and (steps < 1e-2).mean() > 0.9
    assert np.allclose(
        (cell.indices(Tensor(x)).numpy() - zero.numpy()[:, None]) * column, found, atol=1e-4 * float(column.max())
    )
    assert cell(Tensor(np.zeros_like(x))).asnumpy().any() == np.False_


@pytest.mark.parametrize(
    ("make", "error"),
    [(lambda: nn.Conv2dQuant(3, 4, 3, num_bits=3), ValueError), (lambda: nn.DenseQuant(3, 4)(Tensor(X)), RuntimeError)],
)
def test_wrong_arguments(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()
