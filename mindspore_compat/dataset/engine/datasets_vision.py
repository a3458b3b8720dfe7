"""Image data sets on disk. Upstream: ``mindspore.dataset.engine.datasets_vision``."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.compressed import CompressedFile
from mindspore_compat._format.wire import FormatError
from mindspore_compat.dataset.core.validator_helpers import check_dir, type_check
from mindspore_compat.dataset.engine._columns import Row
from mindspore_compat.dataset.engine._session import Parallelism
from mindspore_compat.dataset.engine._source_nodes import ArrayDataset, MappableDataset
from mindspore_compat.dataset.engine.datasets import Dataset

__all__ = [
    "Cifar100Dataset", "Cifar10Dataset", "FakeImageDataset", "FashionMnistDataset", "ImageFolderDataset",
    "KMnistDataset", "MnistDataset",
]  # fmt: skip


def _check_usage(usage: Any, allowed: Sequence[str]) -> str:
    type_check(usage, (str, type(None)), "usage")
    if usage is not None and usage not in allowed:
        raise ValueError(f"usage should be one of {list(allowed)}, but got {usage!r}.")
    return usage or "all"


class _FileArrays(ArrayDataset):
    """Columns read from the files of a folder when they are first needed."""

    #: Which usages there are, "all" included.
    _usages: tuple[str, ...] = ("train", "test", "all")
    _names: list[str]

    def __init__(self, dataset_dir: str, usage: str | None, *args: Any) -> None:
        check_dir(dataset_dir)
        self.dataset_dir = os.fspath(dataset_dir)
        self.usage = _check_usage(usage, self._usages)
        self._loaded: tuple[np.ndarray, ...] | None = None
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache = args
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)

    def _column_names(self) -> list[str]:
        return self._names

    def _arrays(self) -> tuple[np.ndarray, ...]:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> tuple[np.ndarray, ...]:
        raise NotImplementedError

    def _labels(self) -> np.ndarray | None:
        return self._arrays()[-1]


class MnistDataset(_FileArrays):
    """MNIST from its four ``*-ubyte`` files (or gzipped); columns image (28, 28, 1) uint8 and label uint32.

    Args:
        usage: "train", "test" or "all" (default).
    """

    _names = ["image", "label"]

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )

    def _load(self) -> tuple[np.ndarray, ...]:
        prefixes = [p for p, usage in (("t10k", "test"), ("train", "train")) if self.usage in (usage, "all")]
        parts = [self._load_part(prefix) for prefix in prefixes]
        if len({images.shape[1:] for images, _ in parts}) > 1:
            raise RuntimeError(f"{self.dataset_dir}: the images for training and testing are of different sizes.")
        return tuple(
            np.concatenate(columns) if len(columns) > 1 else columns[0] for columns in zip(*parts, strict=True)
        )

    def _load_part(self, prefix: str) -> tuple[np.ndarray, np.ndarray]:
        images = _read_idx(self._find(f"{prefix}-images"), 2051, 3)
        labels = _read_idx(self._find(f"{prefix}-labels"), 2049, 1)
        if len(images) != len(labels):
            raise RuntimeError(f"{self.dataset_dir}: {len(images)} images, but {len(labels)} labels in {prefix} files.")
        return images[..., None], labels.astype(np.uint32)

    def _find(self, start: str) -> str:
        names = sorted(n for n in os.listdir(self.dataset_dir) if n.startswith(start))
        if not names:
            raise RuntimeError(f"Invalid file, no {start}* file found under {self.dataset_dir}.")
        path = os.path.join(self.dataset_dir, names[0])
        if not os.path.isfile(path):
            raise RuntimeError(f"Invalid file, {path} is no regular file.")
        return path


class FashionMnistDataset(MnistDataset):
    """Fashion-MNIST, in MNIST's format."""


class KMnistDataset(MnistDataset):
    """KMNIST, in MNIST's format."""


