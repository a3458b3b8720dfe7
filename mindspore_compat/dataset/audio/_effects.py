"""Volume, companding, fades and other work on single values; modulated delays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mindspore_compat.dataset.audio._filters import filtered
from mindspore_compat.dataset.audio._operation import AudioOperation, magnitudes_of, need_complex, need_rank
from mindspore_compat.dataset.audio.utils import (
    BorderType,
    DensityFunction,
    FadeShape,
    GainType,
    Interpolation,
    Modulation,
    ScaleType,
)
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, real
from mindspore_compat.dataset.core.randomness import engine_of
from mindspore_compat.dataset.core.validator_helpers import FLOAT_MAX_INTEGER, INT32_MAX, check_nonzero, check_real

__all__ = [
    "AmplitudeToDB",
    "Angle",
    "ComplexNorm",
    "ComputeDeltas",
    "Contrast",
    "DBToAmplitude",
    "DCShift",
    "Dither",
    "Fade",
    "Gain",
    "Magphase",
    "MuLawDecoding",
    "MuLawEncoding",
    "Overdrive",
    "SlidingWindowCmn",
    "Vol",
    "Flanger",
    "Phaser",
]


def decibels(values: np.ndarray, multiplier: float, reference: float, top_db: float) -> np.ndarray:
    """Return `values` in decibels, at most `top_db` below the largest of their example (the last three axes)."""
    result = multiplier * np.log10(np.maximum(values, np.float32(1e-10))) - multiplier * reference
    axes = tuple(range(-min(values.ndim, 3), 0))
    return np.maximum(result, result.max(axes, keepdims=True) - top_db)


@arguments
class AmplitudeToDB(AudioOperation):
    """A spectrogram in decibels. As in MindSpore, values below 1e-10 count as 1e-10, whatever `amin` is."""

    least_rank = 2

    stype: Annotated[ScaleType, kind_of(ScaleType)] = ScaleType.POWER
    ref_value: Annotated[float, real(0, above=True)] = 1.0
    amin: Annotated[float, real(0, above=True)] = 1e-10
    top_db: Annotated[float, real(0, above=True)] = 80.0

    def _prepare(self) -> None:
        self.multiplier = 10.0 if self.stype is ScaleType.POWER else 20.0
        self.reference = float(np.log10(max(self.amin, self.ref_value)))

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return decibels(array, self.multiplier, self.reference, self.top_db)


class Angle(AudioOperation):
    """Angles of complex pairs."""

    least_rank = 0

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        need_complex(array, "Angle")
        return np.arctan2(array[..., 1], array[..., 0])


@arguments
class ComplexNorm(AudioOperation):
    """Magnitudes of complex pairs, to a power."""

    least_rank = 0

    power: Annotated[float, real(0)] = 1.0

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return magnitudes_of(need_complex(array, type(self).__name__), self.power)


class Magphase(ComplexNorm):
    """Magnitudes to a power, and angles, of complex pairs."""

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> Any:
        return super()._audio(array, dtype), np.arctan2(array[..., 1], array[..., 0])


@arguments
class ComputeDeltas(AudioOperation):
    """Slopes over time, by regression in a window."""

    least_rank = 2

    win_length: Annotated[int, integer(3, INT32_MAX)] = 5
    pad_mode: Annotated[BorderType, kind_of(BorderType)] = BorderType.EDGE

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        n, length = (self.win_length - 1) // 2, array.shape[-1]
        widths = [(0, 0)] * (array.ndim - 1) + [(n, n)]
        wide: np.ndarray = np.pad(array, widths, self.pad_mode.value)  # type: ignore[call-overload]
        parts = np.lib.stride_tricks.sliding_window_view(wide, 2 * n + 1, axis=-1)[..., :length, :]
        return parts @ np.arange(-n, n + 1.0) * 3 / (n * (n + 1) * (2 * n + 1))


@arguments
class Contrast(AudioOperation):
    """SoX's contrast: a louder impression of the audio."""

    enhancement_amount: Annotated[float, real(0, 100)] = 75.0

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        angle = array * np.pi / 2
        return np.sin(angle + self.enhancement_amount / 750 * np.sin(angle * 4))


@arguments
class DBToAmplitude(AudioOperation):
    """Decibels to power (1) or amplitude (0.5)."""

    ref: Annotated[float, real()]
    power: Annotated[float, real()]

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return self.ref * (10 ** (0.1 * array)) ** self.power


