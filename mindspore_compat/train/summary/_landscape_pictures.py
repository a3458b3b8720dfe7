"""Pictures of a loss landscape, drawn with numpy and pillow: a contour map and a surface in perspective, both with the
way of the training.

Colours follow ``log1p`` of the height above the lowest point, in units of the median height: both the valley and the
walls show.
"""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np

from mindspore_compat._format.events import Picture
from mindspore_compat._format.proto import summary as summary_messages

__all__ = ["landscape_pictures"]

_SIZE = 480  # pixels of the contour map's square; both pictures are _WIDTH × _HEIGHT
_WIDTH, _HEIGHT, _LEFT, _TOP = 660, 560, 70, 40
_LEVELS = 20
_FINEST = 48  # most points of a side of the drawn surface
_COLOURS = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], np.float64)
_INK, _PAPER, _WAY = (40, 40, 40), (255, 255, 255), (220, 30, 30)
_TURN, _TILT = np.deg2rad(-60.0), np.deg2rad(35.0)  # of the surface: around the upright axis, and towards the eye


class _Landscape(NamedTuple):
    """``heights[row of ys, column of xs]``, all finite; ``way`` are the (x, y, height) of the checkpoints or the point
    where it ended.
    """

    xs: np.ndarray
    ys: np.ndarray
    heights: np.ndarray
    way: np.ndarray


def _array(tensor: Any) -> np.ndarray:
    return np.array(tensor.float_data or tensor.double_data, np.float64).reshape(-1)


def _read(body: bytes) -> _Landscape | None:
    """None if it is not a grid of at least 2 × 2, or nowhere finite."""
    message = summary_messages.LossLandscape.FromString(body)
    xs, ys, heights = (_array(getattr(message.landscape, axis)) for axis in "xyz")
    if len(xs) < 2 or len(ys) < 2 or heights.size != len(xs) * len(ys) or not np.isfinite(heights).any():
        return None
    finite = heights[np.isfinite(heights)]
    heights = np.nan_to_num(heights, nan=finite.max(), posinf=finite.max(), neginf=finite.min()).reshape(
        len(ys), len(xs)
    )
    points = message.loss_path.points if message.loss_path.intervals else message.convergence_point
    columns = [_array(getattr(points, axis)) for axis in "xyz"]
    way = np.stack(columns, axis=1) if len({len(column) for column in columns}) == 1 else np.zeros((0, 3))
    return _Landscape(xs, ys, heights, np.nan_to_num(way, posinf=finite.max()))


