"""Datasets of digits: MNIST and those in its format, Semeion, USPS, street view house numbers."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import check_file
from mindspore_compat.dataset.engine._sources.arrays import check_equal, joined, read_idx, read_images, read_mat
from mindspore_compat.dataset.engine._sources.described import (
    ARRAYS,
    FOLDER,
    GENERATED,
    TEXTS,
    TRAIN_TEST,
    ArraysDataset,
    choice,
    flag,
    needed,
)
from mindspore_compat.dataset.engine._sources.files import files_in, lines_of, reading
from mindspore_compat.dataset.engine._sources.records import RecordsDataset

__all__ = [
    "EMnistDataset",
    "FashionMnistDataset",
    "KMnistDataset",
    "MnistDataset",
    "QMnistDataset",
    "SVHNDataset",
    "SemeionDataset",
    "USPSDataset",
]


class MnistDataset(ArraysDataset):
    """MNIST from those of its four ``*-ubyte`` files (or gzipped) that exist; columns image (28, 28, 1) uint8 and label
    uint32.

    Args:
        usage: "train", "test" or "all" (default).
    """

    arguments = (FOLDER, TRAIN_TEST, *ARRAYS)
    columns = "image:uint8 label:uint32"
    label_column, size_of_nothing = "label", 0
    _starts = {"train": ["train"], "test": ["t10k"], "all": [""]}

    def _load(self) -> tuple[np.ndarray, ...]:
        images, labels = self._named("images", "idx3-ubyte"), self._named("labels", "idx1-ubyte")
        if len(images) != len(labels):
            raise RuntimeError(
                f"Invalid {type(self).__name__} file, num of images should be equal to num of labels, but got num of "
                f"images: {len(images)}, num of labels: {len(labels)} under {self.dataset_dir}."
            )
        return joined([self._load_part(*pair) for pair in zip(images, labels, strict=True)], (28, 28, 1))

    def _named(self, what: str, ending: str) -> list[str]:
        paths = files_in(os.fspath(self.dataset_dir))
        names = [(path, os.path.basename(path)) for path in paths if path.removesuffix(".gz") not in {*paths} - {path}]
        return [
            path
            for path, name in names
            if ending in name and any(f"{start}-{what}" in name for start in self._name_starts())
        ]

    def _name_starts(self) -> list[str]:
        return self._starts[self.usage]

    def _load_part(self, images_path: str, labels_path: str) -> tuple[np.ndarray, ...]:
        images, labels = read_images(images_path), read_idx(labels_path, 2049, 1)
        check_equal(images, labels, images_path, labels_path)
        return images[..., None], labels.astype(np.uint32)


class FashionMnistDataset(MnistDataset):
    """Fashion-MNIST, in MNIST's format."""


class KMnistDataset(MnistDataset):
    """KMNIST, in MNIST's format."""


class EMnistDataset(MnistDataset):
    """One of the six splits of EMNIST, in MNIST's format.

    Args:
        name: "byclass", "bymerge", "balanced", "letters", "digits" or "mnist". usage: "train", "test" or "all"
            (default).
    """

    arguments = (FOLDER, needed(choice("name", "byclass bymerge balanced letters digits mnist")), TRAIN_TEST, *ARRAYS)

    def _name_starts(self) -> list[str]:
        return [f"emnist-{self.name}-{usage}" for usage in ("train", "test") if self.usage in (usage, "all")]


