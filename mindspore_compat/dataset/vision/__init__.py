"""Operations on images. Upstream: ``mindspore.dataset.vision``."""

from mindspore_compat.dataset.vision import c_transforms, py_transforms, py_transforms_util, transforms, utils
from mindspore_compat.dataset.vision.transforms import *  # noqa: F403
from mindspore_compat.dataset.vision.transforms import OPERATIONS
from mindspore_compat.dataset.vision.utils import *  # noqa: F403
from mindspore_compat.dataset.vision.utils import __all__ as _utils_names

__all__ = [*OPERATIONS, *_utils_names, "c_transforms", "py_transforms", "py_transforms_util", "transforms", "utils"]
