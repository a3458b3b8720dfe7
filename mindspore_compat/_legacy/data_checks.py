"""Checks of arguments, imported by the zoo's `research/cv/trn/src/transforms.py` and by mindocr's
`mindocr/data/dataset_with_reset.py`.

MindSpore: ``mindspore.dataset.transforms.validators``, ``mindspore.dataset.engine.validators``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from mindspore_compat.dataset.core.validator_helpers import check_probability
from mindspore_compat.dataset.transforms._compound import check_operations


def check_random_transform_ops(method: Callable) -> Callable:
    """Decorate ``__init__(self, transforms[, prob])``: check both."""

    @wraps(method)
    def checked(self: Any, transforms: Any, *args: Any, **kwargs: Any) -> Any:
        check_operations(transforms)
        prob = args[0] if args else kwargs.get("prob")
        if prob is not None:
            check_probability(prob)
        return method(self, transforms, *args, **kwargs)

    return checked


def check_batch(method: Callable) -> Callable:
    """Return the method: `BatchDataset` checks its arguments."""
    return method
