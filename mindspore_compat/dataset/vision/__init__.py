"""Operations on images. Upstream: ``mindspore.dataset.vision``."""

from importlib import import_module
from typing import Any

from mindspore_compat.dataset.vision import transforms, utils
from mindspore_compat.dataset.vision.transforms import *  # noqa: F403
from mindspore_compat.dataset.vision.transforms import __all__ as _operation_names
from mindspore_compat.dataset.vision.utils import *  # noqa: F403
from mindspore_compat.dataset.vision.utils import __all__ as _utils_names

__all__ = [
    *sorted({*_operation_names, *_utils_names} - {"ImageTensorOperation", "PyTensorOperation", "TensorOperation"}),
    "transforms", "utils",
]  # fmt: skip

_LAZY = ("c_transforms", "py_transforms", "py_transforms_util")


def __getattr__(name: str) -> Any:
    """The modules of 1.x names load when they are first used."""
    if name == "ComposeOp":  # scripts of 0.x that were moved to this module kept the name
        return import_module(f"{__name__}.py_transforms").ComposeOp
    if name in _LAZY:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
