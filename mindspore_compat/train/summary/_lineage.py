"""Lineage messages of a run, for MindInsight's lineage page. An operation on columns has its name in MindSpore's C++
and its settings, such as the mean of a Normalize.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from mindspore_compat._format.proto.lineage import DatasetGraph, EvaluationLineage, TrainLineage, UserDefinedInfo
from mindspore_compat.log import logger

_Settings = dict[str, "str | Callable[[Any], Any]"]
_PYTHON_MODULE = "mindspore.dataset.transforms.py_transforms_util"  # of a function in a map
_INTERPOLATION = {0: 1, 1: 0, 2: 0, 3: 2, 4: 3, 5: 4}  # our numbers, which are PIL's, to those of C++
_BORDERS = {"constant": 0, "edge": 1, "reflect": 2, "symmetric": 3}


def _single(value: Any) -> Any:
    """Return numbers in C++ precision, with 32-bit floats."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (float, np.floating)):
        return float(np.float32(value))
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (tuple, list, np.ndarray)):
        return [_single(item) for item in value]
    return value if value is None or isinstance(value, str) else str(value)


def _floats(name: str) -> Callable[[Any], Any]:
    return lambda operation: [float(np.float32(item)) for item in getattr(operation, name)]


def _interpolation(name: str) -> Callable[[Any], Any]:
    return lambda operation: _INTERPOLATION[int(getattr(operation, name))]


def _size(operation: Any) -> Any:
    return [operation.size] if isinstance(operation.size, int) else operation.size


def _center(operation: Any) -> Any:
    return [] if operation.center is None else list(operation.center)


def _constant(name: str) -> Callable[[Any], Any]:
    def settings(operation: Any) -> Any:
        array = np.asarray(getattr(operation, name))
        return {"data": _single(array.reshape(-1)), "shape": list(array.shape), "type": str(array.dtype)}

    return settings


def _border(operation: Any) -> int:
    return _BORDERS[str(getattr(operation.padding_mode, "value", operation.padding_mode))]


