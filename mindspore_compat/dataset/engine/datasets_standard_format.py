"""Sources in file formats of their own. MindSpore: ``mindspore.dataset.engine.datasets_standard_format``."""

from mindspore_compat.dataset.engine._sources.csv import CSVDataset
from mindspore_compat.dataset.engine._sources.mindrecord import MindDataset
from mindspore_compat.dataset.engine._sources.tfrecord import TFRecordDataset

__all__ = ["CSVDataset", "MindDataset", "TFRecordDataset"]
