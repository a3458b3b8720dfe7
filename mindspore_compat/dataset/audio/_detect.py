"""Where the voice is, and its pitch."""

from __future__ import annotations

import math

import numpy as np

from mindspore_compat.dataset.audio._operation import AudioOperation
from mindspore_compat.dataset.audio.utils import check_int, check_real

__all__ = ["DetectPitchFrequency", "Vad"]


class DetectPitchFrequency(AudioOperation):
    """The pitch over time, by normalised cross-correlation and median smoothing; float32 for every input."""

    halves = True

    def __init__(
        self,
        sample_rate: int,
        frame_time: float = 0.01,
        win_length: int = 30,
        freq_low: float = 85,
        freq_high: float = 3400,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate")
        if sample_rate == 0:
            raise ValueError(
                "Input sample_rate is not within the required interval of [-2147483648, 0) and (0, 2147483647]."
            )
        check_real(frame_time, "frame_time", 0, above=True)
        check_int(win_length, "win_length", 1)
        check_real(freq_low, "freq_low", 0, above=True)
        check_real(freq_high, "freq_high", 0, above=True)
        self.sample_rate, self.frame_time, self.win_length, self.freq_low, self.freq_high = (
            sample_rate,
            frame_time,
            win_length,
            freq_low,
            freq_high,
        )

    def _correlations(self, rows: np.ndarray) -> np.ndarray:
        """(channel, frame, lag), from lag 1."""
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


class Vad(AudioOperation):
    """SoX's voice activity detector: what comes before the first voice is cut off."""

    def __init__(
        self,
        sample_rate: int,
        trigger_level: float = 7.0,
        trigger_time: float = 0.25,
        search_time: float = 1.0,
        allowed_gap: float = 0.25,
        pre_trigger_time: float = 0.0,
        boot_time: float = 0.35,
        noise_up_time: float = 0.1,
        noise_down_time: float = 0.01,
        noise_reduction_amount: float = 1.35,
        measure_freq: float = 20.0,
        measure_duration: float | None = None,
        measure_smooth_time: float = 0.4,
        hp_filter_freq: float = 50.0,
        lp_filter_freq: float = 6000.0,
        hp_lifter_freq: float = 150.0,
        lp_lifter_freq: float = 2000.0,
    ) -> None:
        super().__init__()
        check_int(sample_rate, "sample_rate", 1)
        check_real(trigger_level, "trigger_level")
        times = {
            "trigger_time": trigger_time,
            "search_time": search_time,
            "allowed_gap": allowed_gap,
            "pre_trigger_time": pre_trigger_time,
            "boot_time": boot_time,
            "noise_up_time": noise_up_time,
            "noise_down_time": noise_down_time,
        }
        for name, value in times.items():
            check_real(value, name, 0)
        if noise_up_time < noise_down_time:
            raise ValueError(
                f"Input noise_up_time should be greater than noise_down_time, but got noise_up_time: {noise_up_time} "
                "and noise_down_time: "
                f"{noise_down_time}."
            )
        check_real(noise_reduction_amount, "noise_reduction_amount", 0)
        check_real(measure_freq, "measure_freq", 0, above=True)
        if measure_duration:
            check_real(measure_duration, "measure_duration", 0)
        check_real(measure_smooth_time, "measure_smooth_time", 0)
        bounds = {
            "hp_filter_freq": hp_filter_freq,
            "lp_filter_freq": lp_filter_freq,
            "hp_lifter_freq": hp_lifter_freq,
            "lp_lifter_freq": lp_lifter_freq,
        }
        for name, value in bounds.items():
            check_real(value, name, 0, above=True)
        self.trigger_level, self.noise_reduction_amount = trigger_level, noise_reduction_amount
        self.boot_most = int(boot_time * measure_freq - 0.5)
        self.gap = int(allowed_gap * measure_freq + 0.5)
        self.window = int(sample_rate * (measure_duration or 2.0 / measure_freq) + 0.5)
        self.period = int(sample_rate / measure_freq + 0.5)
        self.history = math.ceil(search_time * measure_freq)
        self.memory = int(pre_trigger_time * sample_rate + 0.5) + self.history * self.period + self.window
        self.size = 16
        while self.size < self.window:
            self.size *= 2
        self.spectrum = (
            max(int(hp_filter_freq / sample_rate * self.size + 0.5), 1),
            min(int(lp_filter_freq / sample_rate * self.size + 0.5), self.size // 2),
        )
        self.cepstrum = (
            math.ceil(sample_rate * 0.5 / lp_lifter_freq),
            min(math.floor(sample_rate * 0.5 / hp_lifter_freq), self.size // 4),
        )
        self.decays = {
            name: self._decay(time * measure_freq)
            for name, time in {
                "trigger": trigger_time,
                "smooth": measure_smooth_time,
                "up": noise_up_time,
                "down": noise_down_time,
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
        """From which sample on the result is."""
        channels, length = rows.shape
        low, high = self.spectrum
        smooth, noise = np.zeros((channels, high - low)), np.zeros((channels, high - low))
        measures, mean, boot = np.zeros((channels, self.history)), np.zeros(channels), 0
        hann = [0.5 - 0.5 * np.cos(np.arange(n) / n * 2 * np.pi) for n in (self.window, high - low)]
        spectral, cepstral = (2 / math.sqrt(len(window)) * window for window in hann)
        for index, end in enumerate(range(self.window, length + 1, self.period)):
            # upstream's window ends one sample before the newest; before the first sample there is silence
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
        """How many measures before the trigger belong to the voice."""
        count = len(measures)
        trigger = zero = count
        for j in range(count):
            value = measures[(newest - j) % count]
            if value >= self.trigger_level and j <= trigger + self.gap:
                trigger = zero = j
            elif value == 0 and trigger >= zero:
                zero = j
        return min(count - 1, zero)
