"""Sources, samplers, iterators and the pipeline. MindSpore: ``mindspore.dataset.engine``.

`_dataset.py` has `Dataset`, `_nodes/` the results of its methods, `_sources/` the readers, `_execution/` the engine;
the other files have MindSpore's names (docs/design/dataset.md).
"""

# ruff: noqa: F403, F405 (names come by `*` from files that list them)

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.dataset.callback import DSCallback, WaitedDSCallback
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.engine._kinds import *
from mindspore_compat.dataset.engine.cache_client import DatasetCache
from mindspore_compat.dataset.engine.datasets import *
from mindspore_compat.dataset.engine.datasets_audio import *
from mindspore_compat.dataset.engine.datasets_standard_format import *
from mindspore_compat.dataset.engine.datasets_text import *
from mindspore_compat.dataset.engine.datasets_user_defined import *
from mindspore_compat.dataset.engine.datasets_vision import *
from mindspore_compat.dataset.engine.graphdata import *
from mindspore_compat.dataset.engine.iterators import DictIterator, TupleIterator

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "AudioBaseDataset",
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "BuiltinSampler",
    "CLUEDataset",
    "CMUArcticDataset",
    "CSVDataset",
    "Caltech101Dataset",
    "Caltech256Dataset",
    "CelebADataset",
    "Cifar100Dataset",
    "Cifar10Dataset",
    "CityscapesDataset",
    "CoNLL2000Dataset",
    "CocoDataset",
    "ConcatDataset",
    "DBpediaDataset",
    "DIV2KDataset",
    "DSCallback",
    "Dataset",
    "DatasetCache",
    "DictIterator",
    "DistributedSampler",
    "EMnistDataset",
    "EnWik9Dataset",
    "FakeImageDataset",
    "FashionMnistDataset",
    "FilterDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "GTZANDataset",
    "GeneratorDataset",
    "GraphData",
    "IMDBDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "ImageFolderDataset",
    "IterSampler",
    "KITTIDataset",
    "KMnistDataset",
    "LFWDataset",
    "LJSpeechDataset",
    "LSUNDataset",
    "LibriTTSDataset",
    "ManifestDataset",
    "MapDataset",
    "MappableDataset",
    "MindDataset",
    "MnistDataset",
    "Multi30kDataset",
    "NumpySlicesDataset",
    "OmniglotDataset",
    "OutputFormat",
    "PKSampler",
    "PaddedBatchDataset",
    "PaddedDataset",
    "PennTreebankDataset",
    "PhotoTourDataset",
    "Places365Dataset",
    "ProjectDataset",
    "QMnistDataset",
    "RandomDataset",
    "RandomSampler",
    "RenameDataset",
    "RenderedSST2Dataset",
    "RepeatDataset",
    "SBDataset",
    "SBUDataset",
    "SQuADDataset",
    "SST2Dataset",
    "STL10Dataset",
    "SUN397Dataset",
    "SVHNDataset",
    "Sampler",
    "SamplingStrategy",
    "Schema",
    "SemeionDataset",
    "SequentialSampler",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SogouNewsDataset",
    "SourceDataset",
    "SpeechCommandsDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "SyncWaitDataset",
    "TFRecordDataset",
    "TakeDataset",
    "TedliumDataset",
    "TextBaseDataset",
    "TextFileDataset",
    "TupleIterator",
    "UDPOSDataset",
    "USPSDataset",
    "UnionBaseDataset",
    "VOCDataset",
    "VisionBaseDataset",
    "WIDERFaceDataset",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
    "YesNoDataset",
    "ZipDataset",
    "config",
    "zip",
]
__getattr__ = module_getattr(
    __name__, dict.fromkeys(("compare", "deserialize", "serialize", "show"), "dataset._serialized")
)
