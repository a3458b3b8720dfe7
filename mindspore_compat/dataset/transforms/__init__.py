"""Operations on any data. Upstream: ``mindspore.dataset.transforms``."""

from mindspore_compat.dataset.transforms import c_transforms, py_transforms, transforms
from mindspore_compat.dataset.transforms.transforms import (
    Compose,
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    PyTensorOperation,
    RandomApply,
    RandomChoice,
    RandomOrder,
    Relational,
    Slice,
    TensorOperation,
    TypeCast,
    Unique,
    not_random,
)

__all__ = [
    "Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "PyTensorOperation", "RandomApply",
    "RandomChoice", "RandomOrder", "Relational", "Slice", "TensorOperation", "TypeCast", "Unique", "c_transforms",
    "not_random", "py_transforms", "transforms",
]  # fmt: skip
