"""Box of a JPEG file, as libjpeg decodes that box alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._format.images import JpegFrame, jpeg_frame, load_image, open_image

_BLOCK = 8
#: of so narrow a picture, libjpeg does not blend the colours
_UNBLENDED = 4


def cut_jpeg(content: np.ndarray, image: np.ndarray, box: tuple[int, int, int, int]) -> np.ndarray:
    """Return the box (top, left, height, width) of `image`, which is the whole picture decoded from `content`, a file
    of any format.
    """
    top, left, height, width = box
    part = image[top : top + height, left : left + width]
    frame = jpeg_frame(content)
    if frame is None or frame.width <= _UNBLENDED or not _halves(frame):
        return part
    right, step = left + width, _BLOCK * (frame.sampling[0] >> 4)
    is_single = right - left // step * step <= 2  # one column of colours, which libjpeg takes as it is
    places = {left} if is_single or (left and left % step == 0) else set()
    if is_single or (right < frame.width and right % 2 == 0):
        places.add(right - 1)
    if not places:
        return part
    opened = open_image(content, load=False)
    if opened.info.get("adobe_transform") == 0:  # 0: the file holds RGB
        return part
    part = part.copy()
    planes = _Planes(content, image, frame, opened)
    for x in places:
        part[:, x - left] = planes.alone(x, slice(top, top + height), not is_single)
    return part


def _halves(frame: JpegFrame) -> bool:
    """Return whether the two colour planes have half the width of the first, and its height or half of it."""
    if frame.components != 3 or frame.sampling[1] != frame.sampling[2]:
        return False
    (wide, high), (narrow, low) = ((one >> 4, one & 15) for one in frame.sampling[:2])
    return wide == 2 * narrow and high in (low, 2 * low)


class _Planes:
    """Planes of a file: brightness, and the two of colour before they are widened."""

    def __init__(self, content: np.ndarray, image: np.ndarray, frame: JpegFrame, opened: Any) -> None:
        self._content, self._image = content, image
        self._is_low = frame.sampling[0] & 15 == 2 * (frame.sampling[1] & 15)
        self._whole: np.ndarray | None = None
        if self._is_low:  # decoded at half the size, libjpeg takes the colours as they are stored
            self._colours = self._decode(opened, half=True)[..., 1:]

    @staticmethod
    def _decode(opened: Any, half: bool) -> np.ndarray:
        opened.draft("YCbCr", (opened.width // 2, opened.height // 2) if half else opened.size)
        return np.asarray(load_image(opened))

    def _all(self) -> np.ndarray:
        if self._whole is None:
            self._whole = self._decode(open_image(self._content, load=False), half=False)
        return self._whole

    def alone(self, x: int, rows: slice, is_blended: bool) -> np.ndarray:
        """Return a column (H, 3) as RGB, of a box that begins or ends there."""
        near, rounding = x // 2, 7 if x % 2 else 8
        if not self._is_low:
            return _as_rgb(self._bright(x, rows), self._stored(near)[rows])
        sums = self._sums(near, rows)
        colours = (4 * sums + rounding) >> 4
        if not is_blended:
            colours = self._colours[np.arange(rows.start, rows.stop) // 2, near].astype(np.int32)
        other = self._sums(near + 1 if x % 2 else near - 1, rows)
        low, high = self._range(x, rows, (3 * sums + other + rounding) >> 4)
        least, most = _as_rgb(low, colours), _as_rgb(high, colours)
        return least if (least == most).all() else _as_rgb(self._bright(x, rows), colours)

    def _sums(self, x: int, span: slice) -> np.ndarray:
        """A column of colours at rows of the picture, in quarters: of the row they are stored for and the nearest."""
        stored = self._colours[:, min(max(x, 0), self._colours.shape[1] - 1)].astype(np.int32)
        rows = np.arange(span.start, span.stop)
        nearest = np.clip(rows // 2 + np.where(rows % 2, 1, -1), 0, len(stored) - 1)
        return 3 * stored[rows // 2] + stored[nearest]

    def _bright(self, x: int, rows: slice) -> np.ndarray:
        return self._all()[rows, x, 0].astype(np.int32)

    def _range(self, x: int, rows: slice, colours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the most brightness that a column of known colours may have: what is left of its RGB. They
        differ where all three are at an end of their range.
        """
        shown = self._image[rows, x].astype(np.int32)
        rest = shown - _shares(colours)
        low = np.where(shown == 0, 0, rest).max(-1)
        high = np.where(shown == 255, 255, rest).min(-1)
        return low, high

    def _stored(self, near: int) -> np.ndarray:
        """A column of colours whose blends with its left and right neighbour are known: 3/4 and 1/4."""
        x = 2 * near
        whole = self._all()[..., 1:]
        pairs = [(x + i, x + j) for i, j in ((0, -1), (1, 2)) if 0 <= x + j < whole.shape[1]]
        sides = [3 * whole[:, own].astype(np.int32) - whole[:, other] for own, other in pairs]
        return np.clip(np.rint(np.mean(sides, axis=0) / 2), 0, 255).astype(np.int32)


def _shares(colours: np.ndarray) -> np.ndarray:
    """Return the shares of colours (H, 2) in red, green and blue (JFIF), in libjpeg's fixed point numbers."""
    blue, red = (colours - 128).T
    green = (-22554 * blue - 46802 * red + 32768) >> 16
    return np.stack([(91881 * red + 32768) >> 16, green, (116130 * blue + 32768) >> 16], -1)


def _as_rgb(brightness: np.ndarray, colours: np.ndarray) -> np.ndarray:
    return np.clip(brightness[:, None] + _shares(colours), 0, 255).astype(np.uint8)
