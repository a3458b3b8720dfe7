"""``scipy.fft`` against the cosines that define the transform, ``numpy.fft`` against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.numpy import fft as numpy_fft
from mindspore_compat.scipy import fft
from mindspore_compat.scipy.fft import dct, dctn, idct, idctn

RANDOM = np.random.default_rng(0)


def cosines(count: int) -> np.ndarray:
    """The matrix of the orthonormal transform."""
    frequency, place = np.mgrid[:count, :count]
    matrix = np.cos(np.pi * frequency * (2 * place + 1) / (2 * count)) * np.sqrt(2 / count)
    matrix[0] *= np.sqrt(0.5)
    return matrix


@pytest.mark.parametrize("count", [1, 2, 5, 8])
@pytest.mark.parametrize("dtype", [ms.float32, ms.float64, ms.complex64])
def test_transforms_are_those_of_the_cosines(count: int, dtype: Any) -> None:
    x = RANDOM.normal(size=(3, count)) + (1j * RANDOM.normal(size=(3, count)) if dtype is ms.complex64 else 0)
    found = dct(Tensor(x, dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(found.asnumpy(), x @ cosines(count).T, atol=1e-5)
    np.testing.assert_allclose(idct(Tensor(x, dtype)).asnumpy(), x @ cosines(count), atol=1e-5)
    both = cosines(3) @ x @ cosines(count).T
    np.testing.assert_allclose(dctn(Tensor(x, dtype)).asnumpy(), both, atol=1e-5)
    np.testing.assert_allclose(idctn(Tensor(both, dtype)).asnumpy(), x, atol=1e-5)


def test_lengths_and_axes() -> None:
    x = RANDOM.normal(size=(3, 5)).astype(np.float32)
    given, longer = Tensor(x), np.pad(x, ((0, 0), (0, 2)))
    np.testing.assert_allclose(dct(given, n=3).asnumpy(), x[:, :3] @ cosines(3).T, atol=1e-5)
    np.testing.assert_allclose(dct(given, n=7).asnumpy(), longer @ cosines(7).T, atol=1e-5)
    np.testing.assert_allclose(idct(given, axis=0).asnumpy(), cosines(3).T @ x, atol=1e-5)
    np.testing.assert_allclose(dctn(given, s=(7,)).asnumpy(), longer @ cosines(7).T, atol=1e-5)
    np.testing.assert_allclose(dctn(given, s=(2,), axes=(0,)).asnumpy(), cosines(2) @ x[:2], atol=1e-5)
    assert dct(given.astype(ms.float16)).dtype == dct(given.astype(ms.int32)).dtype == ms.float32


def test_gradients_of_transforms() -> None:
    """Upstream's are not those of its function: its derivative leaves out the scale."""
    x = Tensor(RANDOM.normal(size=(3, 5)), ms.float64)
    found = ops.grad(lambda x: (dct(x) ** 2).sum() + idct(x).sum())(x)
    np.testing.assert_allclose(found.asnumpy(), 2 * x.asnumpy() + cosines(5).sum(1), atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "call"),
    [(ValueError, lambda x: dct(x, 3)), (ValueError, lambda x: dct(x, axis=2)), (TypeError, lambda x: dct(x, n=1.5))],
)
def test_refused_transforms(kind: type[Exception], call: Any) -> None:
    with pytest.raises(kind):
        call(Tensor(np.ones((2, 3), np.float32)))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_one_axis_as_numpy(name: str) -> None:
    x = RANDOM.normal(size=(4, 6)).astype(np.float32)
    for kwargs in ({}, {"n": 4}, {"axis": 0}, {"norm": "ortho"}):
        expected = getattr(np.fft, name)(x, **kwargs)
        np.testing.assert_allclose(getattr(numpy_fft, name)(Tensor(x), **kwargs).asnumpy(), expected, atol=1e-4)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_two_and_more_axes_as_numpy(name: str) -> None:
    x = RANDOM.normal(size=(2, 4, 6)).astype(np.float32)
    for dims, kwargs in (("2", {}), ("2", {"axes": (0, 1)}), ("n", {}), ("n", {"s": (3, 4), "axes": (1, 2)})):
        expected = getattr(np.fft, name + dims)(x, **kwargs)
        np.testing.assert_allclose(getattr(numpy_fft, name + dims)(Tensor(x), **kwargs).asnumpy(), expected, atol=1e-4)


def test_shifts_frequencies_and_names() -> None:
    x = np.arange(12.0).reshape(3, 4)
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (1,)):
            found = getattr(numpy_fft, name)(Tensor(x), axes).asnumpy()
            np.testing.assert_array_equal(found, getattr(np.fft, name)(x, axes))
    np.testing.assert_allclose(numpy_fft.fftfreq(5, 0.1).asnumpy(), np.fft.fftfreq(5, 0.1), rtol=1e-6)
    np.testing.assert_allclose(numpy_fft.rfftfreq(5).asnumpy(), np.fft.rfftfreq(5), rtol=1e-6)
    assert all(callable(getattr(numpy_fft, name)) for name in numpy_fft.__all__)
    assert ms.numpy.fft is numpy_fft and ms.scipy.fft is fft
