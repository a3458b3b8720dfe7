"""All image operations. Upstream: ``mindspore.dataset.vision.transforms``."""

# ruff: noqa: F403, F405 (names come by `*` from files that list them)

from mindspore_compat.dataset.transforms._operation import PyTensorOperation, TensorOperation
from mindspore_compat.dataset.transforms.transforms import not_random
from mindspore_compat.dataset.vision._adjust import *
from mindspore_compat.dataset.vision._auto import *
from mindspore_compat.dataset.vision._basic import *
from mindspore_compat.dataset.vision._batch import *
from mindspore_compat.dataset.vision._boxes import *
from mindspore_compat.dataset.vision._color_spaces import *
from mindspore_compat.dataset.vision._crop import *
from mindspore_compat.dataset.vision._erase import *
from mindspore_compat.dataset.vision._flip import *
from mindspore_compat.dataset.vision._geometric import *
from mindspore_compat.dataset.vision._levels import *
from mindspore_compat.dataset.vision._operation import ImageOperation as ImageTensorOperation
from mindspore_compat.dataset.vision._resize import *
from mindspore_compat.dataset.vision.utils import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    Inter,
    SliceMode,
)

__all__ = [
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustGamma",
    "AdjustHue",
    "AdjustSaturation",
    "AdjustSharpness",
    "Affine",
    "AutoAugment",
    "AutoContrast",
    "CenterCrop",
    "ConvertColor",
    "Crop",
    "CutMixBatch",
    "CutOut",
    "Decode",
    "Equalize",
    "Erase",
    "FiveCrop",
    "GaussianBlur",
    "Grayscale",
    "HWC2CHW",
    "HorizontalFlip",
    "HsvToRgb",
    "Invert",
    "LinearTransformation",
    "MixUp",
    "MixUpBatch",
    "Normalize",
    "NormalizePad",
    "Pad",
    "PadToSize",
    "Perspective",
    "Posterize",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomAutoContrast",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomLighting",
    "RandomPerspective",
    "RandomPosterize",
    "RandomResize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSelectSubpolicy",
    "RandomSharpness",
    "RandomSolarize",
    "RandomVerticalFlip",
    "Rescale",
    "Resize",
    "ResizedCrop",
    "RgbToHsv",
    "Rotate",
    "SlicePatches",
    "Solarize",
    "TenCrop",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
    "TrivialAugmentWide",
    "UniformAugment",
    "VerticalFlip",
    "not_random",
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageTensorOperation",
    "Inter",
    "PyTensorOperation",
    "SliceMode",
    "TensorOperation",
    "BoundingBoxAugment",
    "RandomCropWithBBox",
    "RandomHorizontalFlipWithBBox",
    "RandomResizeWithBBox",
    "RandomResizedCropWithBBox",
    "RandomVerticalFlipWithBBox",
    "ResizeWithBBox",
]
