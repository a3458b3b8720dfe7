"""Metaclasses of Tensor and Parameter: printed with MindSpore's names where ``import mindspore`` is this package."""

from __future__ import annotations

import torch

from mindspore_compat._api import alias


class TensorType(type(torch.Tensor)):  # type: ignore[misc]
    """Class of `Tensor`. Its ``__module__`` stays: pickles and torch's files find the class by it."""

    def __repr__(cls) -> str:
        package, _, rest = cls.__module__.partition(".")
        if package != "mindspore_compat" or not alias.is_installed():
            return super().__repr__()
        return f"<class 'mindspore.{rest}.{cls.__qualname__}'>"


class ParameterType(TensorType, type(torch.nn.Parameter)):  # type: ignore[misc]
    """Class of `Parameter`. torch's own checks concern ``torch.nn.Parameter`` alone."""

    __instancecheck__ = type.__instancecheck__
