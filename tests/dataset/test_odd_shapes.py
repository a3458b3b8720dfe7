"""Labels with axes of length 1, and images of other numbers of channels than an operation's name says, as in real
MindSpore 2.10.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import transforms, vision
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
        with pytest.raises(RuntimeError, match="scalar or 1D"):
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
