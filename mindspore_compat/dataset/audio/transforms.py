"""Operations on audio. Upstream: ``mindspore.dataset.audio.transforms``."""

from mindspore_compat.dataset.audio._delays import Flanger, Phaser
from mindspore_compat.dataset.audio._detect import DetectPitchFrequency, Vad
from mindspore_compat.dataset.audio._effects import (
    AmplitudeToDB,
    Angle,
    ComplexNorm,
    ComputeDeltas,
    Contrast,
    DBToAmplitude,
    DCShift,
    Dither,
    Fade,
    FrequencyMasking,
    Gain,
    Magphase,
    MaskAlongAxis,
    MaskAlongAxisIID,
    MuLawDecoding,
    MuLawEncoding,
    Overdrive,
    SlidingWindowCmn,
    TimeMasking,
    Vol,
)
from mindspore_compat.dataset.audio._filters import (
    AllpassBiquad,
    BandBiquad,
    BandpassBiquad,
    BandrejectBiquad,
    BassBiquad,
    Biquad,
    DeemphBiquad,
    EqualizerBiquad,
    Filtfilt,
    HighpassBiquad,
    LFilter,
    LowpassBiquad,
    RiaaBiquad,
    TrebleBiquad,
)
from mindspore_compat.dataset.audio._operation import AudioOperation as AudioTensorOperation
from mindspore_compat.dataset.audio._spectra import LFCC, MFCC, MelScale, MelSpectrogram, SpectralCentroid, Spectrogram
from mindspore_compat.dataset.audio._waves import (
    GriffinLim,
    InverseMelScale,
    InverseSpectrogram,
    PhaseVocoder,
    PitchShift,
    Resample,
    TimeStretch,
)

__all__ = [
    "LFCC", "MFCC", "AllpassBiquad", "AmplitudeToDB", "Angle", "AudioTensorOperation", "BandBiquad", "BandpassBiquad", "BandrejectBiquad",
    "BassBiquad", "Biquad", "ComplexNorm", "ComputeDeltas", "Contrast", "DBToAmplitude", "DCShift", "DeemphBiquad", "DetectPitchFrequency",
    "Dither", "EqualizerBiquad", "Fade", "Filtfilt", "Flanger", "FrequencyMasking", "Gain", "GriffinLim", "HighpassBiquad",
    "InverseMelScale", "InverseSpectrogram", "LFilter", "LowpassBiquad", "Magphase", "MaskAlongAxis", "MaskAlongAxisIID", "MelScale",
    "MelSpectrogram", "MuLawDecoding", "MuLawEncoding", "Overdrive", "PhaseVocoder", "Phaser", "PitchShift", "Resample", "RiaaBiquad",
    "SlidingWindowCmn", "SpectralCentroid", "Spectrogram", "TimeMasking", "TimeStretch", "TrebleBiquad", "Vad", "Vol",
]  # fmt: skip
