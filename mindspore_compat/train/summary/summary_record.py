"""`SummaryRecord`. MindSpore: ``mindspore.train.summary.summary_record``."""

from __future__ import annotations

import atexit
import os
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat import context
from mindspore_compat._api.validate import check_one_of, check_type
from mindspore_compat._format.events import DATA_TYPES
from mindspore_compat._format.proto.anf_ir import ModelProto
from mindspore_compat._ops.debug import summary_hooks
from mindspore_compat.communication.management import get_rank
from mindspore_compat.log import logger
from mindspore_compat.parallel._utils import _get_device_num
from mindspore_compat.train.summary._checks import check_export_options, check_file_part, make_directory
from mindspore_compat.train.summary._graph import InputsTrace, graph_of
from mindspore_compat.train.summary._tensorboard import tensorboard_enabled
from mindspore_compat.train.summary._writer import RecordWriter

__all__ = ["SummaryRecord"]

_MESSAGES = {
    "train_lineage": "TrainLineage",
    "eval_lineage": "EvaluationLineage",
    "dataset_graph": "DatasetGraph",
    "custom_lineage_data": "UserDefinedInfo",
    **dict.fromkeys(("landscape", "LANDSCAPE"), "LossLandscape"),
}
_GRAPHS = ("mindspore.irpb.ModelProto", "mindspore.irpb.GraphProto")


