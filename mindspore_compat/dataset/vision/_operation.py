"""Base of the image operations: checks and resizing of arrays (H, W[, C]), by OpenCV as in MindSpore (it releases the
GIL); checks of arguments, ``check(value, name) -> stored value``; base classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.images import is_pil, opencv
from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat.dataset.core.arguments import integer, kind_of, real, several, with_default
from mindspore_compat.dataset.core.randomness import python_random
from mindspore_compat.dataset.core.validator_helpers import INT32_MAX, INT32_MIN, UINT8_MAX, check_int, check_positive
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation, TensorOperation
from mindspore_compat.dataset.vision.utils import Border, Inter

_PARTS = 2048
#: elements that OpenCV adds up at a time, from the last pixel on; the rest from the first one on
_AT_A_TIME = {"uint8": 8, "uint16": 8, "int16": 8, "float32": 4}


def _weights(size: int, wanted: int, is_cubic: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return for each place of the result its source pixels (4 or 2, wanted) and their weights; cubic: a = -0.75."""
    places = ((np.arange(wanted) + 0.5) * (1.0 / (wanted / size)) - 0.5).astype(np.float32)
    first = np.floor(places)
    x, a, one = places - first, np.float32(-0.75), np.float32(1)
    if not is_cubic:
        x[(first < 0) | (first >= size - 1)] = 0
        return np.clip(first.astype(np.int64) + np.arange(2)[:, None], 0, size - 1), np.stack([one - x, x])
    y = one - x
    before = ((a * (x + one) - 5 * a) * (x + one) + 8 * a) * (x + one) - 4 * a
    left, right = (((a + 2) * d - (a + 3)) * d * d + one for d in (x, y))
    pixels = np.clip(first.astype(np.int64) + np.arange(-1, 3)[:, None], 0, size - 1)
    return pixels, np.stack([before, left, right, one - before - left - right])


def resize_blended(image: np.ndarray, size: tuple[int, int], is_cubic: bool) -> np.ndarray:
    """Return ``image`` (H, W[, C]) of bytes (cubic only), 16-bit integers or floats in ``size`` (height, width)."""
    across, weights_x = _weights(image.shape[1], size[1], is_cubic)
    down, weights_y = _weights(image.shape[0], size[0], is_cubic)
    kind = np.float64 if image.dtype == np.float64 else np.float32
    whole = image.dtype == np.uint8
    if whole:
        weights_x, weights_y = np.rint(weights_x * _PARTS), np.rint(weights_y * _PARTS)
    columns = _turned(image.reshape(*image.shape[:2], -1)).astype(kind)
    columns = _sum(columns.reshape(image.shape[1], -1), across, weights_x)
    rows = _turned(columns.reshape(size[1], len(image), -1)).reshape(len(image), -1)
    step = _AT_A_TIME.get(image.dtype.name, 0)
    together = rows.shape[1] // step * step if step else 0
    scaled = weights_y * kind(1 / _PARTS**2 if whole else 1)
    result = _sum(rows, down[::-1], scaled[::-1])
    rest = np.ascontiguousarray(rows[:, together:])
    if whole:  # in whole numbers, which float64 holds
        result[:, together:] = np.floor(_sum(rest.astype(np.float64), down, weights_y) / _PARTS**2 + 0.5)
    else:
        result[:, together:] = _sum(rest, down, scaled)
    if image.dtype.kind != "f":
        np.rint(result, out=result)
        np.clip(result, np.iinfo(image.dtype).min, np.iinfo(image.dtype).max, out=result)
    return result.astype(image.dtype).reshape(*size, *image.shape[2:])


def _turned(image: np.ndarray) -> np.ndarray:
    """Return (H, W, C) as (W, H, C), contiguous by rows; OpenCV is ten times faster, for up to four channels."""
    if image.shape[2] > 4:
        return np.ascontiguousarray(image.transpose(1, 0, 2))
    return opencv().transpose(image).reshape(image.shape[1], image.shape[0], -1)


