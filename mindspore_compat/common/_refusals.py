"""What torch refuses, in MindSpore's exception types.

The errors are of torch's type as well, so that both worlds' ``except`` finds them. Nothing of this costs anything until
torch has refused: who calls torch catches its error and asks `refused` for what to raise.
"""

from __future__ import annotations

import re

__all__ = [
    "AxisError",
    "DtypeError",
    "PlaceError",
    "ShapeError",
    "SliceError",
    "in_range",
    "is_out_of_range",
    "of_custom_function",
    "refused",
]


class AxisError(ValueError, IndexError):
    """An axis or position that a tensor has not."""


class ShapeError(ValueError, RuntimeError):
    """Shapes that do not fit to each other, or not to the operator."""


class DtypeError(TypeError, NotImplementedError):
    """A dtype that an operator does not compute with."""


class SliceError(RuntimeError, TypeError):
    """A slice by something else than ints: upstream's compiler raises TypeError, its PyNative mode RuntimeError."""


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
            r"split_size be non-negative|should be greater than zero",
            r"split_with_sizes expects|exceeds dimension size|greater than 0, got|negative dimension",
            r"number of sections must be larger",
            r"need to be at least 1D|operands could not be broadcast|inner\(\) the last dimension",
            r"contracted dimensions need to match|^vector \+ matrix|number of subscripts",
            r"only supports \dD|2 or fewer dimensions",
            r"has invalid args: start|Kernel size can't be greater|diagonal dimensions cannot be identical",
            r"must be a \dD tensor|\dD tensors, |Expected \d-D argument|Attempting to broadcast a dimension",
            r"number of columns\.|must have length 3|tensor with \d or more dimensions|Halving dimension|[nN]on-empty",
            r"duplicate dims|Output size is too small|divisible by|padding mode|Only 3D, 4D and 5D input|Padding size",
            r" k out of range|split_size can only be 0|at least \d dimensions|batches of square|0D or 1D tensor",
            r"inconsistent (with step sign|target size|input_size)|non-negative|greater or equal to 0|bins must be",
            r"must be (1 or 2 dim|of size)|should be 1 dimension|same size as input along dim|Number of indices",
            r"objects cannot be broadcast|^Rotation dim\d out of range",
            r"expected grid to have size|Mismatch of parameter numbers|^einsum\(\): |Index is supposed to be a vector",
        )
    )
)
_OF_DTYPES = re.compile(
    "|".join(
        (
            r"not implemented for ('|complex)|same dtype|expected scalar type|expected (both|all) .* (dtype|type)",
            r"must be a boolean|boolean tensor|on a bool tensor|is not supported for (bool|complex)",
            r"only supports? floating.point|floating point or complex|dtype to be floating|either float or double",
            r"can't be cast to the desired|Promotion for uint16|Expected dtype int|dtypes? (to be equal|match)",
        )
    )
)


#: an axis that is a str or None, in the words of torch 2.6; later ones raise TypeError
_OF_NAMES = re.compile(r"^Name '.*' not found in|in place of a dimension index|^Please look up dimensions by name")

#: torch's words -> MindSpore's, which stand before them
_OF_CUSTOM_FUNCTIONS = {
    "a leaf Variable that requires grad": ("A leaf tensor that need grad is being used in an inplace operator."),
    "marked as dirty during the forward method were not returned": (
        "The dirty tensors must all be outputs of the forward function."
    ),
    "modifies inplace an input that is a view of another Tensor": (
        "A view is one of output for multi output operator, which cannot be modified in place."
    ),
    "This view is the output of a function that returns multiple views": (
        "A view of base is being inplace modified, and it is one of several outputs."
    ),
    "This view was created inside a custom Function": (
        "This view tensor is output of custom cell, which has custom bprop, it may not support view+inplace."
    ),
    "returned an invalid gradient at index": "For custom function, grad tensor should be broadcast to the input.",
}


def of_custom_function(error: RuntimeError) -> RuntimeError:
    """``error``, with MindSpore's words before torch's if it is about a function with a derivative of its own."""
    message = str(error)
    for theirs, words in _OF_CUSTOM_FUNCTIONS.items():
        if theirs in message and not message.startswith(words):
            return RuntimeError(f"{words} {message}")
    return error


def refused(error: Exception) -> Exception:
    """``error``, or what MindSpore raises instead of this one of torch's."""
    if isinstance(error, (ValueError, TypeError)):
        return error
    message = str(error)
    if isinstance(error, IndexError):
        if message.startswith("Dimension"):
            return AxisError(message)
        if _OF_PLACES.search(message) and not message.endswith("index out of range"):  # so end Python's own
            return PlaceError(message)
    if _OF_SHAPES.search(message):
        return ShapeError(message.replace("The size of tensor", "The shapes need to broadcast, but the size of tensor"))
    if _OF_DTYPES.search(message):
        return DtypeError(message)
    if _OF_NAMES.search(message):
        return TypeError(message)
    return of_custom_function(error) if isinstance(error, RuntimeError) else error


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