def _scaled(heights: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Heights as 0…1; ``of`` are those of the grid."""
    unit = float(np.median(of - of.min())) or 1.0
    top = float(np.log1p((of.max() - of.min()) / unit)) or 1.0
    return np.asarray(np.log1p(np.clip(heights - of.min(), 0, None) / unit) / top).clip(0, 1)


def _unscaled(part: float, of: np.ndarray) -> float:
    unit = float(np.median(of - of.min())) or 1.0
    return float(of.min() + unit * np.expm1(part * np.log1p((of.max() - of.min()) / unit)))


def _coloured(parts: np.ndarray) -> np.ndarray:
    """0…1 as colours from dark (low) to light."""
    place = parts * (len(_COLOURS) - 1)
    low = np.minimum(place.astype(int), len(_COLOURS) - 2)
    rest = (place - low)[..., None]
    return np.asarray(_COLOURS[low] * (1 - rest) + _COLOURS[low + 1] * rest)


def _resampled(heights: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Linear between the points of the grid."""
    across = np.stack(
        [np.interp(np.linspace(0, heights.shape[1] - 1, columns), np.arange(heights.shape[1]), row) for row in heights]
    )
    return np.stack(
        [
            np.interp(np.linspace(0, heights.shape[0] - 1, rows), np.arange(heights.shape[0]), column)
            for column in across.T
        ],
        axis=1,
    )


def _picture(image: Any) -> Picture:
    output = io.BytesIO()
    image.save(output, format="PNG")
    return Picture(image.height, image.width, 3, output.getvalue())


def _draw_way(draw: Any, places: list[tuple[float, float]]) -> None:
    if len(places) > 1:
        draw.line(places, fill=_WAY, width=2)
    for x, y in places:
        draw.ellipse((x - 3, y - 3, x + 3, y + 3), fill=_PAPER, outline=_WAY)
    if places:
        x, y = places[-1]
        draw.ellipse((x - 5, y - 5, x + 5, y + 5), fill=_WAY)


def _contour(landscape: _Landscape, title: str) -> Picture:
    """Filled contours, a scale of colours, the way."""
    from PIL import Image, ImageDraw

    xs, ys, heights, way = landscape
    bands = np.minimum((_scaled(_resampled(heights, _SIZE, _SIZE), heights) * _LEVELS).astype(int), _LEVELS - 1)[::-1]
    pixels = _coloured((bands + 0.5) / _LEVELS)
    edges = np.zeros(bands.shape, bool)
    edges[1:] |= bands[1:] != bands[:-1]
    edges[:, 1:] |= bands[:, 1:] != bands[:, :-1]
    pixels[edges] *= 0.6
    image = Image.new("RGB", (_WIDTH, _HEIGHT), _PAPER)
    image.paste(Image.fromarray(pixels.astype(np.uint8)), (_LEFT, _TOP))
    scale = _coloured(((np.arange(_SIZE) * _LEVELS // _SIZE)[::-1, None] + 0.5) / _LEVELS).repeat(16, 1)
    image.paste(Image.fromarray(scale.astype(np.uint8)), (_LEFT + _SIZE + 16, _TOP))
    draw = ImageDraw.Draw(image)
    draw.text((_LEFT, 14), title, fill=_INK)
    for part in np.linspace(0, 1, 5):
        place = part * (_SIZE - 1)
        draw.text((_LEFT + place, _TOP + _SIZE + 8), f"{xs[0] + part * (xs[-1] - xs[0]):.3g}", fill=_INK, anchor="mt")
        draw.text((_LEFT - 8, _TOP + _SIZE - place), f"{ys[0] + part * (ys[-1] - ys[0]):.3g}", fill=_INK, anchor="rm")
        draw.text((_LEFT + _SIZE + 36, _TOP + _SIZE - place), f"{_unscaled(part, heights):.5g}", fill=_INK, anchor="lm")
    _draw_way(
        draw,
        [
            (
                _LEFT + (x - xs[0]) / (xs[-1] - xs[0] or 1) * _SIZE,
                _TOP + _SIZE - (y - ys[0]) / (ys[-1] - ys[0] or 1) * _SIZE,
            )
            for x, y, _ in way
        ],
    )
    return _picture(image)


def _seen(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(x, y on the picture, distance) of points whose three coordinates are 0…1."""
    x, y, z = np.moveaxis(points - [0.5, 0.5, 0.0], -1, 0)
    across, away = x * np.cos(_TURN) - y * np.sin(_TURN), x * np.sin(_TURN) + y * np.cos(_TURN)
    near = 1 / (1 + 0.25 * away)
    up = (z * 0.75 * np.cos(_TILT) + away * np.sin(_TILT) - 0.25) * near
    return np.stack([_WIDTH / 2 + across * near * 370, _HEIGHT / 2 - 15 - up * 370], axis=-1), away


def _surface(landscape: _Landscape, title: str) -> Picture:
    """The surface from far to near, lit from the left."""
    from PIL import Image, ImageDraw

    xs, ys, heights, way = landscape
    parts = _scaled(
        _resampled(heights, min(max(2 * len(ys), 24), _FINEST), min(max(2 * len(xs), 24), _FINEST)), heights
    )
    rows, columns = parts.shape
    grid = np.stack([*np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows)), parts], axis=-1)
    places, away = _seen(grid)
    slope = (parts[:-1, 1:] - parts[:-1, :-1]) * columns
    light = 0.8 + 0.2 / (1 + np.exp(slope))
    colours = (_coloured((parts[:-1, :-1] + parts[1:, 1:]) / 2) * light[..., None]).astype(int)
    image = Image.new("RGB", (_WIDTH, _HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    draw.text((_LEFT, 14), f"{title}, losses {heights.min():.5g} to {heights.max():.5g}", fill=_INK)
    for index in np.argsort(-away[:-1, :-1], axis=None):
        row, column = divmod(int(index), columns - 1)
        corners = [tuple(places[row + i, column + j]) for i, j in ((0, 0), (0, 1), (1, 1), (1, 0))]
        colour = colours[row, column]
        draw.polygon(corners, fill=tuple(colour), outline=tuple((colour * 0.85).astype(int)))
    if len(way):
        spans = [(way[:, i] - axis[0]) / (axis[-1] - axis[0] or 1) for i, axis in ((0, xs), (1, ys))]
        _draw_way(
            draw, [tuple(place) for place in _seen(np.stack([*spans, _scaled(way[:, 2], heights) + 0.01], axis=-1))[0]]
        )
    return _picture(image)


def landscape_pictures(tag: str, body: bytes) -> dict[str, Picture]:
    """{"contour": …, "surface": …} of a LossLandscape; empty if it holds no grid."""
    landscape = _read(body)
    return {} if landscape is None else {"contour": _contour(landscape, tag), "surface": _surface(landscape, tag)}
