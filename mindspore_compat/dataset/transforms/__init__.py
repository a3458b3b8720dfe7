"""Operations on any data. Upstream: ``mindspore.dataset.transforms``."""

# ruff: noqa: F405 (names come by `*` from a file that lists them)

from mindspore_compat.dataset.transforms import c_transforms, py_transforms, transforms
from mindspore_compat.dataset.transforms.transforms import *  # noqa: F403

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TensorOperation",
    "TypeCast",
    "Unique",
    "c_transforms",
    "not_random",
    "py_transforms",
    "transforms",
]
