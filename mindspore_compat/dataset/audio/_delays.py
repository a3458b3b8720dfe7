"""Delays that a slow wave moves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mindspore_compat.dataset.audio._operation import AudioOperation, need_rank
from mindspore_compat.dataset.audio.utils import Interpolation, Modulation, check_int, check_real
from mindspore_compat.dataset.core.validator_helpers import type_check

__all__ = ["Flanger", "Phaser"]


def _wave(modulation: Modulation, size: int, low: float, high: float, phase: float) -> np.ndarray:
    """One period of a wave between `low` and `high`."""
    at = (np.arange(size) + int(phase / np.pi / 2 * size + 0.5)) % size
    if modulation is Modulation.SINUSOIDAL:
        values = (np.sin(at * np.pi / size * 2) + 1) / 2
    else:
        quarter = 4 * at // size
        values = at * 2.0 / size
        values = np.where(quarter == 0, values + 0.5, np.where(quarter == 3, values - 1.5, 1.5 - values))
    return values.astype(np.float32) * np.float32(high - low) + np.float32(low)


def _runs(newest: np.ndarray) -> Iterator[tuple[int, int]]:
    """Stretches of times of which all can be known once those before the stretch are: `newest` is the latest time each
    one asks for.
    """
    reach, first = np.maximum.accumulate(newest), 0
    while first < len(newest):
        end = max(int(np.searchsorted(reach, first, "right")), first + 1)
        yield first, end
        first = end


class Phaser(AudioOperation):
    """SoX's phaser."""

    def __init__(
        self,
        sample_rate: int,
        gain_in: float = 0.4,
        gain_out: float = 0.74,
        delay_ms: float = 3.0,
        decay: float = 0.4,
        mod_speed: float = 0.5,
        sinusoidal: bool = True,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate")
        rows = {
            "gain_in": (gain_in, 0, 1),
            "gain_out": (gain_out, 0, 1e9),
            "delay_ms": (delay_ms, 0, 5.0),
            "decay": (decay, 0, 0.99),
            "mod_speed": (mod_speed, 0.1, 2),
        }
        for name, (value, low, high) in rows.items():
            check_real(value, name, low, high)
        type_check(sinusoidal, bool, "sinusoidal")
        self.sample_rate, self.gain_in, self.gain_out, self.delay_ms, self.decay = (
            sample_rate,
            gain_in,
            gain_out,
            delay_ms,
            decay,
        )
        self.mod_speed, self.modulation = mod_speed, Modulation.SINUSOIDAL if sinusoidal else Modulation.TRIANGULAR

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


class Flanger(AudioOperation):
    """SoX's flanger, for (..., channel, time); the result has the input's type."""

    def __init__(
        self,
        sample_rate: int,
        delay: float = 0.0,
        depth: float = 2.0,
        regen: float = 0.0,
        width: float = 71.0,
        speed: float = 0.5,
        phase: float = 25.0,
        modulation: Modulation = Modulation.SINUSOIDAL,
        interpolation: Interpolation = Interpolation.LINEAR,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate")
        if sample_rate == 0:
            raise ValueError(
                "Input sample_rate is not within the required interval of [-2147483648, 0) and (0, 2147483647]."
            )
        rows = {
            "delay": (delay, 0, 30),
            "depth": (depth, 0, 10),
            "regen": (regen, -95, 95),
            "width": (width, 0, 100),
            "speed": (speed, 0.1, 10),
            "phase": (phase, 0, 100),
        }
        for name, (value, low, high) in rows.items():
            check_real(value, name, low, high)
        type_check(modulation, Modulation, "modulation")
        type_check(interpolation, Interpolation, "interpolation")
        self.sample_rate, self.delay, self.depth, self.regen, self.width = (
            sample_rate,
            delay / 1000,
            depth / 1000,
            regen / 100,
            width / 100,
        )
        self.speed, self.phase, self.modulation, self.interpolation = speed, phase / 100, modulation, interpolation

    def _compute(self, array: np.ndarray) -> np.ndarray:
        need_rank(array, 2, "Flanger", "<..., channel, time>")
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
        # what goes in and comes back: (time, channel, example), with silence before
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
