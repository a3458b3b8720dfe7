"""Converters of image datasets to MindRecord: CIFAR, MNIST, ImageNet."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.idx import read_idx, read_images
from mindspore_compat._format.images import encode_image
from mindspore_compat._format.source import read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat.mindrecord._convert import SUCCESS, write_rows
from mindspore_compat.mindrecord.common.exceptions import PathNotExistsError
from mindspore_compat.mindrecord.filewriter import FileWriter


def _jpeg(image: np.ndarray) -> bytes:
    return encode_image(np.ascontiguousarray(image), "JPEG", quality=95).tobytes()


class _Arrays(pickle.Unpickler):
    """Unpickler of arrays, texts and lists; it resolves no other names."""

    _known = {
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("_codecs", "encode"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy._core.multiarray", "scalar"),
    }

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._known:
            raise pickle.UnpicklingError(f"global '{module}.{name}' is forbidden")
        return super().find_class(module.replace("numpy.core", "numpy._core") if hasattr(np, "_core") else module, name)


def cifar_arrays(folder: str, start: str, labels: Sequence[bytes]) -> Iterator[tuple[np.ndarray, list[Any]]]:
    """Yield (images (n, 32, 32, 3), lists of labels) of each file of CIFAR's Python version."""
    for name in sorted(name for name in os.listdir(folder) if name.startswith(start)):
        path = os.path.join(folder, name)
        try:
            content = _Arrays(io.BytesIO(read_regular(path)), encoding="bytes").load()
            images = content[b"data"].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
            found = [content[key] for key in labels]
        except Exception as error:  # any error of a damaged pickle
            raise RuntimeError(
                f"{path} is no part of a CIFAR dataset's Python version: {type(error).__name__}: {error}."
            ) from error
        yield images, found


class Cifar10ToMR:
    """Converter of CIFAR-10's Python version to two MindRecord files, ``destination`` and ``destination + "_test"``:
    id, label and data (JPEG).

    Args:
        source: the folder with ``data_batch_*`` and ``test_batch``.
    Raises:
        PathNotExistsError: they are not there. RuntimeError: a file is no pickle of arrays.
    """

    _parts = {"train": "data_batch_", "test": "test_batch"}
    _labels = {"label": b"labels"}

    def __init__(self, source: str, destination: str) -> None:
        self.source, self.destination = source, destination
        for start in self._parts.values():
            if not self._files(start):
                raise PathNotExistsError(f"Invalid path. The path {start} is not exists under {source}.")

    def _files(self, start: str) -> list[str]:
        return sorted(name for name in os.listdir(self.source) if name.startswith(start))

    def run(self, fields: list[str] | None = None) -> int:
        """Convert; ``fields`` are the index. Returns: `SUCCESS`."""
        kinds = {
            "id": {"type": "int64"},
            **{name: {"type": "int64"} for name in self._labels},
            "data": {"type": "bytes"},
        }
        for part, ending in (("train", ""), ("test", "_test")):
            write_rows(FileWriter(self.destination + ending, 1), kinds, f"img_{part}", fields, self._rows(part))
        return SUCCESS

    def transform(self, fields: list[str] | None = None) -> None:
        """Convert as `run`, without a result."""
        self.run(fields)

    def _rows(self, part: str) -> Iterator[dict[str, Any]]:
        number = 0
        for images, labels in cifar_arrays(self.source, self._parts[part], list(self._labels.values())):
            for image, *values in zip(images, *labels, strict=True):
                yield {
                    "id": number,
                    "data": _jpeg(image),
                    **{key: int(value) for key, value in zip(self._labels, values, strict=True)},
                }
                number += 1


class Cifar100ToMR(Cifar10ToMR):
    """Converter of CIFAR-100's Python version (``train`` and ``test``) to two MindRecord files: id, fine_label,
    coarse_label and data (JPEG).
    """

    _parts = {"train": "train", "test": "test"}
    _labels = {"fine_label": b"fine_labels", "coarse_label": b"coarse_labels"}

    def _files(self, start: str) -> list[str]:
        return [name for name in os.listdir(self.source) if name == start]


class MnistToMR:
    """Converter of MNIST's four ``.gz`` files to ``destination_train.mindrecord`` and ``destination_test.mindrecord``:
    label and data (JPEG).
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        self.source = source
        self._writers = {
            part: FileWriter(f"{destination}_{part}.mindrecord", partition_number) for part in ("train", "test")
        }

    def run(self) -> int:
        """Convert. Returns: `SUCCESS`."""
        for part, writer in self._writers.items():
            write_rows(
                writer,
                {"label": {"type": "int64"}, "data": {"type": "bytes"}},
                "mnist_schema",
                ["label"],
                self._rows(part),
            )
        return SUCCESS

    def transform(self) -> None:
        """Convert as `run`, without a result."""
        self.run()

    def _rows(self, part: str) -> Iterator[dict[str, Any]]:
        start = os.path.join(self.source, "train" if part == "train" else "t10k")
        try:
            images = read_images(f"{start}-images-idx3-ubyte.gz")
            labels = read_idx(f"{start}-labels-idx1-ubyte.gz", 2049, 1)
        except FormatError as error:
            raise RuntimeError(f"Invalid file, {error}.") from error
        for image, label in zip(images, labels, strict=True):
            yield {"label": int(label), "data": _jpeg(image)}


class ImageNetToMR:
    """Converter of images in folders to MindRecord: label (int32), file_name and image (the file's bytes).

    Args:
        map_file: lines of a folder's name, a space and its label. image_dir: where the folders are.
    """

    def __init__(self, map_file: str, image_dir: str, destination: str, partition_number: int = 1) -> None:
        self.map_file, self.image_dir, self.destination = map_file, image_dir, destination
        self._writer = FileWriter(destination, partition_number)

    def run(self) -> int:
        """Convert. Returns: `SUCCESS`. Raises: OSError without the map; PathNotExistsError without its folders."""
        schema = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}
        write_rows(self._writer, schema, "imagenet_schema", ["label", "file_name"], self._rows())
        return SUCCESS

    def transform(self) -> None:
        """Convert as `run`, without a result."""
        self.run()

    def _rows(self) -> Iterator[dict[str, Any]]:
        with open(self.map_file, encoding="utf-8") as stream:
            labels = {int(words[1]): words[0] for words in map(str.split, stream) if len(words) > 1}
        folders = {
            label: folder
            for label, name in labels.items()
            if os.path.isdir(folder := os.path.join(self.image_dir, name))
        }
        if not folders:
            raise PathNotExistsError(f"Invalid path. not valid image dir in {self.image_dir}")
        for label, folder in folders.items():
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                content = read_regular(path) if name.endswith(("JPEG", "jpg")) else b""
                if content:
                    yield {"file_name": path, "label": label, "image": content}