_DEVICE: _Settings = {"device_target": lambda operation: "CPU"}
_RESIZED: _Settings = {
    "interpolation": _interpolation("interpolation"),
    "max_attempts": "max_attempts",
    "ratio": _floats("ratio"),
    "scale": _floats("scale"),
    "size": _size,
}
_PADDED: _Settings = {"fill_value": "fill_value", "padding": "padding", "padding_mode": _border}
_ROTATED: _Settings = {
    "center": _center,
    "expand": "expand",
    "fill_value": "fill_value",
    "resample": _interpolation("resample"),
}
#: our class: (name in C++, its settings, or None if it has none); other classes are described by their
# name alone
_OPERATIONS: dict[str, tuple[str, _Settings | None]] = {
    "Rescale": (
        "Rescale",
        {"rescale": lambda op: float(np.float32(op.rescale)), "shift": lambda op: float(np.float32(op.shift))},
    ),
    "Normalize": ("Normalize", {**_DEVICE, "is_hwc": "is_hwc", "mean": _floats("mean"), "std": _floats("std")}),
    "NormalizePad": (
        "NormalizePad",
        {
            "dtype": "dtype",
            "is_hwc": "is_hwc",
            "mean": lambda op: _floats("mean")(op._normalize),
            "std": lambda op: _floats("std")(op._normalize),
        },
    ),
    "HWC2CHW": ("HwcToChw", None),
    "Duplicate": ("Duplicate", None),
    "Unique": ("Unique", None),
    "Slice": ("Slice", None),
    "Resize": ("Resize", {**_DEVICE, "interpolation": _interpolation("interpolation"), "size": _size}),
    "RandomResizedCrop": ("RandomResizedCrop", _RESIZED),
    "RandomCropDecodeResize": ("RandomCropDecodeResize", _RESIZED),
    "RandomCrop": ("RandomCrop", {**_PADDED, "pad_if_needed": "pad_if_needed", "size": _size}),
    "CenterCrop": ("CenterCrop", {"size": _size}),
    "Pad": ("Pad", {**_DEVICE, **_PADDED}),
    "Decode": ("Decode", {**_DEVICE, "rgb": lambda op: True}),
    "Crop": ("Crop", {**_DEVICE, "coordinates": lambda op: op.box[:2], "size": lambda op: op.box[2:]}),
    "RandomHorizontalFlip": ("RandomHorizontalFlip", {"prob": lambda op: float(np.float32(op.prob))}),
    "RandomVerticalFlip": ("RandomVerticalFlip", {"prob": lambda op: float(np.float32(op.prob))}),
    "HorizontalFlip": ("HorizontalFlip", _DEVICE),
    "VerticalFlip": ("VerticalFlip", _DEVICE),
    "Invert": ("Invert", _DEVICE),
    "Equalize": ("Equalize", _DEVICE),
    "AutoContrast": ("AutoContrast", {**_DEVICE, "cutoff": lambda op: float(op.cutoff), "ignore": "ignore"}),
    "RandomColorAdjust": (
        "RandomColorAdjust",
        {name: _floats(name) for name in ("brightness", "contrast", "hue", "saturation")},
    ),
    "RandomRotation": ("RandomRotation", {**_ROTATED, "degrees": _floats("degrees")}),
    "Rotate": ("Rotate", {**_DEVICE, **_ROTATED, "degree": lambda op: float(np.float32(op.degrees))}),
    "RandomAffine": (
        "RandomAffine",
        {
            "fill_value": "fill_value",
            "resample": _interpolation("resample"),
            **{name: _floats(name) for name in ("degrees", "scale", "shear", "translate")},
        },
    ),
    "RandomSharpness": ("RandomSharpness", {"degrees": _floats("degrees")}),
    "RandomColor": ("RandomColor", {"degrees": _floats("degrees")}),
    "RandomLighting": ("RandomLighting", {"alpha": lambda op: float(np.float32(op.alpha))}),
    "RandomPosterize": ("RandomPosterize", {"bits": "bits"}),
    "RandomSolarize": ("RandomSolarize", {"threshold": "threshold"}),
    "CutOut": ("CutOut", {name: name for name in ("is_hwc", "length", "num_patches")}),
    "ConvertColor": ("ConvertColor", {**_DEVICE, "convert_mode": lambda op: int(op.convert_mode)}),
    "RandAugment": (
        "RandAugment",
        {
            **{name: name for name in ("fill_value", "magnitude", "num_magnitude_bins", "num_ops")},
            "interpolation": _interpolation("interpolation"),
        },
    ),
    "ToTensor": ("ToTensor", {"output_type": "output_type"}),
    "TypeCast": ("TypeCast", {"data_type": "data_type"}),
    "ToType": ("TypeCast", {"data_type": "data_type"}),
    "OneHot": ("OneHot", {"num_classes": "num_classes", "smoothing_rate": lambda op: float(op.smoothing_rate)}),
    "PadEnd": ("PadEnd", {"pad_shape": "pad_shape", "pad_value": _constant("pad_value")}),
}


def _described(operation: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, settings) of an operation, or of those in a Compose; the settings are ``...`` if unknown."""
    kind = type(operation).__name__
    inner = [item for one in getattr(operation, "transforms", None) or () for item in _described(one)]
    if kind == "Compose":
        yield from inner
    elif kind in ("RandomApply", "RandomChoice") and all(settings is not ... for _, settings in inner):
        nested = {"transforms": [{"tensor_op_name": name, "tensor_op_params": settings} for name, settings in inner]}
        yield kind, nested | ({"prob": operation.prob} if kind == "RandomApply" else {})
    elif kind == "Fill":
        yield kind, _constant("fill_value")(operation)
    elif kind in _OPERATIONS and type(operation).__module__.startswith("mindspore_compat."):
        name, settings = _OPERATIONS[kind]
        yield (
            name,
            None
            if settings is None
            else {
                key: _single(getattr(operation, what)) if isinstance(what, str) else _exact(what(operation))
                for key, what in settings.items()
            },
        )
    else:
        yield getattr(operation, "__name__", None) or kind, ...


def _exact(value: Any) -> Any:
    return [_exact(item) for item in value] if isinstance(value, (tuple, list)) else value


def operation_params(operation: Any) -> Iterator[dict[str, str]]:
    """Yield the lineage entry of an operation in a map: one dict, or one for each in a Compose."""
    if callable(operation) and not hasattr(operation, "transforms") and hasattr(operation, "__name__"):
        yield {"tensor_op_name": operation.__name__, "python_module": _PYTHON_MODULE}
        return
    for name, settings in _described(operation):
        yield {"tensor_op_name": name} | (
            {}
            if settings is ...
            else {"tensor_op_params": "None" if settings is None else json.dumps(settings, sort_keys=True)}
        )


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
        logger.warning("SummaryCollector: the metrics are no JSON, and left out of the lineage: %s.", error)
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
