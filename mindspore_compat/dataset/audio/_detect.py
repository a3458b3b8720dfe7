"""Voice activity and pitch detection."""

from __future__ import annotations

import math

import numpy as np

from mindspore_compat.dataset.audio._operation import AudioOperation
from mindspore_compat.dataset.core.arguments import Annotated, arguments, integer, real
from mindspore_compat.dataset.core.validator_helpers import check_nonzero

__all__ = ["DetectPitchFrequency", "Vad"]


@arguments
class DetectPitchFrequency(AudioOperation):
    """Pitch over time, by normalised cross-correlation and median smoothing; float32 for every input."""

    halves = True

    sample_rate: Annotated[int, check_nonzero]
    frame_time: Annotated[float, real(0, above=True)] = 0.01
    win_length: Annotated[int, integer(1)] = 30
    freq_low: Annotated[float, real(0, above=True)] = 85
    freq_high: Annotated[float, real(0, above=True)] = 3400

    def _correlations(self, rows: np.ndarray) -> np.ndarray:
        """Return (channel, frame, lag), from lag 1."""
        lags, size = (
            math.ceil(self.sample_rate / self.freq_low),
            math.ceil(np.float32(self.sample_rate) * np.float32(self.frame_time)),
        )
        frames = math.ceil(rows.shape[1] / size)
        wide = np.pad(rows, [(0, 0), (0, lags + frames * size - rows.shape[1])])
        first = wide[:, : frames * size].reshape(len(rows), frames, size)
        energy = (first**2).sum(-1)
        found = np.zeros((len(rows), frames, lags))
        for lag in range(1, lags + 1):
            second = wide[:, lag : lag + frames * size].reshape(len(rows), frames, size)
            norm = energy * (second**2).sum(-1)
            np.divide((first * second).sum(-1), norm, out=found[:, :, lag - 1], where=norm != 0)
        return found

    def _best(self, found: np.ndarray) -> np.ndarray:
        least = math.ceil(self.sample_rate / self.freq_high)
        if least >= found.shape[-1]:
            raise RuntimeError("DetectPitchFrequency: freq_low is too near to freq_high.")
        best = found[..., least:].argmax(-1) + least
        half = found[..., least : max(found.shape[-1] // 2, least + 1)].argmax(-1) + least
        values = (np.take_along_axis(found, at[..., None], -1)[..., 0] for at in (half, best))
        return np.where(next(values) > next(values) * 0.99, half, best) + 1

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        best = self._best(self._correlations(array.reshape(-1, array.shape[-1])))
        pad = (self.win_length - 1) // 2
        if best.shape[1] + pad < self.win_length:
            raise RuntimeError(
                f"DetectPitchFrequency: win_length {self.win_length} is too long for {best.shape[1]} frames."
            )
        wide = np.pad(best, [(0, 0), (pad, 0)], "edge")
        parts = np.sort(np.lib.stride_tricks.sliding_window_view(wide, self.win_length, axis=-1), -1)
        smooth = parts[..., pad]
        return (self.sample_rate / (1e-9 + smooth)).reshape(*array.shape[:-1], -1)

    @staticmethod
    def _rounded(result: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return np.ascontiguousarray(result, np.float32)


@arguments
class Vad(AudioOperation):
    """SoX's voice activity detector: it cuts off everything before the first voice."""

    sample_rate: Annotated[int, integer(1)]
    trigger_level: Annotated[float, real()] = 7.0
    trigger_time: Annotated[float, real(0)] = 0.25
    search_time: Annotated[float, real(0)] = 1.0
    allowed_gap: Annotated[float, real(0)] = 0.25
    pre_trigger_time: Annotated[float, real(0)] = 0.0
    boot_time: Annotated[float, real(0)] = 0.35
    noise_up_time: Annotated[float, real(0)] = 0.1
    noise_down_time: Annotated[float, real(0)] = 0.01
    noise_reduction_amount: Annotated[float, real(0)] = 1.35
    measure_freq: Annotated[float, real(0, above=True)] = 20.0
    measure_duration: Annotated[float | None, real(0)] = None
    measure_smooth_time: Annotated[float, real(0)] = 0.4
    hp_filter_freq: Annotated[float, real(0, above=True)] = 50.0
    lp_filter_freq: Annotated[float, real(0, above=True)] = 6000.0
    hp_lifter_freq: Annotated[float, real(0, above=True)] = 150.0
    lp_lifter_freq: Annotated[float, real(0, above=True)] = 2000.0

    def _prepare(self) -> None:
        if self.noise_up_time < self.noise_down_time:
            raise ValueError(f"noise_up_time {self.noise_up_time} is less than noise_down_time {self.noise_down_time}.")
        self.boot_most = int(self.boot_time * self.measure_freq - 0.5)
        self.gap = int(self.allowed_gap * self.measure_freq + 0.5)
        self.window = int(self.sample_rate * (self.measure_duration or 2.0 / self.measure_freq) + 0.5)
        self.period = int(self.sample_rate / self.measure_freq + 0.5)
        self.history = math.ceil(self.search_time * self.measure_freq)
        self.memory = int(self.pre_trigger_time * self.sample_rate + 0.5) + self.history * self.period + self.window
        self.size = 16
        while self.size < self.window:
            self.size *= 2
        self.spectrum = (
            max(int(self.hp_filter_freq / self.sample_rate * self.size + 0.5), 1),
            min(int(self.lp_filter_freq / self.sample_rate * self.size + 0.5), self.size // 2),
        )
        self.cepstrum = (
            math.ceil(self.sample_rate * 0.5 / self.lp_lifter_freq),
            min(math.floor(self.sample_rate * 0.5 / self.hp_lifter_freq), self.size // 4),
        )
        self.decays = {
            name: self._decay(time * self.measure_freq)
            for name, time in {
                "trigger": self.trigger_time,
                "smooth": self.measure_smooth_time,
                "up": self.noise_up_time,
                "down": self.noise_down_time,
            }.items()
        }

    @staticmethod
    def _decay(periods: float) -> float:
        return math.exp(-1 / periods) if periods else 0.0

    def _audio(self, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
        for name, (start, end) in {"spectrum": self.spectrum, "cepstrum": self.cepstrum}.items():
            if end <= start:
                raise RuntimeError(f"Vad: the end of {name} must be greater than the start.")
        if not self.history:
            raise RuntimeError("UpdateVadParams: the length of measures cannot be zero.")
        rows = array.reshape(-1, array.shape[-1])
        first = self._start(rows)
        return rows[:, first:].reshape(*array.shape[:-1], -1)

    def _start(self, rows: np.ndarray) -> int:
        """Return the sample at which the result starts."""
        channels, length = rows.shape
        low, high = self.spectrum
        smooth, noise = np.zeros((channels, high - low)), np.zeros((channels, high - low))
        measures, mean, boot = np.zeros((channels, self.history)), np.zeros(channels), 0
        hann = [0.5 - 0.5 * np.cos(np.arange(n) / n * 2 * np.pi) for n in (self.window, high - low)]
        spectral, cepstral = (2 / math.sqrt(len(window)) * window for window in hann)
        for index, end in enumerate(range(self.window, length + 1, self.period)):
            # MindSpore's window ends one sample before the newest; before the first sample there is silence
            part = np.pad(
                rows[:, max(end - 1 - self.window, 0) : end - 1], [(0, 0), (max(self.window + 1 - end, 0), 0)]
            )
            magnitudes = np.abs(np.fft.rfft(part * spectral, self.size))[:, low:high]
            keep = boot / (1 + boot) if boot >= 0 else self.decays["smooth"]
            smooth = smooth * keep + magnitudes * (1 - keep)
            power = smooth**2
            keep_noise = (
                np.zeros_like(power) if boot >= 0 else np.where(power > noise, self.decays["up"], self.decays["down"])
            )
            noise = noise * keep_noise + power * (1 - keep_noise)
            cleaned = np.sqrt(np.maximum(power - self.noise_reduction_amount * noise, 0)) * cepstral
            wide = np.zeros((channels, self.size // 2))
            wide[:, low:high] = cleaned
            energy = (np.abs(np.fft.rfft(wide)) ** 2)[:, self.cepstrum[0] : self.cepstrum[1]].mean(-1)
            values = np.maximum(21 + np.log(np.where(energy > 0, energy, 1e-300)), 0)
            measures[:, index % self.history] = values
            mean = mean * self.decays["trigger"] + values * (1 - self.decays["trigger"])
            if (mean >= self.trigger_level).any():
                kept = 0
                for channel in np.flatnonzero(np.maximum.accumulate(mean >= self.trigger_level)):
                    kept = max(kept, self._quiet(measures[channel], index % self.history))
                return max(end - self.memory + (self.history - kept) * self.period, 0)
            boot = -1 if boot == self.boot_most and boot >= 0 else boot + 1 if boot >= 0 else boot
        return max(length - self.memory, 0)

    def _quiet(self, measures: np.ndarray, newest: int) -> int:
        """Return how many measures before the trigger belong to the voice."""
        count = len(measures)
        trigger = zero = count
        for j in range(count):
            value = measures[(newest - j) % count]
            if value >= self.trigger_level and j <= trigger + self.gap:
                trigger = zero = j
            elif value == 0 and trigger >= zero:
                zero = j
        return min(count - 1, zero)
