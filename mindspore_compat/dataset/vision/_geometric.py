"""Rotation, affine and perspective operations, blur."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, real, several
from mindspore_compat.dataset.core.randomness import engine_of, python_random
from mindspore_compat.dataset.vision._checks import (
    around_zero,
    check_center,
    check_degrees,
    check_fill,
    check_interpolation,
    check_kernel,
    check_scale,
    check_sigma,
    need_warping,
)
from mindspore_compat.dataset.vision._image import as_matrix, check_image, is_pil
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    PilOperation,
    RandomImageOperation,
    around_middle,
    as_turn,
    uniform,
)
from mindspore_compat.dataset.vision._resize import pil_resampling
from mindspore_compat.dataset.vision._warp import (
    affine_matrix,
    invert_affine,
    invert_perspective,
    perspective_matrix,
    rotation_matrix,
    turned_size,
    warp_affine,
    warp_perspective,
)
from mindspore_compat.dataset.vision.utils import Inter

__all__ = ["Affine", "GaussianBlur", "Perspective", "RandomAffine", "RandomPerspective", "RandomRotation", "Rotate"]

Fill = tuple[int, ...]


def rotate(image: Any, angle: float, resample: Inter, expand: bool, center: Any, fill: Fill) -> Any:
    """Return an array or PIL image turned counter-clockwise."""
    if is_pil(image):
        angle = angle % 360.0
        if resample == Inter.ANTIALIAS and (center is not None or angle % 90):
            raise ValueError("Inter.ANTIALIAS turns by multiples of 90 degrees, and around no other center.")
        color = fill if len(image.getbands()) > 1 else fill[0]
        return image.rotate(angle, pil_resampling(resample), expand, center, fillcolor=color)
    check_image(image, "Rotate")
    if image.ndim > 3:
        raise RuntimeError(f"Rotate: expected an image of <H, W> or <H, W, C>, but got {image.shape}.")
    if image.ndim == 3 and image.shape[2] > 4 and resample == Inter.BICUBIC:
        raise RuntimeError("Rotate: interpolation can not be CUBIC when image channel is greater than 4.")
    (height, width), turned = image.shape[:2], as_matrix(image) if expand else image
    middle = tuple(center) if center else ((width - 1) / 2.0, (height - 1) / 2.0)
    matrix = rotation_matrix(angle, middle)
    if expand:
        new_width, new_height = turned_size(angle, (width, height), middle)
        matrix[:, 2] += (new_width - width) / 2.0, (new_height - height) / 2.0
        height, width = round(new_height), round(new_width)
    # MindSpore reads the fill of a rotation in the order blue, green, red.
    return warp_affine(turned, invert_affine(matrix), (height, width), _warp_mode(resample), fill[::-1])


def _warp_mode(resample: Inter) -> int:
    """Return OpenCV's mode. AREA has no meaning here: OpenCV uses LINEAR for it."""
    return {Inter.NEAREST: 0, Inter.BICUBIC: 3}.get(resample, 2)


@arguments
class Rotate(ImageOperation):
    """The image turned counter-clockwise by `degrees`."""

    takes_pil = False
    takes_batches = True

    degrees: Annotated[float, real()]
    resample: Annotated[Inter, check_interpolation] = Inter.NEAREST
    expand: Annotated[bool, flag] = False
    center: Annotated[Any, check_center] = None
    fill_value: Annotated[Any, check_fill] = 0

    def _compute(self, image: Any) -> Any:
        need_warping(self.resample, "Rotate")
        return rotate(image, self.degrees % 360.0, self.resample, self.expand, self.center, self.fill_value)


@arguments
class RandomRotation(RandomImageOperation):
    """The image turned by an angle drawn from `degrees` (a range, or a number for -degrees .. degrees)."""

    draws = True
    degrees: Annotated[Any, check_degrees]
    resample: Annotated[Inter, check_interpolation] = Inter.NEAREST
    expand: Annotated[bool, flag] = False
    center: Annotated[Any, check_center] = None
    fill_value: Annotated[Any, check_fill] = 0

    def _draw(self, image: Any) -> tuple:
        if not is_pil(image):
            need_warping(self.resample, "RandomRotation", TypeError)
        return (uniform(self.degrees) if is_pil(image) else around_middle(engine_of(self), as_turn(self.degrees)),)

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
    """Return an array or PIL image turned, moved (pixels), scaled and sheared around its middle."""
    if is_pil(image):
        return _affine_pil(image, angle, translate, scale, shear, resample)
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
) -> Any:
    from PIL import Image

    width, height = image.size
    center = (width * 0.5 + 0.5, height * 0.5 + 0.5)
    rotation, shear_x, shear_y = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    # MindSpore's own (older) order of shear and rotation.
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
    # no fill: MindSpore compares Pillow's version as text, and omits it for two-digit versions
    return image.transform((width, height), Image.Transform.AFFINE, data, pil_resampling(resample))


@arguments
class Affine(ImageOperation):
    """The image turned by `degrees`, moved by `translate` (parts of width and height), scaled and sheared (degrees)."""

    degrees: Annotated[float, real(-180, 180)]
    translate: Annotated[Sequence[float], several(real(-1, 1))]
    scale: Annotated[float, real(0, above=True)]
    shear: Annotated[Any, several(real(-180, 180), spread=lambda value: (value, 0.0))]
    resample: Annotated[Inter, check_interpolation] = Inter.NEAREST
    fill_value: Annotated[Any, check_fill] = 0

    def _compute(self, image: np.ndarray) -> np.ndarray:
        need_warping(self.resample, "Affine")
        check_image(image, "Affine")
        height, width = image.shape[:2]
        translate = (np.array(self.translate, np.float32) * np.array((width, height), np.float32)).tolist()
        return affine(image, self.degrees, translate, self.scale, self.shear, self.resample, self.fill_value)