def _sum(rows: np.ndarray, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted rows at the places (n, wanted), added in this order: (wanted, …)."""
    result, part = np.zeros((2, places.shape[1], rows.shape[1]), rows.dtype)
    for number, (place, weight) in enumerate(zip(places, weights)):
        taken = part if number else result
        np.take(rows, place, axis=0, out=taken, mode="clip")
        taken *= weight[:, None]
        if number:
            result += part
    return result


_NEAREST, _LINEAR, _CUBIC, _AREA, _PILCUBIC = 0, 2, 3, 4, 5
#: `Inter` to OpenCV's numbers
_CV_INTER = {_NEAREST: 0, _LINEAR: 1, _AREA: 3}
_SHORT = (np.dtype(np.uint16), np.dtype(np.int16))
_BLENDABLE = frozenset(map(np.dtype, (np.uint8, np.bool_, np.uint16, np.int16, np.float32, np.float64)))
#: for each operation the numbers of dimensions (none: 2 or more) and of channels of (H, W, C) (none: any); other
#: operations take (H, W) and (H, W, C)
_TAKEN: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    **dict.fromkeys(("AdjustContrast", "AdjustHue", "AdjustSaturation", "RandomColorAdjust"), ((3,), (3,))),
    **dict.fromkeys(("AutoAugment", "Erase", "Invert", "RandAugment", "TrivialAugmentWide"), ((3,), (3,))),
    **dict.fromkeys(("AdjustBrightness", "AutoContrast", "Equalize", "Pad", "PadToSize", "Solarize"), ((2, 3), (1, 3))),
    **dict.fromkeys(("CenterCrop", "Flip", "HorizontalFlip", "VerticalFlip", "RandomHorizontalFlip"), ((), ())),
    **dict.fromkeys(("Normalize", "RandomCropOp", "RandomResizedCrop", "Resize", "Rotate"), ((), ())),
    "CutOut": ((3,), ()),
}
#: operations that would fail by chance, or wrap around, for others than these types
_TYPES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("RandAugment", "TrivialAugmentWide"), ("uint8",)),
    **dict.fromkeys(("AdjustContrast", "AdjustHue", "AdjustSaturation"), ("uint8", "uint16", "float32")),
}


def check_image(image: np.ndarray, name: str) -> None:
    """Raise RuntimeError for an array that the operation does not take."""
    ranks, channels = _TAKEN.get(name, ((2, 3), ()))
    fits = image.ndim in ranks if ranks else image.ndim >= 2
    if fits and channels and image.ndim == 3:
        fits = image.shape[2] in channels
    if not fits or image.dtype not in _TYPES.get(name, (image.dtype,)):
        shapes = " or ".join(f"<{', '.join('HWC'[:count])}>" for count in ranks or (2, 3))
        wanted = f"{shapes}{f' of {channels} channels' if channels else ''}"
        raise RuntimeError(
            f"{name}: expected an image in shape of {wanted}, but got shape {image.shape} of {image.dtype}."
            + (" You may need to perform Decode first." if image.ndim == 1 else "")
        )


def as_matrix(image: np.ndarray) -> np.ndarray:
    """Return the image as in MindSpore's OpenCV: booleans are bytes there, and operations that return its matrix keep
    them so.
    """
    return image.view(np.uint8) if image.dtype == np.bool_ else image


def resize(image: np.ndarray, size: tuple[int, int], interpolation: int) -> np.ndarray:
    """Return `image` (H, W[, C]) in `size` (height, width)."""
    if image.shape[:2] == tuple(size):
        return image
    if interpolation == _PILCUBIC:
        return _resize_pil(image, size)
    result = np.empty((*size, *image.shape[2:]), image.dtype)
    resize_into(image, result, interpolation)
    return result


def resize_into(image: np.ndarray, result: np.ndarray, interpolation: int) -> None:
    """Fill `result` (H, W[, C]) with `image` in that size. Raises: RuntimeError for types that cannot be blended."""
    if image.dtype not in _BLENDABLE and interpolation != _NEAREST:
        raise RuntimeError(f"Resize: input of type {image.dtype} is not supported; expected uint8 or float32.")
    if interpolation == _NEAREST or image.dtype == np.bool_:  # bytes that are only copied, or 0 and 1
        kind = {1: "u1", 2: "u2", 4: "f4", 8: "f8"}[image.dtype.itemsize]
        image, result = image.view(kind), result.view(kind)
    if interpolation == _LINEAR and image.dtype in _SHORT and image.shape[:2] == (2 * len(result), 2 * result.shape[1]):
        interpolation = _AREA  # means of four pixels, as OpenCV does there
    if interpolation == _CUBIC or (interpolation == _LINEAR and image.dtype in _SHORT):
        result[...] = resize_blended(image, result.shape[:2], interpolation == _CUBIC)
        return
    cv2 = opencv()
    filled = cv2.resize(image, result.shape[1::-1], result, interpolation=_CV_INTER[interpolation])
    if not np.shares_memory(filled, result):  # OpenCV drops an axis of one channel
        result[...] = filled.reshape(result.shape)


def _resize_pil(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    from PIL import Image

    if image.ndim != 3 or image.shape[2] != 3:
        raise RuntimeError(f"Resize: PILCUBIC only supports images of 3 channels, but got {image.shape}.")

    def resized(picture: Any) -> Any:  # MindSpore resizes across first; Pillow's order depends on its version
        across = picture.resize((size[1], image.shape[0]), Image.Resampling.BICUBIC)
        return across.resize(size[::-1], Image.Resampling.BICUBIC)

    if image.dtype == np.uint8:
        return np.array(resized(Image.fromarray(image)))
    bands = [resized(Image.fromarray(image[..., c].astype(np.float32))) for c in range(3)]
    return np.stack([np.asarray(band) for band in bands], -1).astype(image.dtype)


def twice(value: Any) -> tuple[Any, Any]:
    """Return a value for both."""
    return value, value


def around_zero(value: Any) -> tuple[Any, Any]:
    """Return the range from minus a number to plus it."""
    return -value, value


def need_warping(interpolation: Inter, name: str, error: type[Exception] = RuntimeError) -> None:
    """Raise RuntimeError (or `error` for modes of PIL images only) unless arrays can be rotated and sheared with it."""
    if interpolation in (Inter.ANTIALIAS, Inter.PILCUBIC):
        raise (error if interpolation == Inter.ANTIALIAS else RuntimeError)(
            f"{name}: Invalid InterpolationMode, {interpolation.name} is not supported for arrays, expected NEAREST, "
            "LINEAR, CUBIC or AREA; use ToPIL() before for ANTIALIAS."
        )


def check_border(mode: Any, name: str = "padding_mode") -> str:
    """Check for a `Border`; return its value."""
    return kind_of(Border)(mode, name).value


_sides = several(integer(0), (2, 4), twice)
_extent = several(real(0), is_ordered=True)


def check_padding(padding: Any, name: str = "padding") -> tuple[int, ...]:
    """Return (left, top, right, bottom) of an int, (left and right, top and bottom) or all four."""
    sides = _sides(padding, name)
    return (*sides, *sides)[:4]


def check_scale(scale: Any, name: str = "scale") -> tuple[float, float]:
    """Return a range of factors or shares, not only 0."""
    low, high = _extent(scale, name)
    check_positive(high, f"{name}[1]")
    return low, high


def _odd(value: Any, name: str) -> int:
    if check_int(value, name, 1) % 2 != 1:
        raise ValueError(f"Input {name} is not an odd value, but {value}.")
    return value


check_interpolation = kind_of(Inter)
#: (height, width); an int stands for both
check_box = several(integer(1), spread=twice)
#: the length of an image's shorter side, or (height, width)
check_size = several(integer(1), spread=lambda size: size)
#: three values; an int stands for all
check_fill = several(integer(0, UINT8_MAX), (3,), lambda value: (value,) * 3)
#: the range of a part's width to height
check_ratio = with_default((3.0 / 4.0, 4.0 / 3.0), several(real(0, above=True), is_ordered=True))
#: (x, y)
check_center = several(real(INT32_MIN, INT32_MAX))
#: a range of angles; a number stands for the range from minus to plus it
check_degrees = several(real(), spread=around_zero, is_ordered=True)
#: a range of factors of at least 0
check_factor_range = with_default((0.1, 1.9), _extent)
#: values of pixels to leave out: none, one or several
check_ignored = with_default((), several(integer(0, UINT8_MAX), (), lambda value: (value,)))
#: a range of bits, or one number
check_bits = with_default((8, 8), several(integer(1, 8), spread=twice, is_ordered=True))
#: (width, height) of a kernel, both odd; an int stands for both
check_kernel = several(_odd, spread=twice)
#: standard deviations (x, y)
check_sigma = several(real(0), spread=twice)


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
