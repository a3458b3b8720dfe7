"""Operations on audio. MindSpore: ``mindspore.dataset.audio.transforms``."""

# ruff: noqa: F403 (names come by `*` from files that list them)

from mindspore_compat.dataset.audio import _detect, _effects, _filters, _spectra, _waves
from mindspore_compat.dataset.audio._detect import *
from mindspore_compat.dataset.audio._effects import *
from mindspore_compat.dataset.audio._filters import *
from mindspore_compat.dataset.audio._operation import AudioOperation as AudioTensorOperation
from mindspore_compat.dataset.audio._spectra import *
from mindspore_compat.dataset.audio._waves import *

__all__ = ["AudioTensorOperation"]
__all__ += _effects.__all__
__all__ += _detect.__all__
__all__ += _filters.__all__
__all__ += _spectra.__all__
__all__ += _waves.__all__
