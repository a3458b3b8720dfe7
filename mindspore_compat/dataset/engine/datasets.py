"""`Dataset`, its nodes, samplers and schema under upstream's module name. Upstream:
``mindspore.dataset.engine.datasets``.

`Dataset` and its operations (`map`, `batch`, ...) are in `_dataset.py`, the nodes that they make in `_nodes/`.
"""

from mindspore_compat.dataset.engine._dataset import Dataset, zip
from mindspore_compat.dataset.engine._nodes.batch import (
    BatchDataset,
    BatchInfo,
    BucketBatchByLengthDataset,
    PaddedBatchDataset,
)
from mindspore_compat.dataset.engine._nodes.columns import ProjectDataset, RenameDataset
from mindspore_compat.dataset.engine._nodes.combine import ConcatDataset, ZipDataset
from mindspore_compat.dataset.engine._nodes.map import MapDataset
from mindspore_compat.dataset.engine._nodes.rows import (
    FilterDataset,
    RepeatDataset,
    ShuffleDataset,
    SkipDataset,
    TakeDataset,
)
from mindspore_compat.dataset.engine._nodes.sync import SyncWaitDataset
from mindspore_compat.dataset.engine._sources.base import MappableDataset, SourceDataset
from mindspore_compat.dataset.engine.samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from mindspore_compat.dataset.engine.schema import Schema

__all__ = [
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "BuiltinSampler",
    "ConcatDataset",
    "Dataset",
    "DistributedSampler",
    "FilterDataset",
    "IterSampler",
    "MapDataset",
    "MappableDataset",
    "PKSampler",
    "PaddedBatchDataset",
    "ProjectDataset",
    "RandomSampler",
    "RenameDataset",
    "RepeatDataset",
    "Sampler",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SourceDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "SyncWaitDataset",
    "TakeDataset",
    "WeightedRandomSampler",
    "ZipDataset",
    "zip",
]
