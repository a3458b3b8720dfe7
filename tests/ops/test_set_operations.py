"""Operators of sets against Python's; DenseToDenseSetOperation is compared with real MindSpore too (cases_9_primitives.txt),
whose CPU kernel of the sparse form refuses every call.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Tensor
from mindspore_compat import dtype as mstype
from mindspore_compat.ops.operations.sparse_ops import DenseToDenseSetOperation, DenseToSparseSetOperation

OPERATIONS: dict[str, Any] = {
    "a-b": operator.sub,
    "b-a": lambda a, b: b - a,
    "intersection": operator.and_,
    "union": operator.or_,
}


def _sets(a: np.ndarray, b: np.ndarray, known: np.ndarray, name: str) -> tuple[list, list, list]:
    indices: list = []
    values: list = []
    longest = 0
    for place in np.ndindex(a.shape[:-1]):
        found = sorted(OPERATIONS[name](set(a[place].tolist()), set(b[place][known[place]].tolist())))
        indices += [[*place, at] for at in range(len(found))]
        values += found
        longest = max(longest, len(found))
    return indices, values, [*a.shape[:-1], longest]


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("seed", range(20))
def test_sets_are_pythons(name: str, seed: int) -> None:
    random = np.random.RandomState(seed)
    lead = tuple(random.randint(1, 4, random.randint(1, 3)))
    a = random.randint(-3, 4, (*lead, random.randint(1, 6))).astype(np.int32)
    b = random.randint(-3, 4, (*lead, random.randint(1, 6))).astype(np.int32)
    known = random.rand(*b.shape) < 0.6
    dense = DenseToDenseSetOperation(name)(Tensor(a), Tensor(b))
    assert tuple(item.asnumpy().tolist() for item in dense) == _sets(a, b, np.ones_like(known), name)
    shape = Tensor(np.array(b.shape), mstype.int64)
    sparse = DenseToSparseSetOperation(name)(Tensor(a), Tensor(np.argwhere(known)), Tensor(b[known]), shape)
    assert tuple(item.asnumpy().tolist() for item in sparse) == _sets(a, b, known, name)


def test_indices_are_validated() -> None:
    a, values, shape = Tensor([[1, 2], [3, 4]]), Tensor([1, 2, 3]), Tensor([2, 2])
    unordered, outside = Tensor([[1, 0], [0, 0], [0, 1]]), Tensor([[0, 0], [0, 2], [1, 1]])
    with pytest.raises(ValueError, match="in order"):
        DenseToSparseSetOperation("union")(a, unordered, values, shape)
    with pytest.raises(ValueError, match="inside of the shape"):
        DenseToSparseSetOperation("union", False)(a, outside, values, shape)
    indices, found, _ = DenseToSparseSetOperation("union", False)(a, unordered, values, shape)
    assert found.asnumpy().tolist() == [1, 2, 3, 1, 3, 4]
    assert indices.asnumpy()[:, 0].tolist() == [0, 0, 0, 1, 1, 1]
