"""Reader of runs, real MindSpore's too, and their conversion for TensorBoard."""

from __future__ import annotations

import io
import os
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from PIL import Image

from mindspore_compat._format.events import DATA_TYPES, Histogram, Picture, Values
from mindspore_compat._format.proto import lineage, summary
from mindspore_compat._format.proto._build import check_parts
from mindspore_compat._format.records import iterate_records
from mindspore_compat._format.wire import FormatError
from mindspore_compat.log import logger
from mindspore_compat.train.summary._tensorboard import TensorBoardFile

_NAME = re.compile(r".*\.out\.events\.summary\.(?P<seconds>\d+)\..*", re.DOTALL)
_MOST_WARNINGS = 5  # of a file
_MOST_PIXELS = 1 << 25
_TYPES = {number: name for name, number in DATA_TYPES.items()}
_LINEAGE_PLUGINS = {
    "train_lineage": "train_lineage",
    "evaluation_lineage": "eval_lineage",
    "dataset_graph": "dataset_graph",
    "user_defined_info": "custom_lineage_data",
}


@dataclass
class SummaryData:
    """Data of a run. Data by tag are {tag: {step: value}} in the order of the files; the last one of a tag and step
    counts.

    scalars: floats. tensors: arrays of the recorded type (the file keeps float32). images: uint8 arrays (height, width,
    3). histograms: `Histogram`. landscapes: LossLandscape messages. graphs: GraphProto messages. lineage: {plugin:
    [message]}.
    """

    files: list[str] = field(default_factory=list)
    scalars: dict[str, dict[int, float]] = field(default_factory=dict)
    tensors: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)
    images: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)
    histograms: dict[str, dict[int, Histogram]] = field(default_factory=dict)
    landscapes: dict[str, dict[int, Any]] = field(default_factory=dict)
    graphs: list[Any] = field(default_factory=list)
    lineage: dict[str, list[Any]] = field(default_factory=dict)

    def curve(self, tag: str) -> tuple[np.ndarray, np.ndarray]:
        """Return (steps, values) of a scalar.

        Raises:
            KeyError: if there is no such scalar; the message lists those there are.
        """
        if tag not in self.scalars:
            raise KeyError(f"There is no scalar {tag!r}; there are {sorted(self.scalars)}.")
        points = self.scalars[tag]
        return np.array(list(points), np.int64), np.array(list(points.values()), np.float32)


def _files_of(path: str) -> list[str]:
    """Return the event files of a run, oldest first, a lineage file after its summary file.

    Raises:
        FileNotFoundError: if there is none.
    """
    if os.path.isfile(path):
        return [path]
    found = []
    for name in os.listdir(path):
        match = _NAME.fullmatch(name)
        if match and not name.endswith("_explain") and os.path.isfile(os.path.join(path, name)):
            found.append((int(match["seconds"]), name.endswith("_lineage"), name))
    if not found:
        raise FileNotFoundError(f"The folder {path!r} holds no summary files (names with '.out.events.summary.').")
    return [os.path.join(path, name) for _, _, name in sorted(found)]


class _Report:
    """Log of skipped parts of a file: the first few of each kind, then their number."""

    def __init__(self, path: str) -> None:
        self._path, self._count = path, 0

    def note(self, what: str, error: object) -> None:
        self._count += 1
        if self._count <= _MOST_WARNINGS:
            logger.warning("%s: %s is left out: %.500s", self._path, what, str(error).removeprefix(f"{self._path}: "))

    def end(self) -> None:
        if self._count > _MOST_WARNINGS:
            logger.warning("%s: %d more records or values are left out.", self._path, self._count - _MOST_WARNINGS)

    @contextmanager
    def sparing(self, what: str) -> Iterator[None]:
        """Skip errors in the file's content within the context; raise errors of writing."""
        try:
            yield
        except OSError as error:  # pillow's have no number
            if error.errno is not None:
                raise
            self.note(what, error)
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            RuntimeError,
            SyntaxError,
            TypeError,
            ValueError,
            zlib.error,
            struct.error,
        ) as error:
            self.note(what, f"{type(error).__name__}: {error}")


def _events(path: str, report: _Report) -> Iterator[Any]:
    """Yield the messages of a file: damaged or invalid records are skipped; after a wrong length no more are found."""
    kind = lineage.LineageEvent if path.endswith("_lineage") else summary.Event
    try:
        for number, data in enumerate(iterate_records(path, damaged=lambda error: report.note("a record", error))):
            try:
                check_parts(kind, data)
                message = kind.FromString(data)
            except (DecodeError, FormatError) as error:
                report.note(f"the record {number}, which is no {kind.__name__},", error)
                continue
            yield message
    except FormatError as error:
        report.note("the rest", error)
    report.end()


def _histogram(message: Any) -> Histogram:
    buckets = message.buckets
    valid = bool(buckets)
    return Histogram(
        [b.left for b in buckets],
        [b.width for b in buckets],
        [b.count for b in buckets],
        message.min if valid else None,
        message.max if valid else None,
        message.sum if valid else None,
        message.count,
        message.nan_count,
        message.pos_inf_count,
        message.neg_inf_count,
    )