class QMnistDataset(ArraysDataset):
    """QMNIST: images, and the class or all known facts of a digit.

    Args:
        usage: "train", "test", "test10k" (the first 10,000 of the test), "test50k" (the other ones), "nist" or "all"
            (default).
        compat: label is the class only; otherwise the eight numbers of QMNIST.
    """

    arguments = (
        FOLDER,
        choice("usage", "train test test10k test50k nist all", "all"),
        flag("compat", True, True),
        *ARRAYS,
    )
    columns = "image:uint8 label:uint32"
    _prefixes = {"train": "qmnist-train", "test": "qmnist-test", "nist": "xnist"}
    compat: bool

    def _load(self) -> tuple[np.ndarray, ...]:
        usages = (
            ["train", "test", "nist"]
            if self.usage == "all"
            else ["test" if self.usage.startswith("test") else self.usage]
        )
        return joined(
            [self._load_part(os.path.join(self.dataset_dir, self._prefixes[usage])) for usage in usages], (28, 28, 1)
        )

    def _load_part(self, start: str) -> tuple[np.ndarray, ...]:
        images_path, labels_path = f"{start}-images-idx3-ubyte", f"{start}-labels-idx2-int"
        images, labels = read_images(images_path), read_idx(labels_path, 3074, 2, ">u4")
        check_equal(images, labels, images_path, labels_path)
        if labels.shape[1] != 8:
            raise RuntimeError(f"Invalid data, length of labels is not equal to 8: {labels_path}.")
        if self.usage in ("test10k", "test50k") and len(images) != 60000:
            raise RuntimeError(f"Invalid file, {images_path} has {len(images)} images, {self.usage} has 60000.")
        part = {"test10k": slice(None, 10000), "test50k": slice(10000, None)}.get(self.usage, slice(None))
        labels = labels[part].astype(np.uint32)
        return images[part][..., None], labels[:, 0] if self.compat else labels

    def _labels(self) -> np.ndarray | None:
        return self._loaded[1] if self.compat else self._loaded[1][:, 0]


class SemeionDataset(ArraysDataset):
    """Semeion's handwritten digits; columns image (16, 16) uint8 and label uint32."""

    arguments = (FOLDER, *ARRAYS)
    columns = "image:uint8 label:uint32"
    label_column = "label"

    def _load(self) -> tuple[np.ndarray, ...]:
        path = os.path.join(self.dataset_dir, "semeion.data")
        rows = [line.split() for line in lines_of(path)]
        try:
            values = np.array(rows, np.float64).reshape(-1, 266).astype(np.uint8)
        except ValueError:
            raise RuntimeError(f"Invalid data, {path} should have 266 numbers a line.") from None
        return values[:, :256].reshape(-1, 16, 16), values[:, 256:].argmax(1).astype(np.uint32)


class SVHNDataset(ArraysDataset):
    """Street View House Numbers from ``*_32x32.mat`` ; columns image (32, 32, 3) uint8 and label uint32, 0 for the
    digit 0.

    Args:
        usage: "train", "test", "extra" or "all" (default).
    """

    arguments = (FOLDER, choice("usage", "train test extra all", "all"), *(a for a in GENERATED if a.name != "decode"))
    columns = "image:uint8 label:uint32"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _ = self._loaded  # MindSpore reads at once

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        for usage in self._parts(values["usage"]) if self._given["usage"] is not None else ():
            check_file(os.path.join(values["dataset_dir"], f"{usage}_32x32.mat"))

    def _parts(self, usage: str) -> list[str]:
        return ["train", "test", "extra"] if usage == "all" else [usage]

    def _load(self) -> tuple[np.ndarray, ...]:
        parts = []
        for usage in self._parts(self.usage):
            path = os.path.join(self.dataset_dir, f"{usage}_32x32.mat")
            content = read_mat(path)
            with reading(path):
                images, labels = np.transpose(content["X"], (3, 0, 1, 2)), content["y"].reshape(-1) % 10
            check_equal(images, labels, path, path)
            parts.append((images, labels.astype(np.uint32)))
        return joined(parts, (32, 32, 3))


class USPSDataset(RecordsDataset):
    """USPS' handwritten digits; columns image (16, 16, 1) uint8 and label uint32, from 0.

    Args:
        usage: "train", "test" or "all" (default). shuffle: as of `TextFileDataset`.
    """

    arguments = (FOLDER, TRAIN_TEST, *TEXTS)
    columns = "image:array label:uint32"

    def _files(self) -> list[str]:
        names = {"train": ["usps"], "test": ["usps.t"], "all": ["usps", "usps.t"]}[self.usage]
        return [os.path.join(self.dataset_dir, name) for name in names]

    def _records(self, path: str) -> list[Any]:
        return [line for line in lines_of(path) if line]

    def _values(self, record: Any, path: str) -> tuple:
        label, *pixels = record.split()
        pairs = [pixel.partition(":") for pixel in pixels]
        with reading(path):
            if [int(number) for number, _, _ in pairs] != list(range(1, 257)):
                raise ValueError("pixels should be numbered from 1 to 256")
            values = np.array([float(value) for _, _, value in pairs], np.float32)
            # MindSpore's float arithmetic, which cuts off
            image = ((values.astype(np.float64) + 1.0) / 2.0 * 255.0).astype(np.uint8)
            return image.reshape(16, 16, 1), int(label) - 1
