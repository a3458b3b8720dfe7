"""Operations on images. MindSpore: ``mindspore.dataset.vision``."""

from importlib import import_module
from typing import Any

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.dataset.vision import _video, transforms, utils
from mindspore_compat.dataset.vision._video import *  # noqa: F403
from mindspore_compat.dataset.vision.transforms import *  # noqa: F403
from mindspore_compat.dataset.vision.transforms import __all__ as _operation_names
from mindspore_compat.dataset.vision.utils import *  # noqa: F403
from mindspore_compat.dataset.vision.utils import __all__ as _utils_names

__all__ = [
    *sorted({*_operation_names, *_utils_names} - {"ImageTensorOperation", "PyTensorOperation", "TensorOperation"}),
    *_video.__all__,
    "transforms",
    "utils",
]

_LAZY = ("c_transforms", "py_transforms")
_others = module_getattr(__name__)


def __getattr__(name: str) -> Any:
    """Load the modules of 1.x names on first use."""
    if name == "ComposeOp":  # scripts of 0.x ported to this module kept the name
        return import_module(f"{__name__}.py_transforms").ComposeOp
    return import_module(f"{__name__}.{name}") if name in _LAZY else _others(name)
