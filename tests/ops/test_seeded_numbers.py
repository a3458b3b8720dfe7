"""Operators with seeds whose numbers are those of real MindSpore's CPU kernels. The numbers are real MindSpore 2.10's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.ops import operations as P

pytestmark = pytest.mark.cpu_only("torch draws on a GPU")
LOGITS = [[1.0, 2, 3, 4, 5], [0, 0, 0, 0, 0]]
MASK = Tensor(np.array([[1, 0, 1, 0], [0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1]], np.bool_))
TRUE = Tensor([[1, 2], [4, 0], [13, 3]], ms.int64)


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
def test_random_categorical(dtype: Any) -> None:
    logits, operator = Tensor(LOGITS, dtype), P.RandomCategorical(ms.int64)
    first = [[4, 4, 2, 4, 4, 3, 4, 4, 4], [2, 4, 0, 2, 2, 1, 3, 4, 3]]
    assert operator(logits, 9, 5).asnumpy().tolist() == first
    assert operator(logits, 9, 5).asnumpy().tolist() == [[4, 3, 4, 4, 4, 2, 4, 0, 3], [2, 0, 2, 2, 2, 0, 3, 0, 1]]
    assert operator(logits, 9, 6).asnumpy().tolist() == [[3, 4, 4, 2, 4, 4, 3, 2, 3], [1, 2, 3, 0, 3, 4, 1, 0, 0]]
    assert operator(logits, 9, 5).asnumpy().tolist() == [[4, 2, 3, 4, 4, 4, 4, 2, 4], [1, 0, 0, 4, 4, 2, 2, 0, 2]]
    assert operator(logits, 9, -5).asnumpy().tolist() == [[3, 4, 4, 3, 4, 4, 4, 2, 4], [0, 4, 4, 1, 4, 4, 3, 0, 4]]
    for _ in range(2):  # the function makes an operator at every call
        assert ops.random_categorical(logits, 9, 5).asnumpy().tolist() == first


@pytest.mark.parametrize(
    ("count", "seeds", "first", "second"),
    [
        (4, (1, 0), [[2, 2], [1, 3], [0, 0], [2, 0]], [[2, 3], [0, 2], [2, 0], [3, 3]]),
        (3, (2, 9), [[2, 0], [0, 0], [2, 3]], [[1, 3], [2, 0], [2, 1]]),
    ],
)
def test_random_choice_with_mask(count: int, seeds: Any, first: Any, second: Any) -> None:
    operator = P.RandomChoiceWithMask(count, *seeds)
    assert [operator(MASK)[0].asnumpy().tolist() for _ in range(2)] == [first, second]


def test_random_choice_of_many_few_and_none() -> None:
    places, mask = P.RandomChoiceWithMask(7, 3)(Tensor(np.ones((300, 300), np.bool_)))  # one draw for each place
    assert places.asnumpy().tolist()[:3] == [[63, 129], [1, 155], [201, 291]] and mask.asnumpy().all()
    assert P.RandomChoiceWithMask(7, 3)(Tensor(np.ones(7, np.bool_)))[0].asnumpy().ravel().tolist() == [
        *(2, 0, 4, 1, 5, 6, 3)
    ]
    assert P.RandomChoiceWithMask(3, 0, -1024)(Tensor(np.ones(7, np.bool_)))[0].asnumpy().ravel().tolist() == [3, 1, 0]
    places, mask = P.RandomChoiceWithMask(3, 3)(Tensor(np.zeros(7, np.bool_)))
    assert not places.asnumpy().any() and not mask.asnumpy().any()


def test_random_choice_of_three_axes() -> None:
    """Upstream gives [0, 0, 2] and the like, which no element has."""
    places, _ = P.RandomChoiceWithMask(12, 3)(Tensor(np.ones((3, 2, 2), np.bool_)))
    rows = places.asnumpy().tolist()
    assert rows[:3] == [[1, 0, 1], [0, 1, 0], [2, 1, 1]] and len({tuple(row) for row in rows}) == 12
    assert places.asnumpy().max(0).tolist() == [2, 1, 1]


def test_choice_with_mask_follows_the_global_seed() -> None:
    ms.set_seed(1)
    assert ops.choice_with_mask(MASK, 4, 3)[0].asnumpy().tolist() == [[2, 2], [2, 0], [3, 3], [1, 3]]
    assert ops.choice_with_mask(MASK, 4, 3)[0].asnumpy().tolist() == [[2, 0], [2, 1], [3, 3], [1, 3]]
    assert ops.choice_with_mask(MASK, 4)[0].asnumpy().tolist() == [[2, 2], [1, 3], [0, 0], [2, 0]]


@pytest.mark.parametrize(
    ("unique", "seed", "draws"),
    [
        (True, 5, [[0, 4, 7, 6, 1, 15], [6, 1, 4, 0, 14, 10]]),
        (True, 0, [[10, 2, 8, 0, 14, 17], [0, 5, 2, 13, 4, 7]]),
        (False, 5, [[0, 4, 7, 6, 0, 4], [6, 1, 4, 0, 14, 1]]),
    ],
)
def test_log_uniform_candidates(unique: bool, seed: int, draws: Any) -> None:
    operator = P.LogUniformCandidateSampler(2, 6, unique, 20, seed)
    for expected in draws:
        drawn, true_count, drawn_count = operator(TRUE)
        assert drawn.asnumpy().tolist() == expected
        if draws[0] is expected:
            share = 0.6812595725059509 if unique else 0.7990713715553284
            np.testing.assert_allclose(true_count.asnumpy()[0, 0], share, rtol=1e-6)
            np.testing.assert_allclose(drawn_count.asnumpy()[list(expected).index(2 if seed == 0 else 0)],
                                       0.54799884557724 if seed == 0 else 0.8734034299850464 if unique
                                       else 1.3660215139389038, rtol=1e-6)  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "draws"),
    [
        ((True, 20, 5), [([15, 18, 0, 12], 0.2), ([3, 8, 10, 9], 0.2), ([7, 17, 14, 5], 0.264908105134964)]),
        ((True, 20, 5, True), [([15, 18, 12, 8], 0.264908105134964), ([10, 9, 7, 17], 0.2)]),
        ((False, 20, 5), [([15, 18, 0, 12], 0.2), ([3, 8, 10, 9], 0.2), ([7, 17, 14, 17], 0.2)]),
    ],
)
def test_uniform_candidates(arguments: Any, draws: Any) -> None:
    operator = P.UniformCandidateSampler(2, 4, *arguments)
    for expected, share in draws:
        drawn, true_count, drawn_count = operator(TRUE)
        assert drawn.asnumpy().tolist() == expected
        np.testing.assert_allclose(true_count.asnumpy(), np.full((3, 2), share), rtol=1e-6)
        np.testing.assert_allclose(drawn_count.asnumpy(), np.full(4, share), rtol=1e-6)
    with pytest.raises(ValueError, match="fewer than 30 classes"):
        P.UniformCandidateSampler(2, 30, True, 20, 5)(TRUE)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_step_that_draws_on_the_host_is_never_repeated(mode: int) -> None:
    ms.set_context(mode=mode)

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.draw, self.scale = P.RandomCategorical(ms.int64), ms.Parameter(Tensor(1.0), name="scale")

        def construct(self, x):
            return (self.draw(x, 9, 5).astype(ms.float32) * self.scale).sum()

    net = Net()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.0)).set_train()
    x = Tensor([LOGITS[1]], ms.float32)
    assert [float(step(x)) for _ in range(3)] == [21.0, 12.0, 15.0]
