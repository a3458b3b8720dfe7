"""`Dataset`, its nodes, samplers and schema under MindSpore's module name. MindSpore:
``mindspore.dataset.engine.datasets``.

`Dataset` and its operations (`map`, `batch`, ...) are in `_dataset.py`, their nodes in `_nodes/`.
"""

from typing import Any

from mindspore_compat.dataset.engine._dataset import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.batch import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.columns import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.combine import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.map import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.rows import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.sync import *  # noqa: F403
from mindspore_compat.dataset.engine._sources.base import *  # noqa: F403
from mindspore_compat.dataset.engine.samplers import *  # noqa: F403
from mindspore_compat.dataset.engine.schema import *  # noqa: F403

_train_dataset: Any = None


def _set_training_dataset(dataset: Any) -> None:
    """Keep a dataset, or its iterator, for `_get_training_dataset`; libraries use both."""
    global _train_dataset
    _train_dataset = dataset


def _get_training_dataset() -> Any:
    return _train_dataset
