"""Expressions with `a` (dataset.audio) and signals, for tests/golden/make_audio.py and test_audio.py.

Signals: `x` float32 (2, 1500), `y` the same in float64, `h` in float16, `i` int16; `loud` reaches past 1. `s` complex
pairs (2, 33, 40, 2), `p` its power (2, 33, 40), `tone` float32 (1, 4000) with a pitch.
"""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["CASES", "PHASES", "PHASE_TOLERANCE", "TOLERANCE", "evaluate"]

_BIQUADS = [
    "AllpassBiquad(16000, 900.0)",
    "AllpassBiquad(44100, 200, 0.3)",
    "BandBiquad(16000, 700)",
    "BandBiquad(16000, 700, 0.5, True)",
    "BandpassBiquad(16000, 800.0)",
    "BandpassBiquad(16000, 800.0, 0.4, True)",
    "BandrejectBiquad(16000, 1000)",
    "BassBiquad(16000, 6.0)",
    "BassBiquad(16000, -9.5, 300.0, 0.9)",
    "Biquad(0.2, 0.3, 0.1, 1.5, -0.3, 0.2)",
    "DeemphBiquad(44100)",
    "DeemphBiquad(48000)",
    "EqualizerBiquad(16000, 1500.0, 4.0)",
    "EqualizerBiquad(16000, 1500.0, -7, 0.2)",
    "HighpassBiquad(16000, 1200.0)",
    "LowpassBiquad(16000, 1200.0, 0.5)",
    "RiaaBiquad(44100)",
    "RiaaBiquad(48000)",
    "RiaaBiquad(88200)",
    "RiaaBiquad(96000)",
    "TrebleBiquad(16000, 5.0)",
    "TrebleBiquad(16000, -20, 2000.0, 0.6)",
    "LFilter([1.0, -0.4, 0.2], [0.3, 0.2, 0.1])",
    "LFilter((2.0, -0.4, 0.2, 0.1), (3.0, 2.0, 1.0, 0.5), False)",
    "LFilter([0.5], [2.0])",
    "LFilter([1.0, -1.2], [1.0, 0.5])",
    "Filtfilt([1.0, -0.4, 0.2], [0.3, 0.2, 0.1])",
    "Filtfilt([1.0, -0.4], [3.0, 2.0], False)",
]
_EFFECTS = [
    "Contrast()",
    "Contrast(20)",
    "DBToAmplitude(1.0, 0.5)",
    "DBToAmplitude(2, 1.0)",
    "DCShift(0.3)",
    "DCShift(0.5, 0.02)",
    "DCShift(-0.6, 0.05)",
    "DCShift(0.0)",
    "Dither()",
    "Dither(noise_shaping=True)",
    "Fade(100, 200)",
    *(
        f"Fade(300, 1500, a.FadeShape.{shape})"
        for shape in ("QUARTER_SINE", "HALF_SINE", "LOGARITHMIC", "EXPONENTIAL", "LINEAR")
    ),
    "Fade(1, 1)",
    "Gain()",
    "Gain(-6.0)",
    "Gain(0)",
    "MuLawEncoding()",
    "MuLawEncoding(16)",
    "MuLawDecoding()",
    "MuLawDecoding(2)",
    "Overdrive()",
    "Overdrive(40.0, 3)",
    "Vol(0.5)",
    "Vol(3.0)",
    "Vol(0.25, a.GainType.POWER)",
    "Vol(12, a.GainType.DB)",
    "Vol(0, a.GainType.DB)",
    "Phaser(16000)",
    "Phaser(8000, 0.8, 1.2, 4.0, 0.7, 2.0, False)",
    "Flanger(16000)",
    "Flanger(8000, 3.0, 5.0, 50.0, 90.0, 5.0, 75.0, a.Modulation.TRIANGULAR, a.Interpolation.QUADRATIC)",
    "Flanger(8000, regen=-30.0, speed=10.0)",
]
_SPECTRA = [
    "Spectrogram(64)",
    "Spectrogram()",
    "Spectrogram(50, 40, 11)",
    "Spectrogram(51, power=1.0)",
    "Spectrogram(64, power=0.0, normalized=True)",
    "Spectrogram(64, power=0.0, onesided=False)",
    "Spectrogram(51, power=0.5, onesided=False, pad=7)",
    "Spectrogram(64, center=False)",
    *(f"Spectrogram(64, window=a.WindowType.{window})" for window in ("BARTLETT", "BLACKMAN", "HAMMING", "KAISER")),
    "Spectrogram(8, 1, 3)",
    *(f"Spectrogram(60, pad_mode=a.BorderType.{mode})" for mode in ("CONSTANT", "EDGE", "SYMMETRIC")),
    "SpectralCentroid(16000, 64)",
    "SpectralCentroid(44100, 128, 100, 30, 5, a.WindowType.HAMMING)",
    "MelSpectrogram(n_fft=256, n_mels=20)",
    "MelSpectrogram(8000, 200, 180, 50, 100.0, 3000.0, 3, 12, "
    "a.WindowType.HAMMING, 1.0, True, False, a.BorderType.EDGE, True, a.NormType.SLANEY, a.MelType.SLANEY)",
    "MFCC()",
    "MFCC(8000, 13, 2, a.NormMode.NONE, True)",
    "LFCC()",
    "LFCC(8000, 30, 12, 50.0, 3500.0, 2, a.NormMode.NONE, True)",
]
_RESAMPLED = [
    "Resample(16000, 8000)",
    "Resample(16000, 22050)",
    "Resample(44100, 16000, a.ResampleMethod.KAISER_WINDOW)",
    "Resample(3, 2, lowpass_filter_width=20, rolloff=0.8)",
    "Resample(8000, 8000)",
    "Resample(8000, 12000, a.ResampleMethod.KAISER_WINDOW, 10, 0.9, 6.0)",
    "PitchShift(16000, 4)",
    "PitchShift(16000, -5, 24, 256, 200, 60)",
]
_OF_PAIRS = [
    "Angle()",
    "ComplexNorm()",
    "ComplexNorm(2)",
    "Magphase(0.5)",
    "Magphase()",
    "InverseSpectrogram(n_fft=64)",
    "InverseSpectrogram(1300, 64)",
    "InverseSpectrogram(500, 64, pad=9, normalized=True)",
    "InverseSpectrogram(None, 64, 50, 20, center=False)",
    "InverseSpectrogram(5000, 64, window=a.WindowType.BLACKMAN)",
    "TimeStretch(n_freq=33, fixed_rate=1.3)",
    "TimeStretch(20, 33, 0.6)",
    "TimeStretch(n_freq=33)",
    "TimeStretch(n_freq=20, fixed_rate=2)",
    "PhaseVocoder(1.5, np.linspace(0, 100, 33, dtype=np.float32)[:, None])",
    "PhaseVocoder(1.0, np.linspace(0, 100, 33, dtype=np.float32)[:, None])",
]
_OF_POWERS = [
    "AmplitudeToDB()",
    "AmplitudeToDB(a.ScaleType.MAGNITUDE, 2.0, 1e-5, 30.0)",
    "AmplitudeToDB(amin=1e-2)",
    "ComputeDeltas()",
    "ComputeDeltas(9, a.BorderType.REFLECT)",
    "ComputeDeltas(4, a.BorderType.CONSTANT)",
    "ComputeDeltas(7, a.BorderType.SYMMETRIC)",
    "SlidingWindowCmn()",
    "SlidingWindowCmn(10, 5)",
    "SlidingWindowCmn(7, 3, True, True)",
    "SlidingWindowCmn(20, 8, False, True)",
    "MelScale(12, n_stft=33)",
    "MelScale(8, 8000, 20.0, 3000.0, 33, a.NormType.SLANEY, a.MelType.SLANEY)",
    "FrequencyMasking(False, 5, 3, 1.0)",
    "FrequencyMasking()",
    "FrequencyMasking(False, 33)",
    "TimeMasking(False, 7, 2, 0.5)",
    "MaskAlongAxis(2, 6, 3.0, 1)",
    "MaskAlongAxis(0, 40, -3, 2)",
    "GriffinLim(64, 4, rand_init=False)",
    "GriffinLim(64, 4, 50, 20, a.WindowType.HAMMING, 1.0, 0.0, rand_init=False)",
]
_ERRORS = [
    "a.Gain()([1.0])",
    "a.Gain()(np.array(['a']))",
    "a.Gain()(np.float32(1)[...])",
    "a.LFilter([1.0], [1.0, 2.0])",
    "a.LFilter([0.0, 1.0], [1.0, 2.0])(x)",
    "a.LFilter(1, [1.0])",
    "a.LFilter(['a'], [1.0])",
    "a.LFilter([1.0], [1.0], 1)",
    "a.AllpassBiquad(16000.0, 3)",
    "a.AllpassBiquad(0, 3)",
    "a.AllpassBiquad(16000, '3')",
    "a.AllpassBiquad(16000, 3, 0)",
    "a.AllpassBiquad(16000, 3, 1.1)",
    "a.AllpassBiquad(16000, 17000000)",
    "a.BandBiquad(16000, 3, 1, 1)",
    "a.BandpassBiquad(8, 3, 1, 'x')",
    "a.BassBiquad(16000, None)",
    "a.Biquad(1, 1, 1, 0, 1, 1)",
    "a.Biquad(1, 1, 1, '1', 1, 1)",
    "a.DeemphBiquad(8000)",
    "a.DeemphBiquad(44100.0)",
    "a.RiaaBiquad(8000)",
    "a.Contrast(101)",
    "a.Contrast('a')",
    "a.DCShift(2.5)",
    "a.DCShift(1, 'a')",
    "a.Dither('TPDF')",
    "a.Dither(noise_shaping=1)",
    "a.Fade(-1)",
    "a.Fade(1.5)",
    "a.Fade(fade_shape='linear')",
    "a.Fade(2000, 1)(x)",
    "a.Gain('a')",
    "a.Vol(-1)",
    "a.Vol(0, a.GainType.POWER)",
    "a.Vol(1, 'db')",
    "a.MuLawEncoding(0)",
    "a.MuLawDecoding(1.5)",
    "a.MuLawDecoding(1)(x)",
    "a.Overdrive(101)",
    "a.Overdrive(1, -1)",
    "a.Phaser(16000, 2)",
    "a.Phaser(16000, sinusoidal=1)",
    "a.Phaser(16000, delay_ms=6)",
    "a.Flanger(0)",
    "a.Flanger(16000, 31)",
    "a.Flanger(16000)(x[0])",
    "a.Flanger(16000, modulation='sinusoidal')",
    "a.Flanger(16000, speed=0.05)",
    "a.Spectrogram(0)",
    "a.Spectrogram(4.0)",
    "a.Spectrogram(4, 5)",
    "a.Spectrogram(4, hop_length=0)",
    "a.Spectrogram(4, pad=-1)",
    "a.Spectrogram(4, window='hann')",
    "a.Spectrogram(4, power=-1)",
    "a.Spectrogram(4, center=1)",
    "a.Spectrogram(4, pad_mode='edge')",
    "a.Spectrogram(4000, center=False)(x)",
    "a.SpectralCentroid(-1)",
    "a.SpectralCentroid(1.5)",
    "a.MelScale(0)",
    "a.MelScale(f_min=9000.0)",
    "a.MelScale(f_min=5.0, f_max=4.0)",
    "a.MelScale(norm='none')",
    "a.MelScale(mel_type='htk')",
    "a.MelScale()(x[0])",
    "a.MelSpectrogram(f_min=1)",
    "a.MelSpectrogram(power=0.0)",
    "a.MelSpectrogram(n_mels=-1)",
    "a.MelSpectrogram(n_fft=4000)(x)",
    "a.MelSpectrogram(mel_scale='htk')",
    "a.MFCC(dct_type=3)",
    "a.MFCC(norm='ortho')",
    "a.MFCC(melkwargs=3)",
    "a.MFCC(melkwargs={})",
    "a.MFCC(log_mels=1)",
    "a.MFCC(n_mfcc=-1)",
    "a.LFCC(n_filter=0)",
    "a.LFCC(n_lfcc=0)",
    "a.LFCC(speckwargs={})",
    "a.LFCC(dct_type=1)",
    "a.LFCC(f_min=-1.0)",
    "a.LFCC(f_min=3.0, f_max=2.0)",
    "a.Resample(0)",
    "a.Resample('a')",
    "a.Resample(rolloff=1)",
    "a.Resample(rolloff=0.0)",
    "a.Resample(resample_method='x')",
    "a.Resample(lowpass_filter_width=0)",
    "a.PitchShift(-1, 3)",
    "a.PitchShift(8000, 3.5)",
    "a.PitchShift(8000, 3, 0)",
    "a.PitchShift(8000, 3, n_fft=8, win_length=9)",
    "a.InverseSpectrogram(-1)",
    "a.InverseSpectrogram(n_fft=64)(x)",
    "a.InverseSpectrogram(n_fft=60)(s)",
    "a.InverseSpectrogram(n_fft=64, pad=3)(s)",
    "a.GriffinLim(0)",
    "a.GriffinLim(momentum=-1)",
    "a.GriffinLim(power=0)",
    "a.GriffinLim(rand_init=1)",
    "a.GriffinLim(60)(p)",
    "a.InverseMelScale(0)",
    "a.InverseMelScale(33, n_mels=9)(p)",
    "a.InverseMelScale(33, max_iter=0)",
    "a.InverseMelScale(33, sgdargs={'sgd_lr': -1, 'sgd_momentum': 0})",
    "a.InverseMelScale(33, sgdargs={})",
    "a.TimeStretch(0)",
    "a.TimeStretch(fixed_rate=0)",
    "a.TimeStretch(n_freq=1.5)",
    "a.TimeStretch()(x)",
    "a.PhaseVocoder(0, x)",
    "a.PhaseVocoder(1.5, [1])",
    "a.PhaseVocoder(1.5, x)(s)",
    "a.PhaseVocoder(1.5, np.zeros((33, 1)))(s)",
    "a.AmplitudeToDB(amin=0)",
    "a.AmplitudeToDB('power')",
    "a.AmplitudeToDB(top_db=-1)",
    "a.AmplitudeToDB()(x[0])",
    "a.ComputeDeltas(2)",
    "a.ComputeDeltas(5, 'edge')",
    "a.ComputeDeltas()(x[0])",
    "a.SlidingWindowCmn(-1)",
    "a.SlidingWindowCmn(center=1)",
    "a.SlidingWindowCmn()(x[0])",
    "a.FrequencyMasking(1)",
    "a.FrequencyMasking(False, -1)",
    "a.FrequencyMasking(False, 1.5)",
    "a.FrequencyMasking(False, 40)(p)",
    "a.FrequencyMasking(False, 5, 30)(p)",
    "a.FrequencyMasking()(x[0])",
    "a.TimeMasking(mask_value=-1)",
    "a.TimeMasking(True, 41)(p)",
    "a.MaskAlongAxis(0, 0, 1.0, 1)",
    "a.MaskAlongAxis(0, 1, 1.0, 3)",
    "a.MaskAlongAxis(-1, 1, 1.0, 1)",
    "a.MaskAlongAxis(0, 41, 1.0, 2)(p)",
    "a.MaskAlongAxisIID(-1, 1.0, 1)",
    "a.MaskAlongAxisIID(1, 'a', 1)",
    "a.MaskAlongAxisIID(34, 1.0, 1)(p)",
    "a.Angle()(x[:, :1])",
    "a.ComplexNorm(-1)",
    "a.ComplexNorm()(x)",
    "a.Magphase('a')",
    "a.Magphase()(x)",
    "a.DetectPitchFrequency(0)",
    "a.DetectPitchFrequency(8000, 0)",
    "a.DetectPitchFrequency(8000)(x)",
    "a.DetectPitchFrequency(8000, win_length=1.5)",
    "a.DetectPitchFrequency(8000)(i)",
    "a.DetectPitchFrequency(8000, freq_low=0)",
    "a.Vad(0)",
    "a.Vad(8000, noise_up_time=0.001)",
    "a.Vad(8000, measure_freq=0)",
    "a.Vad(8000, hp_filter_freq=-1)",
    "a.Vad(8000, trigger_level='a')",
    "a.Vad(8000, hp_filter_freq=5000.0)(x)",
    "a.Vad(8000, hp_lifter_freq=3000.0)(x)",
    "a.create_dct(0, 3)",
    "a.create_dct(3, 1.5)",
    "a.create_dct(3, 3, 'ortho')",
    "a.linear_fbanks(-1, 0.0, 1.0, 3, 8)",
    "a.linear_fbanks(3, 2.0, 1.0, 3, 8)",
    "a.linear_fbanks(3, 2.0, 4.0, 0, 8)",
    "a.melscale_fbanks(3, 0.0, 0.0, 3, 8)",
    "a.melscale_fbanks(3, 0.0, 1.0, 3, 8, 'none')",
    "a.melscale_fbanks(3, 0.0, 1.0, 3, 8.0)",
]
CASES = [
    *(f"a.{operation}(x)" for operation in _BIQUADS + _EFFECTS + _SPECTRA + _RESAMPLED),
    *(f"a.{operation}(s)" for operation in _OF_PAIRS),
    *(f"a.{operation}(p)" for operation in _OF_POWERS),
    *(
        f"a.{operation}(y)"
        for operation in [*_BIQUADS[::3], *_EFFECTS[::2], *_SPECTRA[::3], *_RESAMPLED[::2]]
        if not operation.startswith(("MFCC", "LFCC", "MelSpec"))
    ),
    *(
        f"a.{operation}(loud)"
        for operation in [
            "BassBiquad(16000, 20.0)",
            "LFilter([1.0, -0.4], [3.0, 2.0])",
            "DCShift(0.9, 0.3)",
            "Flanger(16000)",
            "Vol(1)",
            "MuLawEncoding()",
            "Overdrive()",
        ]
    ),
    *(
        f"a.{operation}(i)"
        for operation in [
            "Contrast()",
            "Gain()",
            "Fade(5, 5)",
            "Spectrogram(64)",
            "Resample(3, 2)",
            "MuLawDecoding()",
            "Flanger(16000)",
            "LowpassBiquad(16000, 5)",
            "Vol(0.1)",
        ]
    ),
    *(
        f"a.{operation}(h)"
        for operation in [
            "Gain()",
            "Spectrogram(64)",
            "LowpassBiquad(16000, 2000.0)",
            "Flanger(16000)",
            "MuLawEncoding()",
        ]
    ),
    *(f"a.{operation}(s[None])" for operation in _OF_PAIRS[:12:2]),
    *(f"a.{operation}(p[0])" for operation in _OF_POWERS),
    *(f"a.{operation}(p[:, None].astype(np.float64))" for operation in _OF_POWERS),
    *(
        f"a.{operation}(x[0])"
        for operation in [
            "Gain()",
            "Fade(5, 5)",
            "Spectrogram(64)",
            "MFCC()",
            "MelSpectrogram(n_fft=64, n_mels=4)",
            "Resample(3, 2)",
            "SpectralCentroid(8000, 64)",
            "Dither()",
            "PitchShift(8000, 2)",
        ]
    ),
    *(
        f"a.{operation}(x[:, None])"
        for operation in [
            "LFilter([1.0, 0.5], [1.0, 1.0])",
            "Flanger(16000)",
            "Spectrogram(64)",
            "MFCC()",
            "Resample(3, 2)",
            "Phaser(16000)",
            "PitchShift(8000, 2)",
        ]
    ),
    *(
        f"a.DetectPitchFrequency({arguments})({signal})"
        for arguments, signal in [
            ("16000, win_length=3", "tone"),
            ("8000, 0.02, 5, 100, 2000", "tone"),
            ("16000, win_length=4", "tone.astype(float)"),
        ]
    ),
    "a.Biquad(0.2, 0.3, 0.1, 1.5, -0.3, 0.2)([1.0, 0.5, 0.25])",
    "a.Spectrogram(4)([1.0, 0.5, 0.25, 3.0])",
    "a.create_dct(5, 8)",
    "a.create_dct(5, 8, a.NormMode.ORTHO)",
    "a.linear_fbanks(20, 100.0, 3000.0, 6, 8000)",
    "a.melscale_fbanks(20, 0.0, 4000.0, 6, 8000)",
    "a.melscale_fbanks(40, 10, 4000, 6, 8000, a.NormType.SLANEY, a.MelType.SLANEY)",
    *_ERRORS,
]
#: largest difference, as a part of the largest value. Upstream counts in float32 (or float16), ours in float64 and
# rounds once
TOLERANCE = {"float64": 5e-6, "float32": 1e-4, "float16": 2e-2}
#: phases add up over time, in float32
PHASES, PHASE_TOLERANCE = ("a.TimeStretch", "a.PhaseVocoder", "a.PitchShift"), 5e-4


