"""Tables, TFRecord and image data sets (CIFAR, MNIST, ImageNet) to MindRecord; rows are written 256 at a time.
MindSpore: ``mindspore.mindrecord.tools``.
"""

from __future__ import annotations

import csv
import io
import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from string import punctuation
from typing import Any

import numpy as np

from mindspore_compat._format.idx import read_idx, read_images
from mindspore_compat._format.images import encode_image
from mindspore_compat._format.source import read_regular
from mindspore_compat._format.tfrecord import EXAMPLE, record_offsets
from mindspore_compat._format.wire import FormatError
from mindspore_compat.mindrecord.common.exceptions import PathNotExistsError
from mindspore_compat.mindrecord.filewriter import FileWriter

#: Result of a converter's `run`.
SUCCESS, FAILED = 0, 1


def write_rows(
    writer: FileWriter,
    schema: dict[str, Any],
    description: str,
    index: list[str] | None,
    rows: Iterable[dict[str, Any]],
) -> None:
    writer.add_schema(schema, description)
    if index:
        writer.add_index(index)
    rows = iter(rows)
    while part := list(islice(rows, 256)):
        writer.write_raw_data(part)
    writer.commit()


class CsvToMR:
    """Converter of a CSV file with a first row of names to MindRecord: columns of whole numbers become int64, of
    numbers float64, of True and False int32, all else texts. All are in the index.

    Args:
        columns_list: which columns; default all.
    """

    def __init__(
        self, source: str, destination: str, columns_list: list[str] | None = None, partition_number: int = 1
    ) -> None:
        self.source, self.destination, self.columns_list = source, destination, columns_list
        self._writer = FileWriter(destination, partition_number)

    def run(self) -> int:
        """Convert. Returns: `SUCCESS`. Raises: OSError without the file; ValueError for a missing column."""
        with open(self.source, newline="", encoding="utf-8") as stream:
            names, *rows = [row for row in csv.reader(stream) if row] or [[]]
        chosen = self.columns_list or names
        if any(len(row) > len(names) for row in rows):
            raise ValueError(f"A row of {self.source} has more than the {len(names)} columns of the first one.")
        columns = {
            name: _typed([row[names.index(name)] if names.index(name) < len(row) else "" for row in rows])
            for name in chosen
        }
        schema = {name: {"type": kind} for name, (kind, _) in columns.items()}
        write_rows(
            self._writer,
            schema,
            "csv_schema",
            list(chosen),
            (dict(zip(chosen, row)) for row in zip(*(values for _, values in columns.values()))),
        )
        return SUCCESS

    def transform(self) -> None:
        """Convert as `run`, without a result."""
        self.run()


def _typed(texts: list[str]) -> tuple[str, list[Any]]:
    """Return the type of a column and its values; in a column of numbers empty texts are NaN."""
    if texts and all(text in ("True", "False", "TRUE", "FALSE", "true", "false") for text in texts):
        return "int32", [int(text.lower() == "true") for text in texts]
    try:
        return "int64", [int(text) for text in texts]
    except ValueError:
        pass
    try:
        return "float64", [float(text or "nan") for text in texts]
    except ValueError:
        return "string", texts


#: MindRecord's type for TensorFlow's
_TYPES = {
    "string": "string",
    "int8": "int32",
    "int16": "int32",
    "int32": "int32",
    "int64": "int64",
    "uint8": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
    "bool": "int32",
}


class TFRecordToMR:
    """Converter of a TFRecord file of ``tf.train.Example`` to MindRecord. TensorFlow is not needed.

    Args:
        feature_dict: from a feature's name to its description, with ``shape`` ([] or [length]) and ``dtype``
            (TensorFlow's, NumPy's, or a name):
            ``tf.io.FixedLenFeature`` or any object that has these two.
        bytes_fields: features of type string to write as bytes.
    """

    def __init__(
        self, source: str, destination: str, feature_dict: dict[str, Any], bytes_fields: list[str] | None = None
    ) -> None:
        self.source, self.destination = source, destination
        unknown = set(bytes_fields or ()) - set(feature_dict)
        if unknown:
            raise ValueError(f"Parameter bytes_fields has {unknown}, which are not in feature_dict: {feature_dict}.")
        self.feature_dict, self._bytes = feature_dict, set(bytes_fields or ())
        self._schema = {_plain_name(name): self._field(name) for name in feature_dict}

    def _field(self, name: str) -> dict[str, Any]:
        feature = self.feature_dict[name]
        if name in self._bytes:
            return {"type": "bytes"}
        kind, shape = _kind(feature), list(feature.shape or ())
        return {"type": kind, "shape": shape} if shape else {"type": kind}

    def run(self) -> int:
        """Convert. Returns: `SUCCESS`. Raises: ValueError: a record misses a feature. RuntimeError: the file is no
        TFRecord file.
        """
        write_rows(FileWriter(self.destination), self._schema, "TFRecord to MindRecord", None, self._rows())
        return SUCCESS

    def transform(self) -> None:
        """Convert as `run`, without a result."""
        self.run()

    def tfrecord_iterator(self) -> Iterator[dict[str, Any]]:
        """Return the rows that `run` writes, field by name. Raises: as `run`."""
        return self._rows()

    tfrecord_iterator_oldversion = tfrecord_iterator

    def _rows(self) -> Iterator[dict[str, Any]]:
        try:
            with open(self.source, "rb") as stream:
                for offset, length in record_offsets(self.source):
                    stream.seek(offset)
                    yield self._row(EXAMPLE.Example.FromString(stream.read(length)))
        except (OSError, FormatError) as error:
            raise RuntimeError(f"Invalid file, {error}.") from error

    def _row(self, example: Any) -> dict[str, Any]:
        features = {item.key: item.value for item in example.features.feature}
        row: dict[str, Any] = {}
        for name in self.feature_dict:
            field = self._schema[_plain_name(name)]
            listed = next((kind.name for kind, _ in features[name].ListFields()), None) if name in features else None
            values = list(getattr(features[name], listed).value) if listed else []
            if len(values) != (field["shape"][0] if "shape" in field else 1) or (
                field["type"] in ("string", "bytes")
            ) != (listed == "bytes_list"):
                raise ValueError(f"TFRecord feature_dict: {name} should be {field}, but is {len(values)} of {listed}.")
            if "shape" in field:
                row[_plain_name(name)] = np.array(values, field["type"])
            elif field["type"] == "string":
                row[_plain_name(name)] = values[0].decode("utf-8")
            else:
                row[_plain_name(name)] = values[0]
        return row


def _kind(feature: Any) -> str:
    name = getattr(feature.dtype, "name", None) or getattr(feature.dtype, "__name__", None) or str(feature.dtype)
    if name not in _TYPES:
        raise ValueError(f"Type {name} is not supported in MindRecord.")
    return _TYPES[name]


def _plain_name(name: str) -> str:
    return "".join("_" if letter in punctuation + " " else letter for letter in name)


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
