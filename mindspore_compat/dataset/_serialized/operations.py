"""Operations of `map` as JSON and back: one table of MindSpore's format for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mindspore_compat import log
from mindspore_compat.dataset import text, transforms, vision
from mindspore_compat.dataset.transforms._operation import TensorOperation
from mindspore_compat.dataset.transforms.transforms import Compose
from mindspore_compat.dataset.vision.utils import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    Inter,
    SliceMode,
)

_INTER = {Inter.LINEAR: 0, Inter.NEAREST: 1, Inter.BICUBIC: 2, Inter.AREA: 3, Inter.PILCUBIC: 4}
_BORDER = {Border.CONSTANT: 0, Border.EDGE: 1, Border.REFLECT: 2, Border.SYMMETRIC: 3}
_POLICY = {AutoAugmentPolicy.IMAGENET: 0, AutoAugmentPolicy.CIFAR10: 1, AutoAugmentPolicy.SVHN: 2}


class _Codec(NamedTuple):
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _float32(value: Any) -> Any:
    return float(np.float32(value))


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _coded(codes: dict[Any, int], make: Callable[[Any], Any] = lambda value: value) -> _Codec:
    return _Codec(lambda value: codes[make(value)], lambda code: next(key for key in codes if codes[key] == code))


def _constant(value: Any) -> _Codec:
    return _Codec(lambda _: value, lambda _: None)


#: writer and reader of an argument
_CODECS: dict[str, _Codec] = {
    "": _Codec(_plain, _tuples),
    "f": _Codec(_float32, float),
    "ff": _Codec(lambda values: [_float32(item) for item in values], lambda values: tuple(map(float, values))),
    "double": _Codec(float, float),
    "list": _Codec(lambda values: list(values or ()), list),
    "dims": _Codec(
        lambda size: [size] if isinstance(size, int) else list(size),
        lambda size: size[0] if len(size) == 1 else tuple(size),
    ),
    "point": _Codec(
        lambda point: [] if point is None else [_float32(item) for item in point], lambda point: tuple(point) or None
    ),
    "reversed": _Codec(lambda pair: list(pair[::-1]), lambda pair: tuple(pair[::-1])),
    "pixel": _Codec(lambda value: value[0], lambda value: value),
    "values": _Codec(lambda values: [float(item) for item in values], lambda values: tuple(map(float, values))),
    "color": _Codec(
        lambda values: [float(item) for item in values], lambda values: tuple(values) if len(values) > 1 else values[0]
    ),
    "dtype": _Codec(str, str),
    "inter": _coded(_INTER),
    "border": _coded(_BORDER, Border),
    "policy": _coded(_POLICY),
    "convert": _Codec(int, ConvertMode),
    "order": _Codec(int, ImageBatchFormat),
    "slices": _Codec(int, SliceMode),
    "operations": _Codec(lambda items: operations_to(items), lambda items: operations_from(items)),
    "device": _constant("CPU"),
    "true": _constant(True),
}

#: MindSpore's name=ours key:codec key=argument:codec; ``@`` is MindSpore's "device_target"
_ROWS = """
Decode @ rgb:true
Resize @ size:dims interpolation:inter
CenterCrop size
RandomCrop size padding pad_if_needed fill_value padding_mode:border
RandomResizedCrop size scale:ff ratio:ff interpolation:inter max_attempts
RandomCropDecodeResize size scale:ff ratio:ff interpolation:inter max_attempts
RandomHorizontalFlip prob:f
RandomVerticalFlip prob:f
HorizontalFlip @
VerticalFlip @
Rescale rescale:f shift:f
Normalize @ mean:ff std:ff is_hwc
NormalizePad mean:ff std:ff is_hwc dtype:dtype
HwcToChw=HWC2CHW
Pad @ padding fill_value padding_mode:border
Crop @ coordinates:reversed size
Invert @
Equalize @
AutoContrast @ cutoff:f ignore:list
RandomRotation degrees:ff resample:inter expand center:point fill_value
Rotate @ degree=degrees:f resample:inter expand center:point fill_value
RandomAffine degrees:ff translate:ff scale:ff shear:ff resample:inter fill_value
RandomColorAdjust brightness:ff contrast:ff saturation:ff hue:ff
RandomColor degrees:ff
RandomSharpness degrees:ff
RandomPosterize bits
RandomSolarize threshold
GaussianBlur @ kernel_size:dims sigma:ff
RandomEqualize prob:f
RandomInvert prob:f
RandomAutoContrast cutoff:f ignore:list prob:f
RandomAdjustSharpness degree:f prob:f
CutOut length num_patches is_hwc
CutMixBatch image_batch_format:order alpha:f prob:f
MixUpBatch alpha:f
ConvertColor @ convert_mode:convert
ToTensor output_type:dtype
AdjustBrightness @ brightness_factor:f
AdjustContrast @ contrast_factor:f
AdjustSaturation @ saturation_factor:f
AdjustHue @ hue_factor:f
AdjustGamma gamma:f gain:f
AdjustSharpness @ sharpness_factor:f
Solarize @ threshold:ff
Posterize @ bits
Erase @ top left height width value:color inplace
TrivialAugmentWide num_magnitude_bins interpolation:inter fill_value
RandAugment num_ops magnitude num_magnitude_bins interpolation:inter fill_value
AutoAugment policy:policy interpolation:inter fill_value
ResizedCrop @ top left height width size interpolation:inter
SlicePatches num_height num_width slice_mode:slices fill_value:pixel
UniformAugment transforms:operations num_ops
OneHot num_classes smoothing_rate:double
TypeCast data_type:dtype
Duplicate
Unique
RandomApply transforms:operations prob:double
RandomChoice transforms:operations
ToNumber data_type:dtype
Truncate max_seq_len
CaseFold
AddToken token begin
"""


class _Row(NamedTuple):
    kind: type
    upstream: str
    arguments: dict[str, tuple[str, _Codec]]


def _parsed() -> list[_Row]:
    rows = []
    for line in _ROWS.split("\n"):
        if line:
            name, *words = line.split()
            upstream, _, own = name.partition("=")
            kind = next(
                vars(place)[own or upstream] for place in (vision, transforms, text) if hasattr(place, own or upstream)
            )
            arguments = {}
            for word in words:
                both, _, codec = ("device_target:device" if word == "@" else word).partition(":")
                key, _, argument = both.partition("=")
                arguments[key] = (argument or key, _CODECS[codec])
            rows.append(_Row(kind, upstream, arguments))
    return rows


_TABLE = _parsed()
_BY_KIND = {row.kind: row for row in _TABLE}
_BY_NAME = {row.upstream: row for row in _TABLE}
_OF_ITSELF = (_CODECS["device"], _CODECS["true"])


def operations_to(operations: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the JSON of the operations. One that cannot be read again is written as in MindSpore, with a warning."""
    found: list[dict[str, Any]] = []
    for operation in operations:
        if type(operation) is Compose:
            found += operations_to(operation.transforms)
        else:
            found.append(_operation_to(operation))
    return found


