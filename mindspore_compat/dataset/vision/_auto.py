"""Operations that choose among operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.images import is_pil
from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat.dataset.core.arguments import Annotated, arguments, integer, kind_of
from mindspore_compat.dataset.core.randomness import engine_of, numpy_random, python_random
from mindspore_compat.dataset.core.validator_helpers import check_positive, check_value
from mindspore_compat.dataset.transforms._compound import check_operation, check_operations
from mindspore_compat.dataset.transforms._operation import TensorOperation, apply_operations
from mindspore_compat.dataset.vision import _color
from mindspore_compat.dataset.vision._adjust import AutoContrast, Equalize, Invert, posterize
from mindspore_compat.dataset.vision._geometric import affine, rotate
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    check_fill,
    check_image,
    check_interpolation,
    need_warping,
)
from mindspore_compat.dataset.vision.utils import AutoAugmentPolicy, Inter

__all__ = ["AutoAugment", "RandAugment", "RandomSelectSubpolicy", "TrivialAugmentWide", "UniformAugment"]

Fill = tuple[int, ...]


@arguments
class RandomSelectSubpolicy(TensorOperation):
    """One list of (operation, probability) pairs, drawn for each row; its operations are applied with their
    probabilities.
    """

    releases_gil = True

    draws = True
    policy: Annotated[Any, kind_of(list)]

    def _prepare(self) -> None:
        if not self.policy:
            raise ValueError("policy cannot be empty.")
        for i, pairs in enumerate(self.policy):
            for j, (operation, prob) in enumerate(pairs):
                check_operation(operation, f"op of (op, prob) in policy[{i}][{j}]")
                check_value(prob, (0, 1), f"prob of (op, prob) policy[{i}][{j}]")

    def _inner(self) -> list[Any]:
        return [operation for pairs in self.policy for operation, _ in pairs]

    def _as_input(self, value: Any) -> Any:
        return np.asarray(value) if is_pil(value) else value  # MindSpore's engine knows no PIL images

    def _compute(self, *values: Any) -> tuple:
        engine = engine_of(self)
        for operation, prob in self.policy[engine.integer(0, len(self.policy) - 1)]:
            if engine.double() <= prob:
                values = apply_operations([operation], values)
        return values


@arguments
class UniformAugment(TensorOperation):
    """`num_ops` of the `transforms`, drawn for each row, each applied with a random probability."""

    releases_gil = True
    draws = True

    transforms: Any
    num_ops: Annotated[int, kind_of(int)] = 2

    def _prepare(self) -> None:
        check_positive(self.num_ops, "num_ops")
        if self.num_ops > len(self.transforms):
            raise ValueError(f"num_ops {self.num_ops} is greater than transforms list size.")
        check_operations(self.transforms, types=(list, tuple))

    def _inner(self) -> list[Any]:
        return self.transforms

    def _as_input(self, value: Any) -> Any:
        return value

    def _compute(self, *values: Any) -> tuple:
        if is_pil(values[0]):
            for i in numpy_random().choice(len(self.transforms), self.num_ops, replace=False):
                probability = python_random().random()
                if python_random().random() < probability:
                    values = apply_operations([self.transforms[i]], values)
            return values
        engine = engine_of(self)
        for i in engine.sample(len(self.transforms), self.num_ops):
            if engine.integer(0, 1) == 0:
                values = apply_operations([self.transforms[i]], values)
        return values


def _by_axis(kind: str, image: np.ndarray, amount: float, resample: Inter, fill: Fill) -> np.ndarray:
    """Shear (radians) or translate along one axis. As in MindSpore, table pixels count as fractions of the image."""
    pair = (amount, 0.0) if kind.endswith("X") else (0.0, amount)
    if kind.startswith("Shear"):
        degrees = tuple(a * 180 / math.pi for a in pair)
        return affine(image, 0.0, (0.0, 0.0), 1.0, degrees, resample, fill)
    shift = tuple(float(np.float32(share) * np.float32(size)) for share, size in zip(pair, image.shape[1::-1]))
    return affine(image, 0.0, shift, 1.0, (0.0, 0.0), resample, fill)


_ADJUST: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "Brightness": _color.adjust_brightness,
    "Color": _color.adjust_saturation,
    "Contrast": _color.adjust_contrast,
    "Sharpness": _color.adjust_sharpness,
}


_WHOLE = {"AutoContrast": AutoContrast(), "Equalize": Equalize(), "Invert": Invert()}


def apply_named(name: str, image: np.ndarray, magnitude: float, resample: Inter, fill: Fill) -> np.ndarray:
    """Apply one of the operations of the published policies."""
    if name in _ADJUST:
        return _ADJUST[name](image, float(np.float32(1) + np.float32(magnitude)))
    if name[-1] in "XY":
        return _by_axis(name, image, magnitude, resample, fill)
    if name == "Rotate":
        red, green, blue = fill
        return rotate(image, magnitude, resample, False, None, (red, blue, green))  # swapped as in MindSpore
    if name == "Posterize":
        return posterize(image, int(magnitude))
    if name == "Solarize":
        return np.where(image >= magnitude, 255 - image, image).astype(image.dtype)
    return _WHOLE[name](image) if name in _WHOLE else image


class _Augment(ImageOperation):
    """Base of the three; a subclass gives `_augment`."""

    draws = True

    interpolation: Inter
    fill_value: Fill

    def _compute(self, image: np.ndarray) -> np.ndarray:
        need_warping(self.interpolation, type(self).__name__)
        check_image(image, type(self).__name__)
        return self._augment(image)

    def _augment(self, image: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _apply_one(self, name: str, image: np.ndarray, magnitude: float) -> np.ndarray:
        return apply_named(name, image, magnitude, self.interpolation, self.fill_value)


def _steps(start: float, end: float, bins: int) -> np.ndarray:
    """Return even steps from `start` to `end`, in MindSpore's float32."""
    step = (np.float32(end) - np.float32(start)) / np.float32(bins - 1)
    return np.float32(start) + np.arange(bins, dtype=np.float32) * step


