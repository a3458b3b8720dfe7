"""Lineage descriptions of operations on columns: the name in MindSpore's C++ and the settings, such as the mean of a
Normalize.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

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
