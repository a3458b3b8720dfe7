"""Sources, samplers, iterators and the pipeline. Upstream: ``mindspore.dataset.engine``."""

from mindspore_compat.dataset.callback import DSCallback, WaitedDSCallback
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.engine._batch_nodes import (
    BatchDataset,
    BatchInfo,
    BucketBatchByLengthDataset,
    PaddedBatchDataset,
)
from mindspore_compat.dataset.engine._index_nodes import RepeatDataset, ShuffleDataset, SkipDataset, TakeDataset
from mindspore_compat.dataset.engine._row_nodes import (
    ConcatDataset,
    FilterDataset,
    MapDataset,
    ProjectDataset,
    RenameDataset,
    ZipDataset,
)
from mindspore_compat.dataset.engine._source_nodes import MappableDataset, SourceDataset
from mindspore_compat.dataset.engine._sync import SyncWaitDataset
from mindspore_compat.dataset.engine._tfrecord import TFRecordDataset
from mindspore_compat.dataset.engine.cache_client import DatasetCache
from mindspore_compat.dataset.engine.datasets import Dataset, zip
from mindspore_compat.dataset.engine.datasets_audio import *  # noqa: F403
from mindspore_compat.dataset.engine.datasets_audio import __all__ as _audio_names
from mindspore_compat.dataset.engine.datasets_standard_format import CSVDataset, MindDataset
from mindspore_compat.dataset.engine.datasets_text import *  # noqa: F403
from mindspore_compat.dataset.engine.datasets_text import __all__ as _text_names
from mindspore_compat.dataset.engine.datasets_user_defined import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from mindspore_compat.dataset.engine.datasets_vision import *  # noqa: F403
from mindspore_compat.dataset.engine.datasets_vision import __all__ as _vision_names
from mindspore_compat.dataset.engine.graphdata import GraphData, OutputFormat, SamplingStrategy
from mindspore_compat.dataset.engine.iterators import DictIterator, TupleIterator
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
    "CSVDataset",
    "ConcatDataset",
    "DSCallback",
    "Dataset",
    "DatasetCache",
    "DictIterator",
    "DistributedSampler",
    "FilterDataset",
    "GeneratorDataset",
    "GraphData",
    "IterSampler",
    "MapDataset",
    "MappableDataset",
    "MindDataset",
    "NumpySlicesDataset",
    "OutputFormat",
    "PKSampler",
    "PaddedBatchDataset",
    "PaddedDataset",
    "ProjectDataset",
    "RandomSampler",
    "RenameDataset",
    "RepeatDataset",
    "Sampler",
    "SamplingStrategy",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SourceDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "SyncWaitDataset",
    "TFRecordDataset",
    "TakeDataset",
    "TupleIterator",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "ZipDataset",
    "config",
    "zip",
    *_audio_names,
    *_text_names,
    *_vision_names,
]
