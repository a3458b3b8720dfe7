"""Pipelines that `dataset.serialize` is compared on, as expressions that MindSpore understands, too. `prepare` makes
the folder that they name.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["OPERATIONS", "PIPELINES", "prepare", "serialized"]

OPERATIONS = """
V.Decode()
V.Resize(10)
V.Resize((8, 10), Inter.BICUBIC)
V.CenterCrop(5)
V.CenterCrop((5, 6))
V.RandomCrop(8)
V.RandomCrop((8, 9), (1, 2), True, 7, Border.REFLECT)
V.RandomResizedCrop(8)
V.RandomResizedCrop((8, 9), (0.5, 1.0), (0.8, 1.2), Inter.NEAREST, 3)
V.RandomCropDecodeResize(8)
V.RandomHorizontalFlip(0.3)
V.RandomVerticalFlip(0.3)
V.HorizontalFlip()
V.VerticalFlip()
V.Rescale(0.1, 1.0)
V.Normalize([1.1, 2.0, 3.0], [4.0, 5.0, 6.0])
V.Normalize([1.0], [4.0], False)
V.NormalizePad([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
V.HWC2CHW()
V.Pad(2)
V.Pad((1, 2), (3, 4, 5), Border.EDGE)
V.Crop((1, 2), (3, 4))
V.Invert()
V.Equalize()
V.AutoContrast()
V.AutoContrast(1.0, [2])
V.RandomRotation(10)
V.RandomRotation((1, 20), Inter.BILINEAR, True, (1, 2), 5)
V.Rotate(30.0)
V.RandomAffine(10)
V.RandomAffine((1, 5), (0.1, 0.2, 0.0, 0.1), (0.8, 1.2), (1, 2, 3, 4), Inter.BILINEAR, 3)
V.RandomColorAdjust()
V.RandomColorAdjust((0.5, 1.0), 0.2, (0.1, 0.2), (-0.1, 0.1))
V.RandomColor()
V.RandomSharpness((0.2, 1.0))
V.RandomPosterize((4, 8))
V.RandomSolarize((10, 20))
V.GaussianBlur((3, 5), (1.0, 2.0))
V.RandomEqualize(0.4)
V.RandomInvert(0.4)
V.RandomAutoContrast(prob=0.4)
V.RandomAdjustSharpness(2.0, 0.4)
V.CutOut(3, 2)
V.CutMixBatch(V.ImageBatchFormat.NHWC, 1.0, 0.5)
V.MixUpBatch(0.9)
V.ConvertColor(V.ConvertMode.COLOR_RGB2GRAY)
V.ToTensor()
V.AdjustBrightness(2.0)
V.AdjustSaturation(2.0)
V.AdjustHue(0.2)
V.AdjustGamma(2.0, 1.0)
V.AdjustSharpness(2.0)
V.Solarize(5.0)
V.Posterize(4)
V.Erase(0, 1, 2, 3)
V.TrivialAugmentWide()
V.RandAugment()
V.AutoAugment()
V.AutoAugment(V.AutoAugmentPolicy.SVHN)
V.ResizedCrop(1, 2, 3, 4, (5, 6))
V.SlicePatches(2, 2)
V.UniformAugment([V.HorizontalFlip(), V.VerticalFlip()], 2)
T.OneHot(10)
T.OneHot(10, 0.1)
T.TypeCast("int32")
T.Fill(3)
T.Fill(1.5)
T.Duplicate()
T.Unique()
T.RandomApply([T.Fill(3)], 0.3)
T.RandomChoice([T.Fill(1), T.Duplicate()])
T.Compose([T.Fill(1), T.Duplicate()])
X.ToNumber(mindspore.int32)
X.Truncate(3)
X.AddToken("a", True)
X.CaseFold()
""".split("\n")[1:-1]

PIPELINES = """
ds.ImageFolderDataset("e")
ds.ImageFolderDataset("e", num_samples=3, shuffle=False, extensions=[".png"], class_indexing={"a": 2}, decode=True)
ds.Cifar10Dataset("e", usage="train")
ds.Cifar100Dataset("e")
ds.FashionMnistDataset("e")
ds.KMnistDataset("e")
ds.QMnistDataset("e", "test", False)
ds.EMnistDataset("e", "mnist")
ds.CelebADataset("e")
ds.VOCDataset("e")
ds.CocoDataset("e", "e/m.json")
ds.ManifestDataset("e/m.json")
ds.TextFileDataset("e/l.txt")
ds.TextFileDataset(["e/l.txt"], num_samples=2, shuffle=False, num_shards=2, shard_id=1)
ds.TextFileDataset(["e/l.txt"], shuffle=ds.Shuffle.FILES)
ds.CSVDataset("e/l.txt", column_names=["a"])
ds.CLUEDataset("e/l.txt")
ds.USPSDataset("e")
ds.AGNewsDataset("e")
ds.IMDBDataset("e")
ds.SpeechCommandsDataset("e")
ds.YesNoDataset("e")
ds.Caltech256Dataset("e")
ds.Food101Dataset("e")
ds.MnistDataset("mn")
ds.MnistDataset("mn", num_samples=10)
ds.MnistDataset("mn", shuffle=False)
ds.MnistDataset("mn", sampler=ds.SequentialSampler(1, 3))
ds.MnistDataset("mn", sampler=ds.RandomSampler(True, 3))
ds.MnistDataset("mn", sampler=ds.SubsetSampler([1, 2]))
ds.MnistDataset("mn", sampler=ds.SubsetRandomSampler([1, 2]))
ds.MnistDataset("mn", sampler=ds.WeightedRandomSampler([1.0, 2.0], 3))
ds.MnistDataset("mn", sampler=ds.PKSampler(2, shuffle=True))
ds.MnistDataset("mn", sampler=[1, 2])
ds.MnistDataset("mn").shuffle(5).take(3).skip(1)
ds.MnistDataset("mn").repeat()
ds.MnistDataset("mn").repeat(2).project(["label"]).rename(["label"], ["l"])
ds.MnistDataset("mn").batch(2, True, num_parallel_workers=1)
ds.MnistDataset("mn").map([V.Resize(10), V.HWC2CHW()], ["image"], ["a"], num_parallel_workers=1)
ds.MnistDataset("mn") + ds.MnistDataset("mn")
ds.zip((ds.MnistDataset("mn"), ds.MnistDataset("mn").rename(["image", "label"], ["i", "l"])))
""".split("\n")[1:-1]


def _idx(path: Path, values: np.ndarray) -> None:
    head = struct.pack(">HBB", 0, 8, values.ndim) + struct.pack(">" + "I" * values.ndim, *values.shape)
    path.write_bytes(head + values.astype(np.uint8).tobytes())


def prepare(folder: Path) -> None:
    """20 digits in ``mn``; ``e``, where there is next to nothing."""
    (folder / "mn").mkdir()
    _idx(folder / "mn" / "t10k-images-idx3-ubyte", np.arange(20 * 28 * 28).reshape(20, 28, 28) % 251)
    _idx(folder / "mn" / "t10k-labels-idx1-ubyte", np.arange(20) % 10)
    (folder / "e" / "a").mkdir(parents=True)
    (folder / "e" / "l.txt").write_text("a\nb\n")
    (folder / "e" / "m.json").write_text("{}")
    for kind in ("Main", "Segmentation"):
        (folder / "e" / "ImageSets" / kind).mkdir(parents=True)
        (folder / "e" / "ImageSets" / kind / "train.txt").write_text("")


def serialized(library: Any) -> dict[str, Any]:
    """{expression: its JSON} in the present folder, with ``library.dataset``."""
    import importlib

    name = library.__name__
    names: dict[str, Any] = {
        "mindspore": library,
        "ds": importlib.import_module(f"{name}.dataset"),
        "V": importlib.import_module(f"{name}.dataset.vision"),
        "T": importlib.import_module(f"{name}.dataset.transforms"),
        "X": importlib.import_module(f"{name}.dataset.text"),
    }
    names.update(Inter=names["V"].Inter, Border=names["V"].Border)
    names["ds"].config.set_num_parallel_workers(2)
    found = {case: names["ds"].serialize(eval(case, names)) for case in PIPELINES}
    for case in OPERATIONS:
        pipeline = eval(f'ds.MnistDataset("mn").map({case}, input_columns=["image"])', names)
        found[case] = names["ds"].serialize(pipeline)["operations"]
    return found
