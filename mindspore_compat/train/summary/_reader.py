"""Reading runs back, real MindSpore's too, and converting them for TensorBoard."""
from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mindspore_compat._format.events import DATA_TYPES, Histogram, Picture, Values
from mindspore_compat._format.records import iterate_records
from mindspore_compat._format.wire import FormatError

__all__ = ["SummaryData", "read_summary", "to_tensorboard"]

_log = logging.getLogger("mindspore_compat")
_NAME = re.compile(r".*\.out\.events\.summary\.(?P<seconds>\d+)\..*", re.DOTALL)
_TYPES = {number: name for name, number in DATA_TYPES.items()}
_LINEAGE_PLUGINS = {"train_lineage": "train_lineage", "evaluation_lineage": "eval_lineage", "dataset_graph": "dataset_graph",
                    "user_defined_info": "custom_lineage_data"}


@dataclass
class SummaryData:
    """What a run recorded. Everything by tag is {tag: {step: value}} in the order of the files; of a tag and step the last one counts.

    scalars: floats. tensors: arrays of the recorded type (the file keeps float32). images: uint8 arrays (height, width, 3).
    histograms: `Histogram`. landscapes: LossLandscape messages. graphs: GraphProto messages. lineage: {plugin: [message]}.
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
        """(steps, values) of a scalar.

        Raises:
            KeyError: if there is no such scalar; the message lists those there are.
        """
        if tag not in self.scalars:
            raise KeyError(f"There is no scalar {tag!r}; there are {sorted(self.scalars)}.")
        points = self.scalars[tag]
        return np.array(list(points), np.int64), np.array(list(points.values()), np.float32)


def _files_of(path: str) -> list[str]:
    """The event files of a run, oldest first, a lineage file after its summary file.

    Raises:
        FileNotFoundError: if there is none.
    """
    if os.path.isfile(path):
        return [path]
    if not os.path.isdir(path):
        raise FileNotFoundError(f"There is no file or folder {path!r}. Give the folder that SummaryRecord or SummaryCollector wrote to.")
    found = []
    for name in os.listdir(path):
        match = _NAME.fullmatch(name)
        if match and not name.endswith("_explain") and os.path.isfile(os.path.join(path, name)):
            found.append((int(match["seconds"]), name.endswith("_lineage"), name))
    if not found:
        raise FileNotFoundError(f"The folder {path!r} holds no summary files (names with '.out.events.summary.'). Give the folder of one run.")
    return [os.path.join(path, name) for _, _, name in sorted(found)]


def _events(path: str) -> Iterator[Any]:
    """The messages of a file, as far as they can be read: a damaged record ends it with a warning."""
    from mindspore_compat._format.proto import lineage, summary

    kind = lineage.LineageEvent if path.endswith("_lineage") else summary.Event
    try:
        for data in iterate_records(path):
            yield kind.FromString(data)
    except FormatError as error:
        _log.warning("%s What stands before it was read.", error)
    except Exception as error:  # protobuf's DecodeError, which is not to be imported for this alone
        if type(error).__name__ != "DecodeError":
            raise
        _log.warning("%s holds a record that is no %s; what stands before it was read.", path, kind.__name__)


def _histogram(message: Any) -> Histogram:
    buckets = message.buckets
    valid = bool(buckets)
    return Histogram([b.left for b in buckets], [b.width for b in buckets], [b.count for b in buckets], message.min if valid else None,
                     message.max if valid else None, message.sum if valid else None, message.count, message.nan_count, message.pos_inf_count,
                     message.neg_inf_count)


def _value(message: Any) -> tuple[str, str, Any]:
    """(kind, tag, value) of a Summary.Value."""
    kind = message.WhichOneof("value")
    if kind == "scalar_value":
        return "scalar", message.tag, message.scalar_value
    if kind == "image":
        return "image", message.tag, Picture(message.image.height, message.image.width, message.image.colorspace, message.image.encoded_image)
    if kind == "histogram":
        return "histogram", message.tag, _histogram(message.histogram)
    if kind == "tensor":
        return "tensor", message.tag, Values(tuple(message.tensor.dims), message.tensor.data_type, np.array(message.tensor.float_data, np.float32))
    return "landscape", message.tag, message.loss_landscape.SerializeToString()


def _decoded(kind: str, value: Any) -> Any:
    """A value for `SummaryData`."""
    if kind == "image":
        import io

        from PIL import Image
        return np.asarray(Image.open(io.BytesIO(value.png)))
    if kind == "tensor":
        name = _TYPES.get(value.data_type, "float32")
        with np.errstate(all="ignore"):
            return value.values.reshape(value.dims).astype("float32" if name == "bfloat16" else name)
    if kind == "landscape":
        from mindspore_compat._format.proto.summary import LossLandscape
        return LossLandscape.FromString(value)
    return value


def read_summary(path: str) -> SummaryData:
    """Everything in a run's folder (or in one file); a cut-off or damaged end of a file is left out.

    Raises:
        FileNotFoundError: if there are no summary files.
    """
    data = SummaryData(_files_of(os.fspath(path)))
    for name in data.files:
        for message in _events(name):
            what = message.WhichOneof("what")
            if what in _LINEAGE_PLUGINS:
                data.lineage.setdefault(_LINEAGE_PLUGINS[what], []).append(getattr(message, what))
            elif what == "graph_def":
                data.graphs.append(message.graph_def)
            elif what == "summary":
                for row in message.summary.value:
                    kind, tag, value = _value(row)
                    getattr(data, f"{kind}s").setdefault(tag, {})[message.step] = _decoded(kind, value)
    return data


def to_tensorboard(path: str, output: str | None = None) -> str:
    """Convert an existing MindSpore run (a folder, or one file) to a TensorBoard event file; returns its path.

    Args:
        output: the folder for it; default the run's own.

    Raises:
        FileNotFoundError: if there are no summary files. ValueError: if ``output`` already holds a TensorBoard file, so that nothing shows twice.
    """
    from mindspore_compat.train.summary._tensorboard import TensorBoardFile

    path = os.fspath(path)
    files = _files_of(path)
    folder = os.fspath(output) if output is not None else path if os.path.isdir(path) else os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    there = sorted(name for name in os.listdir(folder) if "tfevents" in name)
    if there:
        raise ValueError(f"The folder {folder!r} already holds a TensorBoard file ({there[0]}). Give another 'output', or remove it.")
    match = _NAME.fullmatch(os.path.basename(files[0]))
    target = TensorBoardFile(folder, int(match["seconds"]) if match else None)
    try:
        for name in files:
            for message in _events(name):
                _convert(message, target)
    finally:
        target.close()
    return target.file.path


def _convert(message: Any, target: Any) -> None:
    what = message.WhichOneof("what")
    if what in _LINEAGE_PLUGINS:
        target.lineage(message.wall_time, _LINEAGE_PLUGINS[what], getattr(message, what).SerializeToString())
    elif what == "graph_def":
        target.graph(message.wall_time, message.graph_def.SerializeToString())
    elif what == "summary":
        target.record(message.wall_time, message.step, [_value(row) for row in message.summary.value])
