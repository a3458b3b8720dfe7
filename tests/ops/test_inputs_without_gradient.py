"""Inputs that upstream's derivatives leave out, and forms of inputs that its operators take; as real MindSpore."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops

FEATURES = Tensor(np.random.RandomState(0).rand(1, 2, 8, 8), ms.float32)
REGIONS = Tensor([[0, 1.0, 2.0, 9.0, 12.0], [0, 0.0, 0.0, 15.0, 7.0]], ms.float32)


def test_regions_have_no_gradient():
    align = ops.ROIAlign(3, 3, 0.5, 2)
    by_features, by_regions = ms.grad(lambda x, rois: (align(x, rois) ** 2).sum(), (0, 1))(FEATURES, REGIONS)
    assert by_features.asnumpy().any()
    assert not by_regions.asnumpy().any()


def test_fold_takes_channels_and_places_apart():
    columns = Tensor(np.random.RandomState(1).rand(1, 8, 4), ms.float32)
    sizes = Tensor([4, 4], ms.int32), [2, 2], [1, 1], [0, 0], [2, 2]
    together, apart = ops.fold(columns, *sizes), ops.fold(columns.reshape(1, 2, 4, 4), *sizes)
    np.testing.assert_array_equal(apart.asnumpy(), together.asnumpy())
    assert apart.shape == (1, 2, 4, 4)


LOGITS = Tensor(np.random.RandomState(0).randn(3, 5), ms.float32)
CLASSES, WEIGHT = Tensor([4, 3, 2], ms.int32), Tensor([1, 2, 3, 4, 5.0])
BY_CLASS = [0, 0, -0.00380856, 0.02661949, -0.01901045]
SMOOTHED = [0.05400293, 0.03838876, -0.00700284, 0.00262009, -0.02405046]


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (lambda x, w: ops.cross_entropy(x, CLASSES, w), BY_CLASS),
        (lambda x, w: nn.CrossEntropyLoss(w)(x, CLASSES), BY_CLASS),
        (lambda x, w: ops.cross_entropy(x, CLASSES, w, label_smoothing=0.5), SMOOTHED),
        (lambda x, w: ops.nll_loss(x, CLASSES, w), [0, 0, 0.01441371, 0.08643509, -0.07779633]),
        (lambda x, w: nn.NLLLoss(w)(x, CLASSES), [0, 0, 0.01441371, 0.08643509, -0.07779633]),
        (lambda x, w: mint.nn.functional.nll_loss(x, CLASSES, w), [0, 0, 0, 0, 0]),
        (lambda x, w: mint.nn.functional.cross_entropy(x, CLASSES, w), [0, 0, 0, 0, 0]),
        (lambda x, w: ops.multi_margin_loss(x, CLASSES, weight=w), [0, 0, 0, 0, 0]),
        (lambda x, w: nn.MultiMarginLoss()(x, CLASSES, w), [0, 0, 0, 0, 0]),
    ],
)
def test_weights_of_losses(loss, expected):
    """Values of MindSpore 2.10 on a CPU. NLLLoss of mint passes the weights no gradient, functions of ops do."""
    found = ms.grad(loss, 1)(LOGITS, WEIGHT)
    np.testing.assert_allclose(found.asnumpy(), expected, 1e-4, 1e-7)


def test_soft_cross_entropy_of_mint():
    """Values of st/ops/test_ops_cross_entropy.py, sum: smoothed probabilities with an index to ignore."""
    x = [[1.81770931, 0.31360114, 0.30931599, 0.18100776, 0.40601558]]
    target = [[1.05003095, -0.53359773, 0.51047731, 1.31185591, -0.52938761]]
    weight = Tensor([-0.75326879, 1.45076741, 1.19889046, 0.09059219, -1.53917865])
    found = mint.nn.functional.cross_entropy(Tensor(x), Tensor(target), weight, 3, "sum", 0.5)
    np.testing.assert_allclose(found.asnumpy(), 0.77053377, 1e-4)


def test_gradients_of_the_number_in_a_filled_tensor():
    calls = [
        lambda v: ops.full((2, 3), v, dtype=ms.float32),
        lambda v: ops.fill(ms.float32, (2, 3), v),
        lambda v: ops.full_like(Tensor(np.ones((2, 3), np.float32)), v),
        lambda v: ops.FillV2()((2, 3), v),
        lambda v: mint.full((2, 3), v),
        lambda v: mint.full_like(Tensor(np.ones((2, 3), np.float32)), v),
    ]
    assert [ms.grad(call)(Tensor(6.5)).asnumpy() for call in calls] == [6.0] * len(calls)
    assert mint.full((2,), Tensor([6.5])).asnumpy().tolist() == [6.5, 6.5]


def test_numbers_of_one_hot_and_of_padding_have_no_gradient():
    one, zero, row = Tensor(1.0), Tensor(0.0), Tensor([0.0, 1.0, 2.0])
    found = ms.grad(lambda on, off: ops.one_hot(Tensor([0, 1]), 3, on, off), (0, 1))(one, zero)
    assert [item.asnumpy() for item in found] == [0, 0]
    assert ms.grad(lambda v: ops.matrix_diag(row, Tensor(0, ms.int32), padding_value=v))(one).asnumpy() == 0


def test_soft_margin_loss_differentiates_by_both():
    """SoftMarginLoss of MindSpore uses one formula with the inputs exchanged."""
    x, target = Tensor([0.0, 1, 2]), Tensor([1.0, 2, 3])
    for loss in (ops.soft_margin_loss, mint.nn.functional.soft_margin_loss, nn.SoftMarginLoss()):
        by_x, by_target = (item.asnumpy() for item in ms.grad(loss, (0, 1))(x, target))
        slope = -1 / (1 + np.exp(x.asnumpy() * target.asnumpy())) / 3
        np.testing.assert_allclose(by_x, slope * target.asnumpy(), 1e-5)
        np.testing.assert_allclose(by_target, slope * x.asnumpy(), 1e-5)


@pytest.mark.parametrize("name", ["inplace_update", "inplace_add", "inplace_sub"])
def test_rows_written_in_place_have_no_gradient(name):
    x, v = Tensor(np.ones((3, 2), np.float32)), Tensor(np.ones((2, 2), np.float32))
    for step in (lambda a, b: getattr(ops, name)(a * 2, b, (0, 1)) ** 2, lambda a, b: getattr(ops, name)(a, b, (0, 1))):
        assert not any(item.asnumpy().any() for item in ms.grad(step, (0, 1))(x, v))


def test_zeta_differentiates_by_its_second_input():
    by_x, by_q = ms.grad(ops.zeta, (0, 1))(Tensor([2.0, 3.0]), Tensor([2.0, 3.0]))
    assert by_x.asnumpy().tolist() == [0, 0]
    np.testing.assert_allclose(by_q.asnumpy(), [-0.4041138, -0.0594697], 1e-5)
