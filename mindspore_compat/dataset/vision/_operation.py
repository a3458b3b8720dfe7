"""Base classes of the image operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat.dataset.core.randomness import python_random
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation, TensorOperation
from mindspore_compat.dataset.vision._image import is_pil


class ImageOperation(TensorOperation):
    """Operation on arrays (H, W[, C]) that also takes PIL images.

    A subclass gives `_compute` (array to array) and, if PIL's own result is MindSpore's, `_compute_pil` (image to
    image). Operations that MindSpore has for arrays only do not set `takes_pil`: they convert a PIL image to an array,
    also for the operations after them.
    """

    takes_pil = True
    releases_gil = True

    def _apply(self, *values: Any) -> tuple:
        if len(values) == 1 and self.takes_pil and is_pil(values[0]):
            return (self._compute_pil(values[0]),)
        if len(values) == 1 and self.takes_batches:
            return (each_image(self._compute, self._as_input(values[0])),)
        return super()._apply(*values)

    def _as_input(self, value: Any) -> Any:
        need_image(value)
        return super()._as_input(value)

    def _compute_pil(self, image: Any) -> Any:
        return self._compute(np.asarray(image))


def need_image(value: Any) -> None:
    """Raise TypeError for other types than array, Tensor or PIL image."""
    if not isinstance(value, np.ndarray) and not hasattr(value, "asnumpy") and not is_pil(value):
        raise TypeError(f"Input should be NumPy or PIL image, got {type(value)}.")


def each_image(function: Callable[[Any], Any], images: Any) -> Any:
    """Return `function` of an image; of an array (..., H, W, C) the array of the images' results."""
    if is_pil(images) or images.ndim <= 3:
        return function(images)
    results = np.stack([function(image) for image in images.reshape(-1, *images.shape[-3:])])
    return results.reshape(*images.shape[:-3], *results.shape[1:])


class RandomImageOperation(ImageOperation):
    """Base of operations with parameters drawn once per row, applied to its columns (several with `is_multi_column`).

    A subclass gives `_draw(image) -> parameters` and `_transform(image, *parameters)`, both for arrays and PIL images.
    """

    def _apply(self, *values: Any) -> tuple:
        self._check_count(values)
        images = [self._as_input(v) for v in values]
        if not self.takes_batches:
            self._check(*images)
            parameters = self._draw(images[0])
            return tuple(self._transform(image, *parameters) for image in images)
        firsts = [
            image if is_pil(image) or image.ndim <= 3 else image.reshape(-1, *image.shape[-3:])[0] for image in images
        ]
        self._check(*firsts)
        parameters = self._draw(firsts[0])
        return tuple(each_image(lambda one: self._transform(one, *parameters), image) for image in images)

    def _check(self, *images: Any) -> None:
        sizes = {image.size[::-1] if is_pil(image) else image.shape[:2] for image in images}
        if len(sizes) > 1:
            raise RuntimeError(f"{type(self).__name__}: Input images must have the same size, but got {sorted(sizes)}.")

    def _draw(self, image: Any) -> tuple:
        return ()

    def _transform(self, image: Any, *parameters: Any) -> Any:
        raise NotImplementedError


class PilOperation(PyTensorOperation):
    """An operation on PIL images only. Raises: TypeError for arrays."""

    implementation = Implementation.PY
    takes_pil = True
    releases_gil = True

    def _apply(self, *values: Any) -> tuple:
        for value in values:
            if not is_pil(value):
                raise TypeError(f"img should be PIL image. Got {type(value)}. Use Decode(to_pil=True) or ToPIL().")
        return super()._apply(*values)

    def _as_input(self, value: Any) -> Any:
        return value

    def _compute(self, *arrays: Any) -> Any:
        raise NotImplementedError


def around_middle(engine: MersenneTwister, limits: Sequence[float]) -> float:
    """Return a number between the two limits, drawn as in MindSpore: by the distance from the middle, in 32 bits."""
    low, high = np.float32(limits[0]), np.float32(limits[1])
    return float((high + low) / np.float32(2) + engine.single(-1.0, 1.0) * ((high - low) / np.float32(2)))


def as_turn(degrees: Sequence[float]) -> tuple[Any, Any]:
    """Return a range of angles in MindSpore's form: from 0 on, a whole turn around 0; the last bits depend on it."""
    circle = np.float32(360)
    if degrees[1] - degrees[0] >= circle:
        return -circle / 2, circle / 2
    low, high = (np.fmod(np.float32(one), circle) for one in degrees)
    low, high = (one + circle if one < 0 else one for one in (low, high))
    return low, high + circle if high < low else high


def uniform(limits: Sequence[float]) -> float:
    """Return a number between the two limits, as Python draws it."""
    return float(python_random().uniform(limits[0], limits[1]))
