"""Fourier transforms. MindSpore: ``mindspore.ops.function.fft_func``, ``spectral_func``."""

from mindspore_compat._ops.fft import *  # noqa: F403
