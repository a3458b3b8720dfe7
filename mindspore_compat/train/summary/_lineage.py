"""Lineage messages of a run, for MindInsight's lineage page."""

from __future__ import annotations

import json
import logging
import os
from typing import Any

import torch

from mindspore_compat._format.proto.lineage import DatasetGraph, EvaluationLineage, TrainLineage, UserDefinedInfo
from mindspore_compat.train.summary._lineage_operations import operation_params

_log = logging.getLogger("mindspore_compat")
_PATHS = ("dataset_dir", "dataset_file", "dataset_files")
_OP_TYPES = {
    "NumpySlicesDataset": "GeneratorDataset",
    "PaddedBatchDataset": "Batch",
    **{
        f"{name}Dataset": name for name in "Batch Repeat Shuffle Map Take Skip Zip Project Rename Filter Concat".split()
    },
}
_UNBUFFERED = set("Shuffle Repeat Take Skip Project Rename Concat Filter".split())  # no queue; workers for Filter only
_QUEUE_SIZE = 16


def _dataset_path(dataset: Any) -> str | None:
    """Return the folder of the first source that has one."""
    for name in _PATHS:
        value = getattr(dataset, name, None)
        value = value[0] if isinstance(value, (list, tuple)) and value else value
        if isinstance(value, (str, os.PathLike)) and value:
            path = os.fspath(value)
            return os.path.dirname(path) if os.path.isfile(path) else path
    for child in getattr(dataset, "children", ()):
        return _dataset_path(child)
    return None


def _dataset_sizes(dataset: Any) -> tuple[int, int]:
    """Return (batch size, samples)."""
    batches = dataset.get_dataset_size() if hasattr(dataset, "get_dataset_size") else len(dataset)
    batch_size = (
        dataset.get_batch_size() if hasattr(dataset, "get_batch_size") else getattr(dataset, "batch_size", None)
    )
    batch_size = batch_size if isinstance(batch_size, int) else 1
    return batch_size, batches * batch_size


def _checkpoint(callbacks: Any) -> str | None:
    """Return the newest file of a ModelCheckpoint among the callbacks."""
    for callback in callbacks or ():
        path = getattr(callback, "latest_ckpt_file_name", None)
        if path:
            return os.path.abspath(path)
    return None


def _learning_rate(optimizer: Any) -> float | None:
    if (
        isinstance(optimizer, torch.optim.Optimizer)
        and getattr(optimizer, "param_groups", None)
        and "lr" in optimizer.param_groups[0]
    ):
        return float(optimizer.param_groups[0]["lr"])
    rate = getattr(optimizer, "learning_rate", None)
    return float(rate.reshape(-1)[0]) if isinstance(rate, torch.nn.Parameter) else None


def train_lineage(cb_params: Any, loss: float | None, optimizer: Any, loss_fn: Any) -> Any:
    """Return a TrainLineage of a run that ends."""
    message = TrainLineage()
    parameters = message.hyper_parameters
    message.algorithm.network = type(cb_params.network).__name__
    if loss is not None:
        message.algorithm.loss = loss
    batch_size, size = _dataset_sizes(cb_params.train_dataset)
    path = _dataset_path(cb_params.train_dataset)
    if path is not None:
        message.train_dataset.train_dataset_path = path
    message.train_dataset.train_dataset_size = size
    checkpoint = _checkpoint(cb_params.list_callback)
    message.model.path = json.dumps({"ckpt": checkpoint})
    message.model.size = os.path.getsize(checkpoint) if checkpoint and os.path.exists(checkpoint) else 0
    rate = _learning_rate(optimizer)
    if rate is not None:
        parameters.learning_rate = rate
    if optimizer is not None:
        parameters.optimizer = type(optimizer).__name__
    if loss_fn is not None:
        parameters.loss_function = getattr(loss_fn, "__name__", None) or type(loss_fn).__name__
    parameters.parallel_mode, parameters.epoch = str(cb_params.parallel_mode), cb_params.epoch_num
    parameters.device_num, parameters.batch_size = cb_params.device_number, batch_size
    return message


def eval_lineage(cb_params: Any) -> Any:
    """Return an EvaluationLineage of an evaluation that ends."""
    message = EvaluationLineage()
    try:
        message.metric = json.dumps(cb_params.metrics)
    except TypeError as error:
        _log.warning("SummaryCollector: the metrics are no JSON, and left out of the lineage: %s.", error)
    path = _dataset_path(cb_params.valid_dataset)
    if path is not None:
        message.valid_dataset.valid_dataset_path = path
    message.valid_dataset.valid_dataset_size = _dataset_sizes(cb_params.valid_dataset)[1]
    return message


def custom_lineage(data: dict[str, Any]) -> Any:
    """Return a UserDefinedInfo with one entry a key."""
    message = UserDefinedInfo()
    for key, value in data.items():
        kind = "map_int32" if isinstance(value, int) else "map_double" if isinstance(value, float) else "map_str"
        getattr(message.user_info.add(), kind)[key] = value
    return message


def dataset_graph(dataset: Any) -> Any:
    """Return a DatasetGraph: a node's type and plain settings, and its children. None for other objects than pipelines
    of ``mindspore.dataset``.
    """
    if not hasattr(dataset, "children"):
        return None
    message = DatasetGraph()
    _describe(dataset, message)
    return message


def _describe(dataset: Any, message: Any) -> None:
    for child in dataset.children:
        _describe(child, message.children.add())
    kind = type(dataset).__name__.lstrip("_")
    kind = _OP_TYPES.get(kind, kind)
    message.parameter.mapStr["op_type"] = kind
    if kind not in _UNBUFFERED:
        message.parameter.mapInt["connector_queue_size"] = _QUEUE_SIZE
    for operation in getattr(dataset, "operations", None) or ():
        for facts in operation_params(operation):
            message.operations.add().operationParam.mapStr.update(facts)
    left_out = {"children", "operations", "column_names", "python_multiprocessing"}
    if kind in _UNBUFFERED and kind != "Filter":
        left_out.add("num_parallel_workers")
    for name, value in vars(dataset).items():
        if not name.startswith("_") and name not in left_out:
            _set(message.parameter, name, value)
    if (
        kind == "Map"
        and "output_columns" not in message.parameter.mapStrList
        and "input_columns" in message.parameter.mapStrList
    ):
        message.parameter.mapStrList["output_columns"].CopyFrom(message.parameter.mapStrList["input_columns"])
    if kind == "Shuffle":
        message.parameter.mapBool["reset_each_epoch"] = True
    for name in ("per_batch_map", "predicate"):
        if callable(getattr(dataset, name, None)):
            message.parameter.mapStr[name] = "pyfunc"


def _set(parameter: Any, name: str, value: Any) -> None:
    """Write one setting; skip arrays, functions and the like."""
    if isinstance(value, bool):
        parameter.mapBool[name] = value
    elif isinstance(value, int) and -1 << 31 <= value < 1 << 31:
        parameter.mapInt[name] = value
    elif isinstance(value, float):
        parameter.mapDouble[name] = value
    elif isinstance(value, str):
        parameter.mapStr[name] = value
    elif isinstance(value, (list, tuple)) and value and all(isinstance(item, str) for item in value):
        parameter.mapStrList[name].strValue.extend(json.dumps(item) for item in value)