def _spaces(
    bins: int, shape: tuple[int, ...], wide: bool, brightest: float = 255.0
) -> dict[str, tuple[np.ndarray, bool]]:
    """Return magnitudes of each operation, from weakest to strongest, and whether its sign is drawn."""
    strength = _steps(0.0, 0.99 if wide else 0.9, bins)
    shear = _steps(0.0, 0.99 if wide else 0.3, bins)
    bits = 8 - np.round(np.arange(bins) / ((bins - 1) / (6 if wide else 4)))
    part = np.float32(150) / np.float32(331)
    moves = [_steps(0.0, 32.0 if wide else float(part * np.float32(size)), bins) for size in (shape[1], shape[0])]
    return {
        "Identity": (np.zeros(1), False),
        "ShearX": (shear, True),
        "ShearY": (shear, True),
        "TranslateX": (moves[0], True),
        "TranslateY": (moves[1], True),
        "Rotate": (_steps(0.0, 135.0 if wide else 30.0, bins), True),
        "Brightness": (strength, True),
        "Color": (strength, True),
        "Contrast": (strength, True),
        "Sharpness": (strength, True),
        "Posterize": (bits, False),
        "Solarize": (_steps(brightest, 0.0, bins), False),
        "AutoContrast": (np.zeros(1), False),
        "Equalize": (np.zeros(1), False),
    }


def _index(engine: MersenneTwister, count: int) -> int:
    """Return a number below `count` as drawn in MindSpore: 0 is twice as likely as the others."""
    return engine.integer(0, count) % count


@arguments
class RandAugment(_Augment):
    """`num_ops` random operations of strength `magnitude` out of `num_magnitude_bins`."""

    num_ops: Annotated[int, integer(0, 16777216)] = 2
    magnitude: Annotated[int, kind_of(int)] = 9
    num_magnitude_bins: Annotated[int, integer(2, 16777216)] = 31
    interpolation: Annotated[Inter, check_interpolation] = Inter.NEAREST
    fill_value: Annotated[Any, check_fill] = 0

    def _prepare(self) -> None:
        check_value(self.magnitude, (0, self.num_magnitude_bins), "magnitude", below=True)

    def _augment(self, image: np.ndarray) -> np.ndarray:
        spaces = _spaces(self.num_magnitude_bins, image.shape, wide=False)
        engine = engine_of(self)
        for _ in range(self.num_ops):
            name = sorted(spaces)[_index(engine, len(spaces))]
            magnitudes, is_signed = spaces[name]
            magnitude = float(magnitudes[self.magnitude]) if len(magnitudes) > 1 else 0.0
            image = self._apply_one(name, image, -magnitude if _index(engine, 2) and is_signed else magnitude)
        return image


