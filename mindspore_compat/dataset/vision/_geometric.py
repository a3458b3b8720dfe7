"""Rotation, affine and perspective maps of arrays (H, W[, C]) and of images; blur."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from mindspore_compat._format.images import is_pil, opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, real, several
from mindspore_compat.dataset.core.randomness import engine_of, python_random
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    PilOperation,
    RandomImageOperation,
    around_middle,
    around_zero,
    as_matrix,
    as_turn,
    check_center,
    check_degrees,
    check_fill,
    check_image,
    check_interpolation,
    check_kernel,
    check_scale,
    check_sigma,
    need_warping,
    uniform,
)
from mindspore_compat.dataset.vision._resize import pil_resampling
from mindspore_compat.dataset.vision.utils import Inter

__all__ = ["Affine", "GaussianBlur", "Perspective", "RandomAffine", "RandomPerspective", "RandomRotation", "Rotate"]

_NEAREST, _LINEAR, _CUBIC = 0, 2, 3
#: OpenCV's fixed point: places in 1/1024, weights for 1/32 of a pixel.
_PLACE, _PART, _PART_BITS = 1024, 32, 5
#: sum of OpenCV's weights of bytes
_WHOLE = 1 << 15
_CURVED = frozenset(("uint8", "uint16", "int16", "float32", "float64"))


def rotation_matrix(angle: float, center: tuple[float, float], scale: float = 1.0) -> np.ndarray:
    """Return the matrix of a counter-clockwise rotation by `angle` degrees, a float32, around `center` (x, y)."""
    radians = math.radians(np.float32(angle))
    a, b = scale * math.cos(radians), scale * math.sin(radians)
    x, y = center
    return np.array([[a, b, (1 - a) * x - b * y], [-b, a, b * x + (1 - a) * y]])


def turned_size(angle: float, size: tuple[int, int], center: tuple[float, float]) -> tuple[float, float]:
    """Return (width, height) to hold an image of `size` (width, height) turned around `center`, in OpenCV's float32."""
    radians = math.radians(np.float32(angle))
    (x, y), (width, height) = (np.array(pair, np.float32) for pair in (center, size))
    a, b = (np.float32(part(radians)) * np.float32(0.5) for part in (math.sin, math.cos))
    corners = [
        (x - a * height - b * width, y + b * height - a * width),
        (x + a * height - b * width, y - b * height - a * width),
    ]
    corners += [(2 * x - one, 2 * y - other) for one, other in corners]
    wide, high = (float(max(places) - min(places)) for places in zip(*corners))
    return wide, high


def affine_matrix(
    angle: float, translate: Sequence[float], scale: float, shear: Sequence[float], center: tuple[float, float]
) -> np.ndarray:
    """Return the matrix from the target to the source: rotation, shear, scale around `center` (x, y), then translation;
    angles in degrees. The forward matrix is computed in float32, as in MindSpore.
    """
    rotation, shear_x, shear_y = (np.float32(math.radians(np.float32(item))) for item in (angle, *shear))
    (x, y), (across, down) = (np.array(pair, np.float32) for pair in (center, translate))
    # translate * center * (rotate * shear * scale) * center^-1
    turns = rotation, rotation - shear_y
    cos, sin = (np.array([part(item) for item in turns], np.float32) for part in (math.cos, math.sin))
    tan_x, cos_y, zoom = (np.float32(item) for item in (math.tan(shear_x), math.cos(shear_y), scale))
    a = zoom * cos[1] / cos_y
    b = zoom * (-cos[1] * tan_x / cos_y - sin[0])
    c = zoom * sin[1] / cos_y
    d = zoom * (-sin[1] * tan_x / cos_y + cos[0])
    return invert_affine(np.array([[a, b, (1 - a) * x - b * y + across], [c, d, (1 - d) * y - c * x + down]]))


