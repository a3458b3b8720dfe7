"""Names of what a recorder takes. Upstream: ``mindspore.train.summary.enums``."""

from enum import Enum
from typing import Any

__all__ = ["BaseEnum", "PluginEnum", "ModeEnum"]


class BaseEnum(Enum):
    """An Enum that lists its values."""

    @classmethod
    def to_list(cls) -> list[Any]:
        return [member.value for member in cls]


class PluginEnum(BaseEnum):
    """Kinds of data."""

    GRAPH = "graph"
    SCALAR = "scalar"
    IMAGE = "image"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    CUSTOM_LINEAGE_DATA = "custom_lineage_data"
    DATASET_GRAPH = "dataset_graph"
    LANDSCAPE = "landscape"


class ModeEnum(BaseEnum):
    """Phases of a run."""

    TRAIN = "train"
    EVAL = "eval"
