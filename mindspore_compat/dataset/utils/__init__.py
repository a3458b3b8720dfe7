"""Helpers for own datasets. MindSpore: ``mindspore.dataset.utils``."""

from mindspore_compat.dataset.utils.line_reader import LineReader

__all__ = ["LineReader"]
