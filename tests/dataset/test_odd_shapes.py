"""Labels with axes of length 1, images of other numbers of channels than an operation's name says, texts that only begin
with a number, empty slices: as in real MindSpore 2.10.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat.dataset import text, transforms, vision
from mindspore_compat.dataset.vision import ConvertMode


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((), ()),
        ((1,), ()),
        ((2,), (2,)),
        ((1, 1), ()),
        ((2, 1), (2,)),
        ((1, 2), (2,)),
        ((1, 2, 1), (2,)),
        ((2, 2), None),
    ],
)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_one_hot_drops_axes_of_length_one(shape: tuple, expected: tuple | None, smoothing: float) -> None:
    one_hot = transforms.OneHot(4, smoothing)
    if expected is None:
        with pytest.raises(RuntimeError):
            one_hot(np.ones(shape, np.int32))
        return
    assert one_hot(np.ones(shape, np.int32)).shape == (*expected, 4)
    rows = ds.NumpySlicesDataset({"x": np.ones((3, *shape), np.int32)}, shuffle=False).map(one_hot, ["x"])
    assert next(rows.create_tuple_iterator(output_numpy=True))[0].shape == (*expected, 4)
    assert rows.batch(3).output_shapes() == [[3, *expected, 4]]


ROW = [[3, 6, 9, 12]]
CHANNELS: list[tuple[str, int, Any]] = [
    ("BGR2BGRA", 1, [[3, 3, 3, 255]]),
    ("BGR2BGRA", 3, [[3, 6, 9, 255]]),
    ("BGR2BGRA", 4, [[3, 6, 9, 12]]),
    ("BGRA2BGR", 1, [[3, 3, 3]]),
    ("BGRA2BGR", 3, [[3, 6, 9]]),
    ("BGRA2BGR", 4, [[3, 6, 9]]),
    ("BGR2RGBA", 4, [[9, 6, 3, 12]]),
    ("RGBA2BGR", 3, [[9, 6, 3]]),
    ("BGR2RGB", 1, [[3, 3, 3]]),
    ("BGR2RGB", 4, [[9, 6, 3]]),
    ("BGRA2RGBA", 1, [[3, 3, 3, 255]]),
    ("BGRA2RGBA", 3, [[9, 6, 3, 255]]),
    ("BGRA2GRAY", 3, [7]),
    ("BGR2GRAY", 4, [7]),
    ("RGB2GRAY", 4, [5]),
    ("GRAY2BGRA", 1, [[3, 3, 3, 255]]),
    ("BGR2GRAY", 1, None),
    ("GRAY2BGR", 3, None),
    ("BGR2RGB", 2, None),
]


@pytest.mark.parametrize(("mode", "channels", "expected"), CHANNELS)
def test_convert_color_takes_images_of_one_three_and_four_channels(mode: str, channels: int, expected: Any) -> None:
    convert = vision.ConvertColor(ConvertMode["COLOR_" + mode])
    image = np.array(ROW, np.uint8)[:, None, :channels]
    if expected is None:
        with pytest.raises(RuntimeError, match="ConvertColor"):
            convert(image)
        return
    assert np.asarray(convert(image))[0].tolist() == expected
    if expected[-1:] == [[3, 3, 3, 255]]:
        assert np.asarray(convert(image.astype(np.uint16)))[0].tolist() == [[3, 3, 3, 65535]]
        assert np.asarray(convert(image.astype(np.float32)))[0].tolist() == [[3, 3, 3, 1]]


NUMBERS: list[tuple[str, Any, Any]] = [
    (text, ms.int32, number)
    for text, number in [
        ("1.5", 1), ("1e3", 1), ("0x1F", 0), (" 7 x", 7), ("1_000", 1), ("+4", 4), ("-3.9", -3), (".5", None),
        ("abc", None), ("", None), ("99999999999", None), ("- 1", None), ("٣", None),
    ]
] + [
    (text, ms.float32, number)
    for text, number in [
        ("1_000", 1.0), ("0x1F", 31.0), ("0x1p3", 8.0), ("-.5e1x", -5.0), ("1e+", 1.0), ("8 9", 8.0), ("1.5.2", 1.5),
        ("inf", None), ("1e39", None), ("1e-50", None), ("--1", None),
    ]
] + [("-0", ms.uint8, None), ("1e-5", ms.uint8, None), ("256", ms.uint8, None), ("70000", ms.float16, None)]  # fmt: skip


@pytest.mark.parametrize(("written", "dtype", "expected"), NUMBERS)
def test_numbers_are_read_from_the_start_of_a_text(written: str, dtype: Any, expected: Any) -> None:
    if expected is None:
        with pytest.raises(RuntimeError, match="ToNumber"):
            text.ToNumber(dtype)(written)
    else:
        assert text.ToNumber(dtype)(written) == expected


@pytest.mark.parametrize(
    ("part", "count"),
    [
        (slice(2, 1), 0),
        (slice(5, 9), 0),
        (slice(0, 0), 0),
        (slice(9, 5, -1), 0),
        (slice(-9, -5), 0),
        (slice(0, 9, 2), 2),
    ],
)
def test_slices_may_be_empty(part: slice, count: int) -> None:
    assert transforms.Slice(part)(np.arange(4)).shape == (count,)


def test_what_fills_is_converted_as_c_does() -> None:
    for value, dtype, expected in (
        (-1, "u1", 255),
        (300, "u1", 44),
        (300, "i1", 44),
        (2**40, "i4", 0),
        (-2.7, "i4", -2),
    ):
        assert transforms.Fill(value)(np.ones(2, dtype)).tolist() == [expected] * 2


BEYOND = [float("nan"), float("inf"), 3e9, -3e9, 1e20, 300.7, -1.5, 70000.0, 2.0**31, -(2.0**31), 2.0**32 + 1024]


@pytest.mark.parametrize("source", [np.float32, np.float64])
def test_floats_beyond_an_int_are_cast_as_upstream_does(source: type) -> None:
    given = np.array(BEYOND, source)
    low = -(2**31)
    whole = [low, low, low, low, low, 300, -1, 70000, low, low, low]
    assert transforms.TypeCast(ms.int32)(given).tolist() == whole
    for dtype, numpy_dtype in ((ms.int16, np.int16), (ms.uint16, np.uint16), (ms.int8, np.int8), (ms.uint8, np.uint8)):
        assert transforms.TypeCast(dtype)(given).tolist() == np.array(whole, np.int32).astype(numpy_dtype).tolist()
