"""`Symbol`, and Tensors with open sizes; what is expected here is what real MindSpore 2.10 says (but for texts)."""

from __future__ import annotations

from typing import Any

import pytest

import mindspore_compat as ms
from mindspore_compat import Symbol, Tensor


@pytest.mark.parametrize(
    ("shape", "seen"),
    [
        ([None, 3], (-1, 3)),
        ((None, 3), (-1, 3)),
        ([-1, 3], (-1, 3)),
        (None, (-2,)),
        ([-2], (-2,)),
        ([Symbol(divisor=4), 3], (-1, 3)),
    ],
)
def test_open_sizes_are_shown_as_negative(shape: Any, seen: tuple[int, ...]) -> None:
    tensor = Tensor(shape=shape, dtype=ms.float32)
    assert isinstance(tensor, Tensor) and tensor.shape == seen and tensor.dtype is ms.float32
    with pytest.raises(ValueError, match="has no contents"):
        tensor.asnumpy()
    assert str(list(seen)) in str(tensor)


def test_a_shape_without_open_sizes_makes_a_tensor_of_zeros() -> None:
    assert Tensor(shape=[2, 3], dtype=ms.float32).asnumpy().tolist() == [[0, 0, 0]] * 2


def test_what_is_known_of_a_size() -> None:
    size = Symbol(divisor=4, min=4, max=64)
    assert Tensor(shape=[size, 3], dtype=ms.float32).symbolic_shape == [{"max": 64, "min": 4, "divisor": 4}, 3]  # type: ignore[attr-defined]
    assert [size.near(wanted) for wanted in (1, 4, 5, 64, 65)] == [4, 4, 8, 64, 64]
    assert [size.allows(wanted) for wanted in (0, 4, 6, 64, 68)] == [False, True, False, True, False]
    assert Symbol(divisor=3, remainder=2).near(6) == 8
