"""Pipelines as JSON and back: nodes, samplers, and the operations of `map`, a row of MindSpore's format for each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mindspore_compat import log
from mindspore_compat.dataset import engine, text, transforms, vision
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.engine import Dataset
from mindspore_compat.dataset.engine import samplers as kinds
from mindspore_compat.dataset.engine import zip as zipped
from mindspore_compat.dataset.engine._nodes.batch import BatchDataset
from mindspore_compat.dataset.engine.samplers import BuiltinSampler, Shuffle
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
        log.warning("%s is serialized without its arguments: 'deserialize' cannot make it again.", name)
        return {"tensor_op_name": name, "tensor_op_params": None}
    name = getattr(operation, "__name__", name)
    log.warning("The Python function %s is serialized as its name: 'deserialize' cannot make it again.", name)
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


#: MindSpore's numbers of the modes
SHUFFLES = {Shuffle.FALSE: 0, Shuffle.FILES: 1, Shuffle.GLOBAL: 2, Shuffle.INFILE: 3}


def _random(sampler: Any) -> dict[str, Any]:
    return {"replacement": sampler.replacement, "reshuffle_each_epoch": True, "shuffle_mode": SHUFFLES[sampler.shuffle]}


def _distributed(sampler: Any) -> dict[str, Any]:
    return {
        "even_dist": True,
        "num_shards": sampler.num_shards,
        "offset": sampler.offset,
        "seed": config.get_seed(),
        "shard_id": sampler.shard_id,
        "shuffle_mode": SHUFFLES[sampler.shuffle],
    }


def _indices(sampler: Any) -> dict[str, Any]:
    return {"indices": sampler.indices_list.tolist()}


def _shuffled(number: Any) -> Shuffle:
    return next(mode for mode, item in SHUFFLES.items() if item == number)


#: class -> (its arguments as JSON, the sampler from JSON and the number of samples)
_KINDS: dict[str, tuple[Any, Any]] = {
    "SequentialSampler": (
        lambda item: {"start_index": item.start_index or 0},
        lambda data, count: kinds.SequentialSampler(data["start_index"] or None, count),
    ),
    "RandomSampler": (
        _random,
        lambda data, count: kinds.RandomSampler(data["replacement"], count, _shuffled(data.get("shuffle_mode", 2))),
    ),
    "DistributedSampler": (
        _distributed,
        lambda data, count: kinds.DistributedSampler(
            data["num_shards"], data["shard_id"], _shuffled(data["shuffle_mode"]), count, data.get("offset", -1)
        ),
    ),
    "SubsetSampler": (_indices, lambda data, count: kinds.SubsetSampler(data["indices"], count)),
    "SubsetRandomSampler": (_indices, lambda data, count: kinds.SubsetRandomSampler(data["indices"], count)),
    "WeightedRandomSampler": (
        lambda item: {"replacement": item.replacement, "weights": item.weights.tolist()},
        lambda data, count: kinds.WeightedRandomSampler(data["weights"], count, data["replacement"]),
    ),
    "PKSampler": (
        lambda item: {"num_val": item.num_val, "shuffle": item.shuffle},
        lambda data, count: kinds.PKSampler(data["num_val"], shuffle=data["shuffle"], num_samples=count),
    ),
}


def sampler_to(sampler: BuiltinSampler) -> dict[str, Any]:
    """Return the JSON of a sampler. Raises: ValueError for a user's sampler, and one on top of another."""
    kind = type(sampler).__name__
    if kind not in _KINDS or type(sampler).__module__ != kinds.__name__ or sampler.child_sampler is not None:
        raise ValueError(f"For 'serialize', the sampler must be one of {sorted(_KINDS)}, without a child: {kind}.")
    return {"num_samples": sampler.num_samples or 0, "sampler_name": kind, **_KINDS[kind][0](sampler)}


