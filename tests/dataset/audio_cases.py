"""Expressions with `a` (dataset.audio) and signals, for tests/golden/make_json.py audio and test_audio.py.

Signals: `x` float32 (2, 1500), `y` the same in float64, `h` in float16, `i` int16; `loud` reaches past 1. `s` complex
pairs (2, 33, 40, 2), `p` its power (2, 33, 40), `tone` float32 (1, 4000) with a pitch.
"""

from __future__ import annotations

import copy
import math
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["CASES", "PHASES", "PHASE_TOLERANCE", "TOLERANCE", "evaluate", "same_numbers"]


def _calls(table: str) -> list[str]:
    """Return the calls of lines ``Name: arguments | arguments @ data | …``."""
    found = []
    for line in table.strip().split("\n"):
        name, _, alternatives = line.partition(":")
        for alternative in alternatives.split("|"):
            arguments, at, data = alternative.partition("@")
            found.append(f"{name}({arguments.strip()})" + (f"({data.strip()})" if at else ""))
    return found


_BIQUADS = _calls("""
AllpassBiquad: 16000, 900.0 | 44100, 200, 0.3
BandBiquad: 16000, 700 | 16000, 700, 0.5, True
BandpassBiquad: 16000, 800.0 | 16000, 800.0, 0.4, True
BandrejectBiquad: 16000, 1000
BassBiquad: 16000, 6.0 | 16000, -9.5, 300.0, 0.9
Biquad: 0.2, 0.3, 0.1, 1.5, -0.3, 0.2
DeemphBiquad: 44100 | 48000
EqualizerBiquad: 16000, 1500.0, 4.0 | 16000, 1500.0, -7, 0.2
HighpassBiquad: 16000, 1200.0
LowpassBiquad: 16000, 1200.0, 0.5
RiaaBiquad: 44100 | 48000 | 88200 | 96000
TrebleBiquad: 16000, 5.0 | 16000, -20, 2000.0, 0.6
LFilter: [1.0, -0.4, 0.2], [0.3, 0.2, 0.1] | (2.0, -0.4, 0.2, 0.1), (3.0, 2.0, 1.0, 0.5), False | [0.5], [2.0]
LFilter: [1.0, -1.2], [1.0, 0.5]
Filtfilt: [1.0, -0.4, 0.2], [0.3, 0.2, 0.1] | [1.0, -0.4], [3.0, 2.0], False
""")
_EFFECTS = _calls("""
Contrast:  | 20
DBToAmplitude: 1.0, 0.5 | 2, 1.0
DCShift: 0.3 | 0.5, 0.02 | -0.6, 0.05 | 0.0
Dither:  | noise_shaping=True
Fade: 100, 200 | 300, 1500, a.FadeShape.QUARTER_SINE | 300, 1500, a.FadeShape.HALF_SINE
Fade: 300, 1500, a.FadeShape.LOGARITHMIC | 300, 1500, a.FadeShape.EXPONENTIAL | 300, 1500, a.FadeShape.LINEAR | 1, 1
Gain:  | -6.0 | 0
MuLawEncoding:  | 16
MuLawDecoding:  | 2
Overdrive:  | 40.0, 3
Vol: 0.5 | 3.0 | 0.25, a.GainType.POWER | 12, a.GainType.DB | 0, a.GainType.DB
Phaser: 16000 | 8000, 0.8, 1.2, 4.0, 0.7, 2.0, False
Flanger: 16000 | 8000, 3.0, 5.0, 50.0, 90.0, 5.0, 75.0, a.Modulation.TRIANGULAR, a.Interpolation.QUADRATIC
Flanger: 8000, regen=-30.0, speed=10.0
""")
_SPECTRA = _calls("""
Spectrogram: 64 |  | 50, 40, 11 | 51, power=1.0 | 64, power=0.0, normalized=True | 64, power=0.0, onesided=False
Spectrogram: 51, power=0.5, onesided=False, pad=7 | 64, center=False | 64, window=a.WindowType.BARTLETT
Spectrogram: 64, window=a.WindowType.BLACKMAN | 64, window=a.WindowType.HAMMING | 64, window=a.WindowType.KAISER
Spectrogram: 8, 1, 3 | 60, pad_mode=a.BorderType.CONSTANT | 60, pad_mode=a.BorderType.EDGE
Spectrogram: 60, pad_mode=a.BorderType.SYMMETRIC
SpectralCentroid: 16000, 64 | 44100, 128, 100, 30, 5, a.WindowType.HAMMING
MelSpectrogram: n_fft=256, n_mels=20
MelSpectrogram: 8000, 200, 180, 50, 100.0, 3000.0, 3, 12, a.WindowType.HAMMING, 1.0, True, False, a.BorderType.EDGE, True, a.NormType.SLANEY, a.MelType.SLANEY
MFCC:  | 8000, 13, 2, a.NormMode.NONE, True
LFCC:  | 8000, 30, 12, 50.0, 3500.0, 2, a.NormMode.NONE, True
""")
_RESAMPLED = _calls("""
Resample: 16000, 8000 | 16000, 22050 | 44100, 16000, a.ResampleMethod.KAISER_WINDOW
Resample: 3, 2, lowpass_filter_width=20, rolloff=0.8 | 8000, 8000
Resample: 8000, 12000, a.ResampleMethod.KAISER_WINDOW, 10, 0.9, 6.0
PitchShift: 16000, 4 | 16000, -5, 24, 256, 200, 60
""")
_OF_PAIRS = _calls("""
Angle:
ComplexNorm:  | 2
Magphase: 0.5 |
InverseSpectrogram: n_fft=64 | 1300, 64 | 500, 64, pad=9, normalized=True | None, 64, 50, 20, center=False
InverseSpectrogram: 5000, 64, window=a.WindowType.BLACKMAN
TimeStretch: n_freq=33, fixed_rate=1.3 | 20, 33, 0.6 | n_freq=33 | n_freq=20, fixed_rate=2
PhaseVocoder: 1.5, np.linspace(0, 100, 33, dtype=np.float32)[:, None]
PhaseVocoder: 1.0, np.linspace(0, 100, 33, dtype=np.float32)[:, None]
""")
_OF_POWERS = _calls("""
AmplitudeToDB:  | a.ScaleType.MAGNITUDE, 2.0, 1e-5, 30.0 | amin=1e-2
ComputeDeltas:  | 9, a.BorderType.REFLECT | 4, a.BorderType.CONSTANT | 7, a.BorderType.SYMMETRIC
SlidingWindowCmn:  | 10, 5 | 7, 3, True, True | 20, 8, False, True
MelScale: 12, n_stft=33 | 8, 8000, 20.0, 3000.0, 33, a.NormType.SLANEY, a.MelType.SLANEY
FrequencyMasking: False, 5, 3, 1.0 |  | False, 33
TimeMasking: False, 7, 2, 0.5
MaskAlongAxis: 2, 6, 3.0, 1 | 0, 40, -3, 2
GriffinLim: 64, 4, rand_init=False | 64, 4, 50, 20, a.WindowType.HAMMING, 1.0, 0.0, rand_init=False
""")
_ERRORS = _calls("""
Gain: @ [1.0] | @ np.array(['a']) | @ np.float32(1)[...]
LFilter: [1.0], [1.0, 2.0] | [0.0, 1.0], [1.0, 2.0] @ x | 1, [1.0] | ['a'], [1.0] | [1.0], [1.0], 1
AllpassBiquad: 16000.0, 3 | 0, 3 | 16000, '3' | 16000, 3, 0 | 16000, 3, 1.1 | 16000, 17000000
BandBiquad: 16000, 3, 1, 1
BandpassBiquad: 8, 3, 1, 'x'
BassBiquad: 16000, None
Biquad: 1, 1, 1, 0, 1, 1 | 1, 1, 1, '1', 1, 1
DeemphBiquad: 8000 | 44100.0
RiaaBiquad: 8000
Contrast: 101 | 'a'
DCShift: 2.5 | 1, 'a'
Dither: 'TPDF' | noise_shaping=1
Fade: -1 | 1.5 | fade_shape='linear' | 2000, 1 @ x
Gain: 'a'
Vol: -1 | 0, a.GainType.POWER | 1, 'db'
MuLawEncoding: 0
MuLawDecoding: 1.5 | 1 @ x
Overdrive: 101 | 1, -1
Phaser: 16000, 2 | 16000, sinusoidal=1 | 16000, delay_ms=6
Flanger: 0 | 16000, 31 | 16000 @ x[0] | 16000, modulation='sinusoidal' | 16000, speed=0.05
Spectrogram: 0 | 4.0 | 4, 5 | 4, hop_length=0 | 4, pad=-1 | 4, window='hann' | 4, power=-1 | 4, center=1
Spectrogram: 4, pad_mode='edge' | 4000, center=False @ x
SpectralCentroid: -1 | 1.5
MelScale: 0 | f_min=9000.0 | f_min=5.0, f_max=4.0 | norm='none' | mel_type='htk' | @ x[0]
MelSpectrogram: f_min=1 | power=0.0 | n_mels=-1 | n_fft=4000 @ x | mel_scale='htk'
MFCC: dct_type=3 | norm='ortho' | melkwargs=3 | melkwargs={} | log_mels=1 | n_mfcc=-1
LFCC: n_filter=0 | n_lfcc=0 | speckwargs={} | dct_type=1 | f_min=-1.0 | f_min=3.0, f_max=2.0
Resample: 0 | 'a' | rolloff=1 | rolloff=0.0 | resample_method='x' | lowpass_filter_width=0
PitchShift: -1, 3 | 8000, 3.5 | 8000, 3, 0 | 8000, 3, n_fft=8, win_length=9
InverseSpectrogram: -1 | n_fft=64 @ x | n_fft=60 @ s | n_fft=64, pad=3 @ s
GriffinLim: 0 | momentum=-1 | power=0 | rand_init=1 | 60 @ p
InverseMelScale: 0 | 33, n_mels=9 @ p | 33, max_iter=0 | 33, sgdargs={'sgd_lr': -1, 'sgd_momentum': 0}
InverseMelScale: 33, sgdargs={}
TimeStretch: 0 | fixed_rate=0 | n_freq=1.5 | @ x
PhaseVocoder: 0, x | 1.5, [1] | 1.5, x @ s | 1.5, np.zeros((33, 1)) @ s
AmplitudeToDB: amin=0 | 'power' | top_db=-1 | @ x[0]
ComputeDeltas: 2 | 5, 'edge' | @ x[0]
SlidingWindowCmn: -1 | center=1 | @ x[0]
FrequencyMasking: 1 | False, -1 | False, 1.5 | False, 40 @ p | False, 5, 30 @ p | @ x[0]
TimeMasking: mask_value=-1 | True, 41 @ p
MaskAlongAxis: 0, 0, 1.0, 1 | 0, 1, 1.0, 3 | -1, 1, 1.0, 1 | 0, 41, 1.0, 2 @ p
MaskAlongAxisIID: -1, 1.0, 1 | 1, 'a', 1 | 34, 1.0, 1 @ p
Angle: @ x[:, :1]
ComplexNorm: -1 | @ x
Magphase: 'a' | @ x
DetectPitchFrequency: 0 | 8000, 0 | 8000 @ x | 8000, win_length=1.5 | 8000 @ i | 8000, freq_low=0
Vad: 0 | 8000, noise_up_time=0.001 | 8000, measure_freq=0 | 8000, hp_filter_freq=-1 | 8000, trigger_level='a'
Vad: 8000, hp_filter_freq=5000.0 @ x | 8000, hp_lifter_freq=3000.0 @ x
create_dct: 0, 3 | 3, 1.5 | 3, 3, 'ortho'
linear_fbanks: -1, 0.0, 1.0, 3, 8 | 3, 2.0, 1.0, 3, 8 | 3, 2.0, 4.0, 0, 8
melscale_fbanks: 3, 0.0, 0.0, 3, 8 | 3, 0.0, 1.0, 3, 8, 'none' | 3, 0.0, 1.0, 3, 8.0
""")
_LOUD = _calls("""
BassBiquad: 16000, 20.0
LFilter: [1.0, -0.4], [3.0, 2.0]
DCShift: 0.9, 0.3
Flanger: 16000
Vol: 1
MuLawEncoding:
Overdrive:
""")
_OF_INTEGERS = _calls("""
Contrast:
Gain:
Fade: 5, 5
Spectrogram: 64
Resample: 3, 2
MuLawDecoding:
Flanger: 16000
LowpassBiquad: 16000, 5
Vol: 0.1
""")
_OF_HALVES = _calls("""
Gain:
Spectrogram: 64
LowpassBiquad: 16000, 2000.0
Flanger: 16000
MuLawEncoding:
""")
_OF_ONE_CHANNEL = _calls("""
Gain:
Fade: 5, 5
Spectrogram: 64
MFCC:
MelSpectrogram: n_fft=64, n_mels=4
Resample: 3, 2
SpectralCentroid: 8000, 64
Dither:
PitchShift: 8000, 2
""")
_OF_THREE_AXES = _calls("""
LFilter: [1.0, 0.5], [1.0, 1.0]
Flanger: 16000
Spectrogram: 64
MFCC:
Resample: 3, 2
Phaser: 16000
PitchShift: 8000, 2
""")
CASES = [
    *(f"a.{operation}(x)" for operation in _BIQUADS + _EFFECTS + _SPECTRA + _RESAMPLED),
    *(f"a.{operation}(s)" for operation in _OF_PAIRS),
    *(f"a.{operation}(p)" for operation in _OF_POWERS),
    *(
        f"a.{operation}(y)"
        for operation in [*_BIQUADS[::3], *_EFFECTS[::2], *_SPECTRA[::3], *_RESAMPLED[::2]]
        if not operation.startswith(("MFCC", "LFCC", "MelSpec"))
    ),
    *(f"a.{operation}(loud)" for operation in _LOUD),
    *(f"a.{operation}(i)" for operation in _OF_INTEGERS),
    *(f"a.{operation}(h)" for operation in _OF_HALVES),
    *(f"a.{operation}(s[None])" for operation in _OF_PAIRS[:12:2]),
    *(f"a.{operation}(p[0])" for operation in _OF_POWERS),
    *(f"a.{operation}(p[:, None].astype(np.float64))" for operation in _OF_POWERS),
    *(f"a.{operation}(x[0])" for operation in _OF_ONE_CHANNEL),
    *(f"a.{operation}(x[:, None])" for operation in _OF_THREE_AXES),
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
    *(f"a.{call}" for call in _ERRORS),
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


def same_numbers(found: list[float], wanted: list[float], tolerance: float) -> bool:
    """Whether numbers are those wanted, to `tolerance` parts of the first one."""
    allowed = tolerance * (abs(wanted[0]) or 1)
    return all(abs(a - b) <= allowed or (math.isnan(a) and math.isnan(b)) for a, b in zip(found, wanted, strict=True))
