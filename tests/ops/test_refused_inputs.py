"""Inputs that MindSpore's operators refuse and torch's would take: other dtypes, other shapes, values that would be cut
short. Types and words are real MindSpore 2.10's (CPU); mixed precision, which casts by operator, is let through.
"""

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.ops import operations as P

f16, f32, f64, i32 = ms.float16, ms.float32, ms.float64, ms.int32


def ones(shape: tuple[int, ...], dtype: Any = f32) -> Tensor:
    return Tensor(np.ones(shape), dtype)


def test_mixed_precision_may_hand_over_two_dtypes() -> None:
    class Biased(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense, self.bias_add = nn.Dense(3, 2, has_bias=False), P.BiasAdd()
            self.bias = Parameter(ones((2,)), name="bias")

        def construct(self, x):
            return self.bias_add(self.dense(x), self.bias)

    for level in ("auto", "O1", "O2", "O3"):
        assert ms.amp.auto_mixed_precision(Biased(), level)(ones((4, 3))).shape == (4, 2)


WRITES = {
    "Assign": lambda variable, value: P.Assign()(variable, value),
    "AssignAdd": lambda variable, value: P.AssignAdd()(variable, value),
    "AssignSub": lambda variable, value: ops.assign_sub(variable, value),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("dtypes", [(f16, f32), (f32, f64), (i32, f16)], ids=str)
def test_a_write_that_loses_digits_is_refused(name: str, dtypes: tuple) -> None:
    variable = Parameter(ones((2,), dtypes[0]))
    with pytest.raises(TypeError, match="Data type conversion is not supported for a 'Parameter'"):
        WRITES[name](variable, ones((2,), dtypes[1]))
    assert variable.asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("dtypes", [(f32, f16), (f32, i32), (f64, f32)], ids=str)
def test_a_write_that_loses_nothing_is_done(name: str, dtypes: tuple) -> None:
    variable = Parameter(ones((2,), dtypes[0]))
    WRITES[name](variable, ones((2,), dtypes[1]))
    assert variable.dtype == dtypes[0]
    assert variable.asnumpy().tolist() == {"Assign": [1, 1], "AssignAdd": [2, 2], "AssignSub": [0, 0]}[name]


@pytest.mark.parametrize("name", WRITES)
def test_a_number_that_an_integer_variable_cannot_hold_is_refused(name: str) -> None:
    variable = Parameter(Tensor(1, i32))
    with pytest.raises(TypeError):
        WRITES[name](variable, 2.5)
    WRITES[name](variable, True)
    assert variable.asnumpy() == {"Assign": 1, "AssignAdd": 2, "AssignSub": 0}[name]


OTHER_SHAPES = {
    "SmoothL1Loss": lambda: P.SmoothL1Loss()(ones((3, 4)), ones((4,))),
    "KLDivLoss": lambda: P.KLDivLoss()(ones((3, 4)), ones((4,))),
    "BinaryCrossEntropy": lambda: P.BinaryCrossEntropy()(ones((3, 4)), ones((4,))),
    "SigmoidCrossEntropyWithLogits": lambda: P.SigmoidCrossEntropyWithLogits()(ones((3, 4)), ones((1, 4))),
    "SoftmaxCrossEntropyWithLogits": lambda: P.SoftmaxCrossEntropyWithLogits()(ones((3, 4)), ones((1, 4))),
}


@pytest.mark.parametrize("words", OTHER_SHAPES)
def test_losses_do_not_broadcast_where_upstream_does_not(words: str) -> None:
    with pytest.raises(ValueError, match=words):
        OTHER_SHAPES[words]()


@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 4), (2, 3, 2, 4)], ids=str)
def test_classes_are_the_last_axis(shape: tuple[int, ...]) -> None:
    rng = np.random.RandomState(0)
    values = rng.randn(*shape).astype(np.float32)
    labels = Tensor(rng.randint(0, shape[-1], shape[:-1]).astype(np.int32))
    rows = np.exp(values.reshape(-1, shape[-1]).astype(np.float64))
    rows /= rows.sum(-1, keepdims=True)
    chosen = labels.asnumpy().reshape(-1)
    wanted = -np.log(rows[np.arange(len(rows)), chosen]).mean()
    slopes = (rows - np.eye(shape[-1])[chosen]) / len(rows)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    operator = P.SparseSoftmaxCrossEntropyWithLogits()
    for function in (loss, operator):
        assert abs(float(function(Tensor(values), labels)) - wanted) < 1e-6
        np.testing.assert_allclose(
            ms.grad(function)(Tensor(values), labels).asnumpy(), slopes.reshape(shape), atol=1e-7
        )
    found = P.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(Tensor(values), labels)
    np.testing.assert_allclose(found.asnumpy(), slopes.reshape(shape), atol=1e-7)


