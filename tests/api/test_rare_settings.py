"""Names that programs take from upstream's documentation and that have little behind them here."""

from __future__ import annotations

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, amp, ops


def test_marks_of_a_parameter() -> None:
    parameter = Parameter(Tensor([1.0]), name="p")
    assert parameter.cache_enable is False
    parameter.cache_enable = True
    assert parameter.cache_enable is True


def test_to_tensor_of_1_x_fills_an_initializer() -> None:
    made = ms.common.initializer.initializer("ones", [2, 2], ms.float32).to_tensor()
    assert made.asnumpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_debug_levels() -> None:
    assert (ms.context.RELEASE, ms.context.DEBUG) == (0, 1) and "DEBUG" not in ms.context.__all__


def test_functions_for_loss_scalers_of_ones_own() -> None:
    scale = Parameter(Tensor(4.0, ms.float32), name="scale")
    nested = (Tensor([1.0], ms.float16), (Tensor([2.0]),))
    scaled = amp._grad_scale_map(scale, nested)
    assert scaled[0].dtype is ms.float16 and scaled[1][0].asnumpy().tolist() == [8.0]
    assert amp._grad_unscale_map(scale, scaled)[0].asnumpy().tolist() == [1.0]


def test_the_step_of_adagrad_da_gives_its_variable() -> None:
    var, total, squares = (Parameter(Tensor(np.ones((2, 2), np.float32)), name=name) for name in "vts")
    found = ops.ApplyAdagradDA()(var, total, squares, Tensor(np.ones((2, 2), np.float32)), 0.1, 0.1, 0.1, 1)
    assert isinstance(found, Tensor)
    np.testing.assert_array_equal(found.asnumpy(), var.asnumpy())
