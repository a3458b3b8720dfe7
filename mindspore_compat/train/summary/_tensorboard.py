"""Event files: framed records, written whole or not at all, flushed on request. And the same values as a TensorBoard
file: scalars, images, histograms; lineage as text and hparams; graphs.

A tensor appears as the histogram ``TAG/tensor``, since TensorBoard has no tensors. A tag shared by two kinds gets the
second kind appended, since TensorBoard needs one kind a tag.
"""

from __future__ import annotations

import itertools
import json
import os
import platform
import re
import time
from typing import Any

from mindspore_compat._format.events import TENSORBOARD_VALUES, event, make_histogram, summary_event
from mindspore_compat._format.proto import anf_ir
from mindspore_compat._format.proto import lineage as messages
from mindspore_compat._format.records import OVERHEAD, frame
from mindspore_compat.train.summary._landscape import landscape_pictures

_BUFFERED = 1 << 16
_SECONDS = re.compile(r"(?<=\.summary)\.(\d+)\.")


class FileIsFull(Exception):
    """Error for a next record beyond ``max_file_size``."""


class EventFile:
    """A file, created at its first record.

    Args:
        path: if it exists then, the next second is taken for the one in its name.
        first: the Event that stands at its beginning as (field key, text), or None.
        mode_at_end: permissions once it is closed.
        limit: ``max_file_size``; None for none.
    """

    def __init__(
        self, path: str, first: tuple[bytes, bytes] | None, mode_at_end: int | None = None, limit: int | None = None
    ) -> None:
        self.path = path
        self._first, self._mode_at_end, self._left = first, mode_at_end, limit
        self._handle: int | None = None
        self._waiting: list[bytes] = []
        self._waiting_bytes = self._place = 0

    def write(self, data: bytes) -> None:
        """Add a record.

        Raises:
            FileIsFull: if ``limit`` forbids it. OSError: with the path; the file then ends with its last whole record.
        """
        if self._handle is None:
            self._handle = self._make()
            if self._first is not None:
                self._add(event(time.time(), *self._first))
        self._add(data)

    def _make(self) -> int:
        while True:
            try:
                return os.open(
                    self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if self._mode_at_end is not None else 0o644
                )
            except FileExistsError:  # of another process that began in the same second
                name = _SECONDS.sub(lambda match: f".{int(match[1]) + 1}.", os.path.basename(self.path), count=1)
                if name == os.path.basename(self.path):
                    raise
                self.path = os.path.join(os.path.dirname(self.path), name)

    def _add(self, data: bytes) -> None:
        if self._left is not None:
            needed = len(data) + OVERHEAD
            if needed > self._left:
                raise FileIsFull(
                    f"'max_file_size' reached: {self.path!r} gets no more records, {self._left} bytes are left."
                )
            self._left -= needed
        record = frame(data)
        self._waiting.append(record)
        self._waiting_bytes += len(record)
        if self._waiting_bytes >= _BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Pass everything to the system."""
        if not self._waiting or self._handle is None:
            return
        records, self._waiting, self._waiting_bytes = self._waiting, [], 0
        try:
            view = memoryview(b"".join(records))
            written = 0
            while written < len(view):
                written += os.write(self._handle, view[written:])
            self._place += written
        except OSError as error:
            self._keep_whole(records)
            raise OSError(error.errno, error.strerror, self.path) from error

    def _keep_whole(self, records: list[bytes]) -> None:
        """Truncate the file after a failed write, behind the last complete record."""
        assert self._handle is not None
        end = os.lseek(self._handle, 0, os.SEEK_END)
        for record in records:
            if self._place + len(record) > end:
                break
            self._place += len(record)
        os.ftruncate(self._handle, self._place)

    def close(self) -> None:
        """Flush and close; no more records are accepted."""
        if self._handle is None:
            return
        try:
            self.flush()
        finally:
            handle, self._handle = self._handle, None
            if self._mode_at_end is not None:
                os.fchmod(handle, self._mode_at_end)
            os.close(handle)


def graph_def(graph: bytes) -> bytes:
    """Return TensorBoard's GraphDef of a GraphProto: scopes become name scopes."""
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    source, target = anf_ir.GraphProto.FromString(graph), GraphDef()
    names: dict[str, str] = {}
    for parameter in source.parameters:
        names[parameter.name] = f"Parameters/{parameter.name}"
        target.node.add(name=names[parameter.name], op="Parameter")
    for constant in source.const_vals:
        names[constant.key] = f"Constants/{constant.key}"
        target.node.add(name=names[constant.key], op="Const")
    for node in source.node:
        names[node.name] = _safe(node.full_name or f"{node.scope}/{node.op_type}-{node.name}")
    for node in source.node:
        row = target.node.add(name=names[node.name], op=node.op_type)
        for source_of in node.input:
            name = names.get(source_of.name)
            if name is not None:
                row.input.append(f"^{name}" if source_of.type == 1 else name)
    return bytes(target.SerializeToString())