@pytest.mark.parametrize(
    ("labels", "error"),
    [(Tensor([0, 1], i32), ValueError), (Tensor([0, 1, 7], i32), ValueError), (Tensor([0, 1, -1], i32), ValueError)],
    ids=["too few", "no class", "negative"],
)
def test_labels_that_are_no_classes_are_refused(labels: Tensor, error: type) -> None:
    with pytest.raises(error):
        P.SparseSoftmaxCrossEntropyWithLogits()(ones((3, 4)), labels)


def test_labels_of_the_second_axis_are_refused() -> None:
    """They were taken for torch's layout once, with torch's loss."""
    with pytest.raises(ValueError, match="labels"):
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")(ones((2, 3, 4)), Tensor(np.zeros((2, 4)), i32))


ROWS = {
    "float indices": (TypeError, (3, 3), (3, 3), Tensor([0.0, 1.0, 2.0])),
    "moments of another shape": (RuntimeError, (3, 2), (3, 3), Tensor([0, 1, 2], i32)),
    "fewer indices": (ValueError, (3, 3), (3, 3), Tensor([0, 1], i32)),
    "indices of two axes": (ValueError, (3, 3), (3, 3), Tensor([[0], [1], [2]], i32)),
    "rows of another length": (ValueError, (3, 3), (3, 2), Tensor([0, 1, 2], i32)),
    "a number for the gradient": (ValueError, (3, 3), (), Tensor([0, 1, 2], i32)),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("operator", [P.FusedSparseLazyAdam, P.FusedSparseAdam], ids=lambda kind: kind.__name__)
def test_rows_that_do_not_fit_are_refused(operator: Any, name: str) -> None:
    error, of_moment, of_gradient, indices = ROWS[name]
    variable, moment = Parameter(ones((3, 3)), name="w"), Parameter(ones(of_moment), name="m")
    rates = 0.9, 0.999, 0.001, 0.9, 0.999, 1e-8
    with pytest.raises(error):
        operator()(variable, moment, Parameter(ones((3, 3)), name="v"), *rates, ones(of_gradient), indices)
    assert (variable.asnumpy() == 1).all()


def test_losses_by_class_take_weights_of_another_dtype() -> None:
    logits, classes, weight = Tensor(np.eye(3), f16), Tensor([1, 2, 0], i32), Tensor([1.0, 2.0, 4.0], f32)
    for loss in (ops.cross_entropy, ops.nll_loss):
        found = loss(logits, classes, weight)
        assert found.dtype == f32
        np.testing.assert_allclose(found.asnumpy(), loss(logits.astype(f32), classes, weight).asnumpy(), rtol=1e-6)
    shares = Tensor([[0, 1, 0], [0, 0, 1], [2, 0, 0]], i32)  # of the input's shape: probabilities, also as integers
    expected = ops.cross_entropy(logits.astype(f32), shares.astype(f32), weight)
    np.testing.assert_allclose(ops.cross_entropy(logits, shares, weight).asnumpy(), expected.asnumpy(), rtol=1e-3)


@pytest.mark.parametrize("name", "scatter_update scatter_add scatter_max scatter_nd_update scatter_nd_add".split())
def test_updates_take_the_dtype_of_what_they_are_put_into(name: str) -> None:
    indices = Tensor([[0], [1]] if "nd" in name else [0, 1], i32)
    for kept, dtypes in ((f32, (f16, i32, ms.int64, ms.bool_)), (f16, (i32, ms.bool_)), (i32, (ms.bool_,))):
        for dtype in dtypes:
            result = getattr(ops, name)(Parameter(ones((3, 3), kept)), indices, ones((2, 3), dtype))
            assert (result.dtype, float(result[0, 0])) == (kept, 2 if "add" in name else 1)
    for kept, dtype in ((f32, f64), (f16, f32), (i32, f32), (i32, ms.int64)):
        with pytest.raises(TypeError):
            getattr(ops, name)(Parameter(ones((3, 3), kept)), indices, ones((2, 3), dtype))


def test_index_select_counts_from_the_end() -> None:
    x = ms.Tensor(np.arange(10, dtype=np.float32).reshape(5, 2))
    x.requires_grad = True
    places = ms.Tensor([-1, 0, -2], ms.int32)
    assert ms.ops.index_select(x, 0, places).asnumpy().tolist() == [[8, 9], [0, 1], [6, 7]]
    assert x.index_select(1, ms.Tensor([-1])).asnumpy().tolist() == [[1], [3], [5], [7], [9]]
    slopes = ms.grad(lambda x: ms.ops.index_select(x, 0, places).sum())(x)
    assert slopes.asnumpy()[:, 0].tolist() == [1, 0, 0, 1, 1]
    for outside in (-6, 5):
        with pytest.raises((IndexError, ValueError)):
            ms.ops.index_select(x, 0, ms.Tensor([outside]))


def test_sequences_are_reversed_by_their_lengths() -> None:
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert x.reverse_sequence(Tensor([2, 3]), 1, 0).asnumpy().tolist() == [[1, 0, 2], [5, 4, 3]]
    with pytest.raises(ValueError):
        x.reverse_sequence(Tensor([2, 3]), 1, 1)
