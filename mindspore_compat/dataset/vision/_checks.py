"""Checks of arguments that image operations share, in upstream's words: ``check(value, name) -> what is kept``."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from mindspore_compat.dataset.core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    INT32_MAX,
    UINT8_MAX,
    check_int,
    check_pos_int32,
    check_positive,
    check_real,
    check_value,
    refused,
    type_check,
    type_check_list,
)
from mindspore_compat.dataset.vision.utils import Border, Inter

__all__ = [
    "check_bits",
    "check_border",
    "check_box",
    "check_center",
    "check_degrees",
    "check_factor_range",
    "check_fill",
    "check_frame",
    "check_given_interpolation",
    "check_ignored",
    "check_interpolation",
    "check_kernel",
    "check_padding",
    "check_ratio",
    "check_scale",
    "check_sigma",
    "check_size",
    "check_span",
    "need_warping",
]

_SIZE = "Size should be a single integer or a list/tuple (h, w) of length 2."


def need_length(values: Sequence[Any], lengths: tuple[int, ...], message: str, error: type = TypeError) -> None:
    """Raise `error` with upstream's `message` unless there are so many values."""
    if len(values) not in lengths:
        raise refused(error, message, values)


def check_span(values: Sequence[float], limits: tuple[float, float], name: str = "") -> None:
    """Raise ValueError unless both of two ordered numbers lie within the limits."""
    if not limits[0] <= values[0] <= values[1] <= limits[1]:
        shown = f"Input {name}".rstrip()
        raise refused(ValueError, f"{shown} is not within the required interval of [{limits[0]}, {limits[1]}].", values)


def need_order(values: Sequence[float], name: str) -> None:
    """Raise ValueError where the first of two numbers is the larger one."""
    if values[0] > values[1]:
        raise refused(ValueError, f"{name} should be in (min,max) format. Got (max,min).", values)


def check_size(size: Any, name: str = "size") -> tuple[int, int] | int:
    """The size to resize to: a positive int or (height, width). Raises: TypeError, ValueError."""
    if isinstance(size, int):
        check_value(size, (1, FLOAT_MAX_INTEGER))
        return size
    if not isinstance(size, (list, tuple)) or len(size) != 2:
        raise refused(TypeError, _SIZE, size)
    for place, value in enumerate(size):
        check_int(value, f"size at dim {place}", 1)
    return (size[0], size[1])


def check_box(size: Any, name: str = "size") -> tuple[int, int]:
    """(height, width) of a part to cut out, where an int stands for both."""
    type_check(size, (int, list, tuple), name)
    if not isinstance(size, int) and len(size) != 2:
        raise refused(TypeError, _SIZE, size)
    height, width = (size, size) if isinstance(size, int) else size
    for place, value in enumerate((height, width)):
        type_check(value, int, f"{name}[{place}]")
        check_value(value, (1, FLOAT_MAX_INTEGER))
    return height, width


def check_frame(size: Any, name: str = "size") -> tuple[int, int]:
    """(height, width) of a frame around an image, where an int stands for both."""
    type_check(size, (int, list, tuple), name)
    if isinstance(size, int):
        return (check_pos_int32(size, name),) * 2
    need_length(size, (2,), "The size must be a sequence of length 2.", ValueError)
    for place, value in enumerate(size):
        check_pos_int32(value, f"{name}{place}")
    return (size[0], size[1])


def check_interpolation(interpolation: Any, name: str = "interpolation") -> Inter:
    """An `Inter`."""
    type_check(interpolation, Inter, name)
    return interpolation


def check_given_interpolation(interpolation: Any, name: str = "interpolation") -> Inter:
    """An `Inter`; KeyError for None."""
    if interpolation is None:
        raise KeyError("Interpolation should not be None")
    return check_interpolation(interpolation, name)


def need_warping(interpolation: Inter, name: str, error: type[Exception] = RuntimeError) -> None:
    """Raise RuntimeError, or `error` for what is of PIL images only, unless arrays are turned and sheared by it."""
    if interpolation in (Inter.ANTIALIAS, Inter.PILCUBIC):
        raise (error if interpolation == Inter.ANTIALIAS else RuntimeError)(
            f"{name}: Invalid InterpolationMode, {interpolation.name} is not supported for arrays, expected NEAREST, "
            "LINEAR, CUBIC or AREA; use ToPIL() before for ANTIALIAS."
        )


def check_border(mode: Any, name: str = "padding_mode") -> str:
    """A `Border`; its value."""
    type_check(mode, Border, name)
    return mode.value


def check_fill(fill_value: Any, name: str = "fill_value") -> tuple[int, ...]:
    """An int in [0, 255] or 3 of them; always 3."""
    if isinstance(fill_value, int):
        return (check_int(fill_value, name, 0, UINT8_MAX),) * 3
    if not isinstance(fill_value, tuple) or len(fill_value) != 3:
        raise refused(TypeError, f"{name} should be a single integer or a 3-tuple.", fill_value)
    for place, value in enumerate(fill_value):
        check_int(value, f"{name}[{place}]", 0, UINT8_MAX)
    return fill_value


def check_padding(padding: Any, name: str = "padding") -> tuple[int, int, int, int]:
    """(left, top, right, bottom) of an int, (left and right, top and bottom) or all four."""
    type_check(padding, (tuple, list, numbers.Number), name)
    if isinstance(padding, numbers.Number):
        return (check_int(padding, name, 0),) * 4
    need_length(padding, (2, 4), "The size of the padding list or tuple should be 2 or 4.", ValueError)
    for place, value in enumerate(padding):
        type_check(value, int, f"{name}[{place}]")
        check_value(value, (0, INT32_MAX), "pad_value")
    return (*padding, *padding)[:4]


