"""All image operations. MindSpore: ``mindspore.dataset.vision.transforms``."""

# ruff: noqa: F403 (names come by `*` from files that list them)

from mindspore_compat.dataset.transforms._operation import PyTensorOperation, TensorOperation
from mindspore_compat.dataset.transforms.transforms import not_random
from mindspore_compat.dataset.vision import _adjust, _auto, _basic, _boxes, _color, _crop, _geometric, _resize
from mindspore_compat.dataset.vision._adjust import *
from mindspore_compat.dataset.vision._auto import *
from mindspore_compat.dataset.vision._basic import *
from mindspore_compat.dataset.vision._boxes import *
from mindspore_compat.dataset.vision._color import *
from mindspore_compat.dataset.vision._crop import *
from mindspore_compat.dataset.vision._geometric import *
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
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageTensorOperation",
    "Inter",
    "PyTensorOperation",
    "SliceMode",
    "TensorOperation",
    "not_random",
]
__all__ += _adjust.__all__
__all__ += _auto.__all__
__all__ += _basic.__all__
__all__ += _boxes.__all__
__all__ += _color.__all__
__all__ += _crop.__all__
__all__ += _geometric.__all__
__all__ += _resize.__all__