@arguments
class DCShift(AudioOperation):
    """Constant offset, with a limiter for the peaks."""

    shift: Annotated[float, real(-2.0, 2.0)]
    limiter_gain: Annotated[float | None, kind_of(float, int)] = None

    def _prepare(self) -> None:
        self._limiter_gain = self.limiter_gain or self.shift

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        shift, gain = self.shift, self._limiter_gain
        shifted = np.clip(array + shift, -1, 1)
        if shift == gain or shift == 0:
            return shifted
        sign, threshold = np.sign(shift), 1 - (abs(shift) - gain)
        peak = array - sign * threshold
        # as in MindSpore, the threshold is added for a negative shift too
        limited = peak * gain / (1 - threshold) + threshold + shift if threshold != 1 else np.full_like(array, np.inf)
        limited = sign * np.minimum(sign * limited, threshold)
        return np.where(sign * array > threshold, limited, shifted)


@arguments
class Dither(AudioOperation):
    """Noise that hides the steps of 16-bit samples."""

    density_function: Annotated[DensityFunction, kind_of(DensityFunction)] = DensityFunction.TPDF
    noise_shaping: Annotated[bool, flag] = False

    def _prepare(self) -> None:
        self.draws = self.density_function is not DensityFunction.TPDF

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        rows = array.reshape(-1, array.shape[-1]).astype(dtype)  # the sum's last bit decides how it is rounded
        scaled = rows * dtype.type(2**15 - 2)
        scaled = (scaled + self._noise(rows)).astype(np.float64)
        dithered = (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5) / 2**15).astype(dtype)
        if self.noise_shaping:
            dithered[:, 1:] += (dithered - rows)[:, :-1]
        return dithered.reshape(array.shape)

    def _noise(self, rows: np.ndarray) -> Any:
        """Return the noise to add; as in MindSpore, six of seven added samples are overwritten by the partial sums."""
        if self.density_function is DensityFunction.TPDF:
            return (1 - np.abs(2 * np.arange(rows.shape[1]) / rows.shape[1] - 1)).astype(rows.dtype)
        engine = engine_of(self)

        def place() -> tuple[int, int]:
            row, column = (engine.integer(0, size - 1) if size > 1 else 0 for size in rows.shape)
            return row, column

        total = rows[place()]
        if self.density_function is DensityFunction.GPDF:
            for _ in range(6):
                at = place()
                rows[at] = total = total + rows[at]
        return total


_RISES = {
    FadeShape.LINEAR: lambda at: at,
    FadeShape.EXPONENTIAL: lambda at: 2 ** (at - 1) * at,
    FadeShape.LOGARITHMIC: lambda at: np.log10(at + 0.1) + 1,
    FadeShape.QUARTER_SINE: lambda at: np.sin(at * np.pi / 2),
    FadeShape.HALF_SINE: lambda at: np.sin(at * np.pi - np.pi / 2) / 2 + 0.5,
}


@arguments
class Fade(AudioOperation):
    """Fade-in and fade-out."""

    fade_in_len: Annotated[int, integer(0)] = 0
    fade_out_len: Annotated[int, integer(0)] = 0
    fade_shape: Annotated[FadeShape, kind_of(FadeShape)] = FadeShape.LINEAR

    def _compute(self, array: np.ndarray) -> np.ndarray:
        return super()._compute(array) if self.fade_in_len or self.fade_out_len else array

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        length = array.shape[-1]
        for name, value in {"fade_in_len": self.fade_in_len, "fade_out_len": self.fade_out_len}.items():
            if value > length:
                raise RuntimeError(f"Fade: '{name}' {value} is greater than the length of the waveform, {length}.")
        rise = _RISES[self.fade_shape]
        array[..., : self.fade_in_len] *= rise(np.linspace(0, 1, self.fade_in_len))
        array[..., length - self.fade_out_len :] *= rise(1 - np.linspace(0, 1, self.fade_out_len))
        return array


@arguments
class Gain(AudioOperation):
    """Louder or softer by decibels."""

    gain_db: Annotated[float, real()] = 1.0

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return array * 10 ** (self.gain_db / 20)


@arguments
class Vol(AudioOperation):
    """Louder or softer, clipped to [-1, 1]."""

    gain: Annotated[float, kind_of(int, float)]
    gain_type: Annotated[GainType, kind_of(GainType)] = GainType.AMPLITUDE

    def _prepare(self) -> None:
        is_db, is_power = self.gain_type is GainType.DB, self.gain_type is GainType.POWER
        check_real(self.gain, "gain", -FLOAT_MAX_INTEGER if is_db else 0, above=is_power)
        self.factor = 10 ** (self.gain / 20) if is_db else self.gain**0.5 if is_power else self.gain

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return np.clip(array * self.factor, -1, 1)


