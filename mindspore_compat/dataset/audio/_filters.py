"""Recursive filters. The biquads are rows of coefficients (Robert Bristow-Johnson's cookbook and SoX) over
one filter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.audio._operation import AudioOperation
from mindspore_compat.dataset.audio.utils import check_int, check_real
from mindspore_compat.dataset.core.validator_helpers import type_check

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
    "filtered",
]

_BLOCK = 64


def filtered(signal: np.ndarray, a_coeffs: Sequence[float], b_coeffs: Sequence[float]) -> np.ndarray:
    """The output of the filter with denominator `a_coeffs` and numerator `b_coeffs`, along the last axis.

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
    # columns: what one unit of input at time 0, and of each earlier output, gives at the following times
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
            raise RuntimeError(f"{type(self).__name__}: the first value of a_coeffs can not be equal to zero.")
        return a, b

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        result = filtered(array, *self._rounded_coefficients(dtype))
        return np.clip(result, -1, 1) if self.clamp else result


class LFilter(_Filter):
    """The filter of a difference equation."""

    def __init__(self, a_coeffs: Sequence[float], b_coeffs: Sequence[float], clamp: bool = True) -> None:
        super().__init__()
        type_check(a_coeffs, (list, tuple), "a_coeffs")
        type_check(b_coeffs, (list, tuple), "b_coeffs")
        for name, values in (("a_coeffs", a_coeffs), ("b_coeffs", b_coeffs)):
            for i, value in enumerate(values):
                check_real(value, f"{name}[{i}]")
        if len(a_coeffs) != len(b_coeffs):
            raise ValueError("The size of a_coeffs should be the same as that of b_coeffs.")
        type_check(clamp, bool, "clamp")
        self.coefficients, self.clamp = (tuple(a_coeffs), tuple(b_coeffs)), clamp


class Filtfilt(LFilter):
    """The filter forward and then backward, so that no phase is shifted."""

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        a, b = self._rounded_coefficients(dtype)
        forward = filtered(array, a, b).astype(dtype).astype(np.float64)
        result = filtered(forward[..., ::-1], a, b)[..., ::-1]
        return np.clip(result, -1, 1) if self.clamp else result


class Biquad(_Filter):
    """The filter of second order with these coefficients."""

    lists = True

    def __init__(self, b0: float, b1: float, b2: float, a0: float, a1: float, a2: float) -> None:
        super().__init__()
        for name, value in {"b0": b0, "b1": b1, "b2": b2, "a0": a0, "a1": a1, "a2": a2}.items():
            check_real(value, name)
        if a0 == 0:
            raise ValueError("Input a0 is not within the required interval of [-16777216, 0) and (0, 16777216].")
        self.coefficients = ((a0, a1, a2), (b0, b1, b2))


def _check(sample_rate: Any, Q: Any = 1, **reals: Any) -> None:
    check_int(sample_rate, "sample_rate")
    if sample_rate == 0:
        raise ValueError(
            "Input sample_rate is not within the required interval of [-2147483648, 0) and (0, 2147483647]."
        )
    for name, value in reals.items():
        check_real(value, name)
    check_real(Q, "Q", 0, 1, above=True)


def _angle(sample_rate: int, frequency: float, Q: float) -> tuple[float, float, float]:
    """Cosine and sine of the frequency, and the half width."""
    w0 = 2 * math.pi * frequency / sample_rate
    return math.cos(w0), math.sin(w0), math.sin(w0) / 2 / Q


def _shelf(sample_rate: int, gain: float, frequency: float, alpha: float, side: int) -> tuple[tuple, tuple]:
    """A shelf below (`side` 1) or above (-1) the frequency."""
    A, cosine = 10 ** (gain / 40), math.cos(2 * math.pi * frequency / sample_rate)
    width, low, high = 2 * math.sqrt(A) * alpha, side * (A - 1) * cosine, side * (A + 1) * cosine
    b = (A * (A + 1 - low + width), side * 2 * A * (A - 1 - high), A * (A + 1 - low - width))
    a = (A + 1 + low + width, -2 * side * (A - 1 + high), A + 1 + low - width)
    return tuple(value / a[0] for value in a), tuple(value / a[0] for value in b)


class AllpassBiquad(_Filter):
    """Shifts phases around a frequency."""

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707) -> None:
        super().__init__()
        _check(sample_rate, Q, central_freq=central_freq)
        cosine, _, alpha = _angle(sample_rate, central_freq, Q)
        self.coefficients = ((1 + alpha, -2 * cosine, 1 - alpha), (1 - alpha, -2 * cosine, 1 + alpha))


class BandBiquad(_Filter):
    """SoX's band filter: louder around a frequency; `noise` for signals without pitch."""

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707, noise: bool = False) -> None:
        super().__init__()
        _check(sample_rate, Q, central_freq=central_freq)
        type_check(noise, bool, "noise")
        a2 = math.exp(-2 * math.pi * central_freq / Q / sample_rate)
        a1 = -4 * a2 / (1 + a2) * math.cos(2 * math.pi * central_freq / sample_rate)
        b0 = math.sqrt(max(1 - a1 * a1 / (4 * a2), 0)) * (1 - a2)
        if noise:
            b0 = math.sqrt(max(((1 + a2) ** 2 - a1 * a1) * (1 - a2) / (1 + a2), 0))
        self.coefficients = ((1, a1, a2), (b0, 0, 0))


