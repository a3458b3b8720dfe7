"""Other formats to MindRecord. Upstream: ``mindspore.mindrecord.tools``. Rows are made one after another and written
256 at a time.
"""

from __future__ import annotations

import csv
import io
import os
import pickle
from collections.abc import Iterable, Iterator
from itertools import islice
from string import punctuation
from typing import Any

import numpy as np

from mindspore_compat._format.idx import read_idx, read_images
from mindspore_compat._format.images import encode_image
from mindspore_compat._format.source import read_regular
from mindspore_compat._format.tfrecord import EXAMPLE, record_offsets
from mindspore_compat._format.wire import FormatError
from mindspore_compat.mindrecord.common.exceptions import ParamValueError, PathNotExistsError
from mindspore_compat.mindrecord.filewriter import FileWriter

__all__ = ["FAILED", "SUCCESS", "Cifar100ToMR", "Cifar10ToMR", "CsvToMR", "ImageNetToMR", "MnistToMR", "TFRecordToMR"]

#: What `run` of a converter gives.
SUCCESS, FAILED = 0, 1


def _check_name(path: Any) -> str:
    if not path or not isinstance(path, str):
        raise ParamValueError(f"Invalid parameter value. File path: {path!r} is not string, or empty.")
    name = os.path.basename(path)
    if not name:
        raise ParamValueError("Invalid parameter value. File path can not end with '/'.")
    if set(name) & set("\\:*?\"<>|`&;'") or name != name.strip(" "):
        raise ParamValueError(
            "Invalid parameter value. File name should not contain \\:*?\"<>|`&;' or begin or end with a space, but "
            f"is {name!r}."
        )
    return path


def _check_number(partition_number: Any) -> int:
    if not isinstance(partition_number, int):
        raise ValueError(f"The parameter partition_number must be int, but got {type(partition_number)}.")
    return partition_number


