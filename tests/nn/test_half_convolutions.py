"""Convolutions of float16 on a CPU give float32's results rounded once, in their own dtype, and in the time of float32's."""
from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops

LAYERS = [lambda: nn.Conv2d(16, 16, 3), lambda: nn.Conv1d(16, 16, 3, pad_mode="pad", padding=1, has_bias=True), lambda: nn.Conv3d(4, 4, 3),
          lambda: nn.Conv2dTranspose(4, 4, 3), lambda: nn.Conv1dTranspose(4, 4, 3), lambda: nn.Conv3dTranspose(4, 4, 3)]


@pytest.mark.parametrize("make", LAYERS)
def test_half_is_float_rounded_once(make: Any) -> None:
    layer = make()
    axes = layer.weight.ndim - 2 - ("1d" in type(layer).__name__)
    x = np.random.RandomState(0).randn(2, layer.in_channels, *(6,) * axes).astype(np.float16)
    for parameter in layer.get_parameters():
        parameter.set_data(ms.Tensor(parameter.asnumpy().astype(np.float16).astype(np.float32)))

    def run(dtype: Any) -> Any:
        layer.to_float(dtype)
        gradient = ms.grad(lambda data: layer(data).astype(ms.float32).sum())
        return layer(ms.Tensor(x, dtype)), gradient(ms.Tensor(x, dtype))

    (half, half_grad), (full, full_grad) = run(ms.float16), run(ms.float32)
    assert half.dtype == half_grad.dtype == ms.float16
    np.testing.assert_array_equal(half.asnumpy(), full.asnumpy().astype(np.float16))
    np.testing.assert_allclose(half_grad.asnumpy(), full_grad.asnumpy(), rtol=2e-3, atol=2e-3)


def test_the_operators_too_and_in_time() -> None:
    x, weight = (ms.Tensor(np.random.RandomState(1).randn(*shape), ms.float16) for shape in ((8, 32, 32, 32), (32, 32, 3, 3)))
    convolution = ops.Conv2D(32, 3, pad_mode="same")
    gradient = ms.grad(lambda a, w: convolution(a, w).astype(ms.float32).sum(), (0, 1))
    gradient(x, weight)
    began = time.perf_counter()
    assert {item.dtype for item in gradient(x, weight)} == {ms.float16}
    half = time.perf_counter() - began
    x, weight = x.astype(ms.float32), weight.astype(ms.float32)
    gradient(x, weight)
    began = time.perf_counter()
    gradient(x, weight)
    assert half < 10 * (time.perf_counter() - began) + 0.05
