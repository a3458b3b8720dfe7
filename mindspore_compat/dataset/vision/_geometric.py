"""Rotation, affine and perspective operations, blur."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, kind_of
from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.dataset.core.validator_helpers import check_int, check_probability, check_value, type_check
from mindspore_compat.dataset.vision._image import check_image, is_pil
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    PilOperation,
    RandomImageOperation,
    check_fill,
    check_interpolation,
    check_range,
    uniform,
)
from mindspore_compat.dataset.vision._resize import pil_resampling
from mindspore_compat.dataset.vision._warp import (
    affine_matrix,
    invert_affine,
    perspective_matrix,
    rotation_matrix,
    warp_affine,
    warp_perspective,
)
from mindspore_compat.dataset.vision.utils import Inter

__all__ = ["Affine", "GaussianBlur", "Perspective", "RandomAffine", "RandomPerspective", "RandomRotation", "Rotate"]

Fill = tuple[int, ...]


def rotate(image: Any, angle: float, resample: Inter, expand: bool, center: Any, fill: Fill) -> Any:
    """An array or PIL image turned counter-clockwise."""
    angle = angle % 360.0
    if is_pil(image):
        color = fill if len(image.getbands()) == 3 else fill[0]
        return image.rotate(angle, pil_resampling(resample), expand, center, fillcolor=color)
    check_image(image, "Rotate")
    if image.shape[0] > 1 << 14 or image.shape[1] > 1 << 14:
        raise RuntimeError(f"Rotate: the image is too large: {image.shape}.")
    height, width = image.shape[:2]
    middle = tuple(center) if center else ((width - 1) / 2.0, (height - 1) / 2.0)
    matrix = rotation_matrix(angle, middle)
    if expand:
        a, b = abs(matrix[0, 0]), abs(matrix[0, 1])
        new_width, new_height = width * a + height * b, height * a + width * b
        matrix[:, 2] += (new_width - width) / 2.0, (new_height - height) / 2.0
        height, width = round(new_height), round(new_width)
    # Upstream takes the fill of a rotation in the order blue, green, red.
    return warp_affine(image, invert_affine(matrix), (height, width), _warp_mode(resample), fill[::-1])


def _warp_mode(resample: Inter) -> int:
    """AREA has no meaning here: OpenCV takes it for LINEAR."""
    return {Inter.NEAREST: 0, Inter.BICUBIC: 3}.get(resample, 2)


def check_center(center: Any, name: str = "center") -> tuple[float, float] | None:
    """(x, y) or None."""
    type_check(center, (tuple, list, type(None)), "center")
    if center is None:
        return None
    if len(center) != 2:
        raise ValueError(f"Value center needs to be a 2-tuple, but got {center}.")
    for value in center:
        type_check(value, (int, float), "center")
    return (center[0], center[1])


def check_degrees(degrees: Any, name: str = "degrees") -> tuple[float, float]:
    """A number stands for the range from minus to plus it."""
    if isinstance(degrees, numbers.Number) and not isinstance(degrees, bool):
        if degrees < 0:  # type: ignore[operator]
            raise ValueError(f"If degrees is a single number, it cannot be negative, but got {degrees}.")
        return (-degrees, degrees)  # type: ignore[operator, return-value]
    if isinstance(degrees, (list, tuple)):
        if len(degrees) != 2:
            raise ValueError(f"If degrees is a sequence, the length must be 2, but got {degrees}.")
        return check_range(degrees, "degrees")
    raise TypeError(f"Degrees must be a single non-negative number or a sequence, but got {type(degrees)}.")


@arguments
class Rotate(ImageOperation):
    """The image turned counter-clockwise by `degrees`."""

    takes_pil = False
    takes_batches = True

    degrees: Annotated[float, kind_of(int, float)]
    resample: Annotated[Inter, check_interpolation] = Inter.NEAREST
    expand: Annotated[bool, flag] = False
    center: Annotated[Any, check_center] = None
    fill_value: Annotated[Any, check_fill] = 0

    def _compute(self, image: Any) -> Any:
        return rotate(image, self.degrees, self.resample, self.expand, self.center, self.fill_value)


@arguments
class RandomRotation(RandomImageOperation):
    """The image turned by an angle drawn from `degrees` (a range, or a number for -degrees .. degrees)."""

    degrees: Annotated[Any, check_degrees]
    resample: Annotated[Inter, check_interpolation] = Inter.NEAREST
    expand: Annotated[bool, flag] = False
    center: Annotated[Any, check_center] = None
    fill_value: Annotated[Any, check_fill] = 0

    def _draw(self, image: Any) -> tuple:
        return (uniform(self.degrees),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        return rotate(image, parameters[0], self.resample, self.expand, self.center, self.fill_value)


def affine(
    image: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
    resample: Inter,
    fill: Fill,
) -> Any:
    """An array or PIL image turned, moved (pixels), scaled and sheared around its middle."""
    if is_pil(image):
        return _affine_pil(image, angle, translate, scale, shear, resample, fill)
    check_image(image, "Affine")
    height, width = image.shape[:2]
    matrix = affine_matrix(angle, translate, scale, shear, ((width - 1) / 2.0, (height - 1) / 2.0))
    return warp_affine(image, matrix, (height, width), _warp_mode(resample), fill)


def _affine_pil(
    image: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
    resample: Inter,
    fill: Fill,
) -> Any:
    from PIL import Image

    width, height = image.size
    center = (width * 0.5 + 0.5, height * 0.5 + 0.5)
    rotation, shear_x, shear_y = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    # Upstream's own (older) order of shear and rotation.
    factor = math.cos(rotation + shear_x) * math.cos(rotation + shear_y)
    factor += math.sin(rotation + shear_x) * math.sin(rotation + shear_y)
    m = np.array(
        [
            [math.cos(rotation + shear_x), math.sin(rotation + shear_x)],
            [-math.sin(rotation + shear_y), math.cos(rotation + shear_y)],
        ]
    ) / (factor * scale)
    shift = np.array(center) - m @ np.array([center[0] + translate[0], center[1] + translate[1]])
    data = (m[0, 0], m[0, 1], shift[0], m[1, 0], m[1, 1], shift[1])
    color = fill if len(image.getbands()) == 3 else fill[0]
    return image.transform((width, height), Image.Transform.AFFINE, data, pil_resampling(resample), fillcolor=color)


def _check_angles(shear: Any, name: str) -> tuple[float, float]:
    type_check(shear, (int, float, list, tuple), name)
    found = (shear, 0.0) if isinstance(shear, (int, float)) else tuple(shear)
    if len(found) != 2:
        raise TypeError(f"The length of shear should be 2, but got {shear}.")
    return found  # type: ignore[return-value]


@arguments
class Affine(ImageOperation):
    """The image turned by `degrees`, moved by `translate` (parts of width and height), scaled and sheared (degrees)."""

    degrees: Annotated[float, kind_of(int, float)]
    translate: Annotated[Sequence[float], kind_of(list, tuple)]
    scale: Annotated[float, kind_of(int, float)]
    shear: Annotated[Any, _check_angles]
    resample: Annotated[Inter, check_interpolation] = Inter.NEAREST
    fill_value: Annotated[Any, check_fill] = 0

    def _prepare(self) -> None:
        if len(self.translate) != 2:
            raise TypeError(f"The length of translate should be 2, but got {self.translate}.")
        for value in self.translate:
            type_check(value, (int, float), "translate")
            check_value(value, (-1.0, 1.0), "translate")
        if self.scale <= 0:
            raise ValueError(f"Input scale must be greater than 0, but got {self.scale}.")
        self.translate = tuple(self.translate)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        height, width = image.shape[:2]
        translate = self.translate[0] * width, self.translate[1] * height
        return affine(image, self.degrees, translate, self.scale, self.shear, self.resample, self.fill_value)


def _check_scale(scale: Any, name: str) -> tuple[float, float]:
    found = check_range(scale, name, 0)
    if found[1] <= 0:
        raise ValueError(f"Input scale[1] must be greater than 0, but got {scale}.")
    return found


@arguments
class RandomAffine(RandomImageOperation):
    """`Affine` with parameters drawn from ranges.

    Args:
        translate: (x, y) for -x .. x and -y .. y, or (x min, x max[, y min, y max]), in parts of width and height.
        shear: a number for -shear .. shear, (x min, x max) or (x min, x max, y min, y max), in degrees.
    """

    degrees: Annotated[Any, check_degrees]
    translate: Any = None
    scale: Annotated[Any, _check_scale] = None
    shear: Any = None
    resample: Annotated[Inter, check_interpolation] = Inter.NEAREST
    fill_value: Annotated[Any, check_fill] = 0

    def _prepare(self) -> None:
        self.translate = _check_translate(self.translate)
        self.scale = self.scale or (1.0, 1.0)
        self.shear = _check_shear(self.shear)

    def _draw(self, image: Any) -> tuple:
        width, height = image.size if is_pil(image) else image.shape[1::-1]
        x, y = self.translate[:2], self.translate[2:]
        translate = uniform(x) * width, uniform(y) * height
        if is_pil(image):
            translate = round(translate[0]), round(translate[1])
        return uniform(self.degrees), translate, uniform(self.scale), (uniform(self.shear[:2]), uniform(self.shear[2:]))

    def _transform(self, image: Any, *parameters: Any) -> Any:
        angle, translate, scale, shear = parameters
        return affine(image, angle, translate, scale, shear, self.resample, self.fill_value)


def _check_translate(translate: Any) -> tuple[float, float, float, float]:
    if translate is None:
        return (0.0, 0.0, 0.0, 0.0)
    type_check(translate, (list, tuple), "translate")
    if len(translate) not in (2, 4):
        raise TypeError(f"translate should be a list or tuple of length 2 or 4, but got {translate}.")
    for value in translate:
        type_check(value, (int, float), "translate")
        check_value(value, (-1.0, 1.0), "translate")
    ranges = (*translate, 0.0, 0.0) if len(translate) == 2 else tuple(translate)
    for low, high in (ranges[:2], ranges[2:]):
        if low > high:
            raise ValueError(f"translate should be in (min,max) format. Got (max,min): {translate}.")
    return ranges  # type: ignore[return-value]


def _check_shear(shear: Any) -> tuple[float, float, float, float]:
    if shear is None:
        return (0.0, 0.0, 0.0, 0.0)
    type_check(shear, (int, float, list, tuple), "shear")
    if isinstance(shear, (int, float)):
        if shear < 0:
            raise ValueError(f"Input shear must be greater than 0, but got {shear}.")
        return (-shear, shear, 0.0, 0.0)
    if len(shear) not in (2, 4):
        raise TypeError(f"shear must be of length 2 or 4, but got {shear}.")
    ranges = (*shear, 0.0, 0.0) if len(shear) == 2 else tuple(shear)
    for low, high in (ranges[:2], ranges[2:]):
        if low > high:
            raise ValueError(f"Input shear: min value {low} is greater than max value {high}.")
    return ranges  # type: ignore[return-value]


def perspective(image: Any, start: Any, end: Any, interpolation: Inter) -> Any:
    """An array or PIL image with four points (x, y) moved to four others."""
    inverse = perspective_matrix(end, start)
    if is_pil(image):
        from PIL import Image

        data = tuple(inverse.ravel()[:8])
        return image.transform(image.size, Image.Transform.PERSPECTIVE, data, pil_resampling(interpolation))
    check_image(image, "Perspective")
    return warp_perspective(image, inverse, image.shape[:2], _warp_mode(interpolation), (0,))


@arguments
class Perspective(ImageOperation):
    """Four points (x, y) of the image moved to four others."""

    start_points: Any
    end_points: Any
    interpolation: Annotated[Inter, check_interpolation] = Inter.BILINEAR

    def _prepare(self) -> None:
        for name, points in (("start_points", self.start_points), ("end_points", self.end_points)):
            type_check(points, (list, tuple), name)
            if len(points) != 4 or any(not isinstance(p, (list, tuple)) or len(p) != 2 for p in points):
                raise TypeError(f"{name} should be a list or tuple of length 4 of (x, y), but got {points}.")

    def _compute(self, image: Any) -> Any:
        return perspective(image, self.start_points, self.end_points, self.interpolation)

    _compute_pil = _compute


@arguments
class RandomPerspective(PilOperation):
    """The corners of a PIL image moved inwards at random, with probability `prob`."""

    distortion_scale: Annotated[float, check_probability] = 0.5
    prob: Annotated[float, check_probability] = 0.5
    interpolation: Annotated[Inter, check_interpolation] = Inter.BICUBIC

    def _compute(self, image: Any) -> Any:
        rng = current_rng()
        if rng.random() >= self.prob:
            return image
        width, height = image.size
        moved = int(width / 2 * self.distortion_scale), int(height / 2 * self.distortion_scale)
        x, y = rng.integers(0, moved[0] + 1, 4), rng.integers(0, moved[1] + 1, 4)
        start = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
        end = [(x[0], y[0]), (width - 1 - x[1], y[1]), (width - 1 - x[2], height - 1 - y[2]), (x[3], height - 1 - y[3])]
        return perspective(image, start, end, self.interpolation)


def _check_kernel(size: Any, name: str) -> tuple[int, ...]:
    type_check(size, (int, list, tuple), name)
    sizes = (size,) * 2 if isinstance(size, int) else tuple(size)
    for value in sizes:
        check_int(value, name, 1, 16777216)
        if value % 2 != 1:
            raise ValueError(f"{name} should be odd, but got {size}.")
    return sizes


@arguments
class GaussianBlur(ImageOperation):
    """The image blurred by a Gaussian of odd `kernel_size`; `sigma` by default follows from it. Numbers or (x, y)."""

    takes_pil = False

    kernel_size: Annotated[Any, _check_kernel]
    sigma: Annotated[Any, kind_of(int, float, list, tuple)] = None

    def _prepare(self) -> None:
        given = (self.sigma,) * 2 if self.sigma is None or isinstance(self.sigma, (int, float)) else tuple(self.sigma)
        if len(given) != 2 or len(self.kernel_size) != 2:
            raise TypeError(
                f"kernel_size and sigma should be one or two numbers, but got {self.kernel_size} and {self.sigma}."
            )
        across = given[0] or self.kernel_size[0] * 0.15 + 0.35
        self.sigma = (across, given[1] or across)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "GaussianBlur")
        if image.dtype not in (np.uint8, np.uint16, np.int16, np.float32, np.float64):
            raise RuntimeError(
                f"GaussianBlur: input of type {image.dtype} is not supported; expected uint8 or float32."
            )
        blurred = opencv().GaussianBlur(
            np.ascontiguousarray(image), self.kernel_size, self.sigma[0], sigmaY=self.sigma[1]
        )
        return blurred.reshape(image.shape)
