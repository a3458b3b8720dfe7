"""Modulated delays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mindspore_compat.dataset.audio._operation import AudioOperation, need_rank
from mindspore_compat.dataset.audio.utils import Interpolation, Modulation
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, real
from mindspore_compat.dataset.core.validator_helpers import check_nonzero

__all__ = ["Flanger", "Phaser"]


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
