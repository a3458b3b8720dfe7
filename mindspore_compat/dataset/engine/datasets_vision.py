"""Image data sets on disk. Upstream: ``mindspore.dataset.engine.datasets_vision``."""

from mindspore_compat.dataset.engine._sources.random import RandomDataset
from mindspore_compat.dataset.engine._sources.vision_annotated import (
    KITTIDataset,
    ManifestDataset,
    VOCDataset,
    WIDERFaceDataset,
)
from mindspore_compat.dataset.engine._sources.vision_arrays import (
    Cifar10Dataset,
    Cifar100Dataset,
    FakeImageDataset,
    PhotoTourDataset,
    STL10Dataset,
)
from mindspore_compat.dataset.engine._sources.vision_coco import CocoDataset
from mindspore_compat.dataset.engine._sources.vision_digits import (
    EMnistDataset,
    FashionMnistDataset,
    KMnistDataset,
    MnistDataset,
    QMnistDataset,
    SemeionDataset,
    SVHNDataset,
    USPSDataset,
)
from mindspore_compat.dataset.engine._sources.vision_folders import (
    Caltech101Dataset,
    Caltech256Dataset,
    Food101Dataset,
    ImageFolderDataset,
    LSUNDataset,
    OmniglotDataset,
    RenderedSST2Dataset,
    SUN397Dataset,
)
from mindspore_compat.dataset.engine._sources.vision_lists import (
    CelebADataset,
    FlickrDataset,
    Flowers102Dataset,
    LFWDataset,
    Places365Dataset,
    SBUDataset,
)
from mindspore_compat.dataset.engine._sources.vision_pairs import CityscapesDataset, DIV2KDataset, SBDataset

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