def _operation_to(operation: Any) -> dict[str, Any]:
    row = _BY_KIND.get(type(operation))
    if row is not None:
        given = {
            key: codec.write(None if codec in _OF_ITSELF else getattr(operation, argument))
            for key, (argument, codec) in row.arguments.items()
        }
        return {"tensor_op_name": row.upstream, "tensor_op_params": given or None}
    if type(operation).__name__ == "Fill" and isinstance(operation, TensorOperation):
        value = np.asarray(operation.fill_value)  # type: ignore[attr-defined]
        given = {"data": value.reshape(-1).tolist(), "shape": list(value.shape), "type": str(value.dtype)}
        return {"tensor_op_name": "Fill", "tensor_op_params": given}
    name = type(operation).__name__
    if isinstance(operation, TensorOperation):
        log.warning("%s is serialized without its arguments: 'deserialize' can not make it again.", name)
        return {"tensor_op_name": name, "tensor_op_params": None}
    name = getattr(operation, "__name__", name)
    log.warning("The Python function %s is serialized as its name: 'deserialize' can not make it again.", name)
    return {"python_module": "mindspore.dataset.transforms.py_transforms_util", "tensor_op_name": name}


def operations_from(items: Any) -> list[Any]:
    """Return the operations. Raises: ValueError for an operation that the JSON does not describe wholly."""
    return [_operation_from(item) for item in items]


def _operation_from(item: Any) -> Any:
    name = item.get("tensor_op_name") if isinstance(item, dict) else None
    given = (item.get("tensor_op_params") or {}) if isinstance(item, dict) else {}
    if name == "Fill" and not item.get("python_module"):
        if len(given["data"]) != 1:
            raise ValueError(f"For 'deserialize', the operation Fill must have one value, but got {given!r}.")
        return transforms.Fill(given["data"][0])
    row = _BY_NAME.get(str(name)) if isinstance(item, dict) and not item.get("python_module") else None
    if row is None:
        raise ValueError(f"For 'deserialize', {item!r} is not known, or not all of it; add it with 'map'.")
    missing = sorted(row.arguments.keys() - given.keys())
    if missing:
        raise ValueError(f"For 'deserialize', the operation {name} lacks the arguments {missing}: {item!r}.")
    return row.kind(
        **{
            argument: codec.read(given[key])
            for key, (argument, codec) in row.arguments.items()
            if codec not in _OF_ITSELF
        }
    )
