"""Sources defined by their arguments, columns and the places of their rows."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mindspore_compat._format.images import decode_rgb
from mindspore_compat.dataset.core.arguments import kind_of
from mindspore_compat.dataset.core.randomness import Order, Unshuffled
from mindspore_compat.dataset.core.validator_helpers import check_dir, check_num_samples
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Parallelism
from mindspore_compat.dataset.engine._sources.base import ArrayDataset, MappableDataset
from mindspore_compat.dataset.engine._sources.files import read_array
from mindspore_compat.dataset.engine.samplers import BuiltinSampler, Shuffle

REQUIRED = inspect.Parameter.empty


class Argument(NamedTuple):
    """One argument of a source.

    Fields:
        check: ``check(value, name)`` raises for a wrong value.
        none: the meaning of None; if it is REQUIRED, None is checked as any value.
    """

    name: str
    default: Any = None
    check: Callable[[Any, str], Any] | None = None
    none: Any = None

    def taken(self, value: Any) -> Any:
        if value is None and self.none is not REQUIRED:
            return self.none
        if self.check is not None:
            self.check(value, self.name)
        return value


def choice(name: str, words: str | Sequence[str], none: Any = REQUIRED, default: Any = None) -> Argument:
    """Return an argument that is one of the words."""
    allowed = words.split() if isinstance(words, str) else list(words)

    def check(value: Any, name: str) -> None:
        if value not in allowed:
            raise ValueError(f"Input {name} is not within the valid set of {allowed}. Got {value!r}.")

    return Argument(name, default, check, none)


def flag(name: str, default: bool | None = False, none: bool | None = False) -> Argument:
    """Return an argument that is a bool."""
    return Argument(name, default, kind_of(bool), none)


def needed(argument: Argument) -> Argument:
    """Return the same argument without a default."""
    return argument._replace(default=REQUIRED, none=REQUIRED)


FOLDER = needed(Argument("dataset_dir", check=check_dir))


#: Arguments of most sources.
_SAMPLING = {
    "num_samples": Argument("num_samples", check=check_num_samples),
    "num_parallel_workers": Argument("num_parallel_workers"),
    "sampler": Argument("sampler"),
    "shuffle": flag("shuffle", None, None),
    "num_shards": Argument("num_shards"),
    "shard_id": Argument("shard_id"),
    "cache": Argument("cache"),
    "decode": flag("decode"),
}


def _common(names: str) -> tuple[Argument, ...]:
    return tuple(_SAMPLING[name] for name in names.split())


IMAGES = _common("num_samples num_parallel_workers shuffle decode sampler num_shards shard_id cache")


ARRAYS = _common("num_samples num_parallel_workers shuffle sampler num_shards shard_id cache")


#: as `IMAGES`, with None as the default
IMAGES_NONE = tuple(a._replace(default=None) if a.name == "decode" else a for a in IMAGES)


#: of sources based on MindSpore's GeneratorDataset
GENERATED = tuple(a._replace(default=1, none=1) if a.name == "num_parallel_workers" else a for a in IMAGES[:-1])


#: of sources of records; MindSpore has two orders
TEXTS = tuple(
    a._replace(default=Shuffle.GLOBAL, check=None, none=Shuffle.GLOBAL) if a.name == "shuffle" else a
    for a in _common("num_samples num_parallel_workers shuffle num_shards shard_id cache")
)
#: the other order
TEXTS_LATE = (TEXTS[0], *TEXTS[2:5], TEXTS[1], TEXTS[5])
TRAIN_TEST = choice("usage", "train test all", "all")
TRAIN_VALID_TEST = choice("usage", "train valid test all", "all")
DECRYPT = Argument("decrypt")
METADATA = (flag("extra_metadata"), DECRYPT)


class Described:
    """Base of sources that check the arguments their class describes and keep their own ones as attributes."""

    arguments: ClassVar[tuple[Argument, ...]] = ()
    columns: str = ""
    dataset_dir: str
    usage: str
    task: str
    name: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "arguments" in cls.__dict__:
            place = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters = [inspect.Parameter(a.name, place, default=a.default) for a in cls.arguments]
            cls.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = type(self).__signature__.bind(*args, **kwargs)  # type: ignore[attr-defined]
        bound.apply_defaults()
        self._given = bound.arguments
        values = {a.name: a.taken(bound.arguments[a.name]) for a in self.arguments}
        self._check(values)
        _check_sampling(values)
        common = {name: values.pop(name) for name in _SAMPLING if name in values and name != "decode"}
        for name, value in values.items():
            setattr(self, name, value)
        super().__init__(**common)

    def _check(self, values: dict[str, Any]) -> None:
        """Check combinations of arguments. Raises: TypeError, ValueError, FileNotFoundError."""

    def _columns(self) -> list[tuple[str, str]]:
        """Return (name, kind) of each column, for the arguments of this one."""
        return [tuple(item.split(":")) for item in self.columns.split()]  # type: ignore[misc]

    def _column_names(self) -> list[str]:
        return [name for name, _ in self._columns()]

    def _nothing(self) -> RuntimeError:
        place = (
            getattr(self, "dataset_dir", None)
            or getattr(self, "dataset_file", "")
            or getattr(self, "dataset_files", "")
        )
        return RuntimeError(
            f"Invalid data, {type(self).__name__} API can't read the data file (interface mismatch or no data found). "
            f"Check file path: {place}."
        )


def as_column(kind: str, value: Any) -> Any:
    """Return the value of a column of that kind as an array."""
    return value if kind == "array" else np.array(value) if kind == "text" else np.array(value, kind)


def _check_sampling(values: dict[str, Any]) -> None:
    if values.get("sampler") is not None:
        for other in ("shuffle", "num_shards", "shard_id", "num_samples"):
            if values[other] is not None:
                raise RuntimeError(f"sampler and {other} cannot be specified at the same time.")


class _Mappable(Described, MappableDataset):
    #: result of `get_dataset_size` for an empty source; None: it raises, as reading does
    size_of_nothing: int | None = None
    #: the column with `PKSampler`'s classes
    label_column: str | None = None

    def _sample_ids(self, sampler: BuiltinSampler, order: Order, counting: bool = False) -> Any:
        if self._num_rows() == 0 and not (counting and self.size_of_nothing is not None):
            raise self._nothing()
        return super()._sample_ids(sampler, order, counting)

    def _size(self) -> int:
        if self._num_rows() == 0:
            return self._sample_ids(self.sampler, Unshuffled(), counting=True)
        return super()._size()

    def _file_of(self, number: int) -> str:
        return os.fspath(getattr(self, "dataset_dir", ""))


class FilesDataset(_Mappable):
    """Rows found as a list and read one by one. A subclass gives `_find`."""

    decode = False
    decrypt: Any = None

    def _find(self) -> list[tuple]:
        """Return the samples of all rows, in order. Raises: RuntimeError."""
        raise NotImplementedError

    @cached_property
    def _samples(self) -> list[tuple]:
        return self._find()

    def _num_rows(self) -> int:
        return len(self._samples)

    def _file_of(self, number: int) -> str:
        kinds = [kind for _, kind in self._columns()]
        paths = [value for kind, value in zip(kinds, self._samples[number]) if kind == "image"]
        return str(paths[0]) if paths else super()._file_of(number)

    def _labels(self) -> np.ndarray | None:
        if self.label_column is None:
            return None
        place = self._column_names().index(self.label_column)
        return np.array([sample[place] for sample in self._samples])

    def _parallelism(self) -> Parallelism:
        return Parallelism(threads=self.num_parallel_workers + 1 if self.decode else 0)

    def _fetch(self, index: np.ndarray) -> list[Row]:
        kinds = [kind for _, kind in self._columns()]
        return [
            tuple(
                self._column(kind, value) for kind, value in zip(kinds, self._expanded(self._samples[i]), strict=True)
            )
            for i in index
        ]

    def _expanded(self, sample: tuple) -> tuple:
        """Return the values of a row's columns, where the list holds less."""
        return sample

    def _column(self, kind: str, value: Any) -> Any:
        if kind == "image":
            return self._image(value)
        try:
            return as_column(kind, value)
        except OverflowError as error:
            raise RuntimeError(f"Invalid data, {error}.") from error

    def _inside(self, path: str) -> str:
        """Return `path`, which may come from a file of the dataset. Raises: RuntimeError where it leads outside."""
        folder = getattr(self, "dataset_dir", None)
        if folder is not None and not os.path.abspath(path).startswith(os.path.join(os.path.abspath(folder), "")):
            raise RuntimeError(f"Invalid data, a file of {folder} names {path}, which lies outside of it.")
        return path

    def _image(self, path: str) -> np.ndarray:
        content = (
            read_array(self._inside(path))
            if self.decrypt is None
            else np.frombuffer(bytearray(self.decrypt(path)), np.uint8)
        )
        if not self.decode:
            return content
        try:
            return decode_rgb(content)
        except RuntimeError as error:
            raise RuntimeError(f"Invalid image, {path} decode failed: {error}") from error


class ArraysDataset(_Mappable, ArrayDataset):
    """Rows of arrays read at once. A subclass gives `_load`."""

    def _load(self) -> tuple[np.ndarray, ...]:
        """Return the columns; first axis: rows. Raises: RuntimeError."""
        raise NotImplementedError

    @cached_property
    def _loaded(self) -> tuple[np.ndarray, ...]:
        return self._load()

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self._loaded

    def _labels(self) -> np.ndarray | None:
        return None if self.label_column is None else self._loaded[self._column_names().index(self.label_column)]
