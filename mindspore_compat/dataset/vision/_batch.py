"""Operations on batches of images and labels: mix-up and cut-mix."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat._runtime.random_engines import Gamma, MersenneTwister
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, real
from mindspore_compat.dataset.core.randomness import engine_of, numpy_random
from mindspore_compat.dataset.core.validator_helpers import FLOAT_MAX_INTEGER
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation, TensorOperation
from mindspore_compat.dataset.vision.utils import ImageBatchFormat

__all__ = ["CutMixBatch", "MixUp", "MixUpBatch"]


class _BatchOperation(TensorOperation):
    """Base of operations on a batch of images (N, H, W, C) and one-hot labels (N, classes) or (N, rows, classes)."""

    is_multi_column = True
    releases_gil = True

    draws = True

    def _check(self, images: np.ndarray, labels: np.ndarray) -> None:
        if images.ndim != 4 or labels.ndim not in (2, 3) or len(images) != len(labels):
            raise RuntimeError(
                f"{type(self).__name__}: expected a batch of images and as many one-hot labels, but got shapes "
                f"{images.shape} and {labels.shape}. Use OneHot before batch."
            )

    def _compute(self, *arrays: Any) -> tuple:
        self._check(*arrays[:2])
        return (*self._mix(*arrays[:2]), *arrays[2:])

    def _mix(self, images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError


@arguments
class MixUpBatch(_BatchOperation):
    """Images and labels mixed with those of a shuffled batch; the share is drawn from Beta(alpha, alpha) once per
    batch.
    """

    alpha: Annotated[float, real(0, above=True)] = 1.0

    def _mix(self, images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        engine = engine_of(self)
        share = _share(Gamma(engine, self.alpha), Gamma(engine, self.alpha))
        order = engine.shuffled(len(images))
        if images.dtype == np.uint8:
            blend = opencv().addWeighted
            pairs = zip(images.reshape(len(images), -1), images[order].reshape(len(images), -1), strict=True)
            flat = [blend(one, float(share), other, float(1 - share), 0).ravel() for one, other in pairs]
            mixed = np.stack(flat).reshape(images.shape)
        else:
            mixed = (images * share + images[order] * (1 - share)).astype(images.dtype)
        return mixed, _blend_labels(labels, labels[order], share)


@arguments
class CutMixBatch(_BatchOperation):
    """With probability `prob` a box of each image is taken from another one; labels are mixed by the box's area."""

    image_batch_format: Annotated[ImageBatchFormat, kind_of(ImageBatchFormat)]
    alpha: Annotated[float, real(0, above=True)] = 1.0
    prob: Annotated[float, real(0, 1)] = 1.0

    def _mix(self, images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        engine = engine_of(self)
        order = engine.shuffled(len(images))
        first, second = Gamma(engine, self.alpha), Gamma(engine, self.alpha)
        mixed = images.copy()
        is_hwc = self.image_batch_format == ImageBatchFormat.NHWC
        height, width = images.shape[1:3] if is_hwc else images.shape[2:4]
        shares = np.ones(len(images), np.float32)
        for i in range(len(images)):
            share = _share(first, second)
            if engine.double() >= np.float32(self.prob):
                continue
            box = _draw_box(engine, height, width, share)
            place = (i, *box) if is_hwc else (i, slice(None), *box)
            source = (order[i], *place[1:])
            mixed[place] = images[source]
            area = (box[0].stop - box[0].start) * (box[1].stop - box[1].start)
            shares[i] = np.float32(1) - np.float32(area) / np.float32(height * width)
        return mixed, _blend_labels(labels, labels[order], shares.reshape(-1, *[1] * (labels.ndim - 1)))


def _share(first: Gamma, second: Gamma) -> np.float32:
    """Return a number from Beta(alpha, alpha)."""
    one, other = first.draw(), second.draw()
    return one / (one + other)


def _draw_box(engine: MersenneTwister, height: int, width: int, share: np.float32) -> tuple[slice, slice]:
    """Return a box of about ``1 - share`` of the area around a random middle, cut at the borders; never the whole
    image, and at least one pixel.
    """
    cut = np.sqrt(np.float32(1) - share)
    bounds = []
    for length in (width, height):
        middle, half = engine.integer(0, length), int(np.float32(length) * cut) // 2
        start, stop = (min(max(place, 0), length - 1) for place in (middle - half, middle + half))
        bounds.append(slice(start, start + min(max(stop - start, 1), max(length - 1, 1))))
    return bounds[1], bounds[0]


def _blend_labels(labels: np.ndarray, others: np.ndarray, share: Any) -> np.ndarray:
    return (labels * share + others * (1 - share)).astype(np.float32)


@arguments
class MixUp(PyTensorOperation):
    """Each of the `batch_size` images (and labels) mixed with the next one of the batch (`is_single`), or with the
    result at its place in the batch before; float64.

    Args:
        alpha: each image's share is drawn from Beta(alpha, alpha).
    """

    implementation = Implementation.PY
    is_multi_column = True

    draws = True

    batch_size: Annotated[int, integer(1, FLOAT_MAX_INTEGER)]
    alpha: Annotated[float, real(0, above=True)]
    is_single: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        self.keeps_state = not self.is_single
        self._before: tuple[np.ndarray, np.ndarray] | None = None

    def _compute(self, *arrays: Any) -> tuple:
        images, labels = arrays
        share = numpy_random().beta(self.alpha, self.alpha, self.batch_size)
        if self.is_single:
            order = np.roll(np.arange(self.batch_size), -1)
            others = images[order], labels[order]
        elif self._before is None:  # the first batch stays
            share, others = np.ones(self.batch_size), (images, labels)
        else:
            others = self._before
        of_image, of_label = share.reshape(-1, 1, 1, 1), share.reshape(-1, 1)
        mixed = (
            of_image * images + (1 - of_image) * others[0],
            of_label * labels + (1 - of_label) * others[1],
        )
        self._before = None if self.is_single else mixed
        return mixed