def check_scale(scale: Any, name: str = "scale") -> tuple[float, float]:
    """The range of a part's share of the area; None stands for the default."""
    if scale is None:
        return (0.08, 1.0)
    type_check(scale, (tuple, list), name)
    need_length(scale, (2,), f"{name} should be a list/tuple of length 2.")
    type_check_list(scale, (float, int), name)
    need_order(scale, name)
    check_span(scale, (0, FLOAT_MAX_INTEGER))
    check_positive(scale[1], f"{name}[1]")
    return (scale[0], scale[1])


def check_ratio(ratio: Any, name: str = "ratio") -> tuple[float, float]:
    """The range of a part's width to height; None stands for the default."""
    if ratio is None:
        return (3.0 / 4.0, 4.0 / 3.0)
    type_check(ratio, (tuple, list), name)
    need_length(ratio, (2,), f"{name} should be a list/tuple of length 2.")
    for place in range(2):
        check_real(ratio[place], f"{name}[{place}]", 0, above=True)
    need_order(ratio, name)
    return (ratio[0], ratio[1])


def check_center(center: Any, name: str = "center") -> tuple[float, float] | None:
    """(x, y) or None."""
    if center is None:
        return None
    if not isinstance(center, tuple) or len(center) != 2:
        raise refused(ValueError, f"Value {name} needs to be a 2-tuple.", center)
    for value in center:
        type_check(value, (int, float), name)
        check_value(value, (-INT32_MAX - 1, INT32_MAX), name)
    return center


def check_degrees(degrees: Any, name: str = "degrees") -> tuple[float, float]:
    """A range of angles; a number stands for the range from minus to plus it."""
    type_check(degrees, (int, float, list, tuple), name)
    if isinstance(degrees, (int, float)):
        check_real(degrees, name, 0)
        return (-degrees, degrees)
    need_length(degrees, (2,), "If degrees is a sequence, the length must be 2.")
    type_check_list(degrees, (int, float), name)
    for value in degrees:
        check_real(value, name)
    need_order(degrees, name)
    return (degrees[0], degrees[1])


def check_factor_range(degrees: Any, name: str = "degrees") -> tuple[float, float]:
    """A range of factors of at least 0; None stands for the default."""
    if degrees is None:
        return (0.1, 1.9)
    if not isinstance(degrees, (list, tuple)):
        raise refused(TypeError, f"{name} must be either a tuple or a list.", degrees)
    type_check_list(degrees, (int, float), name)
    need_length(degrees, (2,), f"{name} must be a sequence with length 2.", ValueError)
    for value in degrees:
        check_value(value, (0, FLOAT_MAX_INTEGER))
    need_order(degrees, name)
    return (degrees[0], degrees[1])


def check_ignored(ignore: Any, name: str = "ignore") -> list[int]:
    """Values to leave out: none, one or several of [0, 255]."""
    if ignore is None:
        return []
    type_check(ignore, (list, tuple, int), name)
    for value in [] if isinstance(ignore, int) else ignore:
        type_check(value, int, "item")
    ignored = [ignore] if isinstance(ignore, int) else list(ignore)
    for value in ignored:
        check_value(value, (0, UINT8_MAX), name)
    return ignored


def check_bits(bits: Any, name: str = "bits") -> tuple[int, int]:
    """A range of bits in [1, 8], or one number; None stands for the default."""
    if bits is None:
        return (8, 8)
    type_check(bits, (list, tuple, int), name)
    if isinstance(bits, int):
        check_value(bits, (1, 8))
        return (bits, bits)
    need_length(bits, (2,), "Size of bits should be a single integer or a list/tuple (min, max) of length 2.")
    for value in bits:
        check_int(value, name, 0, UINT8_MAX)
    check_span(bits, (1, 8))
    return (bits[0], bits[1])


def _check_odd(value: int, name: str) -> int:
    if value % 2 != 1:
        raise refused(ValueError, f"Input {name} is not an odd value.", value)
    return value


def check_kernel(size: Any, name: str = "kernel_size") -> tuple[int, int]:
    """(width, height) of a kernel, both odd; an int stands for both."""
    type_check(size, (int, list, tuple), name)
    if isinstance(size, int):
        return (_check_odd(check_int(size, name, 1, FLOAT_MAX_INTEGER), name),) * 2
    need_length(
        size,
        (2,),
        "Kernel size should be a single integer or a list/tuple (kernel_width, kernel_height) of length 2.",
    )
    for place, value in enumerate(size):
        type_check(value, int, f"{name}[{place}]")
        check_value(value, (1, FLOAT_MAX_INTEGER), name)
        _check_odd(value, f"{name}[{place}]")
    return (size[0], size[1])


def check_sigma(sigma: Any, name: str = "sigma") -> tuple[float | None, float | None]:
    """Standard deviations (x, y); None: they follow from the kernel's size."""
    if sigma is None:
        return (None, None)
    type_check(sigma, (numbers.Number, list, tuple), name)
    if isinstance(sigma, numbers.Number):
        check_value(sigma, (0, FLOAT_MAX_INTEGER), name)  # type: ignore[arg-type]
        return (sigma, sigma)  # type: ignore[return-value]
    need_length(sigma, (2,), "Sigma should be a single number or a list/tuple of length 2 for width and height.")
    for place, value in enumerate(sigma):
        type_check(value, numbers.Number, f"size[{place}]")
        check_value(value, (0, FLOAT_MAX_INTEGER), name)
    return (sigma[0], sigma[1])
