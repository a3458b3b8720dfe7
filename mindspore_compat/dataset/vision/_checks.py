"""Checks of arguments of image operations: ``check(value, name) -> stored value``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.dataset.core.arguments import integer, kind_of, real, several, with_default
from mindspore_compat.dataset.core.validator_helpers import INT32_MAX, INT32_MIN, UINT8_MAX, check_int, check_positive
from mindspore_compat.dataset.vision.utils import Border, Inter


def twice(value: Any) -> tuple[Any, Any]:
    """Return a value for both."""
    return value, value


def around_zero(value: Any) -> tuple[Any, Any]:
    """Return the range from minus a number to plus it."""
    return -value, value


def need_warping(interpolation: Inter, name: str, error: type[Exception] = RuntimeError) -> None:
    """Raise RuntimeError (or `error` for modes of PIL images only) unless arrays can be rotated and sheared with it."""
    if interpolation in (Inter.ANTIALIAS, Inter.PILCUBIC):
        raise (error if interpolation == Inter.ANTIALIAS else RuntimeError)(
            f"{name}: Invalid InterpolationMode, {interpolation.name} is not supported for arrays, expected NEAREST, "
            "LINEAR, CUBIC or AREA; use ToPIL() before for ANTIALIAS."
        )


def check_border(mode: Any, name: str = "padding_mode") -> str:
    """Check for a `Border`; return its value."""
    return kind_of(Border)(mode, name).value


_sides = several(integer(0), (2, 4), twice)
_extent = several(real(0), is_ordered=True)


def check_padding(padding: Any, name: str = "padding") -> tuple[int, ...]:
    """Return (left, top, right, bottom) of an int, (left and right, top and bottom) or all four."""
    sides = _sides(padding, name)
    return (*sides, *sides)[:4]


def check_scale(scale: Any, name: str = "scale") -> tuple[float, float]:
    """Return a range of factors or shares, not only 0."""
    low, high = _extent(scale, name)
    check_positive(high, f"{name}[1]")
    return low, high


def _odd(value: Any, name: str) -> int:
    if check_int(value, name, 1) % 2 != 1:
        raise ValueError(f"Input {name} is not an odd value, but {value}.")
    return value


check_interpolation = kind_of(Inter)
#: (height, width); an int stands for both
check_box = several(integer(1), spread=twice)
#: the length of an image's shorter side, or (height, width)
check_size = several(integer(1), spread=lambda size: size)
#: three values; an int stands for all
check_fill = several(integer(0, UINT8_MAX), (3,), lambda value: (value,) * 3)
#: the range of a part's width to height
check_ratio = with_default((3.0 / 4.0, 4.0 / 3.0), several(real(0, above=True), is_ordered=True))
#: (x, y)
check_center = several(real(INT32_MIN, INT32_MAX))
#: a range of angles; a number stands for the range from minus to plus it
check_degrees = several(real(), spread=around_zero, is_ordered=True)
#: a range of factors of at least 0
check_factor_range = with_default((0.1, 1.9), _extent)
#: values of pixels to leave out: none, one or several
check_ignored = with_default((), several(integer(0, UINT8_MAX), (), lambda value: (value,)))
#: a range of bits, or one number
check_bits = with_default((8, 8), several(integer(1, 8), spread=twice, is_ordered=True))
#: (width, height) of a kernel, both odd; an int stands for both
check_kernel = several(_odd, spread=twice)
#: standard deviations (x, y)
check_sigma = several(real(0), spread=twice)