def _read_idx(path: str, magic: int, rank: int) -> np.ndarray:
    """A file of the IDX format: big-endian magic, one size per axis, then bytes."""
    try:
        content = CompressedFile(path, "GZIP") if path.endswith(".gz") else None
    except FormatError as error:
        raise RuntimeError(f"Invalid file, {error}.") from error
    size = os.path.getsize(path) if content is None else content.size
    start = 4 * (rank + 1)
    head = np.frombuffer(_bytes_of(path, content, 0, min(start, size)), ">i4", min(start, size) // 4).tolist()
    if len(head) != rank + 1 or head[0] != magic:
        raise RuntimeError(f"Invalid file, {path} is not an MNIST file: magic number {head[:1]}, expected {magic}.")
    shape = tuple(head[1:])
    if min(shape) < 0 or size - start != math.prod(shape):
        raise RuntimeError(f"Invalid file, {path} should have {math.prod(shape)} values of shape {shape} after its header.")
    return np.frombuffer(_bytes_of(path, content, start, size - start), np.uint8).reshape(shape)


def _bytes_of(path: str, content: CompressedFile | None, place: int, length: int) -> Any:
    """A part of a file, or of what it is decompressed to."""
    if content is None:
        return np.fromfile(path, np.uint8, length, offset=place)
    try:
        return content.read(place, length)
    except FormatError as error:
        raise RuntimeError(f"Invalid file, {error}.") from error


class Cifar10Dataset(_FileArrays):
    """CIFAR-10 from its binary version; columns image (32, 32, 3) uint8 and label uint32.

    Args:
        usage: "train", "test" or "all" (default).
    """

    _names = ["image", "label"]
    _label_bytes = 1
    _files = {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]}

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        super().__init__(
            dataset_dir, usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )

    def _load(self) -> tuple[np.ndarray, ...]:
        wanted = sorted(n for usage, names in self._files.items() if self.usage in (usage, "all") for n in names)
        found = [n for n in wanted if os.path.isfile(os.path.join(self.dataset_dir, n))]
        if not found:
            raise RuntimeError(f"Invalid file, none of {wanted} found under {self.dataset_dir}.")
        records = np.concatenate([self._read(os.path.join(self.dataset_dir, name)) for name in found])
        labels = records[:, : self._label_bytes].astype(np.uint32)
        images = records[:, self._label_bytes :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return (np.ascontiguousarray(images), *self._label_columns(labels))

    def _read(self, path: str) -> np.ndarray:
        content = np.fromfile(path, np.uint8)
        size = self._label_bytes + 3 * 32 * 32
        if len(content) == 0 or len(content) % size:
            raise RuntimeError(
                f"Invalid file, {path} should hold records of {size} bytes, but has {len(content)} bytes."
            )
        return content.reshape(-1, size)

    def _label_columns(self, labels: np.ndarray) -> tuple[np.ndarray, ...]:
        return (labels[:, 0],)


class Cifar100Dataset(Cifar10Dataset):
    """CIFAR-100 from its binary version; columns image, coarse_label and fine_label (uint32)."""

    _names = ["image", "coarse_label", "fine_label"]
    _label_bytes = 2
    _files = {"train": ["train.bin"], "test": ["test.bin"]}

    def _label_columns(self, labels: np.ndarray) -> tuple[np.ndarray, ...]:
        return labels[:, 0], labels[:, 1]


class FakeImageDataset(ArrayDataset):
    """Random images of `image_size` with labels, the same for the same `base_seed`; columns image uint8 and label
    uint32.
    """

    def __init__(
        self,
        num_images: int = 1000,
        image_size: tuple[int, int, int] = (224, 224, 3),
        num_classes: int = 10,
        base_seed: int = 0,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        for name, value in (("num_images", num_images), ("num_classes", num_classes), ("base_seed", base_seed)):
            type_check(value, int, name)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.num_images, self.image_size, self._num_classes = num_images, tuple(image_size), num_classes
        self.base_seed = base_seed

    def _column_names(self) -> list[str]:
        return ["image", "label"]

    def num_classes(self) -> int | None:
        return self._num_classes

    def _num_rows(self) -> int:
        return self.num_images

    def _labels(self) -> np.ndarray:
        return np.random.default_rng(self.base_seed).integers(0, self._num_classes, self.num_images).astype(np.uint32)

    def _fetch(self, index: np.ndarray) -> list[Row]:
        labels = self._labels()
        return [(self._image(int(i)), np.array(labels[i])) for i in index]

    def _image(self, number: int) -> np.ndarray:
        return np.random.default_rng((self.base_seed, number)).integers(0, 256, self.image_size, dtype=np.uint8)

    def _fetch_columns(self, index: np.ndarray) -> list[Any]:
        return Dataset._fetch_columns(self, index)


class ImageFolderDataset(MappableDataset):
    """Images in one folder per class; columns image (uint8: the file's bytes, or the decoded image) and label (int32).

    Args:
        extensions: file name ends that count; default: all files.
        class_indexing: from folder name to label; default: sorted names, from 0.
        decode: decode the images to RGB here.
        decrypt: ``f(path) -> bytes`` to read a file.
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        extensions: list[str] | None = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        decrypt: Any = None,
    ) -> None:
        check_dir(dataset_dir)
        type_check(extensions, (list, type(None)), "extensions")
        type_check(class_indexing, (dict, type(None)), "class_indexing")
        type_check(decode, bool, "decode")
        if decrypt is not None and not callable(decrypt):
            raise TypeError(f"Argument decrypt is not a callable object, but got {type(decrypt)}.")
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = os.fspath(dataset_dir)
        self.extensions = tuple(extensions) if extensions else ("",)
        self.class_indexing = class_indexing
        self.decode = decode
        self.decrypt = decrypt
        self._files: list[tuple[str, int]] | None = None

    def _column_names(self) -> list[str]:
        return ["image", "label"]

    def get_class_indexing(self) -> dict[str, int]:
        if self.class_indexing is not None:
            return dict(self.class_indexing)
        with os.scandir(self.dataset_dir) as entries:
            return {name: i for i, name in enumerate(sorted(e.name for e in entries if os.path.isdir(e.path)))}

    def num_classes(self) -> int | None:
        return len(self.get_class_indexing())

    def _samples(self) -> list[tuple[str, int]]:
        if self._files is None:
            self._files = [
                (path, label)
                for name, label in sorted(self.get_class_indexing().items())
                for path in self._images_under(os.path.join(self.dataset_dir, name))
            ]
            if not self._files:
                raise RuntimeError(
                    f"Invalid data, ImageFolderDataset can't find any image under {self.dataset_dir}: "
                    "expected one folder "
                    f"per class{'' if self.extensions == ('',) else f' with files ending in {list(self.extensions)}'}."
                )
        return self._files

    def _images_under(self, folder: str) -> list[str]:
        if not os.path.isdir(folder):
            raise RuntimeError(f"Invalid data, class folder {folder} of class_indexing does not exist.")
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in entries if e.name.endswith(self.extensions) and os.path.isfile(e.path))
        return [os.path.join(folder, name) for name in names]

    def _num_rows(self) -> int:
        return len(self._samples())

    def _labels(self) -> np.ndarray:
        return np.array([label for _, label in self._samples()])

    def _parallelism(self) -> Parallelism:
        return Parallelism(threads=self.num_parallel_workers if self.decode else 0)

    def _fetch(self, index: np.ndarray) -> list[Row]:
        samples = self._samples()
        return [(self._image(samples[i][0]), np.array(samples[i][1], np.int32)) for i in index]

    def _image(self, path: str) -> np.ndarray:
        if self.decrypt is not None:
            content = np.frombuffer(self.decrypt(path), np.uint8)
        else:
            content = np.fromfile(path, np.uint8)
        if not self.decode:
            return content
        from mindspore_compat.dataset.vision._image import decode_rgb

        try:
            return decode_rgb(content)
        except RuntimeError as error:
            raise RuntimeError(f"Invalid image, {path} decode failed: {error}") from error