def _write(
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


def _jpeg(image: np.ndarray) -> bytes:
    return encode_image(np.ascontiguousarray(image), "JPEG", quality=95).tobytes()


class _Arrays(pickle.Unpickler):
    """Reads pickles of arrays, texts and lists; nothing else is looked up."""

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


class Cifar10ToMR:
    """CIFAR-10's Python version to two MindRecord files, ``destination`` and ``destination + "_test"``: id, label and
    data (JPEG).

    Args:
        source: the folder with ``data_batch_*`` and ``test_batch``.
    Raises:
        PathNotExistsError: they are not there. RuntimeError: a file is no pickle of arrays.
    """

    _parts = {"train": "data_batch_", "test": "test_batch"}
    _labels = {"label": b"labels"}

    def __init__(self, source: str, destination: str) -> None:
        self.source, self.destination = _check_name(source), _check_name(destination)
        for start in self._parts.values():
            if not self._files(start):
                raise PathNotExistsError(f"Invalid path. The path {start} is not exists under {source}.")

    def _files(self, start: str) -> list[str]:
        return sorted(name for name in os.listdir(self.source) if name.startswith(start))

    def run(self, fields: list[str] | None = None) -> int:
        """Convert; ``fields`` are the index. Returns: `SUCCESS`."""
        if fields and not isinstance(fields, list):
            raise ValueError("The parameter fields should be None or list")
        kinds = {
            "id": {"type": "int64"},
            **{name: {"type": "int64"} for name in self._labels},
            "data": {"type": "bytes"},
        }
        for part, ending in (("train", ""), ("test", "_test")):
            _write(FileWriter(self.destination + ending, 1), kinds, f"img_{part}", fields, self._rows(part))
        return SUCCESS

    def transform(self, fields: list[str] | None = None) -> None:
        """As `run`, without a result."""
        self.run(fields)

    def _rows(self, part: str) -> Iterator[dict[str, Any]]:
        number = 0
        for name in self._files(self._parts[part]):
            path = os.path.join(self.source, name)
            try:
                content = _Arrays(io.BytesIO(read_regular(path)), encoding="bytes").load()
                images = content[b"data"].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
                labels = [content[key] for key in self._labels.values()]
            except Exception as error:  # whatever a damaged pickle raises
                raise RuntimeError(
                    f"{path} is no part of a CIFAR dataset's Python version: {type(error).__name__}: {error}."
                ) from error
            for image, *values in zip(images, *labels, strict=True):
                yield {
                    "id": number,
                    "data": _jpeg(image),
                    **{key: int(value) for key, value in zip(self._labels, values, strict=True)},
                }
                number += 1


class Cifar100ToMR(Cifar10ToMR):
    """CIFAR-100's Python version (``train`` and ``test``) to two MindRecord files: id, fine_label, coarse_label and
    data (JPEG).
    """

    _parts = {"train": "train", "test": "test"}
    _labels = {"fine_label": b"fine_labels", "coarse_label": b"coarse_labels"}

    def _files(self, start: str) -> list[str]:
        return [name for name in os.listdir(self.source) if name == start]


class MnistToMR:
    """MNIST's four ``.gz`` files to ``destination_train.mindrecord`` and ``destination_test.mindrecord``: label and
    data (JPEG).
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        self.source, destination = _check_name(source), _check_name(destination)
        number = _check_number(partition_number)
        self._writers = {part: FileWriter(f"{destination}_{part}.mindrecord", number) for part in ("train", "test")}

    def run(self) -> int:
        """Convert. Returns: `SUCCESS`."""
        for part, writer in self._writers.items():
            _write(
                writer,
                {"label": {"type": "int64"}, "data": {"type": "bytes"}},
                "mnist_schema",
                ["label"],
                self._rows(part),
            )
        return SUCCESS

    def transform(self) -> None:
        """As `run`, without a result."""
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


class CsvToMR:
    """A CSV file with a first row of names to MindRecord: columns of whole numbers become int64, of numbers float64, of
    True and False int32, all else texts. All are in the index.

    Args:
        columns_list: which columns; default all.
    """

    def __init__(
        self, source: str, destination: str, columns_list: list[str] | None = None, partition_number: int = 1
    ) -> None:
        if not isinstance(source, str):
            raise ValueError(f"The parameter source must be str, but got {type(source)}.")
        if columns_list and not (
            isinstance(columns_list, list) and all(isinstance(name, str) for name in columns_list)
        ):
            raise ValueError("The parameter columns_list must be list of str.")
        if not isinstance(destination, str):
            raise ValueError(f"The parameter destination must be str, but got {type(destination)}.")
        self.source, self.destination, self.columns_list = _check_name(source), _check_name(destination), columns_list
        self._writer = FileWriter(self.destination, _check_number(partition_number))

    def run(self) -> int:
        """Convert. Returns: `SUCCESS`. Raises: OSError without the file; RuntimeError for a column that is not there;
        ValueError for names of digits.
        """
        if not os.path.exists(self.source):
            raise OSError(f"Csv file {self.source} do not exist.")
        with open(self.source, newline="", encoding="utf-8") as stream:
            names, *rows = [row for row in csv.reader(stream) if row] or [[]]
        for name in self.columns_list or names:
            if name not in names:
                raise RuntimeError(f"The parameter columns_list is illegal, column {name} does not exist.")
            if name.isdigit():
                said = f"The first line content: {name} of the CSV file is used as a column name"
                raise ValueError(f"{said} and does not allow starting with a number.")
        chosen = self.columns_list or names
        if not chosen:
            raise RuntimeError(f"Failed to generate schema from csv file: {self.source} has no first row.")
        if any(len(row) > len(names) for row in rows):
            raise ValueError(f"A row of {self.source} has more than the {len(names)} columns of the first one.")
        columns = {
            name: _typed([row[names.index(name)] if names.index(name) < len(row) else "" for row in rows])
            for name in chosen
        }
        schema = {name: {"type": kind} for name, (kind, _) in columns.items()}
        _write(
            self._writer,
            schema,
            "csv_schema",
            list(chosen),
            (dict(zip(chosen, row)) for row in zip(*(values for _, values in columns.values()))),
        )
        return SUCCESS

    def transform(self) -> None:
        """As `run`, without a result."""
        self.run()


def _typed(texts: list[str]) -> tuple[str, list[Any]]:
    """The type of a column and its values; what is empty is not a number in a column of numbers."""
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


class ImageNetToMR:
    """Images in folders to MindRecord: label (int32), file_name and image (the file's bytes).

    Args:
        map_file: lines of a folder's name, a space and its label. image_dir: where the folders are.
    """

    def __init__(self, map_file: str, image_dir: str, destination: str, partition_number: int = 1) -> None:
        self.map_file, self.image_dir, self.destination = (
            _check_name(map_file),
            _check_name(image_dir),
            _check_name(destination),
        )
        self._writer = FileWriter(destination, _check_number(partition_number))

    def run(self) -> int:
        """Convert. Returns: `SUCCESS`. Raises: OSError without the map; PathNotExistsError without any of its folders."""
        schema = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}
        _write(self._writer, schema, "imagenet_schema", ["label", "file_name"], self._rows())
        return SUCCESS

    def transform(self) -> None:
        """As `run`, without a result."""
        self.run()

    def _rows(self) -> Iterator[dict[str, Any]]:
        if not os.path.exists(self.map_file):
            raise OSError(f"map file {self.map_file} not exists")
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
    """A TFRecord file of ``tf.train.Example`` to MindRecord. TensorFlow is not needed.

    Args:
        feature_dict: from a feature's name to its description, with ``shape`` ([] or [length]) and ``dtype``
            (TensorFlow's, NumPy's, or a name):
            ``tf.io.FixedLenFeature`` or any object that has these two.
        bytes_fields: features of type string to write as bytes.
    """

    def __init__(
        self, source: str, destination: str, feature_dict: dict[str, Any], bytes_fields: list[str] | None = None
    ) -> None:
        if not isinstance(source, str) or not isinstance(destination, str):
            raise ValueError("Parameter source and destination must be string.")
        self.source, self.destination = _check_name(source), _check_name(destination)
        if not isinstance(feature_dict, dict) or not all(
            hasattr(item, "shape") and hasattr(item, "dtype") for item in feature_dict.values()
        ):
            raise ValueError(
                f"Parameter feature_dict: {feature_dict} only support FixedLenFeature, which has shape and dtype."
            )
        if bytes_fields is not None and not isinstance(bytes_fields, list):
            raise ValueError(f"Parameter bytes_fields: {bytes_fields} must be list(str).")
        for name in bytes_fields or ():
            if not isinstance(name, str) or name not in feature_dict or _kind(feature_dict[name]) != "string":
                raise ValueError(
                    f"Parameter bytes_fields's item: {name} should be a feature of type string in feature_dict: "
                    f"{feature_dict}."
                )
        self.feature_dict, self._bytes = feature_dict, set(bytes_fields or ())
        self._schema = {_plain_name(name): self._field(name) for name in feature_dict}

    def _field(self, name: str) -> dict[str, Any]:
        feature = self.feature_dict[name]
        kind, shape = _kind(feature), list(feature.shape or ())
        if name in self._bytes:
            return {"type": "bytes"}
        if not shape:
            return {"type": kind}
        if len(shape) != 1 or not isinstance(shape[0], int) or shape[0] < 1 or kind == "string":
            raise ValueError(
                f"Parameter feature_dict[{name}] should have a shape of one positive number and no strings, but got "
                f"{shape} of {kind}."
            )
        return {"type": kind, "shape": shape}

    def run(self) -> int:
        """Convert. Returns: `SUCCESS`. Raises: ValueError: a record lacks a feature. RuntimeError: the file is no
        TFRecord file.
        """
        _write(FileWriter(self.destination), self._schema, "TFRecord to MindRecord", None, self._rows())
        return SUCCESS

    def transform(self) -> None:
        """As `run`, without a result."""
        self.run()

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
                raise ValueError(
                    f"TFRecord feature_dict parameter error: feature {name} should be {field}, but is {listed} of "
                    f"{len(values)} values."
                )
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
