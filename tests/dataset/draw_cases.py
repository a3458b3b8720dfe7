"""Operations on images that draw at random, and what a pipeline with one worker and direct calls make of them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from tests.dataset.exact_solution import exact_lstsq

__all__ = ["CASES", "drawn"]

#: each of one shape and of several, as some draw by the size; the last of a box
_IMAGES = [np.random.RandomState(i).randint(0, 256, (10 + i % 3, 13 - i % 2, 3)).astype(np.uint8) for i in range(8)]
_BOXES = np.array([[1, 2, 4, 5], [3, 3, 6, 4]], np.float32)
_LABELS = np.eye(3, dtype=np.float32)[[0, 2, 1, 1, 0, 2, 0, 1]]

_ON_IMAGES = """V.RandomHorizontalFlip(0.3)
V.RandomVerticalFlip()
V.RandomCrop(8)
V.RandomCrop((9, 12), padding=2)
V.RandomCrop(20, pad_if_needed=True)
V.RandomResizedCrop(6)
V.RandomResizedCrop((5, 7), scale=(0.5, 1.5), ratio=(0.3, 0.9), interpolation=V.Inter.NEAREST)
V.RandomRotation((10, 80), V.Inter.LINEAR)
V.RandomColorAdjust(brightness=(0.5, 1.5), hue=0.1)
V.RandomColor((0.5, 2.5))
V.RandomSharpness()
V.RandomAffine((-20, 40), translate=(-0.2, 0.2, -0.1, 0.3), scale=(0.8, 1.3), shear=(-5, 5, -3, 8))
V.RandomPosterize((1, 7))
V.RandomSolarize((10, 200))
V.RandomLighting(0.1)
V.RandomInvert()
V.RandomEqualize(0.4)
V.RandomAutoContrast()
V.RandomAdjustSharpness(2.0, 0.6)
V.CutOut(4, 2)
T.RandomApply([V.RandomCrop(8), V.RandomHorizontalFlip()], 0.5)
T.RandomChoice([V.RandomCrop(8), V.RandomVerticalFlip(), V.RandomCrop(5)])
V.RandomSelectSubpolicy([[(V.RandomHorizontalFlip(), 0.5), (V.RandomCrop(8), 0.4)], [(V.RandomVerticalFlip(), 0.7)]])
V.UniformAugment([V.RandomHorizontalFlip(), V.RandomVerticalFlip(), V.RandomCrop(8), V.Invert()], 3)
V.TrivialAugmentWide()
V.TrivialAugmentWide(10, V.Inter.BICUBIC, 5)
V.RandAugment(3, 7)
V.RandAugment(2, 20, 31, V.Inter.BILINEAR, (9, 8, 7))
V.AutoAugment()
V.AutoAugment(V.AutoAugmentPolicy.CIFAR10)
V.AutoAugment(V.AutoAugmentPolicy.SVHN, V.Inter.BICUBIC, (1, 2, 3))
V.RandomResize((9, 7))
[V.RandomCrop(8), V.RandomHorizontalFlip(), V.RandomRotation(20), V.RandomHorizontalFlip()]""".splitlines()
_ON_PIL = """V.RandomHorizontalFlip(0.3)
V.RandomResize((9, 7))
V.RandomCrop((9, 12), padding=2)
V.RandomResizedCrop(6)
V.RandomColorAdjust(0.4, 0.3, 0.2, 0.1)
V.RandomColor((0.5, 2.5))
V.RandomAffine((-20, 40), translate=(-0.2, 0.1), scale=(0.8, 1.3), shear=(-5, 5, -3, 8))
V.RandomLighting(0.1)
V.RandomGrayscale(0.4)
V.RandomPerspective(0.4, 0.6)
T.RandomApply([V.RandomCrop(8), V.RandomHorizontalFlip()], 0.5)
T.RandomChoice([V.RandomCrop(8), V.RandomVerticalFlip(), V.RandomCrop(5)])
T.RandomOrder([V.RandomHorizontalFlip(), V.RandomCrop(8), V.RandomRotation(20)])""".splitlines()
_ON_IMAGES += [f"[V.ToPIL(), {case}, np.array]" for case in _ON_PIL]
_WITH_BOXES = """V.RandomVerticalFlipWithBBox(0.4)
V.RandomCropWithBBox(8)
V.RandomResizedCropWithBBox(8)""".splitlines()
_ON_BATCHES = """V.MixUpBatch(0.9)
V.MixUpBatch(2.0)
V.CutMixBatch(V.ImageBatchFormat.NHWC, 0.6, 0.7)""".splitlines()
CASES = [*_ON_IMAGES, *_WITH_BOXES, *_ON_BATCHES]


class _Source:
    def __init__(self, *columns: Any) -> None:
        self._rows = list(zip(*columns, strict=True))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Any:
        return tuple(column.copy() for column in self._rows[index])  # upstream writes into the boxes it got


def _digest(row: Any) -> str:
    values = [np.ascontiguousarray(value) for value in row]
    if values[-1].dtype == np.float32:  # the last bit of logarithms and powers is not ours to keep
        values[-1] = values[-1].astype(np.float64).round(5) + 0.0
    return hashlib.md5(b"".join(value.tobytes() for value in values)).hexdigest()[:6]


def drawn(ds: Any, case: str, seed: int, workers: int = 1) -> list[Any]:
    """Digests of the rows of two epochs, and of two direct calls."""
    operation = eval(case, {"V": ds.vision, "T": ds.transforms, "np": np})
    ds.config.set_seed(seed)  # of Python's and NumPy's generators, too
    if case in _ON_BATCHES:
        same = np.stack([image[:10, :12] for image in _IMAGES])
        data = ds.NumpySlicesDataset((same, _LABELS), ["a", "b"], shuffle=True).batch(4)
    elif case in _WITH_BOXES:
        data = ds.GeneratorDataset(_Source(_IMAGES, [_BOXES] * len(_IMAGES)), ["a", "b"], shuffle=True)
    else:
        data = ds.GeneratorDataset(_Source(_IMAGES), ["a"], shuffle=True)
    names = ["a", "b"] if case in (*_WITH_BOXES, *_ON_BATCHES) else ["a"]
    data = data.map(operation, names, num_parallel_workers=workers)
    with exact_lstsq():
        rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        epochs = [[_digest(row) for row in rows] for _ in range(2)]
        if case in _ON_IMAGES and not case.startswith("["):
            epochs.append([_digest([operation(image)]) for image in _IMAGES[:2]])
    return epochs


def give(ds: Any, seeds: tuple[int, ...]) -> str:
    """All of it as a JSON text."""
    found = {case: {str(seed): drawn(ds, case, seed) for seed in seeds} for case in CASES}
    lines = (f"{json.dumps(case)}: {json.dumps(value, separators=(',', ':'))}" for case, value in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
