"""Names of MindSpore 1.x for operations on arrays. MindSpore: ``mindspore.dataset.vision.c_transforms``.

They are the current operations, which treat arrays as the C++ form did.
"""

from mindspore_compat._api.placeholders import placeholder as _placeholder
from mindspore_compat.dataset.vision import transforms as _transforms
from mindspore_compat.dataset.vision.transforms import *  # noqa: F403

_PYTHON_ONLY = {
    "FiveCrop",
    "Grayscale",
    "HsvToRgb",
    "LinearTransformation",
    "MixUp",
    "RandomErasing",
    "RandomGrayscale",
    "RandomPerspective",
    "RgbToHsv",
    "TenCrop",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
}
__all__ = [name for name in _transforms.__all__ if name not in _PYTHON_ONLY]

for _name in _PYTHON_ONLY:
    globals().pop(_name, None)


class Decode(_transforms.Decode):  # type: ignore[no-redef]
    """The bytes of an image file as RGB: uint8 (H, W, 3). Raises: ValueError unless ``rgb`` is True."""

    def __new__(cls, rgb: bool = True) -> _transforms.Decode:  # type: ignore[misc]
        if rgb is not True:
            raise ValueError(f"Decode: 'rgb' must be True, but got {rgb!r}; reverse the channels for BGR.")
        return _transforms.Decode()  # the current one, which `serialize` supports


class RgbToBgr(_transforms.ConvertColor):
    """The channels of an image reversed (1.3 to 2.3)."""

    def __init__(self) -> None:
        super().__init__(_transforms.ConvertMode.COLOR_RGB2BGR)


__all__.append("RgbToBgr")
# Libraries list all names of 1.x when they are imported (`tinyms.vision`).
for _name, _instead in (
    ("SoftDvppDecodeResizeJpeg", "Decode and Resize"),
    ("SoftDvppDecodeRandomCropResizeJpeg", "RandomCropDecodeResize"),
):
    globals()[_name] = _placeholder(f"{__name__}.{_name}", f"it imitates an Ascend chip's decoder; use {_instead}.")
    __all__.append(_name)
