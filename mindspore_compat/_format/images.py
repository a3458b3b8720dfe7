"""Image files ⇄ arrays (H, W, C): OpenCV decodes, as in MindSpore; Pillow opens other formats than JPEG, and writes.
Both are imported on first use.
"""

from __future__ import annotations

import os
import threading
from functools import cache, lru_cache
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np

_MOST_PIXELS, _PIXELS_OF_A_BYTE = 1 << 25, 256


_loading = threading.Lock()


@cache
def opencv() -> Any:
    """Return the module cv2. Raises: ImportError that names the package."""
    with _loading:
        libraries = os.environ.get("LD_LIBRARY_PATH")
        try:
            import cv2
        except ImportError as error:
            raise ImportError(
                "Operations on images need OpenCV: pip install opencv-python-headless (or mindspore_compat[vision])."
            ) from error
        # its import changes this, which programs started from here would inherit
        if libraries is None:
            os.environ.pop("LD_LIBRARY_PATH", None)
        else:
            os.environ["LD_LIBRARY_PATH"] = libraries
    return cv2


@lru_cache
def _formats() -> list[str]:
    """Return the formats to open: not all of PIL's, since it starts Ghostscript for PostScript."""
    from PIL import Image, Jpeg2KImagePlugin, MpoImagePlugin, TiffImagePlugin, WebPImagePlugin  # noqa: F401  (they register themselves)

    Image.preinit()
    return [
        name
        for name in ("JPEG", "MPO", "PNG", "BMP", "DIB", "GIF", "PPM", "TIFF", "WEBP", "JPEG2000")
        if name in Image.OPEN
    ]


def _broken(reason: object) -> RuntimeError:
    return RuntimeError(f"Decode: decode image failed, unsupported or broken file ({reason}).")


def _check_pixels(height: int, width: int, content: np.ndarray) -> None:
    if height * width > max(_MOST_PIXELS, _PIXELS_OF_A_BYTE * content.nbytes):
        raise _broken(f"{width} by {height} pixels in {content.nbytes} bytes")


def open_image(content: np.ndarray, load: bool = True) -> Any:
    """Return a PIL image of the bytes of a file. Raises: RuntimeError for bytes that are no image, or an image with far
    more pixels than its size suggests.
    """
    from PIL import Image

    try:
        image = Image.open(BytesIO(content.tobytes()), formats=_formats())
    except Exception as error:
        raise _broken(error) from error
    _check_pixels(image.height, image.width, content)
    return load_image(image) if load else image


def load_image(image: Any) -> Any:
    """Return a PIL image with its pixels. Raises: RuntimeError for a broken file."""
    try:
        image.load()
    except Exception as error:
        raise _broken(error) from error
    return image


class JpegFrame(NamedTuple):
    """First frame header of a JPEG file."""

    height: int
    width: int
    components: int
    #: of each component: its share of the width in the upper four bits, of the height in the lower
    sampling: tuple[int, ...]


def jpeg_frame(content: np.ndarray) -> JpegFrame | None:
    """Return the frame header of a JPEG file, None where there is none."""
    data, end = content.data, len(content)
    if end < 4 or data[0] != 0xFF or data[1] != 0xD8:
        return None
    place = 2
    while place + 9 < end and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = data[place + 5] << 8 | data[place + 6], data[place + 7] << 8 | data[place + 8]
            components = data[place + 9]
            last = place + 11 + 3 * (components - 1)
            if not components or last >= end:
                return None
            sampling = tuple(data[place + 11 + 3 * i] for i in range(components))
            return JpegFrame(height, width, components, sampling)
        elif marker == 0x01 or 0xD0 <= marker <= 0xD9:
            place += 2
        else:
            place += 2 + (data[place + 2] << 8 | data[place + 3])
    return None


def decode_rgb(content: np.ndarray, frame: JpegFrame | None = None) -> np.ndarray:
    """Return the bytes of an image file as RGB, uint8 (H, W, 3). As MindSpore, do not turn it by its EXIF data. Raises:
    RuntimeError.
    """
    frame = frame or jpeg_frame(content)
    if frame is None:
        open_image(content, load=False)  # only what PIL takes for a picture of some size comes to OpenCV
    else:
        _check_pixels(frame.height, frame.width, content)
        if frame.components == 4:  # OpenCV's way from CMYK is another one
            return np.array(open_image(content).convert("RGB"))
    cv2 = opencv()
    rgb = getattr(cv2, "IMREAD_COLOR_RGB", None)  # since OpenCV 4.11
    try:
        image = cv2.imdecode(content, (cv2.IMREAD_COLOR if rgb is None else rgb) | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error as error:
        raise _broken(error) from error
    if image is None:
        raise _broken(f"{content.nbytes} bytes")
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB) if rgb is None else image


def encode_image(image: Any, kind: str, **options: Any) -> np.ndarray:
    """Return the bytes of a "JPEG" or "PNG" file of an image, uint8 (H, W[, C]); `options` are Pillow's. Raises:
    TypeError, RuntimeError for other arrays.
    """
    from PIL import Image

    image = image.asnumpy() if hasattr(image, "asnumpy") else image
    if not isinstance(image, np.ndarray):
        kinds = "[<class 'numpy.ndarray'>, <class 'mindspore.common.tensor.Tensor'>]"  # MindSpore's names
        raise TypeError(f"Input image is not of type {kinds}, but got: {type(image)}.")
    if image.dtype != np.uint8:
        raise RuntimeError(f"The type of the image data should be UINT8, but got {image.dtype}.")
    if image.ndim not in (2, 3):
        raise RuntimeError(
            f"The image has invalid dimensions. It should have two or three dimensions, but got {image.ndim}."
        )
    if image.ndim == 3 and image.shape[2] not in (1, 3):
        raise RuntimeError(f"The image has invalid channels. It should have 1 or 3 channels, but got {image.shape[2]}.")
    if image.ndim == 3 and image.shape[2] == 1:
        image = image[:, :, 0]
    stream = BytesIO()
    Image.fromarray(image).save(stream, kind, **options)
    return np.frombuffer(stream.getvalue(), np.uint8)


def is_pil(img: Any) -> bool:
    """Return whether it is a PIL image, without importing PIL."""
    return hasattr(img, "getbands") and hasattr(img, "convert")
