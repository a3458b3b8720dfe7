"""Dataset kinds for `isinstance` checks: images, text, audio. MindSpore: ``mindspore.dataset.engine.datasets``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.dataset.engine._dataset import Dataset

__all__ = ["AudioBaseDataset", "TextBaseDataset", "UnionBaseDataset", "VisionBaseDataset"]


class _Kind(type(Dataset)):  # type: ignore[misc]
    """Metaclass of kinds: sources of other kinds are no instances; operations (map, batch) and general sources are."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        ours = [base.__module__ for base in type(instance).__mro__ if ".dataset.engine." in base.__module__]
        of = {kind for kind in ("audio", "text", "vision") if any(kind in module for module in ours)}
        return isinstance(instance, Dataset) and (not of or cls._kind in of)


class AudioBaseDataset(Dataset, metaclass=_Kind):
    """Sources of sound, and operations on any source."""

    _kind = "audio"


class TextBaseDataset(Dataset, metaclass=_Kind):
    """Sources of text, and operations on any source."""

    _kind = "text"


class VisionBaseDataset(Dataset, metaclass=_Kind):
    """Sources of images, and operations on any source."""

    _kind = "vision"


class UnionBaseDataset(Dataset, metaclass=_Kind):
    """Sources of no special kind, and operations on any source."""

    _kind = ""