@arguments
class RandomAffine(RandomImageOperation):
    """`Affine` with parameters drawn from ranges.

    Args:
        translate: (x, y) for -x .. x and -y .. y, or (x min, x max[, y min, y max]), in parts of width and height.
        shear: a number for -shear .. shear, (x min, x max) or (x min, x max, y min, y max), in degrees.
    """

    draws = True
    degrees: Annotated[Any, check_degrees]
    translate: Annotated[Any, several(real(-1, 1), (2, 4), is_ordered=True)] = None
    scale: Annotated[Any, check_scale] = None
    shear: Annotated[Any, several(real(), (2, 4), around_zero, is_ordered=True)] = None
    resample: Annotated[Inter, check_interpolation] = Inter.NEAREST
    fill_value: Annotated[Any, check_fill] = 0

    def _prepare(self) -> None:
        self.translate = (*(self.translate or (0.0, 0.0)), 0.0, 0.0)[:4]
        self.scale = self.scale or (1.0, 1.0)
        self.shear = (*(self.shear or (0.0, 0.0)), 0.0, 0.0)[:4]

    def _draw(self, image: Any) -> tuple:
        x, y = self.translate[:2], self.translate[2:]
        if not is_pil(image):
            need_warping(self.resample, "RandomAffine", ValueError)
            engine, (width, height) = engine_of(self), map(np.float32, image.shape[1::-1])
            angle = float(engine.single(*self.degrees))
            translate = (
                float(engine.single(*(np.float32(one) * width for one in x))),
                float(engine.single(*(np.float32(one) * height for one in y))),
            )
            scale = float(engine.single(*self.scale))
            shear = float(engine.single(*self.shear[:2])), float(engine.single(*self.shear[2:]))
            return math.fmod(angle, 360.0), translate, scale, shear
        angle, (width, height) = uniform(self.degrees), image.size
        farthest = x[0] * width, x[1] * height  # MindSpore reads the first two numbers as shares in x and in y
        shift = tuple(round(uniform((-most, most))) for most in farthest)
        return angle, shift, uniform(self.scale), (uniform(self.shear[:2]), uniform(self.shear[2:]))

    def _transform(self, image: Any, *parameters: Any) -> Any:
        angle, translate, scale, shear = parameters
        return affine(image, angle, translate, scale, shear, self.resample, self.fill_value)


def perspective(image: Any, start: Any, end: Any, interpolation: Inter) -> Any:
    """Return an array or PIL image with four points (x, y) moved to four others."""
    if is_pil(image):
        from PIL import Image

        data = tuple(perspective_matrix(end, start, nearest=True).ravel()[:8])
        return image.transform(image.size, Image.Transform.PERSPECTIVE, data, pil_resampling(interpolation))
    need_warping(interpolation if interpolation == Inter.ANTIALIAS else Inter.LINEAR, "Perspective", TypeError)
    check_image(image, "Perspective")
    inverse = invert_perspective(perspective_matrix(start, end))
    return warp_perspective(as_matrix(image), inverse, image.shape[:2], _warp_mode(interpolation), (0,))


_points = several(several(integer()), (4,))


@arguments
class Perspective(ImageOperation):
    """Four points (x, y) of the image moved to four others."""

    start_points: Annotated[Any, _points]
    end_points: Annotated[Any, _points]
    interpolation: Annotated[Inter, check_interpolation] = Inter.BILINEAR

    def _compute(self, image: Any) -> Any:
        return perspective(image, self.start_points, self.end_points, self.interpolation)

    _compute_pil = _compute


@arguments
class RandomPerspective(PilOperation):
    """The corners of a PIL image moved inwards at random, with probability `prob`."""

    draws = True

    distortion_scale: Annotated[float, real(0.0, 1.0)] = 0.5
    prob: Annotated[float, real(0.0, 1.0)] = 0.5
    interpolation: Annotated[Inter, check_interpolation] = Inter.BICUBIC

    def _compute(self, image: Any) -> Any:
        if self.prob <= python_random().random():
            return image
        draw, (width, height) = python_random().randint, image.size
        x, y = int(width / 2 * self.distortion_scale), int(height / 2 * self.distortion_scale)
        start = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
        end = [
            (draw(*across), draw(*down))
            for across, down in (
                ((0, x), (0, y)),
                ((width - x - 1, width - 1), (0, y)),
                ((width - x - 1, width - 1), (height - y - 1, height - 1)),
                ((0, x), (height - y - 1, height - 1)),
            )
        ]
        return perspective(image, start, end, self.interpolation)


@arguments
class GaussianBlur(ImageOperation):
    """The image blurred by a Gaussian of odd `kernel_size`; `sigma` by default follows from it. Numbers or (x, y)."""

    takes_pil = False

    kernel_size: Annotated[Any, check_kernel]
    sigma: Annotated[Any, check_sigma] = None

    def _prepare(self) -> None:
        given = self.sigma or (None, None)
        across = given[0] or self.kernel_size[0] * 0.15 + 0.35
        self.sigma = (across, given[1] or across)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "GaussianBlur")
        if image.dtype not in (np.bool_, np.uint8, np.uint16, np.int16, np.float32, np.float64):
            raise RuntimeError(f"GaussianBlur: {image.dtype} is not supported; expected uint8 or float32.")
        blurred = opencv().GaussianBlur(
            np.ascontiguousarray(as_matrix(image)), self.kernel_size, self.sigma[0], sigmaY=self.sigma[1]
        )
        return blurred.reshape(image.shape)