@arguments
class TrivialAugmentWide(_Augment):
    """One random operation of random strength."""

    num_magnitude_bins: Annotated[int, integer(2, 16777216)] = 31
    interpolation: Annotated[Inter, check_interpolation] = Inter.NEAREST
    fill_value: Annotated[Any, check_fill] = 0

    def _augment(self, image: np.ndarray) -> np.ndarray:
        spaces = _spaces(self.num_magnitude_bins, image.shape, wide=True)
        engine = engine_of(self)
        name = sorted(spaces)[_index(engine, len(spaces))]
        magnitudes, is_signed = spaces[name]
        magnitude = float(magnitudes[_index(engine, len(magnitudes))]) if len(magnitudes) > 1 else 0.0
        return self._apply_one(name, image, -magnitude if _index(engine, 2) and is_signed else magnitude)


#: The published policies (Cubuk et al., 2019): two steps of (operation, probability, magnitude of 10 or None) each.
_Step = tuple[str, float, int | None]
_IMAGENET: Sequence[tuple[_Step, _Step]] = (
    (("Posterize", 0.4, 8), ("Rotate", 0.6, 9)),
    (("Solarize", 0.6, 5), ("AutoContrast", 0.6, None)),
    (("Equalize", 0.8, None), ("Equalize", 0.6, None)),
    (("Posterize", 0.6, 7), ("Posterize", 0.6, 6)),
    (("Equalize", 0.4, None), ("Solarize", 0.2, 4)),
    (("Equalize", 0.4, None), ("Rotate", 0.8, 8)),
    (("Solarize", 0.6, 3), ("Equalize", 0.6, None)),
    (("Posterize", 0.8, 5), ("Equalize", 1.0, None)),
    (("Rotate", 0.2, 3), ("Solarize", 0.6, 8)),
    (("Equalize", 0.6, None), ("Posterize", 0.4, 6)),
    (("Rotate", 0.8, 8), ("Color", 0.4, 0)),
    (("Rotate", 0.4, 9), ("Equalize", 0.6, None)),
    (("Equalize", 0.0, None), ("Equalize", 0.8, None)),
    (("Invert", 0.6, None), ("Equalize", 1.0, None)),
    (("Color", 0.6, 4), ("Contrast", 1.0, 8)),
    (("Rotate", 0.8, 8), ("Color", 1.0, 2)),
    (("Color", 0.8, 8), ("Solarize", 0.8, 7)),
    (("Sharpness", 0.4, 7), ("Invert", 0.6, None)),
    (("ShearX", 0.6, 5), ("Equalize", 1.0, None)),
    (("Color", 0.4, 0), ("Equalize", 0.6, None)),
    (("Equalize", 0.4, None), ("Solarize", 0.2, 4)),
    (("Solarize", 0.6, 5), ("AutoContrast", 0.6, None)),
    (("Invert", 0.6, None), ("Equalize", 1.0, None)),
    (("Color", 0.6, 4), ("Contrast", 1.0, 8)),
    (("Equalize", 0.8, None), ("Equalize", 0.6, None)),
)
_CIFAR10: Sequence[tuple[_Step, _Step]] = (
    (("Invert", 0.1, None), ("Contrast", 0.2, 6)),
    (("Rotate", 0.7, 2), ("TranslateX", 0.3, 9)),
    (("Sharpness", 0.8, 1), ("Sharpness", 0.9, 3)),
    (("ShearY", 0.5, 8), ("TranslateY", 0.7, 9)),
    (("AutoContrast", 0.5, None), ("Equalize", 0.9, None)),
    (("ShearY", 0.2, 7), ("Posterize", 0.3, 7)),
    (("Color", 0.4, 3), ("Brightness", 0.6, 7)),
    (("Sharpness", 0.3, 9), ("Brightness", 0.7, 9)),
    (("Equalize", 0.6, None), ("Equalize", 0.5, None)),
    (("Contrast", 0.6, 7), ("Sharpness", 0.6, 5)),
    (("Color", 0.7, 7), ("TranslateX", 0.5, 8)),
    (("Equalize", 0.3, None), ("AutoContrast", 0.4, None)),
    (("TranslateY", 0.4, 3), ("Sharpness", 0.2, 6)),
    (("Brightness", 0.9, 6), ("Color", 0.2, 8)),
    (("Solarize", 0.5, 2), ("Invert", 0.0, None)),
    (("Equalize", 0.2, None), ("AutoContrast", 0.6, None)),
    (("Equalize", 0.2, None), ("Equalize", 0.6, None)),
    (("Color", 0.9, 9), ("Equalize", 0.6, None)),
    (("AutoContrast", 0.8, None), ("Solarize", 0.2, 8)),
    (("Brightness", 0.1, 3), ("Color", 0.7, 0)),
    (("Solarize", 0.4, 5), ("AutoContrast", 0.9, None)),
    (("TranslateY", 0.9, 9), ("TranslateY", 0.7, 9)),
    (("AutoContrast", 0.9, None), ("Solarize", 0.8, 3)),
    (("Equalize", 0.8, None), ("Invert", 0.1, None)),
    (("TranslateY", 0.7, 9), ("AutoContrast", 0.9, None)),
)
_SVHN: Sequence[tuple[_Step, _Step]] = (
    (("ShearX", 0.9, 4), ("Invert", 0.2, None)),
    (("ShearY", 0.9, 8), ("Invert", 0.7, None)),
    (("Equalize", 0.6, None), ("Solarize", 0.6, 6)),
    (("Invert", 0.9, None), ("Equalize", 0.6, None)),
    (("Equalize", 0.6, None), ("Rotate", 0.9, 3)),
    (("ShearX", 0.9, 4), ("AutoContrast", 0.8, None)),
    (("ShearY", 0.9, 8), ("Invert", 0.4, None)),
    (("ShearY", 0.9, 5), ("Solarize", 0.2, 6)),
    (("Invert", 0.9, None), ("AutoContrast", 0.8, None)),
    (("Equalize", 0.6, None), ("Rotate", 0.9, 3)),
    (("ShearX", 0.9, 4), ("Solarize", 0.3, 3)),
    (("ShearY", 0.8, 8), ("Invert", 0.7, None)),
    (("Equalize", 0.9, None), ("TranslateY", 0.6, 6)),
    (("Invert", 0.9, None), ("Equalize", 0.6, None)),
    (("Contrast", 0.3, 3), ("Rotate", 0.8, 4)),
    (("Invert", 0.8, None), ("TranslateY", 0.0, 2)),
    (("ShearY", 0.7, 6), ("Solarize", 0.4, 8)),
    (("Invert", 0.6, None), ("Rotate", 0.8, 4)),
    (("ShearY", 0.3, 7), ("TranslateX", 0.9, 3)),
    (("ShearX", 0.1, 6), ("Invert", 0.6, None)),
    (("Solarize", 0.7, 2), ("TranslateY", 0.6, 7)),
    (("ShearY", 0.8, 4), ("Invert", 0.8, None)),
    (("ShearX", 0.7, 9), ("TranslateY", 0.8, 3)),
    (("ShearY", 0.8, 5), ("AutoContrast", 0.7, None)),
    (("ShearX", 0.7, 2), ("Invert", 0.1, None)),
)
_POLICIES = {AutoAugmentPolicy.IMAGENET: _IMAGENET, AutoAugmentPolicy.CIFAR10: _CIFAR10, AutoAugmentPolicy.SVHN: _SVHN}


@arguments
class AutoAugment(_Augment):
    """Two operations after a published policy, drawn for each image."""

    policy: Annotated[AutoAugmentPolicy, kind_of(AutoAugmentPolicy)] = AutoAugmentPolicy.IMAGENET
    interpolation: Annotated[Inter, check_interpolation] = Inter.NEAREST
    fill_value: Annotated[Any, check_fill] = 0

    def _augment(self, image: np.ndarray) -> np.ndarray:
        engine, steps = engine_of(self), _POLICIES[self.policy]
        spaces = _spaces(10, image.shape, wide=False, brightest=256.0)
        chosen = steps[engine.integer(0, len(steps) - 1)]
        draws = [engine.single() for _ in chosen]
        signs = [engine.integer(0, 1) for _ in chosen]
        for (name, prob, level), draw, sign in zip(chosen, draws, signs, strict=True):
            if draw <= np.float32(prob):
                magnitudes, is_signed = spaces.get(name, (np.zeros(10), False))
                magnitude = 0.0 if level is None else float(magnitudes[level])
                image = self._apply_one(name, image, magnitude if sign or not is_signed else -magnitude)
        return image