@lru_cache
def _signals() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    y = rng.standard_normal((2, 1500)) * 0.2 + 0.3 * np.sin(np.arange(1500) / 7)
    s = rng.standard_normal((2, 33, 40, 2)).astype(np.float32)
    tone = (
        np.sin(np.arange(4000) * 2 * np.pi * 220 / 16000) + 0.3 * np.sin(np.arange(4000) * 2 * np.pi * 660 / 16000)
    )[None]
    x = y.astype(np.float32)
    return {
        "x": x,
        "y": x.astype(np.float64),
        "h": y.astype(np.float16),
        "i": (y * 1000).astype(np.int16),
        "loud": x * 8,
        "s": s,
        "p": (s**2).sum(-1),
        "tone": tone.astype(np.float32),
    }


def evaluate(audio: Any, expression: str) -> Any:
    """For each result its type, shape, largest and mean absolute value, and values at 24 places; or the exception's
    type.
    """
    try:
        result = eval(expression, {"a": audio, "np": np, **copy.deepcopy(_signals())})
    except Exception as error:
        return {"error": type(error).__name__}
    if not isinstance(result, (np.ndarray, tuple)):
        return "made"
    found = []
    for part in result if isinstance(result, tuple) else (result,):
        part = np.asarray(part)
        places = np.unique(np.linspace(0, part.size - 1, 24).astype(int))
        values = np.concatenate(
            [[np.abs(part.astype(float)).max(), np.abs(part.astype(float)).mean()], part.ravel()[places].astype(float)]
        )
        found.append([str(part.dtype), list(part.shape), [float(f"{value:.9g}") for value in values]])
    return found
