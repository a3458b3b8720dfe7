"""With the same seed networks begin with real MindSpore's weights, byte for byte (tests/golden/initial_weights.json)."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat._random import philox
from mindspore_compat.common.initializer import Normal, Orthogonal, initializer
from tests.nn.initial_cases import CASES, told

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "initial_weights.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_weights(case: str) -> None:
    assert json.loads(json.dumps(told(case, ms))) == GOLDEN["cases"][case]


FILLS = {
    "_random_normal": philox.fill_normal,
    "_random_uniform": philox.fill_uniform,
    "_truncated_normal": philox.fill_truncated_normal,
}


@pytest.mark.parametrize("name", FILLS)
def test_functions_of_a_seed(name: str) -> None:
    rows = [row for row in GOLDEN["draws"] if row[0] == name]
    assert len(rows) > 20
    for _, seed, size, arguments, first, checksum in rows:
        array = np.zeros(size, np.float32)
        FILLS[name](seed, array, *arguments)
        assert array[:3].tolist() == first, (seed, arguments)
        assert zlib.crc32(array.tobytes()) == checksum, (seed, size, arguments)


def test_threads_and_strides_change_nothing() -> None:
    alone, together, strided = (
        np.zeros(500_001, np.float32),
        np.zeros(500_001, np.float32),
        np.zeros((2, 500_001), "f4"),
    )
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        philox.fill_normal(7, alone, 0.0, 1.0)
        torch.set_num_threads(3)
        philox.fill_normal(7, together, 0.0, 1.0)
    finally:
        torch.set_num_threads(before)
    philox.fill_normal(7, strided[:, ::2].T[:250_001, 0], 0.0, 1.0)
    assert (alone == together).all()
    assert (strided[0, ::2] == alone[:250_001]).all() and not strided[0, 1::2].any() and not strided[1].any()


def test_seed_0_is_no_seed() -> None:
    first, second = np.zeros(8, np.float32), np.zeros(8, np.float32)
    philox.fill_uniform(0, first, 0.0, 1.0)
    philox.fill_uniform(0, second, 0.0, 1.0)
    assert (first != second).any()


@pytest.mark.parametrize(
    ("error", "arguments"), [(TypeError, (-1, np.zeros(2, np.float32))), (RuntimeError, (1, np.zeros(2)))]
)
def test_what_is_refused(error: type[Exception], arguments: Any) -> None:
    with pytest.raises(error):
        philox.fill_normal(*arguments, 0.0, 1.0)
    with pytest.raises(RuntimeError, match="invalid sigma"):
        philox.fill_truncated_normal(1, np.zeros(2, np.float32), -2.0, 2.0, 0.0, 0.0)


def test_orthogonal_matrices_are_upstreams_up_to_lapack() -> None:
    ms.set_seed(3)
    made = initializer(Orthogonal(), [2, 2]).asnumpy()
    np.testing.assert_allclose(made, [[-0.92902035, -0.37002859], [0.37002859, -0.92902035]], rtol=1e-6)


def test_numbers_are_drawn_when_they_are_needed() -> None:
    np.random.seed(1)
    start = np.random.get_state()[2]  # type: ignore[index]
    waiting = initializer("normal", [3])
    assert waiting.has_init and isinstance(waiting.init, Normal) and isinstance(waiting, Tensor)
    assert (waiting.shape, waiting.dtype, waiting.ndim, waiting.size) == ((3,), ms.float32, 1, 3)
    assert np.random.get_state()[2] == start  # type: ignore[index]
    expected = np.array([0.00653037, 0.01509193, 0.00264736], np.float32)
    np.testing.assert_allclose(waiting.asnumpy(), expected, rtol=2e-6)
    assert not waiting.has_init and waiting.init is None and type(waiting) is Tensor
    np.testing.assert_allclose((waiting + 1).asnumpy(), expected + 1)


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x + 1,
        lambda x: ms.ops.relu(x) + 1,
        lambda x: ms.ops.stack([x, x])[0] + 1,
        lambda x: x[:] + 1,
        lambda x: Tensor(x) + 1,
        lambda x: Parameter(x) + 1,
        lambda x: nn.Identity()(x) + 1,
        lambda x: x.copy() + 1,
        lambda x: torch.cat([x, x])[:3] + 1,
    ],
)
def test_every_use_fills_first(use: Any) -> None:
    np.random.seed(1)
    expected = np.array([1.00653037, 1.01509193, 1.00264736], np.float32)
    np.testing.assert_allclose(np.asarray(use(initializer("normal", [3]))), expected, rtol=1e-6)


def test_a_copy_before_the_first_use_draws_for_itself() -> None:
    import copy
    import pickle

    np.random.seed(1)
    waiting = initializer("normal", [3])
    other = copy.deepcopy(waiting)
    assert waiting.has_init and other.has_init
    assert (other.asnumpy() != waiting.asnumpy()).all()
    stored = pickle.loads(pickle.dumps(initializer("ones", [2])))
    assert stored.asnumpy().tolist() == [1.0, 1.0]


def test_an_initializer_that_fails_leaves_the_tensor_as_it_was() -> None:
    waiting = initializer("xavier_uniform", [3])
    for _ in range(2):
        with pytest.raises(ValueError, match="fewer than 2 dimensions"):
            waiting.init_data()
    assert waiting.has_init


@pytest.mark.parametrize("shape", [[-1], [2.0], ["a"]])
def test_sizes_that_are_refused(shape: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        initializer("ones", shape)
