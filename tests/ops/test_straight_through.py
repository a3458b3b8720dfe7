"""The way around for derivatives of casts to integers (docs/differences.md)."""

from __future__ import annotations

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


def test_a_step_is_passed_straight_through_where_one_says_so() -> None:
    x, weights = Tensor([1.3, -2.7]), Tensor([2.0, 3.0])
    rounded = ms.grad(lambda x: ((x + ops.stop_gradient(x.int().float() - x)) * weights).sum())
    assert rounded(x).asnumpy().tolist() == [2, 3]
    assert ms.grad(lambda x: (x.int().float() * weights).sum())(x).asnumpy().tolist() == [0, 0]
