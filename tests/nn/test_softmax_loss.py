"""The derivative of softmax cross entropy is softmax - labels, whatever the labels sum to, and none goes to them: numbers
of real MindSpore.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

X = Tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]], ms.float32)
EXPECTED = [
    ([[0.2, 0.3, 0.5], [1, 0, 0]], [[-0.10997, -0.05527, 0.16524], [-0.82471, 0.03911, 0.7856]]),
    ([[1, 1, 0], [0, 0, 0]], [[-0.90997, -0.75527, 0.66524], [0.17529, 0.03911, 0.7856]]),
    ([[0.5, 0.5, 0.5], [2, 0, 0]], [[-0.40997, -0.25527, 0.16524], [-1.82471, 0.03911, 0.7856]]),
]


@pytest.mark.parametrize(("labels", "expected"), EXPECTED)
def test_distributions(labels, expected):
    y = Tensor(labels, ms.float32)
    operator = ops.SoftmaxCrossEntropyWithLogits()
    for function in (
        lambda x, y: operator(x, y)[0].sum(),
        nn.SoftmaxCrossEntropyWithLogits(reduction="sum"),
        lambda x, y: nn.SoftmaxCrossEntropyWithLogits()(x, y).sum(),
        lambda x, y: nn.SoftmaxCrossEntropyWithLogits(reduction="mean")(x, y) * 2,
    ):
        by_logits, by_labels = ms.grad(function, (0, 1))(X, y)
        np.testing.assert_allclose(by_logits.asnumpy(), expected, atol=1e-5)
        assert not by_labels.asnumpy().any()
    np.testing.assert_allclose(operator(X, y)[1].asnumpy(), expected, atol=1e-5)


def test_numbers_of_16_bits_are_rounded_once():
    x = Tensor([[5.292, 1.2, 2.936, 6.723, 5.603], [-2.932, 2.85, -0.4541, -0.3096, 1.232]], ms.float16)
    y = Tensor([[0.04, 0.546, 0.265, 0.0377, 0.1113], [0.317, 0.0819, 0.2052, 0.0344, 0.3616]], ms.float16)
    loss = nn.SoftmaxCrossEntropyWithLogits()
    expected = [
        [0.1103515625, -0.5434570312, -0.2507324219, 0.5903320312, 0.0933837891],
        [-0.314453125, 0.6987304688, -0.1765136719, -0.0012407303, -0.2066650391],
    ]
    assert loss(x, y).asnumpy().tolist() == [4.6640625, 3.451171875]
    for found in (ms.grad(loss)(x, y), ops.SoftmaxCrossEntropyWithLogits()(x, y)[1]):
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("outside", [3, -1, -7])
def test_a_class_out_of_range_is_a_row_of_zeros(outside):
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    labels = Tensor([outside, 1], ms.int32)
    np.testing.assert_allclose(loss(X, labels).asnumpy(), [0.0, 3.24131], atol=1e-5)
    found = ms.grad(lambda x: loss(x, labels).sum())(X).asnumpy()
    np.testing.assert_allclose(found, [[0.09003, 0.24473, 0.66524], [0.17529, -0.96089, 0.7856]], atol=1e-5)


def test_a_teacher_is_not_trained():
    student, teacher = nn.Dense(3, 3), nn.Dense(3, 3)
    teacher.update_parameters_name("teacher.")
    loss = nn.SoftmaxCrossEntropyWithLogits(reduction="mean")
    found = ms.grad(lambda: loss(student(X), ops.softmax(teacher(X))), None, teacher.trainable_params())()
    assert not any(item.asnumpy().any() for item in found)
