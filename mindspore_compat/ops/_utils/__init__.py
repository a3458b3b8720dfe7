"""Argument conversions of operators for their kernels. MindSpore: ``mindspore.ops._utils``."""
