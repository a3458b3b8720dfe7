"""``mindspore.numpy``: dtypes, broadcasting and refusals where real MindSpore 2.10 and torch part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.numpy as mnp
from mindspore_compat import Tensor

INTS = Tensor(np.array([[-1, 0, 1], [2, 3, -1]], np.int32))
FLOATS = Tensor(np.array([[-2.3, -1.3, -0.3], [0.7, 1.7, 2.7]], np.float32))
BOOLS = Tensor(np.array([[True, False, False], [True, False, False]]))
HALVES = FLOATS.astype(ms.float16)

#: call -> (dtype, values) of real MindSpore
CALLS: dict[str, tuple[Any, Any]] = {
    "mnp.abs(BOOLS)": (ms.bool_, [[1, 0, 0], [1, 0, 0]]),
    "mnp.ceil(INTS)": (ms.float32, INTS.asnumpy()),
    "mnp.ceil(HALVES)": (ms.float32, [[-2, -1, 0], [1, 2, 3]]),
    "mnp.trunc(BOOLS)": (ms.float32, [[1, 0, 0], [1, 0, 0]]),
    "mnp.sign(INTS)": (ms.float32, np.sign(INTS.asnumpy())),
    "mnp.exp2(INTS)": (ms.int32, [[0, 1, 2], [4, 8, 0]]),
    "mnp.reciprocal(INTS * 2 + 1)": (ms.int32, [[-1, 1, 0], [0, 0, -1]]),
    "mnp.cbrt(HALVES * 0 + 8)": (ms.float32, np.full((2, 3), 2)),
    "mnp.floor_divide(BOOLS, BOOLS | True)": (ms.bool_, BOOLS.asnumpy()),
    "mnp.mod(INTS, INTS * 0)": (ms.int32, np.zeros((2, 3))),
    "mnp.copysign(INTS, FLOATS)": (ms.int32, [[-1, 0, -1], [2, 3, 1]]),
    "mnp.gcd(Tensor([4.0, 6.0]), 10)": (ms.float32, [2, 2]),
    "mnp.lcm(Tensor([4.0, 6.0]), 10)": (ms.float32, [20, 30]),
    "mnp.argmax(BOOLS, axis=0)": (ms.int64, [0, 0, 0]),
    "mnp.cumprod(BOOLS, axis=1)": (ms.int32, [[1, 0, 0], [1, 0, 0]]),
    "mnp.nanmax(INTS, axis=0)": (ms.int32, [2, 3, 1]),
    "mnp.nanmin(INTS, axis=1, keepdims=1)": (ms.int32, [[-1], [-1]]),
    "mnp.nanmean(HALVES * 0 + 1)": (ms.float32, 1),
    "mnp.sum(FLOATS, dtype=ms.int32)": (ms.int32, 0),
    "mnp.array_equal(INTS, INTS)": (ms.bool_, True),
    "mnp.array_equal(INTS, INTS[0])": (ms.bool_, False),
    "mnp.array_equiv([1, 2], [[1, 2], [1, 2]])": (ms.bool_, True),
    "mnp.asfarray([1.5], dtype=ms.int32)": (ms.float32, [1.5]),
    "mnp.convolve([1, 2, 3], 2)": (ms.int32, [2, 4, 6]),
    "mnp.cross(Tensor(np.eye(3, dtype=np.float32)), [1.0, 0.0, 0.0])": (ms.float32, [[0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "mnp.diff([1.0, 2.0, 4.0], prepend=0, append=9)": (ms.float32, [1, 1, 2, 5]),
    "mnp.diff([[1, 2], [5, 4]], prepend=0)": (ms.int32, [[1, 1], [5, -1]]),
    "mnp.roll([[1, 2, 3]], (1, 1), 1)": (ms.int32, [[2, 3, 1]]),
    "mnp.roll([[1, 2], [3, 4]], 1, (0, 1))": (ms.int32, [[4, 3], [2, 1]]),
    "mnp.select([1, 0], [[1, 2], [3, 4]])": (ms.int32, [1, 2]),
    "mnp.tril([1, 2, 3])": (ms.int32, [[1, 0, 0], [1, 2, 0], [1, 2, 3]]),
    "mnp.vander([1, 2, 3])": (ms.int32, [[1, 1, 1], [4, 2, 1], [9, 3, 1]]),
    "mnp.polyder([1, 2, 3])": (ms.int32, [2, 2]),
    "mnp.polyval([1, 2, 3], 2)": (ms.float32, 11),
    "mnp.where(BOOLS[0], 1, 2)": (ms.int32, [1, 2, 2]),
    "mnp.unravel_index(7, (2, 3))[1]": (ms.int32, 2),
    "mnp.cumsum(HALVES.reshape(-1))": (ms.float16, np.cumsum(HALVES.asnumpy().astype(np.float32)).astype(np.float16)),
}


@pytest.mark.parametrize("call", CALLS)
def test_results(call: str) -> None:
    dtype, values = CALLS[call]
    found = eval(call)
    assert found.dtype == dtype
    np.testing.assert_allclose(found.asnumpy(), values, rtol=1e-6)
    assert found.shape == np.shape(values)


def test_a_function_along_an_axis_puts_its_axes_there() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for axis in (0, 1, -1):
        found = mnp.apply_along_axis(mnp.diag, axis, Tensor(x)).asnumpy()
        np.testing.assert_array_equal(found, np.apply_along_axis(np.diag, axis, x))


def test_common_dtypes() -> None:
    assert mnp.promote_types(int, ms.bool_) == ms.int32 and mnp.promote_types(float, ms.float16) == ms.float32
    assert mnp.result_type("?", "float") == ms.float32 and mnp.result_type("i2", ms.float32) == ms.float32


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        *[
            (ValueError, f"mnp.{name}(FLOATS, Tensor([1.0, 2.0]))")
            for name in ("add", "power", "equal", "gcd", "hypot")
        ],
        *[(ValueError, f"mnp.{name}(FLOATS, axis=5)") for name in ("sum", "mean", "max", "std", "argmin", "cumsum")],
        *[(TypeError, f"mnp.{name}(FLOATS)") for name in ("invert", "bitwise_not")],
        (TypeError, "mnp.negative(BOOLS)"),
        (TypeError, "mnp.bitwise_and(FLOATS, INTS)"),
        (ValueError, "mnp.max(FLOATS, axis=(0, 0))"),
        (ValueError, "mnp.swapaxes(FLOATS, 0, 10)"),
        (ValueError, "mnp.convolve(FLOATS, [1.0])"),
        (ValueError, "mnp.convolve([], [1.0])"),
        (ValueError, "mnp.ix_(FLOATS)"),
        (ValueError, "mnp.roll(FLOATS, (1, 2, 3), (0, 1))"),
        (ValueError, "mnp.inner([1, 2], [1, 2, 3])"),
    ],
)
def test_refusals(kind: type[Exception], call: str) -> None:
    with pytest.raises(kind):
        eval(call)


def test_random_numbers() -> None:
    for draw in (mnp.rand, mnp.randn):
        assert draw().shape == (1,) and draw(2, 3).shape == draw((2, 3)).shape == (2, 3)
        assert draw(2, dtype=ms.float16).dtype == ms.float16
        with pytest.raises(ValueError, match="dtype"):
            draw(2, dtype=ms.int32)
