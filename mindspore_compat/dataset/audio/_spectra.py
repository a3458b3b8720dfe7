"""Spectrograms and what is made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mindspore_compat.dataset.audio._effects import decibels
from mindspore_compat.dataset.audio._operation import AudioOperation, magnitudes_of
from mindspore_compat.dataset.audio.utils import (
    BorderType,
    MelType,
    NormMode,
    NormType,
    WindowType,
    check_int,
    check_real,
    cosines,
    linear_filters,
    mel_filters,
)
from mindspore_compat.dataset.core.validator_helpers import type_check

__all__ = [
    "LFCC",
    "MFCC",
    "MelScale",
    "MelSpectrogram",
    "SpectralCentroid",
    "Spectrogram",
    "frames_of",
    "padded",
    "window_of",
]


def window_of(window: WindowType, win_length: int, n_fft: int) -> np.ndarray:
    """A periodic window with zeros around it up to `n_fft`."""
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
    """`signal` with a border along the last axis."""
    widths = [(0, 0)] * (signal.ndim - 1) + [(left, right)]
    return np.pad(signal, widths, mode.value)  # type: ignore[call-overload]


def frames_of(
    signal: np.ndarray,
    window: np.ndarray,
    hop_length: int,
    center: bool = True,
    pad_mode: BorderType = BorderType.REFLECT,
) -> np.ndarray:
    """The short-time Fourier transform: complex (..., n_fft // 2 + 1, frames)."""
    n_fft = len(window)
    if center:
        signal = padded(signal, n_fft // 2, n_fft // 2, pad_mode)
    if n_fft > signal.shape[-1]:
        raise RuntimeError(
            f"Spectrogram: n_fft should be more than 0 and less than {signal.shape[-1]}, but got n_fft: {n_fft}."
        )
    parts = np.lib.stride_tricks.sliding_window_view(signal, n_fft, axis=-1)[..., ::hop_length, :]
    return np.swapaxes(np.fft.rfft(parts * window), -1, -2)


def check_frames(n_fft: Any, win_length: Any, hop_length: Any) -> None:
    """Raise for lengths that do not fit."""
    check_int(n_fft, "n_fft", 1)
    if win_length is not None:
        check_int(win_length, "win_length", 1)
        if win_length > n_fft:
            raise ValueError(
                f"Input win_length should be no more than n_fft, but got win_length: {win_length} and n_fft: {n_fft}."
            )
    if hop_length is not None:
        check_int(hop_length, "hop_length", 1)


class Spectrogram(AudioOperation):
    """Power (or magnitude; complex pairs for power 0) of each frequency over time."""

    lists = True

    def __init__(
        self,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
        power: float = 2.0,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
    ) -> None:
        super().__init__()
        check_frames(n_fft, win_length, hop_length)
        check_int(pad, "pad", 0)
        type_check(window, WindowType, "window")
        check_real(power, "power", 0)
        for name, flag in {"normalized": normalized, "center": center, "onesided": onesided}.items():
            type_check(flag, bool, name)
        type_check(pad_mode, BorderType, "pad_mode")
        self.n_fft, self.pad, self.power, self.normalized, self.onesided = n_fft, pad, power, normalized, onesided
        self.win_length = win_length or n_fft
        self.hop_length = hop_length or self.win_length // 2
        self.window, self.center, self.pad_mode = window, center, pad_mode

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        if not self.hop_length:
            raise RuntimeError("Spectrogram: hop_length can not be zero.")
        window = window_of(self.window, self.win_length, self.n_fft)
        spectrum = frames_of(
            padded(array, self.pad, self.pad, BorderType.CONSTANT), window, self.hop_length, self.center, self.pad_mode
        )
        if self.normalized:
            spectrum = spectrum / np.sqrt((window**2).sum())
        if not self.onesided:
            # the upper half repeats the lower one as it is, not its conjugate
            spectrum = np.concatenate([spectrum, spectrum[..., (self.n_fft - 1) // 2 : 0 : -1, :]], -2)
        return np.stack([spectrum.real, spectrum.imag], -1) if self.power == 0 else magnitudes_of(spectrum, self.power)


class SpectralCentroid(AudioOperation):
    """The mean frequency of each frame, weighted by magnitudes: (..., 1, frames)."""

    lists = True

    def __init__(
        self,
        sample_rate: int,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate", 0)
        self._spectrogram = Spectrogram(n_fft, win_length, hop_length, pad, window, 1.0)
        self.sample_rate, self.n_fft = sample_rate, n_fft

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        magnitudes = self._spectrogram._audio(array, dtype)
        frequencies = np.linspace(0, self.sample_rate // 2, 1 + self.n_fft // 2)[:, None]
        with np.errstate(invalid="ignore"):
            return (frequencies * magnitudes).sum(-2, keepdims=True) / magnitudes.sum(-2, keepdims=True)


def check_mels(
    n_mels: Any, sample_rate: Any, f_min: Any, f_max: Any, norm: Any, mel_type: Any, mel_name: str = "mel_type"
) -> None:
    """Raise for a mel scale that cannot be."""
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


class MelScale(AudioOperation):
    """A spectrogram's frequencies in mel bands."""

    least_rank = 2

    def __init__(
        self,
        n_mels: int = 128,
        sample_rate: int = 16000,
        f_min: float = 0.0,
        f_max: float | None = None,
        n_stft: int = 201,
        norm: NormType = NormType.NONE,
        mel_type: MelType = MelType.HTK,
    ) -> None:
        super().__init__()
        check_mels(n_mels, sample_rate, f_min, f_max, norm, mel_type)
        check_int(n_stft, "n_stft", 1)
        self.n_stft = n_stft
        self._filters = mel_filters(
            n_stft, f_min, sample_rate // 2 if f_max is None else f_max, n_mels, sample_rate, norm, mel_type
        )

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        if array.shape[-2] != self.n_stft:
            raise RuntimeError(
                f"MelScale: n_stft {self.n_stft} is not the frequency dimension of the input tensor, {array.shape[-2]}."
            )
        return self._filters.T.astype(np.float64) @ array


class MelSpectrogram(AudioOperation):
    """A spectrogram in mel bands."""

    def __init__(
        self,
        sample_rate: int = 16000,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        f_min: float = 0.0,
        f_max: float | None = None,
        pad: int = 0,
        n_mels: int = 128,
        window: WindowType = WindowType.HANN,
        power: float = 2.0,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
        norm: NormType = NormType.NONE,
        mel_scale: MelType = MelType.HTK,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate", 0)
        check_int(n_mels, "n_mels", 0)
        type_check(f_min, float, "f_min")
        if f_max is not None:
            check_real(f_max, "f_max", 0)
            if f_min > f_max:
                raise ValueError(
                    f"f_max should be greater than or equal to f_min, but got f_min: {f_min} and f_max: {f_max}."
                )
        elif f_min >= sample_rate // 2:
            raise ValueError(
                "MelSpectrogram: sample_rate // 2 should be greater than f_min when f_max is set to None, but got "
                f"f_min: {f_min}."
            )
        check_real(power, "power", 0, above=True)
        type_check(norm, NormType, "norm")
        type_check(mel_scale, MelType, "mel_type")
        self._spectrogram = Spectrogram(
            n_fft, win_length, hop_length, pad, window, power, normalized, center, pad_mode, onesided
        )
        high = sample_rate // 2 if f_max is None else f_max
        self._filters = mel_filters(n_fft // 2 + 1, f_min, high, n_mels, sample_rate, norm, mel_scale)
        self.n_fft = n_fft

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        if self.n_fft >= 2 * array.shape[-1]:
            raise RuntimeError("MelSpectrogram: Padding size should be less than the corresponding input dimension.")
        spectrogram = self._spectrogram._audio(array, dtype)
        if spectrogram.shape[-2] != len(self._filters):
            raise RuntimeError("MelSpectrogram: a spectrogram with onesided=False does not fit the mel scale.")
        return self._filters.T.astype(np.float64) @ spectrogram


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


_SPECTRUM = {
    "n_fft": 400,
    "win_length": None,
    "hop_length": None,
    "pad": 0,
    "window": WindowType.HANN,
    "power": 2.0,
    "normalized": False,
    "center": True,
    "pad_mode": BorderType.REFLECT,
    "onesided": True,
}


def _arguments(given: Any, name: str, extra: dict[str, Any]) -> dict[str, Any]:
    """`given` with the defaults; as upstream, a dict that is given must hold every argument that is checked."""
    if given is None:
        return {**_SPECTRUM, **extra}
    type_check(given, dict, name)
    needed = {"window", "pad_mode", "n_fft", "win_length", "pad", "power"} if not extra else {*_SPECTRUM, *extra}
    for key in needed - set(given):
        raise KeyError(key)
    return {**_SPECTRUM, **extra, **given}


def _check_transform(count: Any, name: str, dct_type: Any, norm: Any, log: Any, log_name: str, least: int) -> None:
    check_int(count, name, least)
    type_check(norm, NormMode, "norm")
    type_check(log, bool, log_name)
    if dct_type != 2:
        raise ValueError(f"Input dct_type must be 2, but got : {dct_type}.")


class MFCC(_Cepstrum):
    """Mel-frequency cepstral coefficients: (..., n_mfcc, frames)."""

    def __init__(
        self,
        sample_rate: int = 16000,
        n_mfcc: int = 40,
        dct_type: int = 2,
        norm: NormMode = NormMode.ORTHO,
        log_mels: bool = False,
        melkwargs: dict | None = None,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate", 0)
        _check_transform(n_mfcc, "n_mfcc", dct_type, norm, log_mels, "log_mels", 0)
        extra = {"f_min": 0.0, "f_max": None, "n_mels": 128, "norm": NormType.NONE, "mel_scale": MelType.HTK}
        arguments = _arguments(melkwargs, "melkwargs", extra)
        if melkwargs is not None:
            check_mels(
                arguments["n_mels"],
                sample_rate,
                arguments["f_min"],
                arguments["f_max"],
                arguments["norm"],
                arguments["mel_scale"],
            )
            if arguments["n_mels"] < n_mfcc:
                raise ValueError(
                    f"Input n_mels should be greater than or equal to n_mfcc, but got n_mfcc: {n_mfcc} and n_mels: "
                    f"{arguments['n_mels']}."
                )
        arguments["f_min"] = float(arguments["f_min"])
        self._mel = MelSpectrogram(sample_rate, **arguments)
        self._cosines, self.log = cosines(n_mfcc, arguments["n_mels"], norm), log_mels

    def _bands(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self._mel._audio(array, dtype)


class LFCC(_Cepstrum):
    """Linear-frequency cepstral coefficients: (..., n_lfcc, frames)."""

    def __init__(
        self,
        sample_rate: int = 16000,
        n_filter: int = 128,
        n_lfcc: int = 40,
        f_min: float = 0.0,
        f_max: float | None = None,
        dct_type: int = 2,
        norm: NormMode = NormMode.ORTHO,
        log_lf: bool = False,
        speckwargs: dict | None = None,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate", 0)
        check_int(n_filter, "n_filter", 1)
        _check_transform(n_lfcc, "n_lfcc", dct_type, norm, log_lf, "log_lf", 1)
        check_real(f_min, "f_min", 0)
        if f_max is not None:
            check_real(f_max, "f_max", 0)
            if f_min > f_max:
                raise ValueError(
                    f"f_max should be greater than or equal to f_min, but got f_min: {f_min} and f_max: {f_max}."
                )
        elif f_min >= sample_rate // 2:
            raise ValueError(
                "Input sample_rate // 2 should be greater than f_min when f_max is set to None, but got f_min: "
                f"{f_min} and "
                f"sample_rate: {sample_rate}."
            )
        arguments = _arguments(speckwargs, "speckwargs", {})
        n_fft = arguments["n_fft"]
        if speckwargs is not None and n_fft < n_lfcc:
            raise ValueError(
                f"n_fft should be greater than or equal to n_lfcc, but got n_fft: {n_fft} and n_lfcc: {n_lfcc}."
            )
        self._spectrogram = Spectrogram(**arguments)
        self._filters = linear_filters(
            n_fft // 2 + 1, f_min, sample_rate // 2 if f_max is None else f_max, n_filter, sample_rate
        )
        self._cosines, self.log = cosines(n_lfcc, n_filter, norm), log_lf

    def _bands(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        spectrogram = self._spectrogram._audio(array, dtype)
        if spectrogram.shape[-2] != len(self._filters):
            raise RuntimeError("LFCC: a spectrogram with onesided=False does not fit the filters.")
        return self._filters.T.astype(np.float64) @ spectrogram


def frames_in(length: int, n_fft: int, hop_length: int, center: bool) -> int:
    """How many frames a signal of `length` needs."""
    return math.ceil((length + n_fft if center else length) / hop_length)
