"""Shapes of the arrays that each image operation takes."""

from __future__ import annotations

import numpy as np

__all__ = ["check_image"]

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
