"""Base of the audio operations: accepted arrays and precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.dataset.transforms._operation import TensorOperation

_SHAPES = ("<...>", "<..., time>", "<..., freq, time>")


def need_rank(array: np.ndarray, rank: int, name: str, shape: str | None = None) -> None:
    """Raise RuntimeError for fewer dimensions than `rank`."""
    if array.ndim < rank:
        raise RuntimeError(f"{name}: expected {shape or _SHAPES[rank]}, but got tensor with dimension {array.ndim}.")


def need_complex(array: np.ndarray, name: str, rank: int = 1) -> np.ndarray:
    """Return `array` of pairs (real, imaginary) as complex numbers."""
    if array.ndim < rank or array.shape[-1] != 2:
        raise RuntimeError(f"{name}: expected <..., complex=2>, but got the shape {array.shape}.")
    return array[..., 0] + 1j * array[..., 1]


def magnitudes_of(values: np.ndarray, power: float) -> np.ndarray:
    """Return absolute values to a power."""
    return (values.real**2 + values.imag**2) ** (power / 2)


class AudioOperation(TensorOperation):
    """Base of audio operations: float64 inside, results in float32, or float64 for float64. A subclass defines
    `_audio(float64 array) -> array`.

    Class attributes:
        least_rank: dimensions that the input must have at least.
        halves: float16 stays float16 and integers are refused.
        lists: a direct call also takes other objects than arrays.
    """

    least_rank = 1
    halves = False
    lists = False

    def __call__(self, *inputs: Any) -> Any:
        """Apply to one array."""
        for value in () if self.lists else inputs:
            if not isinstance(value, np.ndarray):
                raise TypeError(f"Input should be NumPy audio, got {type(value)}.")
        return super().__call__(*inputs)

    def _compute(self, array: np.ndarray) -> Any:
        name = type(self).__name__
        need_rank(array, self.least_rank, name)
        kinds = "f" if self.halves else "biuf"
        if array.dtype.kind not in kinds:
            wanted = "[float]" if self.halves else "[int, float, double]"
            raise RuntimeError(f"{name}: expected a tensor in type of {wanted}, but got type {array.dtype}.")
        if not array.size:
            raise RuntimeError(f"{name}: the input tensor has no data, its shape is {array.shape}.")
        kept = array.dtype == np.float64 or (self.halves and array.dtype == np.float16)
        dtype = array.dtype if kept else np.dtype(np.float32)
        result = self._audio(array.astype(dtype).astype(np.float64), dtype)
        if isinstance(result, tuple):
            return tuple(self._rounded(part, dtype) for part in result)
        return self._rounded(result, dtype)

    @staticmethod
    def _rounded(result: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return result if result.dtype.kind in "biu" else np.ascontiguousarray(result, dtype)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> Any:
        raise NotImplementedError
