"""`Dataset`, its nodes, samplers and schema under MindSpore's module name. MindSpore:
``mindspore.dataset.engine.datasets``.

`Dataset` and its operations (`map`, `batch`, ...) are in `_dataset.py`, their nodes in `_nodes/`.
"""

from typing import Any

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.dataset.engine import _dataset, samplers
from mindspore_compat.dataset.engine._dataset import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes import batch, map, rows
from mindspore_compat.dataset.engine._nodes.batch import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.map import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.rows import *  # noqa: F403
from mindspore_compat.dataset.engine._nodes.rows import TransferDataset  # noqa: F401  (MindSpore lists it nowhere)
from mindspore_compat.dataset.engine._sources.base import MappableDataset, SourceDataset
from mindspore_compat.dataset.engine.samplers import *  # noqa: F403
from mindspore_compat.dataset.engine.schema import Schema

__all__ = ["MappableDataset", "Schema", "SourceDataset"]
__all__ += _dataset.__all__
__all__ += batch.__all__
__all__ += map.__all__
__all__ += rows.__all__
__all__ += samplers.__all__

# all sources were in this file before MindSpore 1.6
__getattr__ = module_getattr(__name__, fallback="dataset.engine")

_train_dataset: Any = None


def _set_training_dataset(dataset: Any) -> None:
    """Keep a dataset, or its iterator, for `_get_training_dataset`; libraries use both."""
    global _train_dataset
    _train_dataset = dataset


def _get_training_dataset() -> Any:
    return _train_dataset
