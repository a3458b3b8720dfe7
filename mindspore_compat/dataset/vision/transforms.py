"""All image operations. Upstream: ``mindspore.dataset.vision.transforms``."""

from mindspore_compat.dataset.transforms._operation import PyTensorOperation, TensorOperation
from mindspore_compat.dataset.transforms.transforms import not_random
from mindspore_compat.dataset.vision._auto import (
    AutoAugment,
    RandAugment,
    RandomSelectSubpolicy,
    TrivialAugmentWide,
    UniformAugment,
)
from mindspore_compat.dataset.vision._basic import (
    HWC2CHW,
    Decode,
    Normalize,
    NormalizePad,
    Rescale,
    ToNumpy,
    ToPIL,
    ToTensor,
    ToType,
)
from mindspore_compat.dataset.vision._batch import CutMixBatch, MixUp, MixUpBatch
from mindspore_compat.dataset.vision._boxes import (
    BoundingBoxAugment,
    RandomCropWithBBox,
    RandomHorizontalFlipWithBBox,
    RandomResizedCropWithBBox,
    RandomResizeWithBBox,
    RandomVerticalFlipWithBBox,
    ResizeWithBBox,
)
from mindspore_compat.dataset.vision._color_ops import (
    AdjustBrightness,
    AdjustContrast,
    AdjustGamma,
    AdjustHue,
    AdjustSaturation,
    AdjustSharpness,
    AutoContrast,
    ConvertColor,
    Equalize,
    Grayscale,
    HsvToRgb,
    Invert,
    LinearTransformation,
    Posterize,
    RandomAdjustSharpness,
    RandomAutoContrast,
    RandomColor,
    RandomColorAdjust,
    RandomEqualize,
    RandomGrayscale,
    RandomInvert,
    RandomLighting,
    RandomPosterize,
    RandomSharpness,
    RandomSolarize,
    RgbToHsv,
    Solarize,
)
from mindspore_compat.dataset.vision._crop import (
    CenterCrop,
    Crop,
    CutOut,
    Erase,
    FiveCrop,
    HorizontalFlip,
    Pad,
    PadToSize,
    RandomCrop,
    RandomErasing,
    RandomHorizontalFlip,
    RandomVerticalFlip,
    SlicePatches,
    TenCrop,
    VerticalFlip,
)
from mindspore_compat.dataset.vision._geometric import (
    Affine,
    GaussianBlur,
    Perspective,
    RandomAffine,
    RandomPerspective,
    RandomRotation,
    Rotate,
)
from mindspore_compat.dataset.vision._operation import ImageOperation as ImageTensorOperation
from mindspore_compat.dataset.vision._resize import (
    RandomCropDecodeResize,
    RandomResize,
    RandomResizedCrop,
    Resize,
    ResizedCrop,
)
from mindspore_compat.dataset.vision.utils import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    Inter,
    SliceMode,
)

__all__ = [
    "AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustHue", "AdjustSaturation", "AdjustSharpness",
    "Affine", "AutoAugment", "AutoContrast", "CenterCrop", "ConvertColor", "Crop", "CutMixBatch", "CutOut",
    "Decode", "Equalize", "Erase", "FiveCrop", "GaussianBlur", "Grayscale", "HWC2CHW", "HorizontalFlip", "HsvToRgb",
    "Invert", "LinearTransformation", "MixUp", "MixUpBatch", "Normalize", "NormalizePad", "Pad", "PadToSize",
    "Perspective", "Posterize", "RandAugment", "RandomAdjustSharpness", "RandomAffine", "RandomAutoContrast",
    "RandomColor", "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomEqualize", "RandomErasing",
    "RandomGrayscale", "RandomHorizontalFlip", "RandomInvert", "RandomLighting", "RandomPerspective",
    "RandomPosterize", "RandomResize", "RandomResizedCrop", "RandomRotation", "RandomSelectSubpolicy",
    "RandomSharpness", "RandomSolarize", "RandomVerticalFlip", "Rescale", "Resize", "ResizedCrop", "RgbToHsv",
    "Rotate", "SlicePatches", "Solarize", "TenCrop", "ToNumpy", "ToPIL", "ToTensor", "ToType", "TrivialAugmentWide",
    "UniformAugment", "VerticalFlip", "not_random", "AutoAugmentPolicy", "Border", "ConvertMode",
    "ImageBatchFormat", "ImageTensorOperation", "Inter", "PyTensorOperation", "SliceMode", "TensorOperation",
    "BoundingBoxAugment", "RandomCropWithBBox", "RandomHorizontalFlipWithBBox", "RandomResizeWithBBox",
    "RandomResizedCropWithBBox", "RandomVerticalFlipWithBBox", "ResizeWithBBox",
]  # fmt: skip
