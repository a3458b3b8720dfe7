"""`ops.rotated_iou` against the values that torch_npu's own test publishes, against polygons cut one by one, and by
what must hold for all rectangles.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

SIZES = st.floats(0.5, 20)
BOXES = st.tuples(st.floats(-20, 20), st.floats(-20, 20), SIZES, SIZES, st.floats(-360, 360))


def published_boxes(rng: np.random.RandomState, count: int) -> np.ndarray:
    """The order of draws of torch_npu's test."""
    places = rng.uniform(20, 60, [4, count, 2]).astype(np.float32)
    sizes, angles = rng.randint(1, 20, size=[4, count, 2]), rng.randint(-180, 180, size=[4, count, 1])
    return np.concatenate([places, sizes, angles], dtype=np.float32, axis=-1)


def test_published_values() -> None:
    rng = np.random.RandomState(1234)
    found = ops.rotated_iou(Tensor(published_boxes(rng, 2)), Tensor(published_boxes(rng, 3))).asnumpy()
    expected = np.zeros((4, 2, 3), np.float32)
    expected[0, 0, 1], expected[2, 1, 0], expected[2, 1, 1] = 0.00045966, 0.00600622, 0.10504241
    assert np.allclose(found, expected, atol=1e-6)


def corners(box: tuple[float, ...]) -> list[tuple[float, float]]:
    x, y, w, h, angle = box
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return [
        (x + a * c - b * s, y + a * s + b * c)
        for a, b in ((-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2))
    ]


def clipped_area(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Sutherland and Hodgman's: one polygon cut along each edge of the other."""
    polygon, other = corners(a), corners(b)
    for (x1, y1), (x2, y2) in zip(other, other[1:] + other[:1]):
        sides = [(x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) for x, y in polygon]
        kept: list[tuple[float, float]] = []
        for number, point in enumerate(polygon):
            before, side, side_before = polygon[number - 1], sides[number], sides[number - 1]
            if (side >= 0) != (side_before >= 0):
                t = side_before / (side_before - side)
                kept.append((before[0] + t * (point[0] - before[0]), before[1] + t * (point[1] - before[1])))
            if side >= 0:
                kept.append(point)
        polygon = kept
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1]))) / 2


def share(a: tuple[float, ...], b: tuple[float, ...], **kwargs: object) -> float:
    pair = (Tensor(np.array([[box]], np.float32)) for box in (a, b))
    return ops.rotated_iou(*pair, **kwargs).asnumpy().item()


@given(BOXES, BOXES)
@settings(max_examples=150, deadline=None)
def test_any_two_rectangles(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    a, b = (tuple(float(np.float32(item)) for item in box) for box in (a, b))
    common = clipped_area(a, b)
    whole = a[2] * a[3] + b[2] * b[3] - common
    assert abs(share(a, b) - common / whole) < 1e-5
    assert abs(share(a, b, mode=1) - common / (a[2] * a[3])) < 1e-4
    assert abs(share(a, b) - share(b, a)) < 1e-5


@given(BOXES)
@settings(max_examples=60, deadline=None)
def test_a_rectangle_and_itself(box: tuple[float, ...]) -> None:
    assert abs(share(box, box) - 1) < 1e-5
    x, y, w, h, angle = box
    assert abs(share(box, (x, y, h, w, angle + 90)) - 1) < 1e-3
    assert (
        abs(
            share(
                (x - w / 2, y - h / 2, x + w / 2, y + h / 2, angle),
                (x - w / 2, y - h / 2, x + w / 2, y + h / 2, angle),
                trans=True,
            )
            - 1
        )
        < 1e-3
    )
    assert share(box, (x + 100, y, w, h, angle)) == 0


def test_shapes_and_dtypes() -> None:
    rng = np.random.RandomState(0)
    a, b = (Tensor(rng.rand(2, 3, 5).astype(np.float16) * 4) for _ in range(2))
    crossed, paired = ops.rotated_iou(a, b), ops.rotated_iou(a, b, is_cross=False)
    assert crossed.shape == (2, 3, 3) and paired.shape == (2, 3) and crossed.dtype == ms.float16
    assert np.array_equal(np.diagonal(crossed.asnumpy(), axis1=1, axis2=2), paired.asnumpy())
    assert ops.rotated_iou(a, b[:, :0]).shape == (2, 3, 0)


@pytest.mark.parametrize(("a", "b"), [(np.zeros((1, 2, 5), np.float32), np.zeros((2, 2, 5), np.float32))])
def test_wrong_boxes(a: np.ndarray, b: np.ndarray) -> None:
    with pytest.raises(ValueError):
        ops.rotated_iou(Tensor(a), Tensor(b))


def test_plain_boxes_in_float16_overflow_as_upstream() -> None:
    """Real MindSpore 2.10's numbers: areas beyond 65504 are inf, 0 / 0 is nan; float32 has neither."""
    anchors = np.array([[0, 0, 9, 19], [0, 0, 299, 299], [10, 10, 610, 500], [3, 2, 2, 4]])
    truths = np.array([[0, 3, 7, 30], [10, 5, 280, 350], [3, 2, 2, 4]])
    nan = np.nan
    iou = ops.IOU()(Tensor(anchors, ms.float16), Tensor(truths, ms.float16))
    np.testing.assert_array_equal(iou, [[0.47216796875, 0, 0, 0], [0, nan, nan, 0], [0, 0, 0, nan]])
    exact = ops.IOU()(Tensor(anchors, ms.float32), Tensor(truths, ms.float32)).asnumpy()
    assert exact[1, 1] == pytest.approx(0.77002728)
    assert exact[2, 3] == 0
