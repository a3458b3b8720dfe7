"""Audio operations. MindSpore: ``mindspore.dataset.audio``."""

from mindspore_compat.dataset.audio import transforms, utils
from mindspore_compat.dataset.audio.transforms import *  # noqa: F403
from mindspore_compat.dataset.audio.transforms import __all__ as _transforms
from mindspore_compat.dataset.audio.utils import *  # noqa: F403
from mindspore_compat.dataset.audio.utils import __all__ as _utils

__all__ = [*(name for name in _transforms if name != "AudioTensorOperation"), *_utils, "transforms", "utils"]