def sampler_from(data: Any) -> BuiltinSampler:
    """Return the sampler. Raises: ValueError if the JSON describes none."""
    kind = data.get("sampler_name") if isinstance(data, dict) else None
    if kind not in _KINDS or data.get("child_sampler"):
        raise ValueError(f"For 'deserialize', the sampler must be one of {sorted(_KINDS)}, but got {data!r}.")
    return _KINDS[kind][1](data, data.get("num_samples") or None)


#: source: its attributes in MindSpore; "key=attribute"; SAMPLER or RECORDS chooses its rows; after "|" the
#: arguments without a place, which must have these values
_SOURCES = """
MnistDataset SAMPLER dataset_dir usage
FashionMnistDataset SAMPLER dataset_dir usage
KMnistDataset SAMPLER dataset_dir usage
QMnistDataset SAMPLER dataset_dir usage compat
EMnistDataset=EMnistNode SAMPLER dataset_dir name usage
Cifar10Dataset SAMPLER dataset_dir usage
Cifar100Dataset SAMPLER dataset_dir usage
STL10Dataset SAMPLER dataset_dir usage
IMDBDataset SAMPLER dataset_dir usage
SpeechCommandsDataset SAMPLER dataset_dir usage
YesNoDataset=YesNoNode SAMPLER dataset_dir
Caltech256Dataset SAMPLER dataset_dir decode
Food101Dataset SAMPLER dataset_dir usage decode
Places365Dataset SAMPLER dataset_dir usage small decode
ImageFolderDataset SAMPLER dataset_dir extensions class_indexing decode recursive! | decrypt
CelebADataset SAMPLER dataset_dir usage decode extensions | decrypt
VOCDataset SAMPLER dataset_dir task usage class_indexing decode extra_metadata | decrypt
CocoDataset SAMPLER dataset_dir annotation_file task decode extra_metadata | decrypt
ManifestDataset SAMPLER dataset_file usage class_indexing decode
TextFileDataset RECORDS dataset_files
CSVDataset RECORDS dataset_files field_delim column_names | column_defaults
CLUEDataset RECORDS dataset_dir=dataset_files task usage
USPSDataset RECORDS dataset_dir usage
AGNewsDataset RECORDS dataset_dir usage
"""
#: MindSpore's values for missing arguments
_EMPTY: dict[str, Any] = {"class_indexing": {}, "extensions": [], "column_names": []}


class _Source:
    """A row of the table."""

    def __init__(self, line: str) -> None:
        kept, _, lost = line.partition("|")
        name, self.chosen_by, *words = kept.split()
        self.name, _, upstream = name.partition("=")
        self.upstream = upstream or self.name
        self.kind = getattr(engine, self.name)
        self.constants = {word[:-1]: False for word in words if word.endswith("!")}
        pairs = (word.partition("=") for word in words if not word.endswith("!"))
        self.arguments = {key: argument or key for key, _, argument in pairs}
        self.lost = lost.split()

    def to(self, node: Any) -> dict[str, Any]:
        for name in self.lost:
            if getattr(node, name, None):
                raise _no_place(f"the argument '{name}' of {self.name}")
        found = {
            key: _value(node, argument) or _EMPTY.get(argument, _value(node, argument))
            for key, argument in self.arguments.items()
        }
        found = {key: list(item) if isinstance(item, tuple) else item for key, item in found.items()}
        return {"op_type": self.upstream, **_threads(node), **found, **self.constants, **self._rows(node)}

    def _rows(self, node: Any) -> dict[str, Any]:
        if self.chosen_by == "SAMPLER":
            return {"sampler": sampler_to(node.sampler)}
        given = node._given
        shuffle = given.get("shuffle")
        mode = Shuffle.GLOBAL if shuffle in (None, True) else Shuffle.FALSE if shuffle is False else shuffle
        return {
            "num_samples": given.get("num_samples") or 0,
            "num_shards": given.get("num_shards") or 1,
            "shard_id": given.get("shard_id") or 0,
            "shuffle": SHUFFLES[mode],
        }

    def made(self, data: dict[str, Any]) -> Dataset:
        if any(data.get(name, value) != value for name, value in self.constants.items()):
            raise ValueError(f"For 'deserialize', {self.upstream} is only known with {self.constants}: {data!r}.")
        given = {
            argument: None if key in _EMPTY and not data[key] else data[key] for key, argument in self.arguments.items()
        }
        workers = {"num_parallel_workers": data.get("num_parallel_workers")}
        if self.chosen_by == "SAMPLER":
            return self.kind(**given, **workers, sampler=sampler_from(data["sampler"]))
        shards = data["num_shards"] if data["num_shards"] > 1 else None
        shuffle = next(mode for mode, number in SHUFFLES.items() if number == data["shuffle"])
        return self.kind(
            **given,
            **workers,
            num_samples=data["num_samples"] or None,
            num_shards=shards,
            shard_id=None if shards is None else data["shard_id"],
            shuffle=False if shuffle is Shuffle.FALSE else shuffle,
        )


