"""Image datasets on disk. MindSpore: ``mindspore.dataset.engine.datasets_vision``."""

from mindspore_compat.dataset.engine._sources.random import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_annotated import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_arrays import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_coco import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_digits import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_folders import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_lists import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_pairs import *  # noqa: F403
