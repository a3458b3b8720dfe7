"""Image data sets on disk. Upstream: ``mindspore.dataset.engine.datasets_vision``."""

from mindspore_compat.dataset.engine import (
    _random_source,
    _vision_annotated,
    _vision_arrays,
    _vision_folders,
    _vision_lists,
)
from mindspore_compat.dataset.engine._random_source import *  # noqa: F403
from mindspore_compat.dataset.engine._vision_annotated import *  # noqa: F403
from mindspore_compat.dataset.engine._vision_arrays import *  # noqa: F403
from mindspore_compat.dataset.engine._vision_folders import *  # noqa: F403
from mindspore_compat.dataset.engine._vision_lists import *  # noqa: F403

_PARTS = (_random_source, _vision_annotated, _vision_arrays, _vision_folders, _vision_lists)
__all__ = sorted(name for part in _PARTS for name in part.__all__ if name.endswith("Dataset"))
