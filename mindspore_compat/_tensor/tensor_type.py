"""What the classes of Tensors print as: upstream's names where ``import mindspore`` delivers this package."""

from __future__ import annotations

import torch

from mindspore_compat._api import alias

__all__ = ["ParameterType", "TensorType"]


class TensorType(type(torch.Tensor)):  # type: ignore[misc]
    """The class of `Tensor`. Its ``__module__`` stays: pickles, and torch's files, find it by that anywhere."""

    def __repr__(cls) -> str:
        package, _, rest = cls.__module__.partition(".")
        if package != "mindspore_compat" or not alias.is_installed():
            return super().__repr__()
        return f"<class 'mindspore.{rest}.{cls.__qualname__}'>"


class ParameterType(TensorType, type(torch.nn.Parameter)):  # type: ignore[misc]
    """The class of `Parameter`. What torch's own asks besides is about ``torch.nn.Parameter`` alone."""

    __instancecheck__ = type.__instancecheck__