def _value(message: Any) -> tuple[str, str, Any]:
    """Return (kind, tag, value) of a Summary.Value."""
    kind = message.WhichOneof("value")
    if kind is None or not isinstance(message.tag, str):
        raise ValueError("it has no value" if kind is None else f"its tag {message.tag!r:.100} is no UTF-8")
    if kind == "scalar_value":
        return "scalar", message.tag, message.scalar_value
    if kind == "image":
        return (
            "image",
            message.tag,
            Picture(message.image.height, message.image.width, message.image.colorspace, message.image.encoded_image),
        )
    if kind == "histogram":
        return "histogram", message.tag, _histogram(message.histogram)
    if kind == "tensor":
        return (
            "tensor",
            message.tag,
            Values(
                tuple(message.tensor.dims), message.tensor.data_type, np.array(message.tensor.float_data, np.float32)
            ),
        )
    return "landscape", message.tag, message.loss_landscape.SerializeToString()


def _decoded(kind: str, value: Any) -> Any:
    """Return a value for `SummaryData`."""
    if kind == "image":
        return _pixels(value.png)
    if kind == "tensor":
        name = _TYPES.get(value.data_type, "float32")
        if any(size < 0 for size in value.dims):
            raise ValueError(f"the shape {value.dims} has sizes below 0")
        with np.errstate(all="ignore"):
            return value.values.reshape(value.dims).astype("float32" if name == "bfloat16" else name)
    if kind == "landscape":
        return summary.LossLandscape.FromString(value)
    return value


def _pixels(png: bytes) -> np.ndarray:
    """Return the pixels of a picture; raise ValueError if they are too many for the memory."""
    with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise ValueError(
                f"a picture of {picture.width} x {picture.height} pixels is larger than {_MOST_PIXELS} pixels"
            )
        return np.asarray(picture)


def read_summary(path: str) -> SummaryData:
    """Return everything in a run's folder, or in one file.

    Damaged parts are skipped with a warning that names the file: a record, a value (also a picture of more than 2**25
    pixels), or all data after a wrong record length. A truncated end, as from a killed writer, is no damage.

    Raises:
        FileNotFoundError: if there are no summary files. OSError: if one cannot be read. Both with the name.
    """
    data = SummaryData(_files_of(os.fspath(path)))
    for name in data.files:
        report = _Report(name)
        for message in _events(name, report):
            what = message.WhichOneof("what")
            if what in _LINEAGE_PLUGINS:
                data.lineage.setdefault(_LINEAGE_PLUGINS[what], []).append(getattr(message, what))
            elif what == "graph_def":
                data.graphs.append(message.graph_def)
            elif what == "summary":
                for row in message.summary.value:
                    with report.sparing(f"a value of step {message.step}"):
                        kind, tag, value = _value(row)
                        decoded = _decoded(kind, value)
                        getattr(data, f"{kind}s").setdefault(tag, {})[message.step] = decoded
    return data


def to_tensorboard(path: str, output: str | None = None) -> str:
    """Convert an existing MindSpore run (a folder, or one file) to a TensorBoard event file; return its path.

    Args:
        output: the folder for it; default the run's own.

    What is damaged is left out, as by `read_summary`.

    Raises:
        FileNotFoundError: if there are no summary files. OSError: if one cannot be read, or the new one not be
            written. Both with the name.
        ValueError: if ``output`` already holds a TensorBoard file, so that nothing shows twice.
    """
    path = os.fspath(path)
    files = _files_of(path)
    folder = os.fspath(output) if output is not None else path if os.path.isdir(path) else os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    there = sorted(name for name in os.listdir(folder) if "tfevents" in name)
    if there:
        raise ValueError(f"The folder {folder!r} holds a TensorBoard file ({there[0]}): give another 'output'.")
    match = _NAME.fullmatch(os.path.basename(files[0]))
    target = TensorBoardFile(folder, int(match["seconds"]) if match else None)
    try:
        for name in files:
            report = _Report(name)
            for message in _events(name, report):
                with report.sparing(f"what step {getattr(message, 'step', 0)} holds"):
                    _convert(message, target, report)
    finally:
        target.close()
    return target.file.path


def _convert(message: Any, target: Any, report: _Report) -> None:
    what = message.WhichOneof("what")
    if what in _LINEAGE_PLUGINS:
        target.lineage(message.wall_time, _LINEAGE_PLUGINS[what], getattr(message, what).SerializeToString())
    elif what == "graph_def":
        target.graph(message.wall_time, message.graph_def.SerializeToString())
    elif what == "summary":
        values = []
        for row in message.summary.value:
            with report.sparing(f"a value of step {message.step}"):
                values.append(_value(row))
        try:
            target.record(message.wall_time, message.step, values)
        except OSError:
            raise
        except Exception:  # of one of them: the others go on
            for value in values:
                with report.sparing(f"{value[1]!r:.100} of step {message.step}"):
                    target.record(message.wall_time, message.step, [value])
