"""Signals back from spectrograms, changed in time and pitch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mindspore_compat.dataset.audio._operation import AudioOperation, need_complex, need_rank
from mindspore_compat.dataset.audio._spectra import check_mels, frame_lengths, frames_in, frames_of, window_of
from mindspore_compat.dataset.audio.utils import BorderType, MelType, NormType, ResampleMethod, WindowType, mel_filters
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, real
from mindspore_compat.dataset.core.randomness import engine_of
from mindspore_compat.dataset.core.validator_helpers import check_nonzero, check_real, type_check

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
    """Return the signal of a short-time Fourier transform, (..., frequencies, frames); `length` 0: natural length."""
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


@arguments
class InverseSpectrogram(AudioOperation):
    """The signal of complex pairs (..., freq, time, 2)."""

    length: Annotated[int | None, integer(0)] = None
    n_fft: int = 400
    win_length: int | None = None
    hop_length: int | None = None
    pad: Annotated[int, integer(0)] = 0
    window: Annotated[WindowType, kind_of(WindowType)] = WindowType.HANN
    normalized: Annotated[bool, flag] = False
    center: Annotated[bool, flag] = True
    pad_mode: Annotated[BorderType, kind_of(BorderType)] = BorderType.REFLECT
    onesided: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        self._length = self.length or 0
        self._win_length, self._hop_length = frame_lengths(self.n_fft, self.win_length, self.hop_length)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        spectrum = need_complex(array, "InverseSpectrogram", 3)
        window = window_of(self.window, self._win_length, self.n_fft)
        if self.normalized:
            spectrum = spectrum * np.sqrt((window**2).sum())
        if not self.onesided:
            spectrum = spectrum[..., : self.n_fft // 2 + 1, :]
        if self.pad and not self._length:
            raise RuntimeError("InverseSpectrogram: pad needs a length.")
        length = self._length + 2 * self.pad if self._length else (spectrum.shape[-1] - 1) * self._hop_length
        result = signal_of(spectrum, window, self._hop_length, self.center, length)
        return result[..., self.pad : result.shape[-1] - self.pad]


@arguments
class GriffinLim(AudioOperation):
    """A signal of a magnitude spectrogram, with phases found by iteration."""

    least_rank = 2

    n_fft: int = 400
    n_iter: Annotated[int, integer(1)] = 32
    win_length: Annotated[int | None, integer(0)] = None
    hop_length: Annotated[int | None, integer(0)] = None
    window_type: Annotated[WindowType, kind_of(WindowType)] = WindowType.HANN
    power: Annotated[float, real(0, above=True)] = 2.0
    momentum: Annotated[float, real(0)] = 0.99
    length: Annotated[int | None, integer(0)] = None
    rand_init: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        lengths = frame_lengths(self.n_fft, self.win_length or None, self.hop_length or None)
        self._win_length, self._hop_length = lengths
        self._length = self.length or 0
        self.draws = self.rand_init

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        if self.momentum >= 1:
            raise RuntimeError(f"GriffinLim: momentum must be less than 1 to be stable, but got: {self.momentum:.6f}")
        magnitudes = array.reshape(-1, *array.shape[-2:]) ** (1 / self.power)
        window = window_of(self.window_type, self._win_length, self.n_fft)
        phases: Any = np.ones(magnitudes.shape, complex)
        if self.rand_init:
            drawn = engine_of(self).doubles(2 * magnitudes.size).reshape(len(magnitudes), -1, magnitudes.shape[1], 2)
            phases = (drawn[..., 1] + 1j * drawn[..., 0]).swapaxes(1, 2)
        before: Any = 0
        for _ in range(self.n_iter):
            signal = signal_of(magnitudes * phases, window, self._hop_length, length=self._length)
            rebuilt = frames_of(signal, window, self._hop_length)
            if rebuilt.shape != magnitudes.shape:
                raise RuntimeError(f"GriffinLim: length {self._length} does not fit {magnitudes.shape[-1]} frames.")
            # as in MindSpore, which divides the momentum by itself plus one twice
            phases = rebuilt - before * (self.momentum / (1 + 2 * self.momentum))
            phases, before = phases / (np.abs(phases) + 1e-16), rebuilt
        result = signal_of(magnitudes * phases, window, self._hop_length, length=self._length)
        return result[0] if array.ndim == 2 else result


@arguments
class InverseMelScale(AudioOperation):
    """A spectrogram with these mel bands, found by gradient descent from random numbers."""

    least_rank = 2
    draws = True

    n_stft: Annotated[int, integer(1)]
    n_mels: int = 128
    sample_rate: int = 16000
    f_min: float = 0.0
    f_max: float | None = None
    max_iter: Annotated[int, integer(1)] = 100000
    tolerance_loss: Annotated[float, real(0, above=True)] = 1e-5
    tolerance_change: Annotated[float, real(0, above=True)] = 1e-8
    sgdargs: dict | None = None
    norm: NormType = NormType.NONE
    mel_type: MelType = MelType.HTK

    def _prepare(self) -> None:
        check_mels(self.n_mels, self.sample_rate, self.f_min, self.f_max, self.norm, self.mel_type)
        self.sgdargs = {"sgd_lr": 0.1, "sgd_momentum": 0.9} if self.sgdargs is None else self.sgdargs
        check_real(self.sgdargs["sgd_lr"], "sgd_lr", 0)
        check_real(self.sgdargs["sgd_momentum"], "sgd_momentum", 0)
        self.rate = self.sgdargs["sgd_lr"]
        top = self.f_max or self.sample_rate // 2
        filters = mel_filters(self.n_stft, self.f_min, top, self.n_mels, self.sample_rate, self.norm, self.mel_type)
        self._filters = filters.astype(np.float64)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        if array.shape[-2] != self.n_mels:
            raise RuntimeError("InverseMelScale: n_mels must be equal to the penultimate dimension of input.")
        engine, shape = engine_of(self), (len(self._filters), array.shape[-1])
        draw = engine.doubles if dtype == np.float64 else engine.singles
        found = [
            self._descended(example, draw(shape[0] * shape[1]).reshape(shape).astype(np.float64))
            for example in array.reshape(-1, *array.shape[-2:])
        ]
        return np.stack(found).reshape(*(array.shape[:-2] or (1,)), len(self._filters), array.shape[-1])

    def _descended(self, wanted: np.ndarray, spectrum: np.ndarray) -> np.ndarray:
        """Return the spectrogram after descent from `spectrum`; as in MindSpore, each step resets the momentum."""
        time, last = wanted.shape[-1], np.inf
        for _ in range(self.max_iter):
            difference = wanted - self._filters.T @ spectrum
            loss = (difference**2).mean()
            if loss < self.tolerance_loss or abs(last - loss) < self.tolerance_change:
                break
            spectrum, last = spectrum + self.rate * (self._filters @ difference) / time, loss
        return np.maximum(spectrum, 0)


def _stretched(spectrum: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """Return `spectrum` (..., freq, time) faster by `rate`, with phases that go on smoothly (phase vocoder)."""
    if abs(np.float32(rate) - 1) <= np.finfo(np.float32).eps:
        return spectrum.reshape(-1, *spectrum.shape[-2:])  # MindSpore's shape of an unchanged input
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


@arguments
class PhaseVocoder(AudioOperation):
    """Stretching of complex pairs (..., freq, time, 2) in time without a change of pitch."""

    rate: Annotated[float, real(0, above=True)]
    phase_advance: Annotated[np.ndarray, kind_of(np.ndarray)]

    def _compute(self, array: np.ndarray) -> Any:
        need_complex(array, "PhaseVocoder", 3)
        if self.phase_advance.shape[0] != array.shape[-3]:
            raise RuntimeError(
                "PhaseVocoder: invalid parameter, 'first dimension of 'phase_advance'' should be equal to 'freq "
                f"dimension length of input tensor', but got: {self.phase_advance.shape[0]} while {array.shape[-3]}."
            )
        if self.phase_advance.dtype != array.dtype:
            raise RuntimeError(f"PhaseVocoder: phase_advance is {self.phase_advance.dtype}, the input {array.dtype}.")
        return super()._compute(array)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return _pairs(_stretched(need_complex(array, "PhaseVocoder"), self.rate, self.phase_advance.astype(np.float64)))


@arguments
class TimeStretch(AudioOperation):
    """Stretching of complex pairs (..., freq, time, 2) in time without a change of pitch."""

    hop_length: Annotated[int | None, integer(1)] = None
    n_freq: Annotated[int, integer(1)] = 201
    fixed_rate: Annotated[float | None, real(0, above=True)] = None

    def _prepare(self) -> None:
        self._fixed_rate = 1 if self.fixed_rate is None else self.fixed_rate
        self._hop_length = self.hop_length or self.n_freq - 1

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        advance = np.linspace(0, np.pi * self._hop_length, self.n_freq)
        return _pairs(_stretched(need_complex(array, "TimeStretch", 3), self._fixed_rate, advance))


def _check_rolloff(value: Any, name: str) -> float:
    type_check(value, float, name)
    return check_real(value, name, 0, 1.0, above=True)


def resampled(
    signal: np.ndarray,
    before: float,
    after: float,
    method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION,
    width: int = 6,
    rolloff: float = 0.99,
    beta: float = 14.769656459379492,
) -> np.ndarray:
    """Return the signal after bandlimited interpolation: each of the `after` samples in a period has its own filter."""
    divisor = math.gcd(int(before), int(after))
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


@arguments
class Resample(AudioOperation):
    """A signal at another sample rate."""

    orig_freq: Annotated[float, real(0, above=True)] = 16000
    new_freq: Annotated[float, real(0, above=True)] = 16000
    resample_method: Annotated[ResampleMethod, kind_of(ResampleMethod)] = ResampleMethod.SINC_INTERPOLATION
    lowpass_filter_width: Annotated[int, integer(1)] = 6
    rolloff: Annotated[float, _check_rolloff] = 0.99
    beta: float | None = None

    def _prepare(self) -> None:
        self._arguments = (
            self.orig_freq,
            self.new_freq,
            self.resample_method,
            self.lowpass_filter_width,
            self.rolloff,
            14.769656459379492 if self.beta is None else self.beta,
        )

    def _compute(self, array: np.ndarray) -> np.ndarray:
        need_rank(array, self.least_rank, "Resample")
        return array if self.orig_freq == self.new_freq else super()._compute(array)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return resampled(array, *self._arguments)


def _check_bins(value: Any, name: str) -> int:
    type_check(value, int, f"{name} ")  # MindSpore's message has the space
    return check_nonzero(value, name)


@arguments
class PitchShift(AudioOperation):
    """A signal of the same length with another pitch."""

    sample_rate: Annotated[int, integer(0)]
    n_steps: Annotated[int, integer()]
    bins_per_octave: Annotated[int, _check_bins] = 12
    n_fft: int = 512
    win_length: int | None = None
    hop_length: int | None = None
    window: Annotated[WindowType, kind_of(WindowType)] = WindowType.HANN

    def _prepare(self) -> None:
        self._win_length, self._hop_length = frame_lengths(self.n_fft, self.win_length, self.hop_length, 4)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        window, length = window_of(self.window, self._win_length, self.n_fft), array.shape[-1]
        rate = float(np.float32(2.0 ** np.float32(-self.n_steps / self.bins_per_octave)))
        spectrum = frames_of(array, window, self._hop_length)
        stretched = _stretched(spectrum, rate, np.linspace(0, np.pi * self._hop_length, spectrum.shape[-2]))
        signal = signal_of(stretched, window, self._hop_length, length=math.floor(length / np.float32(rate) + 0.5))
        shifted = resampled(signal, int(self.sample_rate / np.float32(rate)), self.sample_rate)[..., :length]
        shifted = shifted.reshape(*array.shape[:-1], -1)
        return np.pad(shifted, [(0, 0)] * (array.ndim - 1) + [(0, length - shifted.shape[-1])])
