"""What torch refuses, in MindSpore's exception types.

The errors are of torch's type as well, so that both worlds' ``except`` finds them. Nothing of this costs anything until
torch has refused: who calls torch catches its error and asks `refused` for what to raise.
"""

from __future__ import annotations

import re

__all__ = ["AxisError", "DtypeError", "PlaceError", "ShapeError", "in_range", "is_out_of_range", "refused"]


class AxisError(ValueError, IndexError):
    """An axis or position that a tensor has not."""


class ShapeError(ValueError, RuntimeError):
    """Shapes that do not fit to each other, or not to the operator."""


class DtypeError(TypeError, RuntimeError):
    """A dtype that an operator does not compute with."""


class PlaceError(RuntimeError, ValueError, IndexError):
    """An index that a tensor has no element for: upstream's kernels raise RuntimeError or ValueError, torch
    IndexError.
    """


_OF_PLACES = re.compile(r"out of (DATA )?bounds|out of range")
_OF_SHAPES = re.compile(
    "|".join(
        (
            r"must match the size of tensor|is invalid for input of size|only one dimension can be inferred",
            r"shapes cannot be multiplied|size mismatch|Expected size for first two dimensions of batch2",
            r"1D tensors expected|inconsistent tensor size",
            r"^expand\(|expanded size of the tensor|appears multiple times in the list of dims|repeated dim",
            r"Sizes of tensors must match|must have same number of dimensions|stack expects each tensor|shape mismatch",
            r"number of dimensions in the tensor input does not match|same number of (elements|dimensions)",
            r"^Given groups=|^Expected \d-?D|Given normalized_shape|should contain \d+ elements|must be a matrix",
            r"split_with_sizes expects|exceeds dimension size|greater than 0, got|negative dimension",
            r"number of sections must be larger",
            r"need to be at least 1D|operands could not be broadcast|inner\(\) the last dimension",
            r"has invalid args: start|Kernel size can't be greater|diagonal dimensions cannot be identical",
        )
    )
)
_OF_DTYPES = re.compile(
    "|".join(
        (
            r"not implemented for ('|complex)|same dtype|expected scalar type|expected (both|all) .* (dtype|type)",
            r"must be a boolean|boolean tensor|on a bool tensor|is not supported for (bool|complex)",
            r"can't be cast to the desired|Promotion for uint16",
        )
    )
)


def refused(error: Exception) -> Exception:
    """``error``, or what MindSpore raises instead of this one of torch's."""
    if isinstance(error, (ValueError, TypeError)):
        return error
    message = str(error)
    if isinstance(error, IndexError):
        return AxisError(message) if message.startswith("Dimension") else error
    if _OF_SHAPES.search(message):
        return ShapeError(message)
    if _OF_DTYPES.search(message):
        return DtypeError(message)
    return error


def is_out_of_range(error: Exception) -> bool:
    """Whether torch refuses an index."""
    return bool(_OF_PLACES.search(str(error)))


def in_range(axis: int, dims: int) -> int:
    """The axis counted from the front, of a tensor with ``dims`` axes (one without has a single element for all).

    Raises:
        AxisError: if there is none.
    """
    if not -max(dims, 1) <= axis < max(dims, 1):
        raise AxisError(f"The 'axis' must be in the range of [{-dims}, {dims}), but got {axis}.")
    return axis % dims if dims else 0
