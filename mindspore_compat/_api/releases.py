"""Releases of MindSpore, and the functions whose meaning changed between them."""

from __future__ import annotations

import csv
import functools
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

#: the environment variable that names the release that programs were written for
VARIABLE = "MINDSPORE_COMPAT_RELEASE"
_NEWEST, _LAST_READ = (2, 10), (2, 3)  # the second is the last that release_spans.csv was read off

#: functions of `notes` that were methods of Tensor as well
METHODS = ("split", "norm", "median", "bernoulli")

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
    "bernoulli": "as a method of the Tensor's probabilities since 2.1; before with probability p",
    "vjp": "(fn, *inputs) gives (outputs, function) since 2.0; before (fn, inputs, v), (outputs, gradients)",
    "interpolate": "(input, size, scale_factor, mode) since 2.0; before (x, roi, scales, sizes, ...)",
}

_METHOD_NOTES = {
    **dict.fromkeys(("max", "min"), "a position is dim since 2.5 (values, indices); before axis (values)"),
    "repeat": "(*repeats) of the whole since 2.5; before (repeats, axis) of each element",
}


def notes() -> dict[str, str]:
    """Return {MindSpore's name of a function or method whose meaning changed: what changed}."""
    functions = {
        f"mindspore.{space}.{name}": note for space in ("ops", "ops.functional") for name, note in _NOTES.items()
    }
    methods = {name: _NOTES[name] for name in METHODS} | _METHOD_NOTES
    return functions | {f"mindspore.Tensor.{name}": note for name, note in methods.items()}


@functools.cache
def _spans() -> dict[str, tuple[str, str]]:
    """Return {name: (first, last) release that has it}, of names that some of 1.0 to 2.3 do not have."""
    found: dict[str, tuple[str, str]] = {}
    with Path(__file__).with_name("release_spans.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.update({f"{row['module']}.{name}": (row["first"], row["last"]) for name in row["names"].split()})
    return found


def written_for(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first and the last release that have all of these names of MindSpore; None if none has, or if the
    names do not decide. The last is "2.10" for names that are still there.
    """
    spans = [span for name in names if (span := _spans().get(name)) is not None]
    if not spans:
        return None
    first, last = max(map(parse, (first for first, _ in spans))), min(map(parse, (last for _, last in spans)))
    last = _NEWEST if last == _LAST_READ else last
    return (f"{first[0]}.{first[1]}", f"{last[0]}.{last[1]}") if first <= last else None


def parse(release: str) -> tuple[int, int]:
    """Return the major and minor number.

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


def with_arguments(function: Callable[..., Any], order: list[str], defaults: dict[str, Any]) -> Callable[..., Any]:
    """Return a method with this order of positional arguments, if given, and these defaults."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        if order and len(args) <= len(order):
            args, kwargs = (), {**dict(zip(order, args)), **kwargs}
        given = signature.bind_partial(self, *args, **kwargs).arguments
        return function(
            self,
            *args,
            **{name: value for name, value in defaults.items() if name not in {**given, **kwargs}},
            **kwargs,
        )

    return called