@arguments
class MuLawEncoding(AudioOperation):
    """Mu-law companding to int32 in [0, quantization_channels)."""

    quantization_channels: Annotated[int, integer(1)] = 256

    def _prepare(self) -> None:
        self.mu = self.quantization_channels - 1.0

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        companded = np.sign(array) * np.log1p(self.mu * np.abs(array)) / np.log1p(self.mu)
        return ((companded + 1) / 2 * self.mu + 0.5).astype(dtype).astype(np.int32)


class MuLawDecoding(MuLawEncoding):
    """The signal back from its mu-law numbers."""

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        if not self.mu:
            raise RuntimeError("Decoding: invalid parameter, 'mu' cannot be zero.")
        companded = array / self.mu * 2 - 1
        return np.sign(companded) * np.expm1(np.abs(companded) * np.log1p(self.mu)) / self.mu


@arguments
class Overdrive(AudioOperation):
    """SoX's overdrive: soft clipping, mixed with the input."""

    gain: Annotated[float, real(0, 100)] = 20.0
    color: Annotated[float, real(0, 100)] = 20.0

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        driven = np.clip(array * 10 ** (self.gain / 20) + self.color / 200, -1, 1)
        return np.clip(array * 0.5 + filtered(driven - driven**3 / 3, (1, -0.995), (1, -1)) * 0.75, -1, 1)


