"""Details of operators that programs rely on, with real MindSpore 2.10's values."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


@pytest.mark.parametrize("mode", ["bicubic", "bilinear", "nearest"])
@pytest.mark.parametrize("scale", [2.0, (2.0, 1.5)])
def test_a_recomputed_scale_is_that_of_the_sizes(mode, scale):
    x = Tensor(np.random.RandomState(0).randn(1, 1, 3, 4).astype(np.float32))
    found = ops.interpolate(x, scale_factor=scale, mode=mode, recompute_scale_factor=True)
    size = tuple(int(length * factor) for length, factor in zip((3, 4), np.broadcast_to(scale, 2)))
    np.testing.assert_array_equal(found.asnumpy(), ops.interpolate(x, size=size, mode=mode).asnumpy())
    if (mode, scale) == ("bicubic", 2.0):
        expected = [1.86373, 1.51081, 0.76313, 0.49387, 0.7556, 1.33842, 2.18293, 2.58174]
        np.testing.assert_allclose(
            found.asnumpy()[0, 0, 0], expected, atol=3e-4
        )  # MindSpore takes cubic weights of a table


def test_subtract_with_alpha_keeps_the_dtype():
    found = Tensor([5, 6], ms.int32).subtract(2, alpha=2)
    assert found.dtype == ms.int32
    assert found.asnumpy().tolist() == [1, 2]


def test_the_product_of_no_axes_has_the_dtype_of_a_product():
    assert ops.prod(Tensor(3, ms.int32)).dtype == ops.prod(Tensor([3], ms.int32)).dtype == ms.int64


@pytest.mark.parametrize("call", [lambda x, n: ops.ldexp(x, n), lambda x, n: x.ldexp(n)])
def test_the_gradient_of_ldexp_by_powers_below_zero(call):
    powers = Tensor([1, 2, -1, 3], ms.int32)
    gradient = ms.grad(lambda x: call(x, powers).sum())(Tensor([1.0, 2.0, 3.0, 4.0]))
    assert gradient.asnumpy().tolist() == [2.0, 4.0, 0.5, 8.0]


def test_torchs_methods_return_tensors():
    assert type(Tensor([1, 2, 3, 4]).unflatten(0, (2, 2))) is Tensor


@pytest.mark.parametrize("names", [("Number", "Bool"), ("Bool", "Number")])
def test_of_several_functions_that_fit_compiled_code_takes_the_last(names):
    which = ops.MultitypeFuncGraph("which")
    for place, name in enumerate(names):
        which.register(name)(lambda x, place=place: Tensor(place))
    over = ops.HyperMap(which)
    first, last = over((True,))[0], ms.jit(lambda x: over((True,))[0])(Tensor(0))
    assert (int(first), int(last)) == (0, 1)


def test_a_size_of_resize_bilinear_is_its_whole_part():
    """As in MindSpore 1.x; EAST divides by ``/``."""
    x = Tensor(np.random.RandomState(0).randn(1, 2, 4, 7).astype(np.float32))
    found = ops.ResizeBilinear((x.shape[2] / 2, x.shape[3] / 2), True)(x)
    assert found.shape == (1, 2, 2, 3)
    np.testing.assert_allclose(found.asnumpy()[0, 0], x.asnumpy()[0, 0][[0, 3]][:, [0, 3, 6]], rtol=1e-6)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_labels_that_are_none_are_cast(mode):
    """Detectors of 1.x cast the labels before they ask for the mode; their networks for inference give None. MindSpore
    2.10 refuses it.
    """

    class Detector(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.cast = ops.Cast()

        def construct(self, x, labels):
            labels = self.cast(labels, ms.int32)
            if self.training:
                return x + labels
            return x * 2

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        assert Detector().set_train(False)(Tensor([1.0]), None).asnumpy().tolist() == [2.0]
        assert Detector().set_train()(Tensor([1.0]), Tensor([3.0])).asnumpy().tolist() == [4.0]
    finally:
        ms.set_context(mode=before)


@pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.int64])
@pytest.mark.parametrize("call", [lambda x: x**-1, lambda x: ops.pow(x, -1), lambda x: ops.Pow()(x, -1)])
def test_powers_of_integers_below_zero_are_truncated(call, dtype):
    found = call(Tensor([7, 1, -1, 2, -2], dtype))
    assert found.dtype == dtype
    assert found.asnumpy().tolist() == [0, 1, -1, 0, 0]
