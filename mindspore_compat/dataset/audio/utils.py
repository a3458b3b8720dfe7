"""Kinds of windows, scales and borders, and the matrices behind MFCC and mel scales. MindSpore:
``mindspore.dataset.audio.utils``.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import check_int, check_real, type_check

__all__ = [
    "BorderType",
    "DensityFunction",
    "FadeShape",
    "GainType",
    "Interpolation",
    "MelType",
    "Modulation",
    "NormMode",
    "NormType",
    "ResampleMethod",
    "ScaleType",
    "WindowType",
    "create_dct",
    "linear_fbanks",
    "melscale_fbanks",
]


class BorderType(str, Enum):
    """Border of a signal past its ends."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(str, Enum):
    """Distribution of the noise that `Dither` adds."""

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(str, Enum):
    """Course of a fade."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, Enum):
    """Unit of a gain."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(str, Enum):
    """Interpolation between delays."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, Enum):
    """Mel scale."""

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, Enum):
    """Wave that moves a delay."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, Enum):
    """Norm of a cosine transform."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, Enum):
    """Norm of a mel filter."""

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, Enum):
    """Window of the resampling filter."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, Enum):
    """Scale of a spectrogram: magnitude or power."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, Enum):
    """Window of a Fourier transform."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"


def _triangles(frequencies: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return triangular filters, one a column: each rises from a point to the next and falls to the one after."""
    slopes, steps = points[None, :] - frequencies[:, None], np.diff(points)
    return np.maximum(0, np.minimum(-slopes[:, :-2] / steps[:-1], slopes[:, 2:] / steps[1:]))


def linear_filters(n_freqs: int, f_min: float, f_max: float, n_filter: int, sample_rate: int) -> np.ndarray:
    """Return filters at equal distances, float32 (n_freqs, n_filter)."""
    return _triangles(np.linspace(0, sample_rate / 2, n_freqs), np.linspace(f_min, f_max, n_filter + 2)).astype(
        np.float32
    )


def _to_mel(frequency: float, mel_type: MelType) -> float:
    if mel_type is MelType.HTK:
        return 2595.0 * float(np.log10(1 + frequency / 700))
    return 15 + float(np.log(frequency / 1000)) * 27 / float(np.log(6.4)) if frequency >= 1000 else frequency * 3 / 200


def mel_filters(
    n_freqs: int, f_min: float, f_max: float, n_mels: int, sample_rate: int, norm: NormType, mel_type: MelType
) -> np.ndarray:
    """Return filters at equal distances in mels, float32 (n_freqs, n_mels)."""
    mels = np.linspace(_to_mel(f_min, mel_type), _to_mel(f_max, mel_type), n_mels + 2)
    if mel_type is MelType.HTK:
        points = 700 * (10 ** (mels / 2595) - 1)
    else:
        points = np.where(mels >= 15, 1000 * np.exp((mels - 15) * np.log(6.4) / 27), mels * 200 / 3)
    filters = _triangles(np.linspace(0, sample_rate / 2, n_freqs), points)
    if norm is NormType.SLANEY:
        filters *= 2 / (points[2:] - points[:-2])
    return filters.astype(np.float32)


def cosines(n_mfcc: int, n_mels: int, norm: NormMode) -> np.ndarray:
    """Return the discrete cosine transform of the second type, float32 (n_mels, n_mfcc)."""
    matrix = np.cos(np.pi / n_mels * (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc))
    if norm is NormMode.ORTHO:
        matrix[:, 0] *= np.sqrt(0.5)
        return (matrix * np.sqrt(2 / n_mels)).astype(np.float32)
    return (matrix * 2).astype(np.float32)


def create_dct(n_mfcc: int, n_mels: int, norm: NormMode = NormMode.NONE) -> np.ndarray:
    """Return a cosine transform matrix, float32 (n_mels, n_mfcc)."""
    check_int(n_mfcc, "n_mfcc", 1)
    check_int(n_mels, "n_mels", 1)
    type_check(norm, NormMode, "norm")
    return cosines(n_mfcc, n_mels, norm)


def _check_filters(n_freqs: Any, f_min: Any, f_max: Any, count: Any, count_name: str, sample_rate: Any) -> None:
    check_int(n_freqs, "n_freqs", 0)
    check_real(f_min, "f_min", 0)
    check_real(f_max, "f_max", 0, above=True)
    if f_min > f_max:
        raise ValueError(f"Input f_min should be no more than f_max, but got f_min: {f_min} and f_max: {f_max}.")
    check_int(count, count_name, 1)
    check_int(sample_rate, "sample_rate", 1)


def linear_fbanks(n_freqs: int, f_min: float, f_max: float, n_filter: int, sample_rate: int) -> np.ndarray:
    """Return triangular filters on a linear scale, float32 (n_freqs, n_filter)."""
    _check_filters(n_freqs, f_min, f_max, n_filter, "n_filter", sample_rate)
    return linear_filters(n_freqs, f_min, f_max, n_filter, sample_rate)


def melscale_fbanks(
    n_freqs: int,
    f_min: float,
    f_max: float,
    n_mels: int,
    sample_rate: int,
    norm: NormType = NormType.NONE,
    mel_type: MelType = MelType.HTK,
) -> np.ndarray:
    """Return triangular filters on a mel scale, float32 (n_freqs, n_mels)."""
    _check_filters(n_freqs, f_min, f_max, n_mels, "n_mels", sample_rate)
    type_check(norm, NormType, "norm")
    type_check(mel_type, MelType, "mel_type")
    return mel_filters(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type)
