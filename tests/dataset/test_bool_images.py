"""Images of booleans and of int8: which operations answer with bytes, and with which, as real MindSpore 2.10 does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import vision as V

pytest.importorskip("cv2")

_MASK = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0]], np.bool_)
_POINTS = [[0, 0], [2, 0], [2, 2], [0, 2]]

_BYTES: list[tuple[Callable, list]] = [
    (lambda: V.Pad(0), [[0, 1, 1], [1, 0, 0], [0, 1, 0]]),
    (lambda: V.Pad((1, 0), 2), [[2, 0, 1, 1, 2], [2, 1, 0, 0, 2], [2, 0, 1, 0, 2]]),
    (lambda: V.PadToSize((3, 4), (0, 0), 7), [[0, 1, 1, 7], [1, 0, 0, 7], [0, 1, 0, 7]]),
    (lambda: V.CenterCrop((3, 5)), [[0, 0, 1, 1, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]),
    (lambda: V.RandomCrop(3), [[0, 1, 1], [1, 0, 0], [0, 1, 0]]),
    (lambda: V.Rotate(90, expand=True), [[1, 0, 0], [1, 0, 1], [0, 1, 0]]),
    (lambda: V.Perspective(_POINTS, _POINTS), [[0, 1, 1], [1, 0, 0], [0, 1, 0]]),
    (lambda: V.Posterize(8), [[0, 1, 1], [1, 0, 0], [0, 1, 0]]),
    (lambda: V.GaussianBlur(1), [[0, 1, 1], [1, 0, 0], [0, 1, 0]]),
    (lambda: V.AdjustSharpness(1.0), [[0, 1, 1], [1, 0, 0], [0, 1, 0]]),
    (lambda: V.Equalize(), [[0, 255, 255], [255, 0, 0], [0, 255, 0]]),
    (lambda: V.AutoContrast(), [[0, 255, 255], [255, 0, 0], [0, 255, 0]]),
]


@pytest.mark.parametrize("place", range(len(_BYTES)))
def test_what_comes_of_a_matrix_are_bytes(place: int) -> None:
    make, expected = _BYTES[place]
    for image in (_MASK, _MASK[..., None]):
        result = np.asarray(make()(image.copy()))
        assert result.dtype == np.uint8
        assert result.reshape(result.shape[:2]).tolist() == expected
        rows = ds.NumpySlicesDataset([image, image], ["a"], shuffle=False).map(make(), ["a"])
        for (row,) in rows.create_tuple_iterator(num_epochs=1, output_numpy=True):
            np.testing.assert_array_equal(row, result, strict=True)


@pytest.mark.parametrize(
    "make",
    [
        lambda: V.CenterCrop(2),
        lambda: V.Rotate(90),
        lambda: V.Affine(0.0, [0, 0], 1.0, [0, 0]),
        lambda: V.HorizontalFlip(),
        lambda: V.AdjustGamma(0.0),
        lambda: V.Resize((4, 4)),
        lambda: V.SlicePatches(1, 1),
    ],
)
def test_the_others_leave_booleans(make: Callable[[], Any]) -> None:
    assert np.asarray(make()(_MASK.copy())).dtype == np.bool_


def test_patches_of_booleans() -> None:
    patches = V.SlicePatches(2, 2, fill_value=3)(_MASK.copy())
    assert [patch.tolist() for patch in patches] == [
        [[0, 1], [1, 0]],
        [[1, 3], [0, 3]],
        [[0, 1], [3, 3]],
        [[0, 3], [3, 3]],
    ]


def test_grey_of_booleans_rounds() -> None:
    image = np.array([[[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]]], np.bool_)
    grey = V.ConvertColor(V.ConvertMode.COLOR_RGB2GRAY)(image)
    np.testing.assert_array_equal(grey, [[False, True, False, False]], strict=True)


def test_signed_bytes_are_posterized_as_bytes() -> None:
    image = np.array([[72, -53], [-1, 127]], np.int8)
    np.testing.assert_array_equal(V.Posterize(3)(image), np.array([[64, 192], [224, 96]], np.uint8), strict=True)


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        ("int8", [72, -53, 127], [127, -53, 127]),
        ("uint16", [72, 255, 65483], [183, 0, 0]),
        ("int16", [72, -53, 32767], [183, -53, -32512]),
    ],
)
def test_solarize_keeps_to_the_range(dtype: str, values: list, expected: list) -> None:
    image = np.array([values], dtype)
    np.testing.assert_array_equal(V.Solarize(0)(image), np.array([expected], dtype), strict=True)