class SummaryRecord:
    """Recorder of a training run's values in a summary file (and lineage file) in a folder, and in a TensorBoard file
    beside it.

    Besides values from `add_value`, `record` takes those of summary operators (``ops.ScalarSummary`` and so on) since
    the last call, in train mode. One recorder at a time; close it, or use ``with``.

    Args:
        log_dir: the folder, made if needed.
        file_prefix, file_suffix: of the file names.
        num_process: accepted without effect; one background thread writes.
        network: its graph is recorded once, with the first `record`.
        max_file_size: bytes of each of MindSpore's files; later records are dropped with one warning. The TensorBoard
            file goes on.
        raise_exception: raise what fails while writing, from the next call; otherwise it is logged.
        export_options: {"tensor_format": "npy"} also saves tensors as .npy.

    ``mindspore_compat.train.summary.set_tensorboard(False)``, or MINDSPORE_COMPAT_TENSORBOARD=0 in the environment,
    turns the TensorBoard file off.

    Raises:
        TypeError, ValueError: for wrong arguments. RuntimeError: while another recorder is open.
    """

    count = 0

    def __init__(
        self,
        log_dir: str,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Any = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict | None = None,
    ) -> None:
        if SummaryRecord.count > 0:
            raise RuntimeError("There is one open SummaryRecord at a time: close the other one first.")
        folder = make_directory(log_dir, "log_dir")
        check_type(max_file_size, "max_file_size", (int, type(None)), "SummaryRecord")
        check_file_part(check_type(file_prefix, "file_prefix", str, "SummaryRecord"))
        check_file_part(check_type(file_suffix, "file_suffix", str, "SummaryRecord"))
        if max_file_size is not None and max_file_size < 0:
            logger.warning("SummaryRecord: the 'max_file_size' %s is below 0: no limit.", max_file_size)
            max_file_size = None
        self.raise_exception = raise_exception
        self._export_options = check_export_options(export_options)
        self.network = network
        self._mode = "train"
        self._pool: dict[str, list[tuple[str, Any]]] = {}
        self._size = 0
        self._closed = self._has_graph = False
        self._operators: dict[tuple[str, str], Any] = {}
        self._listening = True
        self._open_files(folder, file_prefix, file_suffix, max_file_size)
        SummaryRecord.count += 1
        self._process = os.getpid()
        summary_hooks.append(self._hear)
        self._inputs = self._trace_inputs(network)
        atexit.register(self.close)

    def _open_files(self, folder: str, prefix: str, suffix: str, limit: int | None) -> None:
        """Choose names: of this second, or of a later one if they are taken."""
        device = _device_number()
        seconds = int(time.time())
        while True:
            names = [
                f"{prefix}.out.events.summary.{seconds}.{device}.{platform.node()}{end}" for end in (suffix, "_lineage")
            ]
            summary, lineage = (os.path.join(folder, name) for name in names)
            export = os.path.join(folder, f"export_{seconds}") if self._export_options is not None else None
            if not any(os.path.exists(path) for path in (summary, lineage, export or summary)):
                break
            seconds += 1
        self._writer = RecordWriter(summary, lineage, export, limit, folder if tensorboard_enabled() else None)

    def __enter__(self) -> SummaryRecord:
        if self._closed:
            raise ValueError("The SummaryRecord is closed: make a new one.")
        return self

    def __exit__(self, *err: Any) -> None:
        self.close()

    def _hear(self, kind: str, name: str, value: Any) -> None:
        """Keep the newest value of each summary operator's name until `record`."""
        if self._listening and self._mode == "train" and self._process == os.getpid():
            self._operators[kind.lower(), name] = _to_host(kind.lower(), value, f"{kind}Summary", self._writer)

    def set_mode(self, mode: str) -> None:
        """Set "train", or "eval", in which summary operators are not recorded.

        Raises:
            ValueError: for another mode.
        """
        self._mode = check_one_of(mode, "mode", ("train", "eval"), "SummaryRecord.set_mode")

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Keep a value for the next `record`.

        Args:
            plugin: "scalar", "image" (NCHW), "tensor" or "histogram" with a Tensor; "graph" with the bytes of a
                ModelProto or the message; "train_lineage", "eval_lineage", "dataset_graph", "custom_lineage_data",
                "landscape" with their messages.
            name: the tag.

        Raises:
            ValueError: for an unknown plugin, an empty name, or a Tensor whose shape does not fit. TypeError: for
                another type of value.
        """
        if plugin in ("tensor", "scalar", "image", "histogram"):
            check_type(value, "value", torch.Tensor, "SummaryRecord")
            if not name or not isinstance(name, str):
                raise ValueError(f"For 'SummaryRecord', the 'name' must be a str that is not empty, but got {name!r}.")
            payload = _to_host(plugin, value, "SummaryRecord", self._writer)
        elif plugin == "graph":
            payload = _graph_bytes(value)
        elif plugin in _MESSAGES:
            if _full_name(value) != f"mindspore.irpb.{_MESSAGES[plugin]}":
                raise TypeError(
                    f"Plugin {plugin!r} expects a {_MESSAGES[plugin]} value, but got {type(value).__name__}."
                )
            payload = value.SerializeToString()
        else:
            raise ValueError(f"For 'SummaryRecord.add_value', there is no plugin {plugin!r}.")
        self._keep(plugin.lower(), name, payload)

    def _keep(self, plugin: str, name: str, payload: Any) -> None:
        if plugin == "tensor":
            array, data_type = payload
            payload = (array, data_type, bool(self._export_options and self._export_options.get("tensor_format")))
            self._size += array.nbytes
        elif isinstance(payload, np.ndarray):
            self._size += payload.nbytes
        self._pool.setdefault(plugin, []).append((name, payload))

    def record(self, step: int, train_network: Any = None, plugin_filter: Callable[[str], bool] | None = None) -> bool:
        """Write the added values, and those of summary operators, as values of a step.

        Args:
            train_network: whose graph to record if the recorder's ``network`` has none.
            plugin_filter: plugins for which it is false are thrown away.

        Returns:
            False if the recorder is closed.

        Raises:
            TypeError: unless ``step`` is an int and ``train_network`` a Cell (or torch module) or None. Any error of
                writing, with raise_exception.
        """
        check_type(step, "step", int, "SummaryRecord.record")
        if self._closed:
            logger.error("The SummaryRecord is closed: it records nothing.")
            return False
        self._raise_error()
        if self.network is not None and not self._has_graph:
            self._has_graph = True
            self._keep_graph(train_network if train_network is not None else self.network)
        if self._mode == "train":
            operators, self._operators = self._operators, {}
            for (plugin, name), payload in operators.items():
                self._keep(plugin, name, payload)
        pool, self._pool = self._pool, {}
        size, self._size = self._size, 0
        groups = [(plugin, items) for plugin, items in pool.items() if plugin_filter is None or plugin_filter(plugin)]
        if groups:
            self._writer.submit(groups, step, time.time(), size)
        return True

    def _keep_graph(self, network: Any) -> None:
        trace, self._inputs = self._inputs, None
        if trace is not None:
            trace.stop()
        inputs = trace.inputs if trace is not None and network is self.network else None
        self._keep("graph", "graph", graph_of(network, inputs=inputs).SerializeToString())

    @staticmethod
    def _trace_inputs(network: Any) -> Any:
        """Return a recorder of the inputs of the network's next call, for its graph."""
        if not isinstance(network, torch.nn.Module):
            return None
        return InputsTrace(network)

    @property
    def log_dir(self) -> str:
        """The full path of the summary file."""
        return self._writer.summary_file.path

    def flush(self) -> None:
        """Wait until everything recorded is in the files."""
        if self._closed:
            logger.error("The SummaryRecord is closed: there is nothing to flush.")
            return
        self._writer.flush()
        self._raise_error()

    def close(self) -> None:
        """Write the remaining values and close the files."""
        if self._closed or self._process != os.getpid():
            return
        self._closed = True
        atexit.unregister(self.close)
        SummaryRecord.count -= 1
        if self._hear in summary_hooks:
            summary_hooks.remove(self._hear)
        if self._inputs is not None:
            self._inputs.stop()
        self._writer.close()
        self._raise_error()

    def _raise_error(self) -> None:
        error = self._writer.take_error()
        if error is not None and self.raise_exception:
            raise error


