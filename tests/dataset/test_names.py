"""Where scripts import from, old and new."""

from importlib import import_module

import pytest

from mindspore_compat._api.errors import UnsupportedError

#: in `dataset`
PATHS = """
    GeneratorDataset engine.GeneratorDataset engine.datasets_vision.ImageFolderDataset
    engine.datasets.BatchDataset engine.samplers.DistributedSampler engine.config.set_seed config.set_seed
    core.config.set_prefetch_size core.validator_helpers.INT32_MAX engine.datasets_user_defined.GeneratorDataset
    vision.c_transforms.Inter.NEAREST vision.utils.Inter.BICUBIC vision.py_transforms_util.is_pil
    vision.transforms.Decode vision.py_transforms_util.augment_error_message vision.py_transforms.ToTensor
    transforms.transforms.Compose transforms.c_transforms.TypeCast transforms.py_transforms.OneHotOp
    transforms.vision.Inter.BICUBIC transforms.validators.check_random_transform_ops ds.GeneratorDataset
    transforms.transforms.TensorOperation transforms.transforms.PyTensorOperation utils.LineReader DatasetCache
    Shuffle.FILES engine.datasets.MindDataset engine.datasets.GeneratorDataset
    engine.validators.check_batch RepeatDataset zip set_seed engine.iterators.DictIterator samplers.RandomSampler
""".split()


@pytest.mark.parametrize("path", PATHS)
def test_path_exists(path):
    parts = ["dataset", *path.split(".")]
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found = import_module("mindspore_compat." + ".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return
    pytest.fail(f"{path} is missing")


@pytest.mark.parametrize("name", ["dataset.ConLL2000Dataset", "dataset.audios"])
def test_what_is_not_there_is_absent(name):
    module, _, attribute = name.rpartition(".")
    assert not hasattr(import_module("mindspore_compat." + module), attribute)


def test_all_exports_exist():
    for name in ("dataset", "dataset.engine", "dataset.transforms", "dataset.vision", "dataset.vision.py_transforms"):
        module = import_module("mindspore_compat." + name)
        assert not [n for n in module.__all__ if not hasattr(module, n)]


def test_names_of_1_x_that_nothing_replaces_can_be_imported() -> None:
    """`tinyms.vision` lists them when it is imported."""
    exec("from mindspore_compat.dataset.vision.c_transforms import *", found := {})
    for name in ("SoftDvppDecodeResizeJpeg", "SoftDvppDecodeRandomCropResizeJpeg"):
        with pytest.raises(UnsupportedError):
            found[name]((2, 2))
