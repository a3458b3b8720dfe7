"""Operations on any data. MindSpore: ``mindspore.dataset.transforms``."""

from mindspore_compat.dataset.transforms import c_transforms, py_transforms, transforms
from mindspore_compat.dataset.transforms.transforms import *  # noqa: F403

__all__ = ["c_transforms", "py_transforms", "transforms"]
__all__ += transforms.__all__
