"""Releases of MindSpore, and the functions whose meaning changed between them."""

from __future__ import annotations

import re

__all__ = ["METHODS", "VARIABLE", "notes", "parse"]

#: the environment variable that names the release that programs were written for
VARIABLE = "MINDSPORE_COMPAT_RELEASE"
_NEWEST = (2, 10)

#: those of `notes` that were methods of Tensor as well
METHODS = ("split", "norm", "median")

_NOTES = {
    "max": "(values, indices) since 2.0, of all elements without an axis; before (index, values) of axis 0",
    "min": "(values, indices) since 2.0, of all elements without an axis; before (index, values) of axis 0",
    "split": "(tensor, split_size_or_sections, axis) since 2.0; before (input_x, axis, output_num)",
    "norm": "(A, ord, dim, keepdim) since 2.0; before (input_x, axis, p, keep_dims, epsilon)",
    "median": "(input, axis, keepdims) since 2.0; before (x, global_median, axis, keep_dims), of axis 0",
    "argmax": "of all elements without a dim since 2.0; before of the last axis",
    "argmin": "of all elements without an axis since 2.0; before of the last axis",
    "std": "(input, axis, ddof, keepdims) since 2.0, biased; before (std, mean), unbiased",
    "dropout": "one Tensor since 2.0; before (output, mask) in any mode",
    "avg_pool2d": "(input_x, kernel_size, stride, padding, ...) since 2.0; before (x, kernel_size, strides, pad_mode)",
    "conv2d": "(input, weight, bias, stride, ...) since 2.0; before (inputs, weight, pad_mode, padding, stride)",
    "interpolate": "(input, size, scale_factor, mode) since 2.0; before (x, roi, scales, sizes, ...)",
}


def notes() -> dict[str, str]:
    """{MindSpore's name of a function or method whose meaning changed: what changed}."""
    functions = {
        f"mindspore.{space}.{name}": note for space in ("ops", "ops.functional") for name, note in _NOTES.items()
    }
    return functions | {f"mindspore.Tensor.{name}": _NOTES[name] for name in METHODS}


def parse(release: str) -> tuple[int, int]:
    """The major and minor number.

    Raises:
        ValueError: if it is no release of MindSpore that this package knows.
    """
    match = re.fullmatch(r"(\d+)\.(\d+)(\.\w+)*", release)
    found = (int(match[1]), int(match[2])) if match else (0, 0)
    if not (1, 0) <= found <= _NEWEST:
        raise ValueError(
            f"The 'release' must be one of MindSpore's from 1.0 to 2.10, such as '1.9', but got {release!r}."
        )
    return found
