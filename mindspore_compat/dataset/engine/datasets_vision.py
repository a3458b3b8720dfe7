"""Image datasets on disk. MindSpore: ``mindspore.dataset.engine.datasets_vision``."""

from mindspore_compat.dataset.engine._sources import vision_annotated, vision_arrays, vision_folders
from mindspore_compat.dataset.engine._sources.vision_annotated import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_arrays import *  # noqa: F403  # noqa: F403
from mindspore_compat.dataset.engine._sources.vision_folders import *  # noqa: F403

__all__: list[str] = []
__all__ += vision_arrays.__all__
__all__ += vision_annotated.__all__
__all__ += vision_arrays.__all__
__all__ += vision_folders.__all__
