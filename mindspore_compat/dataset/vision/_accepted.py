"""Which arrays each image operation takes, and what upstream says of others: a row for each operation (some go by the
name of the kernel that speaks for them).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["check_image"]

#: what upstream's OpenCV knows; the order is that of its messages
_KNOWN = ("bool", "int8", "uint8", "int16", "uint16", "int32", "float16", "float32", "float64")
_ALL = frozenset(map(np.dtype, _KNOWN))
_REQUIREMENT = "does not match the requirement of operator. Expecting tensor in"
_CONVERTING = ("Erase", "RandomVerticalFlip")
_NOT_LOADED = "load image failed."
_DECODE = " You may need to perform Decode first."


class _Accepted(NamedTuple):
    """One row.

    Fields:
        ranks: numbers of dimensions; empty: 2 or more.
        said: what is said of others, before the number; "dimension": upstream's common form.
        channels: those of images (H, W, C); empty: any.
        of_channels: what is said of others, before the number; "": upstream's common form.
        dtypes: names; empty: all that are known, and others "cannot be loaded".
    """

    ranks: tuple[int, ...]
    said: str
    channels: tuple[int, ...] = ()
    of_channels: str = ""
    dtypes: tuple[str, ...] = ()
    cannot_load: bool = True


def _common(ranks: tuple[int, ...], channels: tuple[int, ...] = (), dtypes: tuple[str, ...] = _KNOWN) -> _Accepted:
    return _Accepted(ranks, "dimension", channels, "", dtypes, False)


_COLOR = _common((3,), (3,), ("uint8", "float32"))
_CONTRAST = _common((3,), (3,), ("uint8", "uint16", "float32"))
_TWO = "the image tensor should have at least two dimensions"
_IN_SHAPE = "input tensor is not in shape of <H,W> or <H,W,C>, but got rank: "
_TURNED = "input tensor is not in shape of <H,W,C> or <H,W>, but got rank: "
_AT_LEAST = "input tensor should have at least 2 dimensions, but got: "
_RANK = "image rank should be 2 or 3,  but got: "
_OF_INPUT = "channel of input image should be {channels}, but got: "

_ACCEPTED = {
    "AdjustBrightness": _common((2, 3), (1, 3)),
    "AdjustContrast": _CONTRAST,
    "AdjustHue": _COLOR,
    "AdjustSaturation": _CONTRAST,
    "RandomColorAdjust": _common((3,), (3,)),
    "Affine": _Accepted((2, 3), _TURNED),
    "AutoAugment": _Accepted((3,), "input tensor is not in shape of <H,W,C>, but got rank: ", (3,), _OF_INPUT),
    "RandAugment": _common((3,), (3,), ("uint8",)),
    "TrivialAugmentWide": _common((3,), (3,), ("uint8",)),
    "AutoContrast": _Accepted((2, 3), _RANK, (1, 3), _OF_INPUT),
    "Equalize": _Accepted((2, 3), _RANK, (1, 3), _OF_INPUT),
    "CenterCrop": _Accepted((), "I" + _AT_LEAST[1:]),
    "Flip": _common((), ()),
    "GaussianBlur": _Accepted((2, 3), _IN_SHAPE),
    "HWC2CHW": _Accepted((2, 3), "image shape should be <H,W> or <H,W,C>, but got rank: "),
    "HorizontalFlip": _Accepted((), _TWO, (), "", _KNOWN, False),
    "VerticalFlip": _Accepted((), _TWO, (), "", _KNOWN, False),
    "RandomHorizontalFlip": _Accepted((), _TWO, (), "", _KNOWN, False),
    "RandomVerticalFlip": _Accepted((2, 3), _IN_SHAPE),
    "Invert": _Accepted(
        (3,),
        "input tensor is not in shape of <H,W,C>, but got rank: ",
        (3,),
        "the number of channels of input tensor is not {channels}, but got: ",
    ),
    "Normalize": _Accepted((), _AT_LEAST, (), "", ("any",)),
    "NormalizePad": _Accepted((2, 3), _IN_SHAPE, (), "", ("any",)),
    "Pad": _common((2, 3), (1, 3)),
    "PadToSize": _common((2, 3), (1, 3)),
    "Perspective": _common((2, 3)),
    "Posterize": _Accepted((2, 3), "input image is not in shape of <H,W,C> or <H,W>, but got rank: "),
    "RandomCropOp": _Accepted((), _AT_LEAST),
    "RandomResizedCrop": _Accepted((), _AT_LEAST),
    "CutOut": _Accepted((3,), "image shape is not <H,W,C>, but got rank: ", (), "", ("any",)),
    "ToTensor": _Accepted((2, 3), "image shape should be <H,W,C>, but got rank: "),
    "Erase": _Accepted((3,), "input tensor is not in shape of <H,W,C>, but got rank: ", (3,), _OF_INPUT),
    "ConvertColor": _Accepted((2, 3), _IN_SHAPE),
    "Resize": _Accepted((), _TWO, (), "", _KNOWN, False),
    "ResizedCropOp": _Accepted((2, 3), _IN_SHAPE),
    "Rotate": _Accepted((), _TWO, (), "", _KNOWN, False),
    "Sharpness": _Accepted((2, 3), "shape of input is not <H,W,C> or <H,W>, but got rank: "),
    "Solarize": _common((2, 3), (1, 3), ("bool", "int8", "uint8", "int16", "uint16", "int32", "float32", "float64")),
}
_DTYPES = {
    name: None if row.dtypes == ("any",) else frozenset(map(np.dtype, row.dtypes)) if row.dtypes else _ALL
    for name, row in _ACCEPTED.items()
}


def check_image(image: np.ndarray, name: str) -> None:
    """Raise RuntimeError for an array that the operation does not take; operations without a row take (H, W[, C])."""
    row = _ACCEPTED.get(name)
    if row is None:
        if image.ndim not in (2, 3):
            raise RuntimeError(f"{name}: {_IN_SHAPE}{image.ndim}.{_DECODE if image.ndim == 1 else ''}")
        return
    fits = image.ndim in row.ranks if row.ranks else image.ndim >= 2
    if fits and row.channels and image.ndim == 3:
        fits = image.shape[2] in row.channels
    dtypes = _DTYPES[name]
    if not fits or (dtypes is not None and image.dtype not in dtypes):
        words = _wrong(image, name, row)
        raise RuntimeError(f"[Internal ERROR] {name}: {words}" if words == _NOT_LOADED else f"{name}: {words}")


def _wrong(image: np.ndarray, name: str, row: _Accepted) -> str:
    """What upstream says of an array that does not fit."""
    rank, dtypes = image.ndim, _DTYPES[name]
    is_known = dtypes is None or image.dtype in dtypes
    decode = _DECODE if rank == 1 else ""
    if not row.cannot_load and not is_known:
        kind = "string" if image.dtype.kind in "US" else image.dtype
        return f"the data type of image tensor {_REQUIREMENT} type of ({', '.join(row.dtypes)}). But got type {kind}."
    if rank not in row.ranks if row.ranks else rank < 2:
        if row.said == "dimension":
            ranks = ", ".join(map(str, row.ranks))
            shapes = " or ".join(f"<{', '.join('HWC'[:count])}>" for count in row.ranks)
            text = f"the dimension of image tensor {_REQUIREMENT} dimension of ({ranks}), in shape of {shapes}."
            return f"{text} But got dimension {rank}.{decode}"
        return f"{row.said}.{_DECODE}" if row.said == _TWO else f"{row.said}{rank}.{decode}"
    if row.channels and rank == 3 and image.shape[2] not in row.channels:
        if row.of_channels:
            return row.of_channels.format(channels=" or ".join(map(str, row.channels))) + f"{image.shape[2]}."
        channels = ", ".join(map(str, row.channels))
        text = f"the channel of image tensor {_REQUIREMENT} channel of ({channels})."
        return f"{text} But got channel {image.shape[2]}."
    if name in _CONVERTING:
        kind = "string" if image.dtype.kind in "US" else image.dtype
        unsupported = "[uint32, int64, uint64, string]"
        return f"Cannot convert [{kind}] to OpenCV type. Currently unsupported data type: {unsupported}"
    return _NOT_LOADED