def _device_number() -> int:
    if _get_device_num() > 1:
        return get_rank()
    return int(context.get_context("device_id"))


def _full_name(value: Any) -> str:
    return str(getattr(getattr(value, "DESCRIPTOR", None), "full_name", ""))


def _graph_bytes(value: Any) -> bytes:
    """Return the GraphProto in a ModelProto's bytes or a message."""
    if not isinstance(value, (bytes, bytearray)) and _full_name(value) not in _GRAPHS:
        raise TypeError(f"Plugin 'graph' takes a ModelProto, its bytes, or a GraphProto, but got {type(value)}.")
    if _full_name(value) == _GRAPHS[1]:
        return bytes(value.SerializeToString())
    model = ModelProto.FromString(bytes(value)) if isinstance(value, (bytes, bytearray)) else value
    return bytes(model.graph.SerializeToString())


def _to_host(plugin: str, value: torch.Tensor, owner: str, writer: RecordWriter) -> Any:
    """Return a copy of a Tensor for the writer: a number, an array, or for "tensor" (array, DataType)."""
    if value.dtype.is_complex:
        raise TypeError(f"For '{owner}', the value must be real, but is {value.dtype}: record both parts.")
    if plugin == "scalar":
        if value.numel() != 1:
            raise ValueError(f"For '{owner}', a scalar must hold one value, but got the shape {tuple(value.shape)}.")
        return torch._C.TensorBase.item(value)
    if plugin == "image" and value.dim() != 4:
        raise ValueError(f"For '{owner}', an image must be NCHW, but got the shape {tuple(value.shape)}.")
    if plugin in ("tensor", "histogram") and value.dim() == 0:
        raise ValueError(f"For '{owner}', a {plugin} needs an axis: record it as a scalar.")
    with torch._C.DisableTorchFunctionSubclass():
        name = str(value.dtype).removeprefix("torch.")
        plain = value.detach().to("cpu", torch.float32) if value.dtype == torch.bfloat16 else value
        source = plain.numpy(force=True)
        array = writer.room(source.shape, source.dtype)
        np.copyto(array, source)
    if plugin != "tensor":
        return array
    if name not in DATA_TYPES:
        raise TypeError(f"For '{owner}', a tensor must be of {list(DATA_TYPES)}, but is {name}.")
    return array, DATA_TYPES[name]


# --- for libraries: values of summary operators, without a recorder ---------------------------------------------------

_seen: dict[str, Any] = {}


def _keep(kind: str, name: str, value: Any) -> None:
    if context.get_context("mode") == context.GRAPH_MODE:
        _seen[f"{name}[:{kind}]"] = value


def _taken() -> dict[str, Any]:
    """Return the last value of each summary operator in GRAPH_MODE since the last call, by "name[:Tensor]"."""
    found = dict(_seen)
    _seen.clear()
    return found


def __getattr__(name: str) -> Any:
    if name != "_get_summary_tensor_data":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _keep not in summary_hooks:  # only on request: values stay in memory until taken
        summary_hooks.append(_keep)
    return _taken
