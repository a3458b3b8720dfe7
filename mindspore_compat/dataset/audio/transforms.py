"""Operations on audio. Upstream: ``mindspore.dataset.audio.transforms``."""

# ruff: noqa: F403, F405 (names come by `*` from files that list them)

from mindspore_compat.dataset.audio._delays import *
from mindspore_compat.dataset.audio._detect import *
from mindspore_compat.dataset.audio._effects import *
from mindspore_compat.dataset.audio._filters import *
from mindspore_compat.dataset.audio._masks import *
from mindspore_compat.dataset.audio._operation import AudioOperation as AudioTensorOperation
from mindspore_compat.dataset.audio._spectra import *
from mindspore_compat.dataset.audio._waves import *

__all__ = [
    "LFCC",
    "MFCC",
    "AllpassBiquad",
    "AmplitudeToDB",
    "Angle",
    "AudioTensorOperation",
    "BandBiquad",
    "BandpassBiquad",
    "BandrejectBiquad",
    "BassBiquad",
    "Biquad",
    "ComplexNorm",
    "ComputeDeltas",
    "Contrast",
    "DBToAmplitude",
    "DCShift",
    "DeemphBiquad",
    "DetectPitchFrequency",
    "Dither",
    "EqualizerBiquad",
    "Fade",
    "Filtfilt",
    "Flanger",
    "FrequencyMasking",
    "Gain",
    "GriffinLim",
    "HighpassBiquad",
    "InverseMelScale",
    "InverseSpectrogram",
    "LFilter",
    "LowpassBiquad",
    "Magphase",
    "MaskAlongAxis",
    "MaskAlongAxisIID",
    "MelScale",
    "MelSpectrogram",
    "MuLawDecoding",
    "MuLawEncoding",
    "Overdrive",
    "PhaseVocoder",
    "Phaser",
    "PitchShift",
    "Resample",
    "RiaaBiquad",
    "SlidingWindowCmn",
    "SpectralCentroid",
    "Spectrogram",
    "TimeMasking",
    "TimeStretch",
    "TrebleBiquad",
    "Vad",
    "Vol",
]
