"""Nothing random in the data, for comparing first losses: no shuffling, no augmentation, one worker. The same for both
sides, which is only possible since their modules have the same names.
"""

from __future__ import annotations

import inspect
import os


def begin(dataset):  # type: ignore[no-untyped-def]
    """Where PROJECTS_STILL is set: change the module ``mindspore.dataset``."""
    if not os.environ.get("PROJECTS_STILL"):
        return
    datasets = dataset.engine.datasets
    for name in ("MappableDataset", "MindDataset"):
        owner = getattr(datasets, name, None) or getattr(dataset, name, None) or _mappable(dataset)
        owner.__init__ = _without_shuffling(owner.__init__)
    datasets.Dataset.shuffle = lambda self, buffer_size: self
    vision = dataset.vision
    same = lambda *_, **__: lambda image: image
    changed = {
        "RandomCrop": lambda size, *_, **__: vision.CenterCrop(size),
        "RandomResizedCrop": lambda size, *_, **__: vision.Resize(_pair(size)),
        "RandomCropDecodeResize": lambda size, *_, **__: (
            lambda image: vision.Resize(_pair(size))(vision.Decode()(image))
        ),
        **dict.fromkeys(
            "RandomHorizontalFlip RandomVerticalFlip RandomColorAdjust RandomRotation RandomGrayscale RandomErasing "
            "RandomSharpness".split(),
            same,
        ),
    }
    for module in (vision, vision.transforms):
        for name, factory in changed.items():
            setattr(module, name, factory)


def _mappable(dataset):  # type: ignore[no-untyped-def]
    return next(base for base in dataset.ImageFolderDataset.__mro__ if base.__name__ == "MappableDataset")


def _without_shuffling(init):  # type: ignore[no-untyped-def]
    signature = inspect.signature(init)

    def changed(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        given = signature.bind(self, *args, **kwargs)
        if given.arguments.get("sampler") is None:
            given.arguments["shuffle"] = False
        init(*given.args, **given.kwargs)

    return changed


def _pair(size):  # type: ignore[no-untyped-def]
    return (size, size) if isinstance(size, int) else tuple(size)
