"""`Metric`, the base of the metrics. MindSpore: ``mindspore.train.Metric``."""

from __future__ import annotations

import functools
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

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
    raise TypeError(
        "For 'Metric' and its derived classes, the input data type must be tensor, list or numpy.ndarray, but got "
        f"{type(data)}."
    )


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
            raise ValueError(
                f"For '{type(self).__name__}.update', it needs {count} input{'s' if count > 1 else ''} ({names}), "
                f"but got {len(inputs)}. Use set_indexes to choose among the outputs of the eval network."
            )

    def _require_samples(self, number: Any) -> None:
        if not number:
            raise RuntimeError(
                f"The '{type(self).__name__}' can not be calculated, because the number of samples is 0, please check "
                "whether your inputs(predicted value, true value) are empty, or has called update method before "
                "calling eval method."
            )

    def _require_update(self, updated: Any) -> None:
        if not updated:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")

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
            raise ValueError(
                "For 'set_indexes', the argument 'indexes' must be a list and all its elements must be int, please "
                f"check whether it is correct. It is {indexes!r}."
            )
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
        raise NotImplementedError("Must define clear function to use this base class")

    @abstractmethod
    def eval(self) -> Any:
        """Return the value over all updates."""
        raise NotImplementedError("Must define eval function to use this base class")

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Add a batch."""
        raise NotImplementedError("Must define update function to use this base class")


class EvaluationBase(Metric):
    """Base of Accuracy, Precision and Recall: ``eval_type`` "classification" or "multilabel" and its checks."""

    def __init__(self, eval_type: str) -> None:
        super().__init__()
        if eval_type not in _EVAL_TYPES:
            raise TypeError(
                f"The argument 'eval_type' must be in {set(_EVAL_TYPES)}, but got {eval_type}. It is "
                f"{type(self).__name__}'s."
            )
        self._type = eval_type
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
        if self._type != "classification":
            if predicted.shape != true.shape:
                raise ValueError(
                    f"For '{type(self).__name__}.update' in {self._type} case, the shape of predicted value must equal "
                    f"that of true value, but got {predicted.shape} and {true.shape}."
                )
        elif predicted.ndim != true.ndim + 1:
            raise ValueError(
                f"For '{type(self).__name__}.update' in classification case, the dimension of predicted value must "
                f"equal the dimension of true value add 1, but got {predicted.ndim} and {true.ndim}."
            )
        elif true.shape != predicted.shape[:1] + predicted.shape[2:]:
            raise ValueError(
                f"For '{type(self).__name__}.update' in classification case, the shape of true value must be that of "
                "predicted "
                f"value without axis 1, but got predicted value {predicted.shape} and true value {true.shape}."
            )

    def _check_value(self, predicted: np.ndarray, true: np.ndarray) -> None:
        if self._type != "classification" and not (is_binary(predicted) and is_binary(true)):
            raise ValueError(
                f"For '{type(self).__name__}.update' in multilabel case, all elements of predicted value and true "
                "value must be 0 or 1. Threshold the outputs of the network first."
            )

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


_check_onehot_data = is_one_hot


def from_one_hot(predicted: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return class indices if ``true`` has the axes of ``predicted`` and is one-hot, else ``true``."""
    return true.argmax(axis=1) if predicted.ndim == true.ndim and is_one_hot(true) else true


def same_class_number(metric: Metric, known: int, predicted: np.ndarray) -> int:
    """Return the number of classes, which must not change between batches."""
    if known and predicted.shape[1] != known:
        raise ValueError(
            f"For '{type(metric).__name__}.update', class number not match, last input predicted data contain {known} "
            f"classes, but current predicted data contain {predicted.shape[1]} classes, please check your predicted "
            "value(inputs[0])."
        )
    return predicted.shape[1]


def one_hot_pair(
    metric: Metric, classes: int, predicted: np.ndarray, true: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions (by their largest class) and class indices as one-hot rows."""
    if true.max() + 1 > classes:
        raise ValueError(
            f"For '{type(metric).__name__}.update', predicted value (input[0]) should have the same classes number as "
            f"true value (input[1]), but got predicted value classes {classes}, true value classes {true.max() + 1}."
        )
    eye = np.eye(classes)
    return eye[predicted.argmax(axis=1).reshape(-1)], eye[true.reshape(-1)]
