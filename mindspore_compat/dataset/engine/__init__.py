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
from mindspore_compat.dataset.engine.datasets_standard_format import MindDataset
from mindspore_compat.dataset.engine.datasets_text import CLUEDataset, TextFileDataset
from mindspore_compat.dataset.engine.datasets_user_defined import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from mindspore_compat.dataset.engine.datasets_vision import (
    Cifar10Dataset,
    Cifar100Dataset,
    FakeImageDataset,
    FashionMnistDataset,
    ImageFolderDataset,
    KMnistDataset,
    MnistDataset,
)
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
    "BatchDataset", "BatchInfo", "BucketBatchByLengthDataset", "BuiltinSampler", "CLUEDataset", "Cifar100Dataset",
    "Cifar10Dataset", "ConcatDataset", "DSCallback", "Dataset", "DatasetCache", "DictIterator",
    "DistributedSampler", "FakeImageDataset", "FashionMnistDataset", "FilterDataset", "GeneratorDataset", "GraphData",
    "ImageFolderDataset", "IterSampler", "KMnistDataset", "MapDataset", "MappableDataset", "MindDataset",
    "MnistDataset", "NumpySlicesDataset", "OutputFormat", "PKSampler", "PaddedBatchDataset", "PaddedDataset", "ProjectDataset",
    "RandomSampler", "RenameDataset", "RepeatDataset", "Sampler", "SamplingStrategy", "Schema", "SequentialSampler", "Shuffle",
    "ShuffleDataset", "SkipDataset", "SourceDataset", "SubsetRandomSampler", "SubsetSampler", "SyncWaitDataset",
    "TFRecordDataset", "TakeDataset", "TextFileDataset", "TupleIterator", "WaitedDSCallback", "WeightedRandomSampler", "ZipDataset", "config", "zip",
]  # fmt: skip