def _value(node: Any, argument: str) -> Any:
    return vars(node)[argument] if argument in vars(node) else node._given[argument]


@functools.cache
def _sources() -> list[_Source]:
    return [_Source(line) for line in _SOURCES.split("\n") if line]


def _no_place(what: str) -> ValueError:
    return ValueError(
        f"For 'serialize', MindSpore's format has no place for {what}. "
        "Build this part of the pipeline from its program."
    )


def _threads(node: Any) -> dict[str, Any]:
    return {"connector_queue_size": config.get_prefetch_size(), "num_parallel_workers": node.num_parallel_workers}


def _batch(node: Any) -> dict[str, Any]:
    if type(node) is not BatchDataset:
        raise _no_place("the padding of padded_batch")
    if not isinstance(node.batch_size, int):
        raise _no_place("a function as batch_size")
    found = {
        **_threads(node),
        "batch_size": node.batch_size,
        "drop_remainder": node.drop_remainder,
        "input_columns": node.input_columns or [],
        "output_columns": node.output_columns or [],
    }
    if node.per_batch_map is not None:
        log.warning("The function per_batch_map is not serialized: 'deserialize' cannot make this batch again.")
        found["per_batch_map"] = "pyfunc"
    return found


def _map(node: Any) -> dict[str, Any]:
    if node.callbacks:
        raise _no_place("the callbacks of map")
    inputs = node.input_columns or []
    return {
        **_threads(node),
        "callback": [],
        "input_columns": inputs,
        "operations": operations_to(node.operations),
        "output_columns": node.output_columns or inputs,
    }


def _filter(node: Any) -> dict[str, Any]:
    log.warning("The predicate of filter is not serialized: 'deserialize' cannot make it again.")
    return {
        "input_columns": node.input_columns or [],
        "num_parallel_workers": node.num_parallel_workers,
        "predicate": "pyfunc",
    }


def _concat(node: Any) -> dict[str, Any]:
    if node._sampler is not None:
        raise _no_place("the sampler of a concatenation")
    sizes = [child.get_dataset_size() for child in node.children]
    return {
        "children_flag_and_nums": [[0, size] for size in sizes],
        "children_sizes": sizes,
        "children_start_end_index": [[-1, -1] for _ in sizes],
        "sampler": {"num_samples": 0, "sampler_name": "SequentialSampler", "start_index": 0},
    }


def _count(node: Any) -> dict[str, Any]:
    return {"count": node.count}


def _count_from(method: str) -> Callable[..., Dataset]:
    return lambda data, child: getattr(child, method)(data["count"])


def _batch_from(data: dict[str, Any], child: Dataset) -> Dataset:
    if data.get("per_batch_map"):
        raise _function("per_batch_map")
    return child.batch(
        data["batch_size"], data["drop_remainder"], num_parallel_workers=data.get("num_parallel_workers")
    )


def _map_from(data: dict[str, Any], child: Dataset) -> Dataset:
    if data.get("callback"):
        raise _function("callback")
    return child.map(
        operations_from(data["operations"]),
        data["input_columns"] or None,
        data["output_columns"] or None,
        num_parallel_workers=data.get("num_parallel_workers"),
    )


def _filter_from(data: dict[str, Any], child: Dataset) -> Dataset:
    raise _function("predicate")


