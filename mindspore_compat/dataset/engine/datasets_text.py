"""Sources of texts. MindSpore: ``mindspore.dataset.engine.datasets_text``."""

from mindspore_compat.dataset.engine._sources.text_lines import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.text_pairs import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.text_tables import *  # noqa: F403
