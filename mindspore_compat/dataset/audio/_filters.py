"""Recursive filters. The biquads are rows of coefficients (Robert Bristow-Johnson's cookbook, SoX) over one filter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from mindspore_compat.dataset.audio._operation import AudioOperation
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, kind_of, real
from mindspore_compat.dataset.core.validator_helpers import FLOAT_MAX_INTEGER, check_nonzero, check_real

__all__ = [
    "AllpassBiquad",
    "BandBiquad",
    "BandpassBiquad",
    "BandrejectBiquad",
    "BassBiquad",
    "Biquad",
    "DeemphBiquad",
    "EqualizerBiquad",
    "Filtfilt",
    "HighpassBiquad",
    "LFilter",
    "LowpassBiquad",
    "RiaaBiquad",
    "TrebleBiquad",
]

_BLOCK = 64


def filtered(signal: np.ndarray, a_coeffs: Sequence[float], b_coeffs: Sequence[float]) -> np.ndarray:
    """Return the output of the filter with denominator `a_coeffs` and numerator `b_coeffs`, along the last axis.

    A block of samples is one matrix product (the filter's answer to its inputs) plus one of the outputs just before it,
    so the loop runs once a block.
    """
    a, b = np.asarray(a_coeffs, np.float64) / a_coeffs[0], np.asarray(b_coeffs, np.float64) / a_coeffs[0]
    order, length = len(a) - 1, signal.shape[-1]
    rows = signal.reshape(-1, length)
    forward = b[0] * rows
    for lag in range(1, min(len(b), length)):
        forward[:, lag:] += b[lag] * rows[:, :-lag]
    if not order:
        return forward.reshape(signal.shape)
    # columns: response at the following times to one unit of input at time 0, and of each earlier output
    answers = np.zeros((_BLOCK + order, 1 + order))
    answers[order - 1 :: -1, 1:] = np.eye(order)
    for time in range(_BLOCK):
        answers[order + time] = -a[1:] @ answers[time : order + time][::-1]
        answers[order + time, 0] += time == 0
    impulse, memory = answers[order:, 0], answers[order:, 1:]
    places = np.subtract.outer(np.arange(_BLOCK), np.arange(_BLOCK))
    response = np.where(places >= 0, impulse[np.maximum(places, 0)], 0)
    blocks = -(-length // _BLOCK)
    result = np.pad(forward, [(0, 0), (0, blocks * _BLOCK - length)]).reshape(len(rows), blocks, _BLOCK) @ response.T
    before = np.zeros((len(rows), order))
    for block in range(blocks):
        result[:, block] += before @ memory.T
        before = np.concatenate([result[:, block, ::-1], before], 1)[:, :order]
    return result.reshape(len(rows), -1)[:, :length].reshape(signal.shape)


class _Filter(AudioOperation):
    halves = True
    coefficients: tuple[Sequence[float], Sequence[float]]
    clamp = True

    def _rounded_coefficients(self, dtype: np.dtype) -> tuple[list[float], list[float]]:
        a, b = (
            np.array(part, np.float32 if dtype != np.float64 else np.float64).astype(dtype).tolist()
            for part in self.coefficients
        )
        if a[0] == 0:
            raise RuntimeError(f"{type(self).__name__}: the first value of a_coeffs cannot be equal to zero.")
        return a, b

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        result = filtered(array, *self._rounded_coefficients(dtype))
        return np.clip(result, -1, 1) if self.clamp else result


@arguments
class LFilter(_Filter):
    """The filter of a difference equation."""

    a_coeffs: Annotated[Sequence[float], kind_of(list, tuple)]
    b_coeffs: Annotated[Sequence[float], kind_of(list, tuple)]
    clamp: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        for name, values in (("a_coeffs", self.a_coeffs), ("b_coeffs", self.b_coeffs)):
            for i, value in enumerate(values):
                check_real(value, f"{name}[{i}]")
        if len(self.a_coeffs) != len(self.b_coeffs):
            raise ValueError("The size of a_coeffs should be the same as that of b_coeffs.")
        self.coefficients = (tuple(self.a_coeffs), tuple(self.b_coeffs))


class Filtfilt(LFilter):
    """The filter forward and then backward, so that no phase is shifted."""

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        a, b = self._rounded_coefficients(dtype)
        forward = filtered(array, a, b).astype(dtype).astype(np.float64)
        result = filtered(forward[..., ::-1], a, b)[..., ::-1]
        return np.clip(result, -1, 1) if self.clamp else result


@arguments
class Biquad(_Filter):
    """The filter of second order with these coefficients."""

    lists = True

    b0: Annotated[float, real()]
    b1: Annotated[float, real()]
    b2: Annotated[float, real()]
    a0: Annotated[float, partial(check_nonzero, limit=FLOAT_MAX_INTEGER, low=-FLOAT_MAX_INTEGER, types=(float, int))]
    a1: Annotated[float, real()]
    a2: Annotated[float, real()]

    def _prepare(self) -> None:
        self.coefficients = ((self.a0, self.a1, self.a2), (self.b0, self.b1, self.b2))


Rate = Annotated[int, check_nonzero]
Real = Annotated[float, real()]
Quality = Annotated[float, real(0, 1, above=True)]
Coefficients = tuple[Sequence[float], Sequence[float]]


class _Cookbook(_Filter):
    """Base of biquads; `_designed` returns coefficients from cosine and sine of the frequency and half the width."""

    sample_rate: int
    Q: float
    _frequency = "central_freq"

    def _prepare(self) -> None:
        w0 = 2 * math.pi * getattr(self, self._frequency) / self.sample_rate
        self.coefficients = self._designed(math.cos(w0), math.sin(w0), math.sin(w0) / 2 / self.Q)

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        raise NotImplementedError


def _shelf(cosine: float, gain: float, alpha: float, side: int) -> Coefficients:
    """Return a shelf below (`side` 1) or above (-1) the frequency."""
    A = 10 ** (gain / 40)
    width, low, high = 2 * math.sqrt(A) * alpha, side * (A - 1) * cosine, side * (A + 1) * cosine
    b = (A * (A + 1 - low + width), side * 2 * A * (A - 1 - high), A * (A + 1 - low - width))
    a = (A + 1 + low + width, -2 * side * (A - 1 + high), A + 1 + low - width)
    return tuple(value / a[0] for value in a), tuple(value / a[0] for value in b)


@arguments
class _Around(_Cookbook):
    sample_rate: Rate
    central_freq: Real
    Q: Quality = 0.707


class AllpassBiquad(_Around):
    """Phase shift around a frequency."""

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        return (1 + alpha, -2 * cosine, 1 - alpha), (1 - alpha, -2 * cosine, 1 + alpha)


class BandrejectBiquad(_Around):
    """Band-reject filter around a frequency."""

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        return (1 + alpha, -2 * cosine, 1 - alpha), (1, -2 * cosine, 1)


@arguments
class BandBiquad(_Around):
    """SoX's band filter: louder around a frequency; `noise` for signals without pitch."""

    noise: Annotated[bool, flag] = False

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        a2 = math.exp(-2 * math.pi * self.central_freq / self.Q / self.sample_rate)
        a1 = -4 * a2 / (1 + a2) * cosine
        b0 = math.sqrt(max(1 - a1 * a1 / (4 * a2), 0)) * (1 - a2)
        if self.noise:
            b0 = math.sqrt(max(((1 + a2) ** 2 - a1 * a1) * (1 - a2) / (1 + a2), 0))
        return (1, a1, a2), (b0, 0, 0)


@arguments
class BandpassBiquad(_Around):
    """Band-pass filter around a frequency."""

    const_skirt_gain: Annotated[bool, flag] = False

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        b0 = sine / 2 if self.const_skirt_gain else alpha
        return (1 + alpha, -2 * cosine, 1 - alpha), (b0, 0, -b0)


@arguments
class BassBiquad(_Cookbook):
    """Bass tone control: a shelf below a frequency."""

    sample_rate: Rate
    gain: Real
    central_freq: Real = 100.0
    Q: Quality = 0.707
    _side = 1

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        return _shelf(cosine, self.gain, alpha, self._side)


@arguments
class TrebleBiquad(BassBiquad):
    """Treble tone control: a shelf above a frequency."""

    central_freq: Real = 3000
    _side = -1


@arguments
class EqualizerBiquad(_Cookbook):
    """Louder or softer around a frequency."""

    sample_rate: Rate
    center_freq: Annotated[float, lambda value, _: check_real(value, "central_freq")]
    gain: Real
    Q: Quality = 0.707
    _frequency = "center_freq"

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        A = 10 ** (self.gain / 40)
        return (1 + alpha / A, -2 * cosine, 1 - alpha / A), (1 + alpha * A, -2 * cosine, 1 - alpha * A)


@arguments
class HighpassBiquad(_Cookbook):
    """High-pass filter."""

    sample_rate: Rate
    cutoff_freq: Real
    Q: Quality = 0.707
    _frequency = "cutoff_freq"

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        return (1 + alpha, -2 * cosine, 1 - alpha), ((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2)


class LowpassBiquad(HighpassBiquad):
    """Low-pass filter."""

    def _designed(self, cosine: float, sine: float, alpha: float) -> Coefficients:
        return (1 + alpha, -2 * cosine, 1 - alpha), ((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2)


@arguments
class DeemphBiquad(_Filter):
    """ISO 908 de-emphasis of a compact disc: a treble shelf with SoX's numbers."""

    sample_rate: Annotated[int, kind_of(int)]

    def _prepare(self) -> None:
        rows = {44100: (5283, 0.4845, -9.477), 48000: (5356, 0.479, -9.62)}
        if self.sample_rate not in rows:
            raise ValueError(f"Argument sample_rate should be 44100 or 48000, but got {self.sample_rate}.")
        frequency, slope, gain = rows[self.sample_rate]
        A, w0 = 10 ** (gain / 40), 2 * math.pi * frequency / self.sample_rate
        alpha = math.sin(w0) / 2 * math.sqrt((A + 1 / A) * (1 / slope - 1) + 2)
        self.coefficients = _shelf(math.cos(w0), gain, alpha, -1)


@arguments
class RiaaBiquad(_Filter):
    """RIAA playback equalisation of a vinyl record: zeros and poles of SoX, 0 dB at 1 kHz."""

    sample_rate: Annotated[int, kind_of(int)]

    def _prepare(self) -> None:
        rows = {
            44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
            48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
            88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
            96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
        }
        if self.sample_rate not in rows:
            raise ValueError(f"sample_rate should be one of [44100, 48000, 88200, 96000], but got {self.sample_rate}.")
        b, a = (
            np.array([1, -(low + high), low * high], np.float32)
            for low, high in np.array(rows[self.sample_rate], np.float32)
        )
        turn = np.exp(-2j * np.pi * 1000 / self.sample_rate * np.arange(3))
        scale = np.float32(abs(np.dot(a, turn)) / abs(np.dot(b, turn)))
        self.coefficients = (a.tolist(), (b * scale).tolist())
