"""`ops.operations._csr_ops` against the dense arithmetic; no kernel of upstream runs on a CPU."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.ops.operations import _csr_ops

ROWS = np.array([0, 1, 1, 3])
INDPTR, INDICES = Tensor([0, 1, 3, 3, 4], ms.int32), Tensor([2, 0, 1, 2], ms.int32)
SHAPE = (4, 3)
VALUES = np.array([2.0, -1.0, 5.0, 0.5], np.float32)


def _matrix(values: np.ndarray) -> np.ndarray:
    made = np.zeros((*SHAPE, *values.shape[1:]), np.float32)
    made[ROWS, INDICES.asnumpy()] = values
    return made


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sum(axis: int) -> None:
    found = _csr_ops.CSRReduceSum()(INDPTR, INDICES, Tensor(VALUES), SHAPE, axis)
    np.testing.assert_allclose(found.asnumpy(), _matrix(VALUES).sum(axis, keepdims=True))


def test_sum_of_features_and_its_gradient() -> None:
    """Edges with features, as graph networks sum them up for each node."""
    values = np.random.default_rng(0).normal(size=(4, 2)).astype(np.float32)
    weights = Tensor(np.arange(8, dtype=np.float32).reshape(4, 1, 2))

    def total(v: Tensor) -> Tensor:
        return (_csr_ops.CSRReduceSum()(INDPTR, INDICES, v, (*SHAPE, 2), 1) * weights).sum()

    found = _csr_ops.CSRReduceSum()(INDPTR, INDICES, Tensor(values), (*SHAPE, 2), 1)
    np.testing.assert_allclose(found.asnumpy(), _matrix(values).sum(1, keepdims=True), rtol=1e-6)
    np.testing.assert_array_equal(ms.grad(total)(Tensor(values)).asnumpy(), weights.asnumpy()[ROWS, 0])
