"""Spectrograms, features derived from them, and masks along their axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mindspore_compat._api.former_names import renamed_args
from mindspore_compat.dataset.audio._effects import decibels
from mindspore_compat.dataset.audio._operation import AudioOperation, magnitudes_of
from mindspore_compat.dataset.audio.utils import (
    BorderType,
    MelType,
    NormMode,
    NormType,
    WindowType,
    cosines,
    linear_filters,
    mel_filters,
)
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, real
from mindspore_compat.dataset.core.randomness import engine_of
from mindspore_compat.dataset.core.validator_helpers import FLOAT_MAX_INTEGER, check_int, check_real, type_check

__all__ = [
    "LFCC",
    "MFCC",
    "MelScale",
    "MelSpectrogram",
    "SpectralCentroid",
    "Spectrogram",
    "FrequencyMasking",
    "MaskAlongAxis",
    "MaskAlongAxisIID",
    "TimeMasking",
]


def window_of(window: WindowType, win_length: int, n_fft: int) -> np.ndarray:
    """Return a periodic window with zeros around it up to `n_fft`."""
    at = np.arange(win_length) / win_length
    if win_length == 1:
        values = np.ones(1)
    elif window is WindowType.BARTLETT:
        values = 1 - np.abs(2 * at - 1)
    elif window is WindowType.BLACKMAN:
        values = 0.42 - 0.5 * np.cos(2 * np.pi * at) + 0.08 * np.cos(4 * np.pi * at)
    elif window is WindowType.HAMMING:
        values = 0.54 - 0.46 * np.cos(2 * np.pi * at)
    elif window is WindowType.KAISER:
        values = np.i0(12 * np.sqrt(1 - (2 * at - 1) ** 2)) / np.i0(12)
    else:
        values = 0.5 - 0.5 * np.cos(2 * np.pi * at)
    left = (n_fft - win_length) // 2
    return np.pad(values.astype(np.float32), (left, n_fft - win_length - left)).astype(np.float64)


def padded(signal: np.ndarray, left: int, right: int, mode: BorderType) -> np.ndarray:
    """Return `signal` with a border along the last axis."""
    widths = [(0, 0)] * (signal.ndim - 1) + [(left, right)]
    return np.pad(signal, widths, mode.value)  # type: ignore[call-overload]


def frames_of(
    signal: np.ndarray,
    window: np.ndarray,
    hop_length: int,
    center: bool = True,
    pad_mode: BorderType = BorderType.REFLECT,
) -> np.ndarray:
    """Return the short-time Fourier transform: complex (..., n_fft // 2 + 1, frames)."""
    n_fft = len(window)
    if center:
        signal = padded(signal, n_fft // 2, n_fft // 2, pad_mode)
    if n_fft > signal.shape[-1]:
        raise RuntimeError(f"Spectrogram: n_fft {n_fft} is greater than the signal, {signal.shape[-1]}.")
    parts = np.lib.stride_tricks.sliding_window_view(signal, n_fft, axis=-1)[..., ::hop_length, :]
    return np.swapaxes(np.fft.rfft(parts * window), -1, -2)


def frame_lengths(n_fft: Any, win_length: Any, hop_length: Any, hops: int = 2) -> tuple[int, int]:
    """Return lengths of window and hop, by default `n_fft` and a part of the window; raise where they do not fit."""
    check_int(n_fft, "n_fft", 1)
    if win_length is not None:
        check_int(win_length, "win_length", 1)
        if win_length > n_fft:
            raise ValueError(f"Input win_length {win_length} is greater than n_fft {n_fft}.")
    if hop_length is not None:
        check_int(hop_length, "hop_length", 1)
    win_length = win_length or n_fft
    return win_length, hop_length or win_length // hops


@arguments
class Spectrogram(AudioOperation):
    """Power (or magnitude; complex pairs for power 0) of each frequency over time."""

    lists = True

    n_fft: int = 400
    win_length: int | None = None
    hop_length: int | None = None
    pad: Annotated[int, integer(0)] = 0
    window: Annotated[WindowType, kind_of(WindowType)] = WindowType.HANN
    power: Annotated[float, real(0)] = 2.0
    normalized: Annotated[bool, flag] = False
    center: Annotated[bool, flag] = True
    pad_mode: Annotated[BorderType, kind_of(BorderType)] = BorderType.REFLECT
    onesided: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        self._win_length, self._hop_length = frame_lengths(self.n_fft, self.win_length, self.hop_length)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        window = window_of(self.window, self._win_length, self.n_fft)
        spectrum = frames_of(
            padded(array, self.pad, self.pad, BorderType.CONSTANT), window, self._hop_length, self.center, self.pad_mode
        )
        if self.normalized:
            spectrum = spectrum / np.sqrt((window**2).sum())
        if not self.onesided:
            # the upper half repeats the lower one unchanged, not its conjugate
            spectrum = np.concatenate([spectrum, spectrum[..., (self.n_fft - 1) // 2 : 0 : -1, :]], -2)
        return np.stack([spectrum.real, spectrum.imag], -1) if self.power == 0 else magnitudes_of(spectrum, self.power)


@arguments
class SpectralCentroid(AudioOperation):
    """The mean frequency of each frame, weighted by magnitudes: (..., 1, frames)."""

    lists = True

    sample_rate: Annotated[int, integer(0)]
    n_fft: int = 400
    win_length: int | None = None
    hop_length: int | None = None
    pad: int = 0
    window: WindowType = WindowType.HANN

    def _prepare(self) -> None:
        self._spectrogram = Spectrogram(self.n_fft, self.win_length, self.hop_length, self.pad, self.window, 1.0)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        magnitudes = self._spectrogram._audio(array, dtype)
        frequencies = np.linspace(0, self.sample_rate // 2, 1 + self.n_fft // 2)[:, None]
        with np.errstate(invalid="ignore"):
            return (frequencies * magnitudes).sum(-2, keepdims=True) / magnitudes.sum(-2, keepdims=True)


def check_mels(
    n_mels: Any, sample_rate: Any, f_min: Any, f_max: Any, norm: Any, mel_type: Any, mel_name: str = "mel_type"
) -> None:
    """Raise for an invalid mel scale."""
    check_int(n_mels, "n_mels", 1)
    check_int(sample_rate, "sample_rate", 1)
    check_real(f_min, "f_min")
    if f_max is not None:
        check_real(f_max, "f_max", 0, above=True)
        if f_min >= f_max:
            raise ValueError("MelScale: f_max should be greater than f_min.")
    elif f_min >= sample_rate // 2:
        raise ValueError("MelScale: sample_rate // 2 should be greater than f_min when f_max is set to None.")
    type_check(norm, NormType, "norm")
    type_check(mel_type, MelType, mel_name)


def _check_range(operation: Any) -> None:
    """Raise ValueError where `f_max`, or half of the rate, is below `f_min`."""
    f_min, f_max = operation.f_min, operation.f_max
    if f_min >= operation.sample_rate // 2 if f_max is None else f_min > f_max:
        raise ValueError(f"f_max {f_max} must be above f_min {f_min}; None is half of {operation.sample_rate}.")


def _top(operation: Any) -> float:
    """Return the highest frequency."""
    return operation.sample_rate // 2 if operation.f_max is None else operation.f_max


@arguments
class MelScale(AudioOperation):
    """A spectrogram's frequencies in mel bands."""

    least_rank = 2

    n_mels: int = 128
    sample_rate: int = 16000
    f_min: float = 0.0
    f_max: float | None = None
    n_stft: Annotated[int, integer(1)] = 201
    norm: NormType = NormType.NONE
    mel_type: MelType = MelType.HTK

    def _prepare(self) -> None:
        check_mels(self.n_mels, self.sample_rate, self.f_min, self.f_max, self.norm, self.mel_type)
        self._filters = mel_filters(
            self.n_stft, self.f_min, _top(self), self.n_mels, self.sample_rate, self.norm, self.mel_type
        )

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self._filters.T.astype(np.float64) @ array


@arguments
class MelSpectrogram(AudioOperation):
    """A spectrogram in mel bands."""

    sample_rate: Annotated[int, integer(0)] = 16000
    n_fft: int = 400
    win_length: int | None = None
    hop_length: int | None = None
    f_min: Annotated[float, real()] = 0.0
    f_max: Annotated[float | None, real(0)] = None
    pad: int = 0
    n_mels: Annotated[int, integer(0)] = 128
    window: WindowType = WindowType.HANN
    power: Annotated[float, real(0, above=True)] = 2.0
    normalized: bool = False
    center: bool = True
    pad_mode: BorderType = BorderType.REFLECT
    onesided: bool = True
    norm: Annotated[NormType, kind_of(NormType)] = NormType.NONE
    mel_scale: Annotated[MelType, kind_of(MelType)] = MelType.HTK

    def _prepare(self) -> None:
        _check_range(self)
        self._spectrogram = Spectrogram(**{name: getattr(self, name) for name in Spectrogram._arguments})  # type: ignore[attr-defined]
        self._filters = mel_filters(
            self.n_fft // 2 + 1, self.f_min, _top(self), self.n_mels, self.sample_rate, self.norm, self.mel_scale
        )

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        if self.n_fft >= 2 * array.shape[-1]:
            raise RuntimeError("MelSpectrogram: Padding size should be less than the corresponding input dimension.")
        return self._filters.T.astype(np.float64) @ self._spectrogram._audio(array, dtype)


class _Cepstrum(AudioOperation):
    """Cosine transform of the logarithm of `_bands`; float32 for every input."""

    log = False
    _cosines: np.ndarray

    def _bands(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        raise NotImplementedError

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        bands = self._bands(array, dtype)
        bands = np.log(bands + 1e-6) if self.log else decibels(bands, 10.0, 0.0, 80.0)
        return self._cosines.T.astype(np.float64) @ bands

    @staticmethod
    def _rounded(result: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return np.ascontiguousarray(result, np.float32)


#: The arguments of `Spectrogram` with their defaults.
_SPECTRUM = {name: default for name, (default, _) in Spectrogram._arguments.items()}  # type: ignore[attr-defined]


@arguments
class MFCC(_Cepstrum):
    """Mel-frequency cepstral coefficients: (..., n_mfcc, frames)."""

    sample_rate: Annotated[int, integer(0)] = 16000
    n_mfcc: Annotated[int, integer(1)] = 40
    dct_type: Annotated[int, integer(2, 2)] = 2
    norm: Annotated[NormMode, kind_of(NormMode)] = NormMode.ORTHO
    log_mels: Annotated[bool, flag] = False
    melkwargs: Annotated[dict | None, kind_of(dict)] = None

    def _prepare(self) -> None:
        extra = {"f_min": 0.0, "f_max": None, "n_mels": 128, "norm": NormType.NONE, "mel_scale": MelType.HTK}
        arguments = {**_SPECTRUM, **extra, **(self.melkwargs or {})}
        if self.melkwargs is not None:
            check_int(arguments["n_mels"], "n_mels", self.n_mfcc)
        arguments |= {"f_min": float(arguments["f_min"]), "win_length": arguments["win_length"] or None}  # 0: as n_fft
        self._mel = MelSpectrogram(self.sample_rate, **arguments)
        self._cosines = cosines(self.n_mfcc, arguments["n_mels"], self.norm)
        self.log = self.log_mels

    def _bands(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self._mel._audio(array, dtype)


@arguments
class LFCC(_Cepstrum):
    """Linear-frequency cepstral coefficients: (..., n_lfcc, frames)."""

    sample_rate: Annotated[int, integer(0)] = 16000
    n_filter: Annotated[int, integer(1)] = 128
    n_lfcc: Annotated[int, integer(1)] = 40
    f_min: Annotated[float, real(0)] = 0.0
    f_max: Annotated[float | None, real(0)] = None
    dct_type: Annotated[int, integer(2, 2)] = 2
    norm: Annotated[NormMode, kind_of(NormMode)] = NormMode.ORTHO
    log_lf: Annotated[bool, flag] = False
    speckwargs: Annotated[dict | None, kind_of(dict)] = None

    def _prepare(self) -> None:
        _check_range(self)
        arguments = {**_SPECTRUM, **(self.speckwargs or {})}
        n_fft = arguments["n_fft"]
        self._spectrogram = Spectrogram(**arguments)
        if n_fft < self.n_lfcc:
            raise ValueError(f"n_fft must be at least n_lfcc, but got n_fft: {n_fft} and n_lfcc: {self.n_lfcc}.")
        self._filters = linear_filters(n_fft // 2 + 1, self.f_min, _top(self), self.n_filter, self.sample_rate)
        self._cosines = cosines(self.n_lfcc, self.n_filter, self.norm)
        self.log = self.log_lf

    def _bands(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self._filters.T.astype(np.float64) @ self._spectrogram._audio(array, dtype)


def frames_in(length: int, n_fft: int, hop_length: int, center: bool) -> int:
    """Return how many frames a signal of `length` needs."""
    return math.ceil((length + n_fft if center else length) / hop_length)


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
