"""Sound datasets on disk. MindSpore: ``mindspore.dataset.engine.datasets_audio``."""

from mindspore_compat.dataset.engine._sources.audio import *  # noqa: F403
