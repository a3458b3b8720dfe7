"""Expressions with `v` (dataset.vision), `image` and `boxes`, for tests/golden/make_json.py boxes and test_boxes.py."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

__all__ = ["CASES", "evaluate"]

_OPERATIONS = [
    "RandomHorizontalFlipWithBBox(1.0)",
    "RandomHorizontalFlipWithBBox(0.0)",
    "RandomVerticalFlipWithBBox(1)",
    "ResizeWithBBox((17, 23))",
    "ResizeWithBBox(20)",
    "ResizeWithBBox((60, 41), v.Inter.NEAREST)",
    "ResizeWithBBox((11, 20), v.Inter.AREA)",
    "ResizeWithBBox((11, 20), v.Inter.PILCUBIC)",
    "RandomCropWithBBox((30, 40))",
    "RandomCropWithBBox((34, 46), (2, 1, 4, 3))",
    "RandomCropWithBBox((50, 60))",
    "RandomCropWithBBox((36, 40), [0, 3, 0, 3], fill_value=(1, 2, 3))",
    "RandomCropWithBBox((32, 42), 1, padding_mode=v.Border.EDGE)",
    "RandomResizedCropWithBBox((15, 20), (1.0, 1.0), (4/3, 4/3))",
    "RandomResizedCropWithBBox((60, 80), (1, 1), (4/3, 4/3), v.Inter.NEAREST)",
    "BoundingBoxAugment(v.HorizontalFlip(), 1.0)",
    "BoundingBoxAugment(v.HorizontalFlip(), 0.0)",
    "BoundingBoxAugment(v.Resize((5, 5)), 1)",
]
CASES = [f"v.{operation}(image, boxes)" for operation in _OPERATIONS] + [
    "v.RandomResizeWithBBox((15, 20))(image * 0 + 7, boxes)",
    "v.RandomHorizontalFlipWithBBox(1.0)(image)",
    "v.RandomHorizontalFlipWithBBox(1.0)(image, boxes[:, :3])",
    "v.RandomHorizontalFlipWithBBox(1.0)(image, boxes + 50)",
    "v.RandomHorizontalFlipWithBBox(1.0)(image, boxes - 9)",
    "v.ResizeWithBBox(5)(image, boxes.astype(int))",
    "v.ResizeWithBBox(5)(image, boxes.astype(np.float64))",
    "v.ResizeWithBBox(5)(image, boxes[0])",
    "v.RandomHorizontalFlipWithBBox(2.0)",
    "v.RandomVerticalFlipWithBBox('a')",
    "v.BoundingBoxAugment(5)",
    "v.BoundingBoxAugment(v.HorizontalFlip(), 'x')",
    "v.ResizeWithBBox(0)",
    "v.ResizeWithBBox(5, None)",
    "v.ResizeWithBBox(5, 3)",
    "v.ResizeWithBBox((1, 2, 3))",
    "v.RandomCropWithBBox((3, 4), padding='x')",
    "v.RandomResizedCropWithBBox(5, (2, 1))",
    "v.RandomResizedCropWithBBox(5, max_attempts=0)",
    "v.RandomHorizontalFlipWithBBox(1.0)(image[..., 0], boxes)",
    "v.ResizeWithBBox((3, 4))(image.astype(np.float32), boxes)",
]


def evaluate(vision: Any, expression: str) -> Any:
    """Image (as its sum) and boxes, or the exception's type."""
    image = np.random.default_rng(0).integers(0, 256, (30, 40, 3)).astype(np.uint8)
    boxes = np.array([[1, 2, 10, 12, 9], [5.5, 6.25, 20, 10.5, 8], [30, 20, 10, 10, 7], [0, 0, 40, 30, 1]], np.float32)
    if "Augment" in expression:
        boxes = boxes[[0, 2]]
    try:
        result = eval(expression, {"v": vision, "image": image, "boxes": boxes, "np": np})
    except Exception as error:
        return {"error": type(error).__name__}
    if not isinstance(result, tuple):
        return "made"
    return [
        [str(result[0].dtype), list(result[0].shape), zlib.crc32(np.ascontiguousarray(result[0]).tobytes())],
        [str(result[1].dtype), result[1].tolist()],
    ]
