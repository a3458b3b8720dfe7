"""Image data sets on disk. Upstream: ``mindspore.dataset.engine.datasets_vision``."""

# ruff: noqa: F403, F405 (names come by `*` from files that list them)

from mindspore_compat.dataset.engine._sources.random import *
from mindspore_compat.dataset.engine._sources.vision_annotated import *
from mindspore_compat.dataset.engine._sources.vision_arrays import *
from mindspore_compat.dataset.engine._sources.vision_coco import *
from mindspore_compat.dataset.engine._sources.vision_digits import *
from mindspore_compat.dataset.engine._sources.vision_folders import *
from mindspore_compat.dataset.engine._sources.vision_lists import *
from mindspore_compat.dataset.engine._sources.vision_pairs import *

__all__ = [
    "Caltech101Dataset",
    "Caltech256Dataset",
    "CelebADataset",
    "Cifar100Dataset",
    "Cifar10Dataset",
    "CityscapesDataset",
    "CocoDataset",
    "DIV2KDataset",
    "EMnistDataset",
    "FakeImageDataset",
    "FashionMnistDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "ImageFolderDataset",
    "KITTIDataset",
    "KMnistDataset",
    "LFWDataset",
    "LSUNDataset",
    "ManifestDataset",
    "MnistDataset",
    "OmniglotDataset",
    "PhotoTourDataset",
    "Places365Dataset",
    "QMnistDataset",
    "RandomDataset",
    "RenderedSST2Dataset",
    "SBDataset",
    "SBUDataset",
    "STL10Dataset",
    "SUN397Dataset",
    "SVHNDataset",
    "SemeionDataset",
    "USPSDataset",
    "VOCDataset",
    "WIDERFaceDataset",
]