class BandpassBiquad(_Filter):
    """Passes frequencies around one."""

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707, const_skirt_gain: bool = False) -> None:
        super().__init__()
        _check(sample_rate, Q, central_freq=central_freq)
        type_check(const_skirt_gain, bool, "const_skirt_gain")
        cosine, sine, alpha = _angle(sample_rate, central_freq, Q)
        b0 = sine / 2 if const_skirt_gain else alpha
        self.coefficients = ((1 + alpha, -2 * cosine, 1 - alpha), (b0, 0, -b0))


class BandrejectBiquad(_Filter):
    """Stops frequencies around one."""

    def __init__(self, sample_rate: int, central_freq: float, Q: float = 0.707) -> None:
        super().__init__()
        _check(sample_rate, Q, central_freq=central_freq)
        cosine, _, alpha = _angle(sample_rate, central_freq, Q)
        self.coefficients = ((1 + alpha, -2 * cosine, 1 - alpha), (1, -2 * cosine, 1))


class BassBiquad(_Filter):
    """Bass tone control: a shelf below a frequency."""

    def __init__(self, sample_rate: int, gain: float, central_freq: float = 100.0, Q: float = 0.707) -> None:
        super().__init__()
        _check(sample_rate, Q, gain=gain, central_freq=central_freq)
        self.coefficients = _shelf(sample_rate, gain, central_freq, _angle(sample_rate, central_freq, Q)[2], 1)


class TrebleBiquad(_Filter):
    """Treble tone control: a shelf above a frequency."""

    def __init__(self, sample_rate: int, gain: float, central_freq: float = 3000, Q: float = 0.707) -> None:
        super().__init__()
        _check(sample_rate, Q, gain=gain, central_freq=central_freq)
        self.coefficients = _shelf(sample_rate, gain, central_freq, _angle(sample_rate, central_freq, Q)[2], -1)


class DeemphBiquad(_Filter):
    """ISO 908 de-emphasis of a compact disc: a treble shelf with SoX's numbers."""

    def __init__(self, sample_rate: int) -> None:
        super().__init__()
        type_check(sample_rate, int, "sample_rate")
        rows = {44100: (5283, 0.4845, -9.477), 48000: (5356, 0.479, -9.62)}
        if sample_rate not in rows:
            raise ValueError(f"Argument sample_rate should be 44100 or 48000, but got {sample_rate}.")
        frequency, slope, gain = rows[sample_rate]
        A = 10 ** (gain / 40)
        alpha = math.sin(2 * math.pi * frequency / sample_rate) / 2 * math.sqrt((A + 1 / A) * (1 / slope - 1) + 2)
        self.coefficients = _shelf(sample_rate, gain, frequency, alpha, -1)


class EqualizerBiquad(_Filter):
    """Louder or softer around a frequency."""

    def __init__(self, sample_rate: int, center_freq: float, gain: float, Q: float = 0.707) -> None:
        super().__init__()
        _check(sample_rate, Q, center_freq=center_freq, gain=gain)
        A, (cosine, _, alpha) = 10 ** (gain / 40), _angle(sample_rate, center_freq, Q)
        self.coefficients = ((1 + alpha / A, -2 * cosine, 1 - alpha / A), (1 + alpha * A, -2 * cosine, 1 - alpha * A))


class HighpassBiquad(_Filter):
    """Passes frequencies above one."""

    def __init__(self, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> None:
        super().__init__()
        _check(sample_rate, Q, cutoff_freq=cutoff_freq)
        cosine, _, alpha = _angle(sample_rate, cutoff_freq, Q)
        self.coefficients = ((1 + alpha, -2 * cosine, 1 - alpha), ((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2))


class LowpassBiquad(_Filter):
    """Passes frequencies below one."""

    def __init__(self, sample_rate: int, cutoff_freq: float, Q: float = 0.707) -> None:
        super().__init__()
        _check(sample_rate, Q, cutoff_freq=cutoff_freq)
        cosine, _, alpha = _angle(sample_rate, cutoff_freq, Q)
        self.coefficients = ((1 + alpha, -2 * cosine, 1 - alpha), ((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2))


class RiaaBiquad(_Filter):
    """RIAA playback equalisation of a vinyl record: zeros and poles of SoX, 0 dB at 1 kHz."""

    def __init__(self, sample_rate: int) -> None:
        super().__init__()
        type_check(sample_rate, int, "sample_rate")
        rows = {
            44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
            48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
            88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
            96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
        }
        if sample_rate not in rows:
            raise ValueError(f"sample_rate should be one of [44100, 48000, 88200, 96000], but got {sample_rate}.")
        # in float32 as upstream: near 0 Hz the last digits of the poles are heard
        b, a = (
            np.array([1, -(low + high), low * high], np.float32)
            for low, high in np.array(rows[sample_rate], np.float32)
        )
        turn = np.exp(-2j * np.pi * 1000 / sample_rate * np.arange(3))
        scale = np.float32(abs(np.dot(a, turn)) / abs(np.dot(b, turn)))
        self.coefficients = (a.tolist(), (b * scale).tolist())
