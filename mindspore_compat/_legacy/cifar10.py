"""CIFAR-10's Python version as arrays, which MindSpore Federated's `example/splitnn_cifar10` reads.

MindSpore: ``mindspore.mindrecord.tools.cifar10``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mindspore_compat.mindrecord._convert import cifar_arrays


class _Part(NamedTuple):
    images: np.ndarray
    labels: np.ndarray


class Cifar10:
    """Reader of the folder ``path``. After `load_data`, ``images`` (n, 32, 32, 3) uint8 and ``labels`` (n, 1), or (n,
    10) float64 with ``one_hot``, hold the training set, ``Test.images`` and ``Test.labels`` the test set.
    """

    def __init__(self, path: str, one_hot: bool = True) -> None:
        self.path, self._one_hot = path, one_hot
        self.images = self.labels = np.zeros(0)
        self.Test = _Part(self.images, self.labels)

    def load_data(self) -> None:
        """Read all files."""
        self.images, self.labels = self._load("data_batch_")
        self.Test = self._load("test_batch")

    def _load(self, start: str) -> _Part:
        parts = list(cifar_arrays(self.path, start, [b"labels"]))
        labels = np.concatenate([np.asarray(values) for _, (values,) in parts])
        images = np.concatenate([images for images, _ in parts])
        return _Part(images, np.eye(10)[labels] if self._one_hot else labels.reshape(-1, 1))
