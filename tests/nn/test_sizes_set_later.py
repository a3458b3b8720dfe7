"""Sizes of pooling layers that are set after they were made count, where they do in real MindSpore."""

from __future__ import annotations

import numpy as np
import pytest

from mindspore_compat import Tensor, nn

X = Tensor(np.arange(162, dtype=np.float32).reshape(1, 2, 9, 9) + 1)


@pytest.mark.parametrize("size", [2, 4, (4, 2)])
def test_a_size_set_later_counts(size: object) -> None:
    for made, name, again in (
        (nn.LPPool2d(2, 3), "kernel_size", nn.LPPool2d(2, size)),
        (nn.AdaptiveMaxPool2d(3), "output_size", nn.AdaptiveMaxPool2d(size)),
    ):
        before = made(X).shape
        setattr(made, name, size)
        found, expected = made(X), again(X)
        assert found.shape == expected.shape != before
        np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())