def _safe(name: str) -> str:
    return name.replace(" ", "_").replace(":", "_").lstrip("/")


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def lineage_facts(plugin: str, message: Any) -> tuple[dict[str, Any], dict[str, float]]:
    """Return (parameters, results) of a lineage message, by names that MindInsight's lineage page uses."""
    if plugin == "train_lineage":
        hparams = {part.name: value for part, value in message.hyper_parameters.ListFields()}
        hparams.update({part.name: value for part, value in message.train_dataset.ListFields()})
        if message.algorithm.HasField("network"):
            hparams["network"] = message.algorithm.network
        if message.HasField("model"):
            path = _read_json(message.model.path)
            hparams["model_path"] = str(path.get("ckpt") if isinstance(path, dict) else path)
            hparams["model_size"] = message.model.size
        return hparams, {"lineage/loss": message.algorithm.loss} if message.algorithm.HasField("loss") else {}
    if plugin == "eval_lineage":
        found = _read_json(message.metric) if message.metric else {}
        numbers = (
            {f"lineage/eval_{key}": float(value) for key, value in found.items() if isinstance(value, (int, float))}
            if isinstance(found, dict)
            else {}
        )
        return {part.name: value for part, value in message.valid_dataset.ListFields()}, numbers
    if plugin == "custom_lineage_data":
        custom: dict[str, Any] = {}
        for info in (message, *message.user_info):
            custom.update({**info.map_int32, **info.map_str, **info.map_double})
        return custom, {}
    return {}, {}


_VARIABLE = "MINDSPORE_COMPAT_TENSORBOARD"
_chosen: bool | None = None
_numbers = itertools.count()


def set_tensorboard(enabled: bool | None) -> None:
    """Set whether new recorders also write a TensorBoard file; None reads the environment
    (``MINDSPORE_COMPAT_TENSORBOARD=0`` is off, default on).
    """
    global _chosen
    _chosen = enabled


def tensorboard_enabled() -> bool:
    """Return the setting of `set_tensorboard` or the environment."""
    return _chosen if _chosen is not None else os.environ.get(_VARIABLE, "1").lower() not in ("0", "false", "off", "no")


class TensorBoardFile:
    """TensorBoard file with the values of the MindSpore file; one for each recorder."""

    def __init__(self, folder: str, seconds: int | None = None) -> None:
        seconds = int(time.time()) if seconds is None else seconds
        name = f"events.out.tfevents.{seconds}.{platform.node()}.{os.getpid()}.{next(_numbers)}"
        self.file = EventFile(os.path.join(folder, name), (b"\x1a", b"brain.Event:2"))
        self._kinds: dict[str, str] = {}
        self._hparams: dict[str, Any] = {}
        self._metrics: dict[str, float] = {}
        self._hparams_are_due = False

    def _named(self, tag: str, kind: str) -> str:
        if self._kinds.setdefault(tag, kind) == kind:
            return tag
        return self._named(f"{tag}/{kind}", kind)

    def record(self, wall_time: float, step: int, values: list[tuple[str, str, Any]]) -> None:
        """Write one step: (kind, tag, value) each."""
        summary = _new_summary()
        for kind, tag, value in values:
            if kind == "tensor":
                kind, tag, value = "histogram", f"{tag}/tensor", make_histogram(value.values)
            items = {tag: value}
            if kind == "landscape":
                kind, items = "image", {f"{tag}/{name}": item for name, item in landscape_pictures(tag, value).items()}
            for name, item in items.items():
                TENSORBOARD_VALUES[kind](summary.value.add(tag=self._named(name, kind)), item)
        if summary.value:
            self.file.write(summary_event(wall_time, step, summary))

    def graph(self, wall_time: float, graph: bytes) -> None:
        """Write a GraphProto of MindSpore."""
        self.file.write(event(wall_time, b"\x22", graph_def(graph)))

    def lineage(self, wall_time: float, plugin: str, body: bytes) -> None:
        """Write a lineage message as text; its parameters and results also as hparams at the end."""
        kind = {
            "train_lineage": messages.TrainLineage,
            "eval_lineage": messages.EvaluationLineage,
            "dataset_graph": messages.DatasetGraph,
            "custom_lineage_data": messages.UserDefinedInfo,
        }[plugin]
        from torch.utils.tensorboard.summary import text

        message = kind.FromString(body)
        hparams, metrics = lineage_facts(plugin, message)
        self._hparams.update(hparams)
        self._metrics.update(metrics)
        self._hparams_are_due = self._hparams_are_due or bool(hparams or metrics)
        shown = f"```\n{message}```" if plugin == "dataset_graph" else _table({**hparams, **metrics})
        summary = text(f"lineage/{plugin}", shown)
        for tag, number in metrics.items():
            summary.value.add(tag=tag, simple_value=number)
        self.file.write(summary_event(wall_time, 0, summary))

    def _write_hparams(self) -> None:
        from torch.utils.tensorboard.summary import hparams

        self._hparams_are_due = False
        shown = {
            str(name): value if isinstance(value, (bool, int, float, str)) else str(value)
            for name, value in self._hparams.items()
        }
        for summary in hparams(shown, self._metrics):
            self.file.write(event(time.time(), b"\x2a", summary.SerializeToString()))

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        try:
            if self._hparams_are_due:
                self._write_hparams()
        finally:  # whatever torch says of them
            self.file.close()


def _table(facts: dict[str, Any]) -> str:
    return "\n".join(["| name | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in facts.items())])


def _new_summary() -> Any:
    from tensorboard.compat.proto.summary_pb2 import Summary

    return Summary()