@arguments
class SlidingWindowCmn(AudioOperation):
    """Subtraction of a sliding window's mean (and division by its deviation) per frame of (..., frames, features)."""

    least_rank = 2

    cmn_window: Annotated[int, integer(0)] = 600
    min_cmn_window: Annotated[int, integer(0)] = 100
    center: Annotated[bool, flag] = False
    norm_vars: Annotated[bool, flag] = False

    def _bounds(self, frames: int) -> tuple[np.ndarray, np.ndarray]:
        at = np.arange(frames)
        first = at - (self.cmn_window // 2 if self.center else self.cmn_window)
        end = first + self.cmn_window if self.center else at + 1
        end, first = end - np.minimum(first, 0), np.maximum(first, 0)
        if not self.center:
            end = np.where(end > at, np.maximum(at + 1, self.min_cmn_window), end)
        over = np.maximum(end - frames, 0)
        return np.maximum(first - over, 0), end - over

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        first, end = self._bounds(array.shape[-2])
        count = (end - first)[:, None]
        if not count.all():
            raise RuntimeError("SlidingWindowCmn: invalid parameter, 'cmn_window_frames' cannot be zero.")
        widths = [(0, 0)] * (array.ndim - 2) + [(1, 0), (0, 0)]
        sums = np.pad(array, widths).cumsum(-2)
        mean = (sums[..., end, :] - sums[..., first, :]) / count
        result = array - mean
        if self.norm_vars:
            squares = np.pad(array**2, widths).cumsum(-2)
            variance = (squares[..., end, :] - squares[..., first, :]) / count - mean**2
            with np.errstate(divide="ignore", invalid="ignore"):
                result = np.where(count == 1, 0, result / np.sqrt(variance))
        return result[0] if array.ndim == 2 and array.shape[0] == 1 else result


def _wave(modulation: Modulation, size: int, low: float, high: float, phase: float) -> np.ndarray:
    """Return one period of a wave between `low` and `high`."""
    at = (np.arange(size) + int(phase / np.pi / 2 * size + 0.5)) % size
    if modulation is Modulation.SINUSOIDAL:
        values = (np.sin(at * np.pi / size * 2) + 1) / 2
    else:
        quarter = 4 * at // size
        values = at * 2.0 / size
        values = np.where(quarter == 0, values + 0.5, np.where(quarter == 3, values - 1.5, 1.5 - values))
    return values.astype(np.float32) * np.float32(high - low) + np.float32(low)


def _runs(newest: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield stretches of times that depend only on times before the stretch; `newest`: the latest time each needs."""
    reach, first = np.maximum.accumulate(newest), 0
    while first < len(newest):
        end = max(int(np.searchsorted(reach, first, "right")), first + 1)
        yield first, end
        first = end


@arguments
class Phaser(AudioOperation):
    """SoX's phaser."""

    sample_rate: Annotated[int, integer()]
    gain_in: Annotated[float, real(0, 1)] = 0.4
    gain_out: Annotated[float, real(0, 1e9)] = 0.74
    delay_ms: Annotated[float, real(0, 5.0)] = 3.0
    decay: Annotated[float, real(0, 0.99)] = 0.4
    mod_speed: Annotated[float, real(0.1, 2)] = 0.5
    sinusoidal: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        self.modulation = Modulation.SINUSOIDAL if self.sinusoidal else Modulation.TRIANGULAR

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        size, period = int(self.delay_ms * 0.001 * self.sample_rate + 0.5), int(self.sample_rate / self.mod_speed + 0.5)
        if size <= 0 or period <= 0:
            raise RuntimeError(f"Phaser: a delay of {size} samples and a wave of {period} cannot be used.")
        wave = (_wave(self.modulation, period, 1.0, float(size), np.pi / 2) + np.float32(0.5)).astype(np.int64)
        signal = np.pad(array.reshape(-1, array.shape[-1]).T * self.gain_in, [(size, 0), (0, 0)])
        times = np.arange(array.shape[-1])
        sources = times + wave[times % period] - size - 1
        for first, end in _runs(sources + 1):
            signal[first + size : end + size] += signal[sources[first:end] + size] * self.decay
        return np.clip(signal[size:].T.reshape(array.shape) * self.gain_out, -1, 1)


@arguments
class Flanger(AudioOperation):
    """SoX's flanger, for (..., channel, time); the result has the input's type."""

    sample_rate: Annotated[int, check_nonzero]
    delay: Annotated[float, real(0, 30)] = 0.0
    depth: Annotated[float, real(0, 10)] = 2.0
    regen: Annotated[float, real(-95, 95)] = 0.0
    width: Annotated[float, real(0, 100)] = 71.0
    speed: Annotated[float, real(0.1, 10)] = 0.5
    phase: Annotated[float, real(0, 100)] = 25.0
    modulation: Annotated[Modulation, kind_of(Modulation)] = Modulation.SINUSOIDAL
    interpolation: Annotated[Interpolation, kind_of(Interpolation)] = Interpolation.LINEAR

    def _prepare(self) -> None:
        self.delay = self.delay / 1000
        self.depth = self.depth / 1000
        self.regen = self.regen / 100
        self.width = self.width / 100
        self.phase = self.phase / 100

    def _compute(self, array: np.ndarray) -> np.ndarray:
        need_rank(array, 2, "Flanger", "<..., channel, time>")
        if array.shape[-2] > 4:
            raise RuntimeError(f"Flanger: expecting at most 4 channels, but got {array.shape[-2]}.")
        return super()._compute(array).astype(array.dtype)

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        channels, length = array.shape[-2:]
        dry = 1 / (1 + self.width)
        wet = self.width * dry * (1 - abs(self.regen))
        size, period = int((self.delay + self.depth) * self.sample_rate + 0.5) + 2, int(self.sample_rate / self.speed)
        if size < 2 or period <= 0:
            raise RuntimeError(f"Flanger: a delay of {size} samples and a wave of {period} cannot be used.")
        low = np.floor(self.delay * self.sample_rate + 0.5)
        wave = _wave(self.modulation, period, low, size - 2.0, 3 * np.pi / 2)
        phases = (np.arange(channels) * period * self.phase + 0.5).astype(np.int64)
        times = np.arange(length)[:, None]
        delays = wave[(times + phases) % period].astype(np.float64)
        # input and feedback: (time, channel, example), with silence before
        dry_signal = np.moveaxis(array.reshape(-1, channels, length), 0, -1).swapaxes(0, 1)
        line, back = np.pad(dry_signal, [(size, 0), (0, 0), (0, 0)]), np.empty(dry_signal.shape)
        taps = 2 if self.interpolation is Interpolation.LINEAR else 3
        sources = [times - (delays.astype(np.int64) + k) % size for k in range(taps)]
        newest = np.max(sources, (0, 2))
        for first, end in _runs(newest) if self.regen else [(0, length)]:
            part, (a, b, *more) = (
                delays[first:end, :, None] % 1,
                (line[source[first:end] + size, np.arange(channels)] for source in sources),
            )
            back[first:end] = a + (b - a) * part
            for c in more:
                back[first:end] = a + (((c - a) * 0.5 - (b - a)) * part + (b - a) * 2 - (c - a) * 0.5) * part
            line[first + size + 1 : end + size + 1] += (back[first:end] * self.regen)[: length - first - 1]
        result = dry_signal * dry + back * wet
        return np.clip(np.moveaxis(result.swapaxes(0, 1), -1, 0).reshape(array.shape), -1, 1)
