"""Names of MindSpore 1.x. Upstream: ``mindspore.dataset.transforms.c_transforms``."""

from mindspore_compat.dataset.transforms.transforms import (
    Compose,
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    RandomApply,
    RandomChoice,
    Relational,
    Slice,
    TensorOperation,
    TypeCast,
    Unique,
)

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "RandomApply",
    "RandomChoice",
    "Relational",
    "Slice",
    "TensorOperation",
    "TypeCast",
    "Unique",
]
