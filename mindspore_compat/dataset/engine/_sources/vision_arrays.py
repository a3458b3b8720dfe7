"""Image datasets in a few files: fixed records (CIFAR, STL-10), digits (MNIST and those in its format, Semeion, USPS,
street view house numbers), patches, random images. `RandomDataset`: rows of a schema, for trials.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat._format.images import open_image
from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat.dataset.core.arguments import kind_of
from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.validator_helpers import check_columns, check_file, check_pos_int32
from mindspore_compat.dataset.engine._dataset import Dataset
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine._sources.base import SourceDataset
from mindspore_compat.dataset.engine._sources.described import (
    ARRAYS,
    FOLDER,
    GENERATED,
    TEXTS,
    TRAIN_TEST,
    Argument,
    ArraysDataset,
    FilesDataset,
    choice,
    flag,
    needed,
)
from mindspore_compat.dataset.engine._sources.files import (
    check_equal,
    files_in,
    fixed_records,
    joined,
    lines_of,
    read_array,
    read_idx,
    read_images,
    read_mat,
    reading,
    words_of,
)
from mindspore_compat.dataset.engine._sources.records import RecordsDataset
from mindspore_compat.dataset.engine.schema import Schema

__all__ = [
    "Cifar100Dataset",
    "Cifar10Dataset",
    "FakeImageDataset",
    "PhotoTourDataset",
    "STL10Dataset",
    "EMnistDataset",
    "FashionMnistDataset",
    "KMnistDataset",
    "MnistDataset",
    "QMnistDataset",
    "SVHNDataset",
    "SemeionDataset",
    "USPSDataset",
    "RandomDataset",
]


class Cifar10Dataset(ArraysDataset):
    """CIFAR-10 from the existing files of its binary version; columns image (32, 32, 3) uint8 and label uint32.

    Args:
        usage: "train", "test" or "all" (default).
    """

    arguments = (FOLDER, TRAIN_TEST, *ARRAYS)
    columns = "image:uint8 label:uint32"
    label_column, size_of_nothing = "label", 0
    _files = {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]}

    def _load(self) -> tuple[np.ndarray, ...]:
        wanted = sorted(n for usage, names in self._files.items() if self.usage in (usage, "all") for n in names)
        places = [os.path.join(self.dataset_dir, name) for name in wanted]
        found = [place for place in places if os.path.isfile(place)]
        if not any(path.endswith(".bin") for path in files_in(os.fspath(self.dataset_dir))):
            raise self._nothing()
        width = len(self._columns()) - 1
        records = np.concatenate(
            [np.empty((0, width + 3072), np.uint8), *(fixed_records(place, width + 3072) for place in found)]
        )
        images = records[:, width:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return (np.ascontiguousarray(images), *(records[:, i].astype(np.uint32) for i in range(width)))


class Cifar100Dataset(Cifar10Dataset):
    """CIFAR-100 from its binary version; columns image, coarse_label and fine_label (uint32)."""

    columns = "image:uint8 coarse_label:uint32 fine_label:uint32"
    label_column = "fine_label"
    _files = {"train": ["train.bin"], "test": ["test.bin"]}


class STL10Dataset(ArraysDataset):
    """STL-10 from its binary version; columns image (96, 96, 3) uint8 and label int32, -1 without a label.

    Args:
        usage: "train", "test", "unlabeled", "train+unlabeled" or "all" (default).
    """

    arguments = (FOLDER, choice("usage", "train test unlabeled train+unlabeled all", "all"), *ARRAYS)
    columns = "image:uint8 label:int32"
    label_column = "label"

    def _parts(self, usage: str) -> list[str]:
        return ["test", "train", "unlabeled"] if usage == "all" else usage.split("+")

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        if self._given["usage"] is not None:  # without one, files are only checked on reading, as in MindSpore
            for part in self._parts(values["usage"]):
                for ending in ("X", "y")[: 1 if part == "unlabeled" else 2]:
                    check_file(os.path.join(values["dataset_dir"], f"{part}_{ending}.bin"))

    def _load(self) -> tuple[np.ndarray, ...]:
        parts = []
        for part in self._parts(self.usage):
            path = os.path.join(self.dataset_dir, part)
            images = fixed_records(f"{path}_X.bin", 3 * 96 * 96).reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1)
            labels = np.zeros(len(images), np.uint8) if part == "unlabeled" else read_array(f"{path}_y.bin")
            check_equal(images, labels, f"{path}_X.bin", f"{path}_y.bin")
            parts.append((images, labels.astype(np.int32) - 1))
        return joined(parts, (96, 96, 3))


class PhotoTourDataset(FilesDataset):
    """Patches of the Photo Tourism data: image (64, 64, 1) each for the training; image1, image2 and matches (uint32)
    for the test.

    Args:
        name: "notredame", "yosemite", "liberty" or one of these with "_harris". usage: "train" (default) or "test".
    """

    arguments = (
        FOLDER,
        needed(choice("name", "notredame yosemite liberty notredame_harris yosemite_harris liberty_harris")),
        choice("usage", "train test", "train"),
        *ARRAYS,
    )

    def _columns(self) -> list[tuple[str, str]]:
        return (
            [("image", "patch")]
            if self.usage == "train"
            else [("image1", "patch"), ("image2", "patch"), ("matches", "uint32")]
        )

    def _find(self) -> list[tuple]:
        folder = os.path.join(self.dataset_dir, self.name)
        self._sheets: dict[int, np.ndarray] = {}
        self._sheet_paths = [path for path in files_in(folder) if path.endswith("bmp")]
        with reading(folder):
            self._points = [int(word) for word in words_of(os.path.join(folder, "info.txt"))[::2]]
            words = [int(word) for word in words_of(os.path.join(folder, "m50_100000_100000_0.txt"))]
        if self.usage == "train":
            return [(i,) for i in range(len(self._points))]
        return [(words[i], words[i + 3], words[i + 1] == words[i + 4]) for i in range(0, len(words) - 4, 7)]

    def _labels(self) -> np.ndarray | None:
        return np.array(self._points if self.usage == "train" else [int(same) for *_, same in self._samples])

    def _column(self, kind: str, value: Any) -> Any:
        if kind != "patch":
            return super()._column(kind, value)
        sheet, place = divmod(value, 256)
        if sheet not in self._sheets:
            if sheet >= len(self._sheet_paths):
                raise RuntimeError(f"Invalid data, patch {value} is in no picture of {self.dataset_dir}, {self.name}.")
            self._sheets[sheet] = np.array(open_image(read_array(self._sheet_paths[sheet])).convert("L"))
        row, column = divmod(place, 16)
        return self._sheets[sheet][64 * row : 64 * row + 64, 64 * column : 64 * column + 64, None].copy()


class FakeImageDataset(FilesDataset):
    """Random images of `image_size` with labels, the same for the same `base_seed`; columns image uint8 and label
    uint32.
    """

    arguments = (
        Argument("num_images", 1000, check_pos_int32, 1000),
        Argument("image_size", (224, 224, 3), None, (224, 224, 3)),
        Argument("num_classes", 10, check_pos_int32, 10),
        Argument("base_seed", 0, kind_of(int), 0),
        *ARRAYS,
    )
    columns = "image:array label:uint32"
    num_images: int
    image_size: tuple[int, int, int]
    base_seed: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # MindSpore keeps the number under the method's name; both ways of asking work
        self._num_classes = self.__dict__.pop("num_classes")

    def num_classes(self) -> int | None:
        return self._num_classes

    def _num_rows(self) -> int:
        return self.num_images

    @cached_property
    def _drawn_labels(self) -> np.ndarray:
        drawn = [self._engine(number).integer(0, self._num_classes - 1) for number in range(self.num_images)]
        return np.array(drawn, np.uint32)

    def _labels(self) -> np.ndarray:
        return self._drawn_labels

    def _engine(self, number: int) -> MersenneTwister:
        return MersenneTwister(self.base_seed + number)

    def _fetch(self, index: np.ndarray) -> list[Row]:
        labels = self._labels()
        return [(self._fake(int(i)), np.array(labels[i])) for i in index]

    def _fake(self, number: int) -> np.ndarray:
        size = int(np.prod(self.image_size))
        pixels = self._engine(number).normals(-(-size // 8)).clip(0, 255)  # MindSpore takes the bytes of float64s
        return np.frombuffer(pixels.tobytes(), np.uint8)[:size].reshape(self.image_size).copy()

    def _fetch_columns(self, index: np.ndarray) -> list[Any]:
        return Dataset._fetch_columns(self, index)


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


class RandomDataset(SourceDataset):
    """Random rows of a `Schema`'s columns: each value repeats one random byte, as in MindSpore.

    Args:
        total_rows: how many; default the schema's number of rows, else 16.
        schema: a `Schema` or its JSON file. columns_list: the columns to give.
    """

    def __init__(
        self,
        total_rows: int | None = None,
        schema: Any = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
        shuffle: bool | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        if schema is None:
            raise UnsupportedError("RandomDataset without a schema is not supported; give a mindspore.dataset.Schema.")
        super().__init__(num_parallel_workers, cache)
        self._schema = Schema(schema) if isinstance(schema, str) else schema
        known = [column["name"] for column in self._schema.columns]
        self._names = check_columns(columns_list, "columns_list") if columns_list else known
        self._made_for: Any = None
        self._rows: list[Row] = []
        self._num_rows = total_rows or num_samples or self._schema.num_rows or 16

    def _column_names(self) -> list[str]:
        return list(self._names)

    def _size(self) -> int:
        return self._num_rows

    def _is_indexed(self) -> bool:
        return True

    def _order(self, run: Run) -> np.ndarray:
        if run.session is not self._made_for:  # all at once, and the same in every pass
            engine = run.order_of(self).first().engine()
            self._rows = [self._row(engine) for _ in range(self._num_rows)]
            self._made_for = run.session
        return np.arange(self._num_rows)

    def _row(self, engine: MersenneTwister) -> Row:
        values = {column["name"]: self._value(column, engine) for column in self._schema.columns}
        return tuple(values[name] for name in self._names)

    def _fetch(self, index: np.ndarray) -> list[Row]:
        return [tuple(map(np.array, self._rows[i])) for i in index]

    @staticmethod
    def _value(column: dict[str, Any], engine: MersenneTwister) -> np.ndarray:
        sizes = column.get("shape", [1])
        dtype, shape = numpy_dtype(column["type"]), [engine.integer(1, 32) if n < 0 else n for n in sizes]
        byte = engine.integer(0, 255)
        if dtype.kind == "U":
            return np.full(shape, chr(97 + byte % 26) * 4)
        if dtype.kind == "b":
            return np.full(shape, byte % 2 == 1)
        return np.full(shape, np.frombuffer(bytes([byte]) * dtype.itemsize, dtype)[0])
