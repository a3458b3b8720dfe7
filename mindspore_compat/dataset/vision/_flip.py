"""Flips."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments
from mindspore_compat.dataset.core.randomness import engine_of, python_random
from mindspore_compat.dataset.core.validator_helpers import check_probability
from mindspore_compat.dataset.vision._image import check_image, is_pil
from mindspore_compat.dataset.vision._operation import RandomImageOperation

__all__ = ["HorizontalFlip", "RandomHorizontalFlip", "RandomVerticalFlip", "VerticalFlip"]


def flip(image: Any, is_vertical: bool, name: str = "Flip") -> Any:
    """Return an array or PIL image upside down or mirrored, for the operation of that name."""
    if is_pil(image):
        return image.transpose(1 if is_vertical else 0)  # Image.Transpose.FLIP_TOP_BOTTOM, FLIP_LEFT_RIGHT
    check_image(image, name)
    if not is_vertical and image.dtype in (np.uint8, np.float32) and image.shape[2:] in ((), (1,), (3,), (4,)):
        return opencv().flip(np.ascontiguousarray(image), 1).reshape(image.shape)  # 20 times as fast as NumPy
    return np.ascontiguousarray(image[::-1] if is_vertical else image[:, ::-1])


class HorizontalFlip(RandomImageOperation):
    """The image mirrored."""

    takes_pil = False
    takes_batches = True

    def _transform(self, image: Any) -> Any:
        return flip(image, is_vertical=False, name="HorizontalFlip")


class VerticalFlip(RandomImageOperation):
    """The image upside down."""

    takes_pil = False
    takes_batches = True

    def _transform(self, image: Any) -> Any:
        return flip(image, is_vertical=True, name="VerticalFlip")


@arguments
class _RandomFlip(RandomImageOperation):
    is_multi_column = True
    has_block = True
    draws = True
    _is_vertical = False

    prob: Annotated[float, check_probability] = 0.5

    def _draw(self, image: Any) -> tuple:
        if is_pil(image):
            return (self.prob > python_random().random(),)
        check_image(image, type(self).__name__)
        return (engine_of(self).chance(np.float32(self.prob)),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        return flip(image, self._is_vertical, type(self).__name__) if parameters[0] else image

    def _apply_block(self, *blocks: Any) -> tuple:
        chosen = engine_of(self).chances(np.float32(self.prob), len(blocks[0]))
        return tuple(self._flip_chosen(block, chosen) for block in blocks)

    def _flip_chosen(self, block: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        check_image(block[0], type(self).__name__)
        result = block.copy()
        for place in np.flatnonzero(chosen):
            result[place] = flip(block[place], self._is_vertical)
        return result


class RandomHorizontalFlip(_RandomFlip):
    """The image mirrored with probability `prob`.

    Examples:
        >>> image = np.array([[[1], [2], [3]]], np.uint8)
        >>> print(ds.vision.RandomHorizontalFlip(prob=1.0)(image).ravel())
        [3 2 1]
    """

    takes_batches = True


class RandomVerticalFlip(_RandomFlip):
    """The image upside down with probability `prob`."""

    _is_vertical = True
