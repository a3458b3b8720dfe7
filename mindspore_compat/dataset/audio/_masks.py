"""Masks along the axes of a spectrogram."""

from __future__ import annotations

import numpy as np

from mindspore_compat._api.former_names import renamed_args
from mindspore_compat.dataset.audio._operation import AudioOperation
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, real
from mindspore_compat.dataset.core.randomness import engine_of
from mindspore_compat.dataset.core.validator_helpers import FLOAT_MAX_INTEGER

__all__ = ["FrequencyMasking", "MaskAlongAxis", "MaskAlongAxisIID", "TimeMasking"]


class _Mask(AudioOperation):
    """Base of masks that set a stretch of rows (axis 1) or columns (axis 2) of the last two axes to a value."""

    least_rank = 2
    axis = 1
    mask_value = 0.0

    def _stretch(self, size: int) -> tuple[int, int]:
        """Return start and length of the mask."""
        raise NotImplementedError

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        size = array.shape[self.axis - 3]
        start, width = self._stretch(size)
        if width and start + width > size:
            raise RuntimeError(f"MaskAlongAxis: the mask {start} to {start + width} exceeds the axis of {size}.")
        np.swapaxes(array, -1, self.axis - 3)[..., start : start + width] = self.mask_value
        return array

    def _drawn(self, size: int, most: int) -> tuple[int, int]:
        engine = engine_of(self)
        width = engine.integer(0, most)
        return engine.integer(0, size - width), width


@arguments
class MaskAlongAxis(_Mask):
    """The same masked stretch in every example."""

    mask_start: Annotated[int, integer(0)]
    mask_width: Annotated[int, integer(1)]
    mask_value: Annotated[float, real()]
    axis: Annotated[int, integer(1, 2)]

    def _stretch(self, size: int) -> tuple[int, int]:
        return self.mask_start, self.mask_width


@arguments
class MaskAlongAxisIID(_Mask):
    """A random masked stretch."""

    draws = True

    mask_param: Annotated[int, integer(0)]
    mask_value: Annotated[float, real()]
    axis: Annotated[int, integer(1, 2)]

    def _stretch(self, size: int) -> tuple[int, int]:
        if size < self.mask_param:
            kind = ("frequency", "time")[self.axis - 1]
            raise RuntimeError(f"MaskAlongAxisIID: mask_param is greater than the length of the {kind} axis, {size}.")
        return self._drawn(size, self.mask_param)


class _Masking(_Mask):
    _kind = "frequency"
    iid_masks: bool
    mask_start: int

    def _prepare(self) -> None:
        self.draws = self.iid_masks

    def _stretch(self, size: int) -> tuple[int, int]:
        most = getattr(self, f"{self._kind[:4]}_mask_param")
        if size < most:
            raise RuntimeError(
                f"{type(self).__name__}: invalid parameter, '{self._kind}_mask_param' should be less than or equal to "
                f"the length of {self._kind} dimension, but got: '{self._kind}_mask_param' {most} and length {size}"
            )
        return self._drawn(size, most) if self.iid_masks else (self.mask_start, most)


Most = Annotated[int, integer(0, FLOAT_MAX_INTEGER)]


@renamed_args(frequency_mask_param="freq_mask_param")
@arguments
class FrequencyMasking(_Masking):
    """Frequency mask: `freq_mask_param` of them from `mask_start`, or with `iid_masks` a random stretch of at most
    that.
    """

    iid_masks: Annotated[bool, flag] = False
    freq_mask_param: Annotated[int, lambda value, _: integer(0, FLOAT_MAX_INTEGER)(value, "mask_param")] = 0
    mask_start: Most = 0
    mask_value: Annotated[float, real(0)] = 0.0


@arguments
class TimeMasking(_Masking):
    """Time mask: `time_mask_param` of them from `mask_start`, or with `iid_masks` a random stretch of at most that."""

    axis = 2
    _kind = "time"
    iid_masks: Annotated[bool, flag] = False
    time_mask_param: Annotated[int, lambda value, _: integer(0, FLOAT_MAX_INTEGER)(value, "mask_param")] = 0
    mask_start: Most = 0
    mask_value: Annotated[float, real(0)] = 0.0
