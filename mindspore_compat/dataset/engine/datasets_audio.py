"""Sound data sets on disk. Upstream: ``mindspore.dataset.engine.datasets_audio``."""

from mindspore_compat.dataset.engine._sources.audio import (
    CMUArcticDataset,
    GTZANDataset,
    LibriTTSDataset,
    LJSpeechDataset,
    SpeechCommandsDataset,
    TedliumDataset,
    YesNoDataset,
)

__all__ = [
    "CMUArcticDataset",
    "GTZANDataset",
    "LJSpeechDataset",
    "LibriTTSDataset",
    "SpeechCommandsDataset",
    "TedliumDataset",
    "YesNoDataset",
]