def invert_affine(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse map."""
    (a, b, x), (c, d, y) = matrix.tolist()
    scale = 1.0 / (a * d - b * c or math.inf)  # in OpenCV's order, for the last bit counts
    a, b, c, d = d * scale, -b * scale, -c * scale, a * scale
    return np.array([[a, b, -a * x - b * y], [c, d, -c * x - d * y]])


def perspective_matrix(
    start: Sequence[Sequence[float]], end: Sequence[Sequence[float]], nearest: bool = False
) -> np.ndarray:
    """Return the 3x3 map that takes four points (x, y) to four others, or with `nearest` near them if there is none."""
    ones, zeros = np.ones((4, 1)), np.zeros((4, 3))
    here, there = np.array(start, np.float64), np.array(end, np.float64)
    rows = [
        np.concatenate(parts, 1)
        for parts in (([here, ones, zeros, -here * there[:, :1]]), ([zeros, here, ones, -here * there[:, 1:]]))
    ]
    if nearest:  # in this order, too, the last bit counts
        found = np.linalg.lstsq(np.stack(rows, 1).reshape(8, 8), there.ravel(), rcond=None)[0]
    else:
        found = _solved(np.concatenate(rows), there.T.ravel())
    return np.append(found, 1.0).reshape(3, 3)


def _solved(matrix: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the solution of linear equations in OpenCV's order, to the last bit; zeros if there is none."""
    matrix, size = np.column_stack([matrix, values]), len(matrix)
    for i in range(size):
        pivot = i + int(np.argmax(np.abs(matrix[i:, i])))
        if abs(matrix[pivot, i]) < np.finfo(np.float64).eps * 100:
            return np.zeros(size)
        matrix[[i, pivot]] = matrix[[pivot, i]]
        scale = -1 / matrix[i, i]
        for j in range(i + 1, size):
            matrix[j, i + 1 :] += matrix[j, i] * scale * matrix[i, i + 1 :]
    result = np.zeros(size)
    for i in reversed(range(size)):
        total = matrix[i, size]
        for k in range(i + 1, size):
            total -= matrix[i, k] * result[k]
        result[i] = total / matrix[i, i]
    return result


def invert_perspective(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse map."""
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    whole = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    scale = 1.0 / whole if whole else 0.0
    inverse = [
        [(e * i - f * h) * scale, (c * h - b * i) * scale, (b * f - c * e) * scale],
        [(f * g - d * i) * scale, (a * i - c * g) * scale, (c * d - a * f) * scale],
        [(d * h - e * g) * scale, (b * g - a * h) * scale, (a * e - b * d) * scale],
    ]
    return np.array(inverse)


def warp_affine(
    image: np.ndarray, inverse: np.ndarray, size: tuple[int, int], interpolation: int, fill: Sequence[float]
) -> np.ndarray:
    """Fill target pixel p with the source pixel at ``inverse @ p``, or with `fill` outside of the source."""
    y, x = np.arange(size[0]), np.arange(size[1])
    offset = _PLACE // 2 if interpolation == _NEAREST else _PLACE // _PART // 2
    shift = 10 if interpolation == _NEAREST else 10 - _PART_BITS
    place_x, place_y = (
        (
            np.rint(row[0] * x * _PLACE).astype(np.int64)
            + (np.rint((row[1] * y + row[2]) * _PLACE).astype(np.int64) + offset)[:, None]
        )
        >> shift
        for row in inverse
    )
    return _remap(image, place_x, place_y, interpolation, fill)


def warp_perspective(
    image: np.ndarray, inverse: np.ndarray, size: tuple[int, int], interpolation: int, fill: Sequence[float]
) -> np.ndarray:
    """Warp as `warp_affine`, with a 3x3 map."""
    y, x = np.arange(size[0], dtype=np.float64)[:, None], np.arange(size[1], dtype=np.float64)
    w = inverse[2, 0] * x + (inverse[2, 1] * y + inverse[2, 2])
    w = np.divide(1 if interpolation == _NEAREST else _PART, w, out=np.zeros_like(w), where=w != 0)
    place_x, place_y = (np.rint((row[0] * x + (row[1] * y + row[2])) * w).astype(np.int64) for row in inverse[:2])
    return _remap(image, place_x, place_y, interpolation, fill)


def _remap(image: np.ndarray, x: np.ndarray, y: np.ndarray, interpolation: int, fill: Sequence[float]) -> np.ndarray:
    """Return pixels at places: whole ones for NEAREST, else in 1/32."""
    cv2 = opencv()
    channels = 1 if image.ndim == 2 else image.shape[2]
    if channels > 4:  # OpenCV's border has four values
        parts_of = [np.ascontiguousarray(image[..., c : c + 4]) for c in range(0, channels, 4)]
        done = [_remap(part, x, y, interpolation, fill).reshape(*x.shape, -1) for part in parts_of]
        return np.concatenate(done, -1)
    if image.dtype == np.bool_:
        return _remap(image.view(np.uint8), x, y, interpolation, fill).view(np.bool_)
    parts = None
    if interpolation != _NEAREST:
        parts = ((y & (_PART - 1)) * _PART + (x & (_PART - 1))).astype(np.uint16)
        x, y = x >> _PART_BITS, y >> _PART_BITS
    wholes = np.stack([x, y], -1).clip(-(1 << 15), (1 << 15) - 1).astype(np.int16)
    border = [float(fill[min(c, len(fill) - 1)]) for c in range(3)] + [
        0.0
    ]  # a fourth channel has no fill, as in MindSpore
    if interpolation == _CUBIC and parts is not None and image.dtype.name in _CURVED:
        return _remap_cubic(image, x, y, parts, border)
    flags = {_NEAREST: cv2.INTER_NEAREST, _CUBIC: cv2.INTER_CUBIC}.get(interpolation, cv2.INTER_LINEAR)
    result = cv2.remap(image, wholes, parts, flags, borderMode=cv2.BORDER_CONSTANT, borderValue=border)
    return result.reshape(*x.shape, *image.shape[2:])


@cache
def _cubic_weights(whole: bool) -> np.ndarray:
    """Return weights for each 1/32 of a pixel down and across, (1024, 4, 4): (a = -0.75), floats or whole 1/32768 that
    add up to 1.
    """
    a, one = np.float32(-0.75), np.float32(1)
    x = np.arange(_PART, dtype=np.float32) / np.float32(_PART)
    before = ((a * (x + one) - 5 * a) * (x + one) + 8 * a) * (x + one) - 4 * a
    left, right = (((a + 2) * d - (a + 3)) * d * d + one for d in (x, one - x))
    each = np.stack([before, left, right, one - before - left - right], -1)
    weights = each[:, None, :, None] * each[None, :, None, :]
    if not whole:
        return weights.reshape(-1, 4, 4)
    weights = np.rint(weights * np.float32(_WHOLE)).astype(np.int32).reshape(-1, 16)
    nearest = [10, 11, 14, 15]  # OpenCV adds a remainder to the greatest of these, or subtracts it from the least
    for row in weights:
        rest = _WHOLE - row.sum()
        pick = np.argmax if rest > 0 else np.argmin
        row[nearest[int(pick(row[nearest]))]] += rest
    return weights.reshape(-1, 4, 4)


def _remap_cubic(image: np.ndarray, x: np.ndarray, y: np.ndarray, parts: np.ndarray, border: list[float]) -> np.ndarray:
    """Return `_remap` by cubic curves, of bytes in integer arithmetic: the installed OpenCV may round otherwise."""
    height, width = image.shape[:2]
    whole = image.dtype == np.uint8
    kind = np.int32 if whole else np.float64 if image.dtype == np.float64 else np.float32
    source = np.empty((height + 2, width + 2, image.size // (height * width)), kind)
    source[:] = np.array(border).astype(kind)[: source.shape[2]]
    source[1:-1, 1:-1] = image.reshape(height, width, -1)
    weights = _cubic_weights(whole)[parts][..., None]
    columns = [np.clip(x + k, 0, width + 1) for k in range(4)]
    total = np.zeros((*x.shape, source.shape[2]), kind)
    for i in range(4):
        row = np.clip(y + i, 0, height + 1)
        first, second, third, fourth = (source[row, column] * weights[..., i, j, :] for j, column in enumerate(columns))
        total += first + second + third + fourth
    if whole:
        total = (total + _WHOLE // 2) // _WHOLE
    if image.dtype.kind in "iu":
        total = np.clip(np.rint(total), np.iinfo(image.dtype).min, np.iinfo(image.dtype).max)
    return total.astype(image.dtype).reshape(*x.shape, *image.shape[2:])


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
        raise RuntimeError("Rotate: interpolation cannot be CUBIC when image channel is greater than 4.")
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
    image: Any, angle: float, translate: Sequence[float], scale: float, shear: Sequence[float], resample: Inter
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
