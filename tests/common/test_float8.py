"""float8_e4m3fn: what is beyond its range is NaN, as real MindSpore's Tensor of an array says, in every conversion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, ops

E4M3 = ms.float8_e4m3fn
GIVEN = [448, 464, 466, 480, 1e6, np.inf, -448, -464, -466, np.nan, 0.3, 2.0**-9, 2.0**-10]
HELD = [448, 448, np.nan, np.nan, np.nan, np.nan, -448, -448, np.nan, np.nan, 0.3125, 2.0**-9, 0]


def _written(x: Any) -> Any:
    made = Tensor(np.zeros(len(GIVEN)), E4M3)
    made[:] = x
    return made


def _set_dtype(x: Any) -> Any:
    x.set_dtype(E4M3)
    return x


@pytest.mark.parametrize(
    "converted",
    [
        lambda x: x.astype(E4M3),
        lambda x: x.to(E4M3),
        lambda x: x.to(dtype=E4M3),
        lambda x: x.type(E4M3),
        lambda x: x.type_as(Tensor([1.0], E4M3)),
        lambda x: ops.cast(x, E4M3),
        lambda x: ops.Cast()(x, E4M3),
        lambda x: Tensor(x, E4M3),
        lambda x: Tensor(x.asnumpy(), E4M3),
        lambda x: Tensor(x.asnumpy().tolist(), E4M3),
        lambda x: Parameter(Tensor(np.zeros(len(GIVEN)), E4M3)).set_data(x),
        lambda x: Parameter(Tensor([0.0], E4M3)).set_data(x),
        _written,
        _set_dtype,
    ],
)
@pytest.mark.parametrize("dtype", [ms.float32, ms.float64])
def test_what_is_too_large_is_nan(converted: Any, dtype: Any) -> None:
    found = converted(Tensor(GIVEN, dtype))
    assert found.dtype is E4M3
    np.testing.assert_array_equal(found.asnumpy(), np.array(HELD, np.float32))


def test_numbers_and_elements() -> None:
    x = Tensor([0.0, 0.0], E4M3)
    x[0] = 1000
    x[1] = -448.0
    np.testing.assert_array_equal(x.asnumpy(), np.array([np.nan, -448], np.float32))
    assert np.isnan(float(Tensor(512, E4M3))) and np.isnan(float(ops.cast(512, E4M3)))
    assert np.isnan(Tensor([470], ms.int32).astype(E4M3).asnumpy()).all()


def test_the_other_float_of_8_bits_is_infinite() -> None:
    np.testing.assert_array_equal(
        Tensor([57344, 61439, 61440, -1e9], ms.float8_e5m2).asnumpy(), [57344, 57344, np.inf, -np.inf]
    )


def test_gradients_pass_what_fits() -> None:
    found = ms.grad(lambda x: x.astype(E4M3).astype(ms.float32).sum())(Tensor([1.0, 448.0, -3.0]))
    np.testing.assert_array_equal(found.asnumpy(), [1, 1, 1])


@pytest.mark.parametrize(
    ("dtype", "content"),
    [
        ("bfloat16", b"\x80?\x00@@@"),
        ("float16", b"\x00<\x00@\x00B"),
        ("float8_e5m2", b"<@B"),
        ("float8_e4m3fn", b"8@D"),
        ("bool_", b"\x01\x01\x01"),
        ("complex64", b"\x00\x00\x80?" + bytes(6) + b"\x00@" + bytes(6) + b"@@" + bytes(4)),
    ],
)
def test_bytes_are_those_of_the_dtype(dtype: str, content: bytes) -> None:
    x = Tensor([1, 2, 3], getattr(ms, dtype))
    assert x.get_bytes() == content
    assert Tensor.convert_bytes_to_tensor(content, x.shape, x.dtype).get_bytes() == content
    assert Tensor([[1, 2], [3, 4]], ms.bfloat16).T.get_bytes() == b"\x80?@@\x00@\x80@"
