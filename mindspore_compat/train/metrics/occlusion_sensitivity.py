"""The metric `OcclusionSensitivity`. MindSpore: ``mindspore.train.OcclusionSensitivity``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["OcclusionSensitivity"]


class OcclusionSensitivity(Metric):
    """Decrease of the model's score of a label when the image is covered around each place.

    ``update(model, image (1, ...), label)``; ``eval`` returns an array of the image's shape, or of the box ``b_box``
    [low, high of each axis but the batch, inclusive]. Each place is covered with ``pad_val`` up to ``margin`` places
    away.
    """

    def __init__(
        self, pad_val: float = 0.0, margin: int | list = 2, n_batch: int = 128, b_box: list | None = None
    ) -> None:
        super().__init__()
        self.pad_val = pad_val
        self.margin = margin
        self.n_batch = n_batch
        self.b_box = None if b_box is None else b_box
        self.clear()

    def clear(self) -> None:
        self._baseline: Any = 0
        self._sensitivity_im: Any = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        self._check_count(inputs, "classification model, predicted value, label", 3)
        model = inputs[0]
        image = self._convert_data(inputs[1])
        label = int(inputs[2]) if isinstance(inputs[2], int) else self._convert_data(inputs[2])
        if image.shape[0] > 1:
            raise RuntimeError(
                f"For 'OcclusionSensitivity.update', one image is taken at a time, but got {image.shape[0]}."
            )
        if np.size(label) != image.shape[0]:
            raise RuntimeError(f"For 'OcclusionSensitivity.update', one label is needed, but got {np.size(label)}.")
        label = int(np.reshape(label, -1)[0])
        low, high = _box(self.b_box, np.array(image.shape[1:]))
        self._baseline = model(Tensor(image)).asnumpy()[0, label].item()
        shape = tuple(high - low + 1)
        scores: list[np.ndarray] = []
        places = [np.array(place) + low for place in np.ndindex(*shape)]
        for start in range(0, len(places), self.n_batch):
            batch = np.concatenate([self._occluded(image, place) for place in places[start : start + self.n_batch]])
            scores.append(model(Tensor(batch)).asnumpy()[:, label])
        self._sensitivity_im = np.concatenate(scores).reshape(shape)
        self._is_update = True

    def _occluded(self, image: np.ndarray, place: np.ndarray) -> np.ndarray:
        margins = np.broadcast_to(np.asarray(self.margin), place.shape)
        window = tuple(slice(max(0, at - margin), at + margin) for at, margin in zip(place, margins))
        result = image.copy()
        result[(Ellipsis,) + window] = self.pad_val
        return result

    def eval(self) -> Any:
        self._require_update(self._is_update)
        return self._baseline - np.squeeze(self._sensitivity_im)


def _box(b_box: list | None, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return lowest and highest place on each axis; negative numbers mean the ends."""
    if b_box is None:
        return np.zeros_like(shape), shape - 1
    if len(b_box) != 2 * len(shape):
        raise ValueError(f"For 'OcclusionSensitivity', 'b_box' must have {2 * len(shape)} numbers, but got {b_box}.")
    low, high = np.maximum(b_box[::2], 0), np.array(b_box[1::2])
    high = np.where(high < 0, shape - 1, high)
    if np.any(high >= shape) or np.any(low > high):
        raise ValueError(f"For 'OcclusionSensitivity', 'b_box' must lie in {tuple(shape)}, but is {b_box}.")
    return low, high
