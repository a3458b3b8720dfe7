"""Functions in MindSpore's language of array loops, run by Python. MindSpore: ``ops.kernel``, ``ops.ms_kernel``."""

from mindspore_compat._ops.custom import kernel, ms_kernel

__all__ = ["kernel", "ms_kernel"]
