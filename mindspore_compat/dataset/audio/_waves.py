"""Signals back from spectrograms, changed in time and pitch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mindspore_compat.dataset.audio._operation import AudioOperation, need_complex
from mindspore_compat.dataset.audio._spectra import check_frames, check_mels, frames_in, frames_of, window_of
from mindspore_compat.dataset.audio.utils import (
    BorderType,
    MelType,
    NormType,
    ResampleMethod,
    WindowType,
    check_int,
    check_real,
    mel_filters,
)
from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.dataset.core.validator_helpers import type_check

__all__ = [
    "GriffinLim",
    "InverseMelScale",
    "InverseSpectrogram",
    "PhaseVocoder",
    "PitchShift",
    "Resample",
    "TimeStretch",
]

_CHUNK = 16384


def _pairs(values: np.ndarray) -> np.ndarray:
    return np.stack([values.real, values.imag], -1)


def signal_of(
    spectrum: np.ndarray, window: np.ndarray, hop_length: int, center: bool = True, length: int = 0
) -> np.ndarray:
    """The signal of a short-time Fourier transform, (..., frequencies, frames); `length` 0 for what the frames give."""
    n_fft = len(window)
    if n_fft != (spectrum.shape[-2] - 1) * 2:
        raise RuntimeError("GriffinLim: the frequency of the input should equal to n_fft / 2 + 1")
    if length:
        spectrum = spectrum[..., : frames_in(length, n_fft, hop_length, center)]
    count = spectrum.shape[-1]
    parts = np.fft.irfft(np.swapaxes(spectrum, -1, -2), n_fft) * window
    result = np.zeros((*spectrum.shape[:-2], n_fft + hop_length * (count - 1)))
    weight = np.zeros(result.shape[-1])
    for frame in range(count):
        here = slice(frame * hop_length, frame * hop_length + n_fft)
        result[..., here] += parts[..., frame, :]
        weight[here] += window**2
    result /= np.where(weight > np.finfo(np.float32).tiny, weight, 1)
    start = n_fft // 2 if center else 0
    if not length and center:
        return result[..., start : result.shape[-1] - start]
    result = result[..., start : start + length]
    return np.pad(result, [(0, 0)] * (result.ndim - 1) + [(0, length - result.shape[-1])])


class InverseSpectrogram(AudioOperation):
    """The signal of complex pairs (..., freq, time, 2)."""

    def __init__(
        self,
        length: int | None = None,
        n_fft: int = 400,
        win_length: int | None = None,
        hop_length: int | None = None,
        pad: int = 0,
        window: WindowType = WindowType.HANN,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
    ) -> None:
        super().__init__()
        if length is not None:
            check_int(length, "length", 0)
        check_frames(n_fft, win_length, hop_length)
        type_check(window, WindowType, "window")
        for name, flag in {"normalized": normalized, "center": center, "onesided": onesided}.items():
            type_check(flag, bool, name)
        type_check(pad_mode, BorderType, "pad_mode")
        check_int(pad, "pad", 0)
        self.length, self.n_fft, self.pad, self.normalized, self.center, self.onesided = (
            length or 0,
            n_fft,
            pad,
            normalized,
            center,
            onesided,
        )
        self.win_length = win_length or n_fft
        self.hop_length, self.window = hop_length or self.win_length // 2, window

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        spectrum = need_complex(array, "InverseSpectrogram", 3)
        window = window_of(self.window, self.win_length, self.n_fft)
        if self.normalized:
            spectrum = spectrum * np.sqrt((window**2).sum())
        if not self.onesided:
            spectrum = spectrum[..., : self.n_fft // 2 + 1, :]
        if self.pad and not self.length:
            raise RuntimeError("InverseSpectrogram: pad needs a length.")
        length = self.length + 2 * self.pad if self.length else (spectrum.shape[-1] - 1) * self.hop_length
        result = signal_of(spectrum, window, self.hop_length, self.center, length)
        return result[..., self.pad : result.shape[-1] - self.pad]


class GriffinLim(AudioOperation):
    """A signal of a magnitude spectrogram, with phases found by going to and fro."""

    least_rank = 2

    def __init__(
        self,
        n_fft: int = 400,
        n_iter: int = 32,
        win_length: int | None = None,
        hop_length: int | None = None,
        window_type: WindowType = WindowType.HANN,
        power: float = 2.0,
        momentum: float = 0.99,
        length: int | None = None,
        rand_init: bool = True,
    ) -> None:
        super().__init__()
        check_int(n_iter, "n_iter", 1)
        check_frames(n_fft, win_length or None, hop_length or None)
        for name, value in {"win_length": win_length, "hop_length": hop_length, "length": length}.items():
            if value is not None:
                check_int(value, name, 0)
        type_check(window_type, WindowType, "window_type")
        check_real(power, "power", 0, above=True)
        check_real(momentum, "momentum", 0)
        type_check(rand_init, bool, "rand_init")
        self.n_fft, self.n_iter, self.power, self.momentum, self.rand_init = n_fft, n_iter, power, momentum, rand_init
        self.win_length = win_length or n_fft
        self.hop_length, self.window_type, self.length = hop_length or self.win_length // 2, window_type, length or 0

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        magnitudes = array.reshape(-1, *array.shape[-2:]) ** (1 / self.power)
        window = window_of(self.window_type, self.win_length, self.n_fft)
        phases: Any = np.ones(magnitudes.shape, complex)
        if self.rand_init:
            phases = current_rng().random(magnitudes.shape) + 1j * current_rng().random(magnitudes.shape)
        before: Any = 0
        for _ in range(self.n_iter):
            signal = signal_of(magnitudes * phases, window, self.hop_length, length=self.length)
            rebuilt = frames_of(signal, window, self.hop_length)
            if rebuilt.shape != magnitudes.shape:
                raise RuntimeError(f"GriffinLim: length {self.length} does not fit {magnitudes.shape[-1]} frames.")
            # as upstream, which divides the momentum by itself plus one twice
            phases = rebuilt - before * (self.momentum / (1 + 2 * self.momentum))
            phases, before = phases / (np.abs(phases) + 1e-16), rebuilt
        result = signal_of(magnitudes * phases, window, self.hop_length, length=self.length)
        return result[0] if array.ndim == 2 else result


class InverseMelScale(AudioOperation):
    """A spectrogram whose mel bands are these, found by gradient descent from random numbers."""

    least_rank = 2

    def __init__(
        self,
        n_stft: int,
        n_mels: int = 128,
        sample_rate: int = 16000,
        f_min: float = 0.0,
        f_max: float | None = None,
        max_iter: int = 100000,
        tolerance_loss: float = 1e-5,
        tolerance_change: float = 1e-8,
        sgdargs: dict | None = None,
        norm: NormType = NormType.NONE,
        mel_type: MelType = MelType.HTK,
    ) -> None:
        super().__init__()
        check_mels(n_mels, sample_rate, f_min, f_max, norm, mel_type)
        check_int(n_stft, "n_stft", 1)
        check_int(max_iter, "max_iter", 1)
        check_real(tolerance_loss, "tolerance_loss", 0, above=True)
        check_real(tolerance_change, "tolerance_change", 0, above=True)
        sgdargs = {"sgd_lr": 0.1, "sgd_momentum": 0.9} if sgdargs is None else sgdargs
        check_real(sgdargs["sgd_lr"], "sgd_lr", 0)
        check_real(sgdargs["sgd_momentum"], "sgd_momentum", 0)
        self.n_mels, self.max_iter, self.tolerance_loss, self.tolerance_change = (
            n_mels,
            max_iter,
            tolerance_loss,
            tolerance_change,
        )
        self.rate = sgdargs["sgd_lr"]
        self._filters = mel_filters(
            n_stft, f_min, f_max or sample_rate // 2, n_mels, sample_rate, norm, mel_type
        ).astype(np.float64)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        if array.shape[-2] != self.n_mels:
            raise RuntimeError("InverseMelScale: n_mels must be equal to the penultimate dimension of input.")
        found = [self._descended(example) for example in array.reshape(-1, *array.shape[-2:])]
        return np.stack(found).reshape(*(array.shape[:-2] or (1,)), len(self._filters), array.shape[-1])

    def _descended(self, wanted: np.ndarray) -> np.ndarray:
        """As upstream, the momentum starts over at every step and so does nothing."""
        spectrum, time, last = current_rng().random((len(self._filters), wanted.shape[-1])), wanted.shape[-1], np.inf
        for _ in range(self.max_iter):
            difference = wanted - self._filters.T @ spectrum
            loss = (difference**2).mean()
            if loss < self.tolerance_loss or abs(last - loss) < self.tolerance_change:
                break
            spectrum, last = spectrum + self.rate * (self._filters @ difference) / time, loss
        return np.maximum(spectrum, 0)


def _stretched(spectrum: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """The phase vocoder: `spectrum` (..., freq, time) faster by `rate`, with phases that go on smoothly."""
    if abs(np.float32(rate) - 1) <= np.finfo(np.float32).eps:
        return spectrum
    steps = (np.arange(int(spectrum.shape[-1] / rate) + 2, dtype=np.float32) * np.float32(rate)).astype(np.float64)
    steps = steps[steps < spectrum.shape[-1]]
    at, part = steps.astype(int), steps % 1
    wide = np.pad(spectrum, [(0, 0)] * (spectrum.ndim - 1) + [(0, 2)])
    first, second = wide[..., at], wide[..., at + 1]
    advance = advance.reshape(-1)[np.arange(spectrum.shape[-2]) % advance.size][:, None]
    turn = np.angle(second) - np.angle(first) - advance
    turn += advance - 2 * np.pi * np.round(turn / (2 * np.pi))
    phase = np.concatenate([np.angle(spectrum[..., :1]), turn[..., :-1]], -1).cumsum(-1)
    magnitude = part * np.abs(second) + (1 - part) * np.abs(first)
    return magnitude * np.exp(1j * phase)


class PhaseVocoder(AudioOperation):
    """Stretches complex pairs (..., freq, time, 2) in time without changing the pitch."""

    def __init__(self, rate: float, phase_advance: np.ndarray) -> None:
        super().__init__()
        check_real(rate, "rate", 0, above=True)
        type_check(phase_advance, np.ndarray, "phase_advance")
        self.rate, self.phase_advance = rate, phase_advance

    def _compute(self, array: np.ndarray) -> Any:
        need_complex(array, "PhaseVocoder", 3)
        if self.phase_advance.shape[0] != array.shape[-3]:
            raise RuntimeError(
                "PhaseVocoder: invalid parameter, 'first dimension of 'phase_advance'' should be equal to 'freq "
                "dimension length of input tensor', "
                f"but got: {self.phase_advance.shape[0]} while {array.shape[-3]}."
            )
        if self.phase_advance.dtype != array.dtype:
            raise RuntimeError(
                "PhaseVocoder: invalid parameter, data type of phase_advance should be equal to data type of input "
                "tensor, but got: data type of "
                f"phase_advance {self.phase_advance.dtype} while data type of input tensor {array.dtype}."
            )
        return super()._compute(array)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return _pairs(_stretched(need_complex(array, "PhaseVocoder"), self.rate, self.phase_advance.astype(np.float64)))


class TimeStretch(AudioOperation):
    """Stretches complex pairs (..., freq, time, 2) in time without changing the pitch."""

    def __init__(self, hop_length: int | None = None, n_freq: int = 201, fixed_rate: float | None = None) -> None:
        super().__init__()
        if hop_length is not None:
            check_int(hop_length, "hop_length", 1)
        check_int(n_freq, "n_freq", 1)
        if fixed_rate is not None:
            check_real(fixed_rate, "fixed_rate", 0, above=True)
        self.n_freq, self.fixed_rate, self.hop_length = (
            n_freq,
            1 if fixed_rate is None else fixed_rate,
            hop_length or n_freq - 1,
        )

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        advance = np.linspace(0, np.pi * self.hop_length, self.n_freq)
        return _pairs(_stretched(need_complex(array, "TimeStretch", 3), self.fixed_rate, advance))


def resampled(
    signal: np.ndarray,
    before: float,
    after: float,
    method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION,
    width: int = 6,
    rolloff: float = 0.99,
    beta: float = 14.769656459379492,
) -> np.ndarray:
    """Bandlimited interpolation: each of the `after` samples in a period has its own filter over the input
    around it.
    """
    if before == after:
        return signal
    divisor = math.gcd(int(before), int(after))
    if not divisor:
        raise RuntimeError("Resample: gcd cannot be equal to 0.")
    old, new = int(before // divisor), int(after // divisor)
    if not old or not new:
        raise RuntimeError(f"Resample: invalid parameter, frequencies {before} and {after} cannot be used.")
    base = float(np.float32(min(old, new)) * np.float32(rolloff))
    reach = math.ceil(np.float32(width * old) / np.float32(base))
    # the filter of output n over the inputs around n * old / new; it is the same for every n + new
    count = math.ceil(new * signal.shape[-1] / old)
    parts = np.arange(min(new, count), dtype=np.int64) * old % new / new
    times = np.clip((np.arange(-reach, reach + 2) - parts[:, None]) * base / old, -width, width)
    if method is ResampleMethod.SINC_INTERPOLATION:
        window = np.cos(times * np.pi / width / 2) ** 2
    else:
        window = np.i0(beta * np.sqrt(1 - (times / width) ** 2)) / np.i0(beta)
    filters = np.sinc(times) * window * base / old
    wide = np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(reach, reach + 2)])
    around = np.lib.stride_tricks.sliding_window_view(wide, filters.shape[1], axis=-1)
    result = np.empty((*signal.shape[:-1], count))
    for first in range(0, count, _CHUNK):
        at = np.arange(first, min(first + _CHUNK, count), dtype=np.int64)
        result[..., at] = np.einsum("...nt,nt->...n", around[..., at * old // new, :], filters[at % new])
    return result


class Resample(AudioOperation):
    """A signal at another sample rate."""

    def __init__(
        self,
        orig_freq: float = 16000,
        new_freq: float = 16000,
        resample_method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION,
        lowpass_filter_width: int = 6,
        rolloff: float = 0.99,
        beta: float | None = None,
    ) -> None:
        super().__init__()
        check_real(orig_freq, "orig_freq", 0, above=True)
        check_real(new_freq, "new_freq", 0, above=True)
        type_check(resample_method, ResampleMethod, "resample_method")
        check_int(lowpass_filter_width, "lowpass_filter_width", 1)
        type_check(rolloff, float, "rolloff")
        check_real(rolloff, "rolloff", 0, 1.0, above=True)
        self._arguments = (
            orig_freq,
            new_freq,
            resample_method,
            lowpass_filter_width,
            rolloff,
            14.769656459379492 if beta is None else beta,
        )

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return resampled(array, *self._arguments)


class PitchShift(AudioOperation):
    """A signal of the same length with another pitch."""

    def __init__(
        self,
        sample_rate: int,
        n_steps: int,
        bins_per_octave: int = 12,
        n_fft: int = 512,
        win_length: int | None = None,
        hop_length: int | None = None,
        window: WindowType = WindowType.HANN,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate", 0)
        check_int(n_steps, "n_steps")
        check_int(bins_per_octave, "bins_per_octave")
        if bins_per_octave == 0:
            raise ValueError(
                "Input bins_per_octave is not within the required interval of [-2147483648, 0) and (0, 2147483647]."
            )
        check_frames(n_fft, win_length, hop_length)
        type_check(window, WindowType, "window")
        self.sample_rate, self.n_steps, self.bins_per_octave, self.n_fft = sample_rate, n_steps, bins_per_octave, n_fft
        self.win_length = win_length or n_fft
        self.hop_length, self.window = hop_length or self.win_length // 4, window

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        window, length = window_of(self.window, self.win_length, self.n_fft), array.shape[-1]
        rate = float(np.float32(2.0 ** np.float32(-self.n_steps / self.bins_per_octave)))
        spectrum = frames_of(array, window, self.hop_length)
        stretched = _stretched(spectrum, rate, np.linspace(0, np.pi * self.hop_length, spectrum.shape[-2]))
        signal = signal_of(stretched, window, self.hop_length, length=math.floor(length / np.float32(rate) + 0.5))
        shifted = resampled(signal, int(self.sample_rate / np.float32(rate)), self.sample_rate)[..., :length]
        return np.pad(shifted, [(0, 0)] * (array.ndim - 1) + [(0, length - shifted.shape[-1])])
