"""Resized, turned and sheared images: all bits are those of real MindSpore, whichever OpenCV is installed."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import mindspore_compat.dataset.vision as vision
from tests.support.oracle import run_oracle

_BILINEAR, _NEAREST = "V.Inter.BILINEAR", "V.Inter.NEAREST"
#: call -> checksum of real MindSpore's result
ANSWERS: dict[str, int] = {
    "V.Resize((60, 47), V.Inter.BICUBIC)(image)": 3701363417,
    "V.Resize((9, 71), V.Inter.BICUBIC)(image[..., 0])": 2546970870,
    "V.Resize((33, 45), V.Inter.BICUBIC)(image[..., :1])": 50083555,
    "V.Resize((33, 45), V.Inter.BICUBIC)(image.astype('float32'))": 1045689804,
    "V.Resize((33, 45), V.Inter.BICUBIC)(image.astype('float64'))": 3157470640,
    "V.Resize((33, 45), V.Inter.BICUBIC)(image.astype('uint16') * 257)": 3826009511,
    "V.Resize((33, 45), V.Inter.BICUBIC)(image.astype('int16') * 128 - 9000)": 2429796788,
    "V.Resize((33, 45))(image.astype('uint16') * 257)": 2393599882,
    "V.Resize((9, 71))(image.astype('int16') * 128 - 9000)": 2874989255,
    f"V.Rotate(77.7, {_BILINEAR})(image)": 2519557386,
    f"V.Rotate(-17.3, {_BILINEAR}, True, (50, 50), 150)(image)": 1558228670,
    f"V.Rotate(12.5, {_NEAREST}, True, None, (1, 2, 3))(image)": 4035894376,
    f"V.RandomRotation((-17.3, -17.3), {_BILINEAR})(image)": 2190525461,
    f"V.Affine(77.7, (0.1, 0.05), 1.2, (5., 3.), {_BILINEAR}, 7)(image)": 1144766576,
    f"V.Affine(-160.25, (-0.3, 0.2), 0.6, (-20., 35.), {_NEAREST}, 7)(image)": 2855340946,
    f"V.Affine(45, (0, 0), 1.0, (0, 0), {_NEAREST}, (1, 2, 3))(np.repeat(image, 3, 2)[..., :6])": 3944083515,
}
IMAGE = "np.random.RandomState(3).randint(0, 256, (40, 53, 3)).astype(np.uint8)"
PROGRAM = f"""
import zlib
import numpy as np
import mindspore.dataset.vision as V
image = {IMAGE}
give({{text: zlib.crc32(np.ascontiguousarray(eval(text)).tobytes()) for text in {list(ANSWERS)}}})
"""


@pytest.mark.parametrize("text", ANSWERS)
def test_all_bits_are_those_of_real_mindspore(text: str) -> None:
    found = eval(text, {"V": vision, "np": np, "image": eval(IMAGE)})
    assert zlib.crc32(np.ascontiguousarray(found).tobytes()) == ANSWERS[text]


@pytest.mark.oracle
def test_the_answers_are_those_of_real_mindspore() -> None:
    assert run_oracle(PROGRAM) == ANSWERS
