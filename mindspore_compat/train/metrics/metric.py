"""`Metric`, the base of the metrics. MindSpore: ``mindspore.train.Metric``."""

from __future__ import annotations

import functools
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_one_of

__all__ = ["Metric", "EvaluationBase", "rearrange_inputs"]

_EVAL_TYPES = ("classification", "multilabel")


def rearrange_inputs(func: Callable[..., Any]) -> Callable[..., Any]:
    """Pass to ``update`` only the inputs that `Metric.set_indexes` chose, in that order (a decorator)."""

    @functools.wraps(func)
    def wrapper(self: Any, *inputs: Any) -> Any:
        indexes = self.indexes
        return func(self, *([inputs[index] for index in indexes] if indexes else inputs))

    return wrapper


def to_numpy(data: Any) -> np.ndarray:
    """Return a Tensor, list or numpy array as a numpy array.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, torch.Tensor):
        source = torch._C.TensorBase.detach(data).cpu()
        return torch._C.TensorBase.numpy(source.float() if source.dtype is torch.bfloat16 else source)
    if isinstance(data, list):
        return np.array([to_numpy(item) if isinstance(item, torch.Tensor) else item for item in data])
    raise TypeError(f"A metric takes Tensors, lists and numpy arrays, but got {type(data)}.")


class Metric(metaclass=ABCMeta):
    """Base class: subclasses define ``clear()``, ``update(*inputs)`` and ``eval()``."""

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    def _convert_data(self, data: Any) -> np.ndarray:
        """Return a Tensor, list or numpy array as a numpy array; user metrics call it."""
        return to_numpy(data)

    def _operands(
        self, inputs: tuple[Any, ...], names: str = "predicted value, true value", count: int = 2
    ) -> list[np.ndarray]:
        """Return all ``inputs`` as arrays, once their number is checked."""
        self._check_count(inputs, names, count)
        return [self._convert_data(item) for item in inputs]

    def _check_count(self, inputs: tuple[Any, ...], names: str, count: int) -> None:
        if len(inputs) != count:
            raise self._value_error(f"the inputs must be {count} ({names}), but are {len(inputs)}: set_indexes chooses")

    def _value_error(self, text: str) -> ValueError:
        return ValueError(f"For '{type(self).__name__}.update', {text}.")

    def _shape_error(self, predicted: np.ndarray, true: np.ndarray) -> ValueError:
        return self._value_error(f"the shapes {predicted.shape} (predicted) and {true.shape} (true) do not fit")

    def _require_update(self, updated: Any) -> None:
        if not updated:
            raise RuntimeError(f"'{type(self).__name__}' needs samples: call 'update' before 'eval'.")

    @property
    def indexes(self) -> list[int] | None:
        """The argument of `set_indexes`, else None."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes: list[int]) -> Metric:
        """Choose which of the inputs ``update`` sees.

        Raises:
            ValueError: unless it is a list of ints.
        """
        if not isinstance(indexes, list) or not all(isinstance(item, int) for item in indexes):
            raise ValueError(f"For 'set_indexes', the 'indexes' must be a list of ints, but got {indexes!r}.")
        self._indexes = indexes
        return self

    def __call__(self, *inputs: Any) -> Any:
        """Run clear, update and eval in one."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @abstractmethod
    def clear(self) -> None:
        """Reset the state."""

    @abstractmethod
    def eval(self) -> Any:
        """Return the value over all updates."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Add a batch."""


class EvaluationBase(Metric):
    """Base of Accuracy, Precision and Recall: ``eval_type`` "classification" or "multilabel" and its checks."""

    def __init__(self, eval_type: str) -> None:
        super().__init__()
        self._type = check_one_of(eval_type, "eval_type", _EVAL_TYPES, type(self).__name__)
        self._class_num = 0

    def _classes(self, inputs: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return checked predictions (N, C, ...) and labels (indices, or 0/1 in the multilabel case)."""
        predicted, true = self._operands(inputs)
        if self._type == "classification":
            true = from_one_hot(predicted, true)
        self._check_shape(predicted, true)
        self._check_value(predicted, true)
        self._class_num = same_class_number(self, self._class_num, predicted)
        return predicted, true

    def _check_shape(self, predicted: np.ndarray, true: np.ndarray) -> None:
        without_classes = predicted.shape[:1] + predicted.shape[2:]
        if true.shape != (without_classes if self._type == "classification" else predicted.shape):
            raise self._shape_error(predicted, true)

    def _check_value(self, predicted: np.ndarray, true: np.ndarray) -> None:
        if self._type != "classification" and not (is_binary(predicted) and is_binary(true)):
            raise self._value_error("all values must be 0 or 1 in the multilabel case")

    def clear(self) -> None:
        raise NotImplementedError

    def update(self, *inputs: Any) -> None:
        raise NotImplementedError

    def eval(self) -> Any:
        raise NotImplementedError


def is_binary(data: np.ndarray) -> bool:
    """Return whether all elements are 0 or 1."""
    return bool(np.equal(data**2, data).all())


def is_one_hot(data: np.ndarray) -> bool:
    """Return whether ``data`` holds a single 1 along axis 1 and zeros else."""
    return data.ndim > 1 and is_binary(data) and bool(np.equal(data.sum(axis=1), 1).all())


def from_one_hot(predicted: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return class indices if ``true`` has the axes of ``predicted`` and is one-hot, else ``true``."""
    return true.argmax(axis=1) if predicted.ndim == true.ndim and is_one_hot(true) else true


def same_class_number(metric: Metric, known: int, predicted: np.ndarray) -> int:
    """Return the number of classes, which must not change between batches."""
    if known and predicted.shape[1] != known:
        raise metric._value_error(f"predictions had {known} classes before, now they have {predicted.shape[1]}")
    return predicted.shape[1]


def one_hot_pair(
    metric: Metric, classes: int, predicted: np.ndarray, true: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions (by their largest class) and class indices as one-hot rows."""
    if true.max() + 1 > classes:
        raise metric._value_error(f"predictions have {classes} classes, but there is a class {true.max()}")
    eye = np.eye(classes)
    return eye[predicted.argmax(axis=1).reshape(-1)], eye[true.reshape(-1)]
