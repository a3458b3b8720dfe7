"""Operations on text. MindSpore: ``mindspore.dataset.text``."""

from mindspore_compat.dataset.text import transforms, utils
from mindspore_compat.dataset.text.transforms import *  # noqa: F403
from mindspore_compat.dataset.text.utils import *  # noqa: F403

__all__ = ["transforms", "utils"]
__all__ += transforms.__all__
__all__ += utils.__all__