def _concat_from(data: dict[str, Any], *children: Dataset) -> Dataset:
    sampler = data.get("sampler", {})
    parts = [place for pair in data.get("children_start_end_index", []) for place in pair]
    if sampler.get("sampler_name", "SequentialSampler") != "SequentialSampler" or any(place != -1 for place in parts):
        raise ValueError(f"For 'deserialize', a concatenation is only known without a sampler: {sampler!r}.")
    return functools.reduce(lambda one, other: one + other, children)


def _function(name: str) -> ValueError:
    return ValueError(
        f"For 'deserialize', the JSON holds the Python function '{name}' only by name. Put it on the pipeline after "
        "'deserialize'."
    )


#: node: MindSpore's name, its arguments as JSON, the node from JSON and its children
_NODES: dict[str, tuple[str, Callable[[Any], dict[str, Any]], Callable[..., Dataset]]] = {
    "BatchDataset": ("Batch", _batch, _batch_from),
    "PaddedBatchDataset": ("Batch", _batch, _batch_from),
    "MapDataset": ("Map", _map, _map_from),
    "FilterDataset": ("Filter", _filter, _filter_from),
    "ConcatDataset": ("Concat", _concat, _concat_from),
    "ZipDataset": ("Zip", _threads, lambda data, *children: zipped(children)),
    "TakeDataset": ("Take", _count, _count_from("take")),
    "SkipDataset": ("Skip", _count, _count_from("skip")),
    "RepeatDataset": ("Repeat", _count, _count_from("repeat")),
    "ShuffleDataset": (
        "Shuffle",
        lambda node: {"buffer_size": node.buffer_size, "reset_each_epoch": True},
        lambda data, child: child.shuffle(data["buffer_size"]),
    ),
    "ProjectDataset": (
        "Project",
        lambda node: {"columns": node.columns},
        lambda data, child: child.project(data["columns"]),
    ),
    "RenameDataset": (
        "Rename",
        lambda node: {"input_columns": node.input_columns, "output_columns": node.output_columns},
        lambda data, child: child.rename(data["input_columns"], data["output_columns"]),
    ),
}


def node_to(node: Any) -> dict[str, Any]:
    """Return the JSON of a node. Raises: ValueError for a node that the format cannot hold."""
    kind, name = type(node), type(node).__name__
    source = next((item for item in _sources() if item.kind is kind), None)
    if source is not None:
        return {"children": [], **source.to(node)}
    if name in _NODES and kind.__module__.startswith("mindspore_compat."):
        upstream, write, _ = _NODES[name]
        return {"children": [node_to(child) for child in node.children], "op_type": upstream, **write(node)}
    if node.children or not isinstance(node, (engine.GeneratorDataset, engine.NumpySlicesDataset)):
        raise _no_place(f"'{name}'")
    log.warning("The data of %s are not serialized: 'deserialize' cannot make it again.", name)
    return {"children": [], "op_type": "GeneratorDataset", **_threads(node)}


def node_from(data: Any) -> Dataset:
    """Return the node of a JSON object. Raises: ValueError if it is no node, or cannot be made from the JSON."""
    kind = data.get("op_type") if isinstance(data, dict) else None
    source = next((item for item in _sources() if item.upstream == kind), None)
    node = next((item for item in _NODES.values() if item[0] == kind), None)
    if source is None and node is None:
        known = sorted({item.upstream for item in _sources()} | {item[0] for item in _NODES.values()})
        raise ValueError(f"For 'deserialize', the 'op_type' must be one of {known}, but got {kind!r}.")
    try:
        if source is not None:
            return source.made(data)
        children = [node_from(child) for child in data["children"]]
        if (len(children) != 1) != (kind in ("Zip", "Concat")):
            raise ValueError(f"For 'deserialize', the {kind} has {len(children)} children.")
        return node[2](data, *children)  # type: ignore[index]
    except (KeyError, IndexError, AttributeError, StopIteration) as error:
        raise ValueError(f"For 'deserialize', the {kind} lacks or has wrong arguments: {error!r}.") from error
