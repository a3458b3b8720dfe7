"""Operations on an image and its boxes: fixed ones as real MindSpore's (tests/golden/boxes.json), random ones by what
they did to the pixels.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import vision
from tests.dataset.box_cases import CASES, evaluate

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "boxes.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def seed_of_before() -> Iterator[None]:
    yield
    ds.config.set_seed(5489)


@pytest.mark.parametrize("case", CASES)
def test_results_and_refusals_are_those_of_mindspore(case: str) -> None:
    found, wanted = evaluate(vision, case), GOLDEN[case]
    assert found == wanted or (isinstance(wanted, dict) and found.keys() == wanted.keys() == {"error"})


#: every pixel tells where it was
PLACES = np.stack([*np.meshgrid(np.arange(40), np.arange(30)), np.zeros((30, 40), int)], -1).astype(np.uint8)
BOXES = np.array([[1, 2, 10, 12], [5, 6, 20, 10], [30, 20, 10, 10], [0, 0, 40, 30], [38, 28, 2, 2]], np.float32)


def test_a_random_crop_moves_boxes_as_it_moves_pixels() -> None:
    operation, tops, counts = vision.RandomCropWithBBox((20, 25)), set(), set()
    for seed in range(60):
        ds.config.set_seed(seed)
        image, boxes = operation(PLACES, BOXES)
        left, top = map(int, image[0, 0, :2])
        tops.add(top)
        counts.add(len(boxes))
        kept = [
            box
            for box in BOXES
            if box[0] <= left + 25 and box[1] <= top + 20 and box[0] + box[2] >= left and box[1] + box[3] >= top
        ]
        corners = [
            [max(x - left, 0), max(y - top, 0), min(x + w - left, 25), min(y + h - top, 20)] for x, y, w, h in kept
        ]
        assert image.shape == (20, 25, 3) and boxes.tolist() == [
            [x, y, right - x, bottom - y] for x, y, right, bottom in corners
        ]
    assert tops == set(range(11)) and len(counts) > 1


def test_a_random_resized_crop_covers_the_same_parts() -> None:
    """A box around marked pixels is around them still, within the pixel that interpolation spreads."""
    image = np.zeros((60, 80, 3), np.uint8)
    image[20:35, 30:50] = 255
    operation, seen = vision.RandomResizedCropWithBBox((50, 50), (0.3, 0.9)), 0
    for seed in range(40):
        ds.config.set_seed(seed)
        result, boxes = operation(image, np.array([[30, 20, 20, 15]], np.float32))
        rows, columns = np.nonzero(result[..., 0] > 127)
        if not len(boxes) or not len(rows):
            continue
        x, y, width, height = boxes[0]
        seen += 1
        assert np.allclose(
            [x, y, x + width, y + height], [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1], atol=1.5
        )
    assert seen > 20


@pytest.mark.parametrize(
    "operation",
    [
        vision.RandomHorizontalFlipWithBBox(),
        vision.RandomVerticalFlipWithBBox(0.5),
        vision.BoundingBoxAugment(vision.Invert(), 0.5),
    ],
)
def test_a_seed_gives_the_same_rows_in_a_pipeline(operation: object) -> None:
    def run() -> list[list[int]]:
        ds.config.set_seed(7)
        data = ds.NumpySlicesDataset({"image": np.stack([PLACES] * 40), "bbox": np.stack([BOXES] * 40)}, shuffle=False)
        rows = data.map(operation, ["image", "bbox"]).create_tuple_iterator(num_epochs=1, output_numpy=True)
        return [[int(row[0].astype(int)[0].sum()), int(row[1][0].sum())] for row in rows]

    first = run()
    assert run() == first and len({str(row) for row in first}) > 1


def test_what_comes_in_stays_as_it_is() -> None:
    image, boxes = PLACES.copy(), BOXES.copy()
    vision.RandomHorizontalFlipWithBBox(1.0)(image, boxes)
    vision.BoundingBoxAugment(vision.Invert(), 1.0)(image, boxes)
    vision.ResizeWithBBox((5, 5))(image, boxes)
    assert np.array_equal(image, PLACES) and np.array_equal(boxes, BOXES)


def test_an_image_without_boxes_passes() -> None:
    image, boxes = vision.RandomCropWithBBox((20, 20))(PLACES, np.zeros((0, 4), np.float32))
    assert image.shape == (20, 20, 3) and boxes.shape == (0, 4)


def test_an_operation_of_the_users_inside_of_another_is_known_as_such() -> None:
    """What holds functions of the user may not run in other threads."""
    from mindspore_compat.dataset import transforms, vision
    from mindspore_compat.dataset.transforms._operation import TensorOperation, is_builtin

    class Mine(vision.Invert):
        """The user's."""

    makers = [
        lambda op: vision.BoundingBoxAugment(op),
        lambda op: transforms.Compose([op]),
        lambda op: transforms.RandomApply([op], 0.5),
        lambda op: transforms.RandomChoice([op]),
        lambda op: vision.RandomSelectSubpolicy([[(op, 0.5)]]),
        lambda op: vision.UniformAugment([op, op], 1),
        lambda op: transforms.RandomOrder([op]),
    ]
    for make in makers:
        assert isinstance(make(Mine()), TensorOperation)
        assert not is_builtin(make(Mine())) and is_builtin(make(vision.Invert())), make
