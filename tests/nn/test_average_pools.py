"""Average pools with ``ceil_mode``, ``divisor_override`` and pad_mode "same": values of MindSpore 2.10."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops

ROW = ms.Tensor(np.array([[[1.0, 2.0, 4.0]]], np.float32))


@pytest.mark.parametrize(
    ("kernel", "stride", "ceil_mode", "expected"),
    [
        (2, 1, False, [1.5, 3.0, 4.0]),
        (2, 1, True, [1.5, 3.0, 2.0]),  # with another option padding counts
        (2, 2, False, [1.5]),  # a single window: no padding
        (3, 1, False, [7 / 3]),
    ],
)
def test_avg_pool1d_same(kernel: int, stride: int, ceil_mode: bool, expected: list[float]) -> None:
    pooled = nn.AvgPool1d(kernel, stride, "same", ceil_mode=ceil_mode)(ROW)
    np.testing.assert_allclose(pooled.asnumpy()[0, 0], expected, rtol=1e-6)


def test_a_divisor_counts_in_each_pad_mode() -> None:
    image = ms.Tensor(np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3))
    volume = image.reshape((1, 1, 1, 3, 3))
    sums = np.array([[8, 12, 7], [20, 24, 13], [13, 15, 8]], np.float32)
    same = nn.AvgPool2d(2, 1, "same", divisor_override=3)(image)
    np.testing.assert_allclose(same.asnumpy()[0, 0], sums / 3, rtol=1e-6)
    for mode, expected in (("same", sums), ("valid", sums[:2, :2])):
        pooled = ops.AvgPool3D((1, 2, 2), 1, mode, divisor_override=3)(volume)
        np.testing.assert_allclose(pooled.asnumpy()[0, 0, 0], expected / 3, rtol=1e-6)


def test_avg_pool3d_valid_with_ceil_mode() -> None:
    assert (
        ops.AvgPool3D(2, 2, "valid", ceil_mode=True)(ms.Tensor(np.ones((1, 1, 3, 3, 3), np.float32))).shape[2:]
        == (2,) * 3
    )
