"""Names of functions' arguments as upstream has them, where they are others than of the function here; and which
arguments are names of 1.x, which are taken, but not shown.

Libraries ask ``inspect.signature`` which MindSpore they run on (mindcv's ``compatibility.py`` takes ``output_num`` of
``split`` for 1.x, where it means something else).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["known_as", "name_arguments", "named"]

_Function = Callable[..., Any]

#: function -> upstream's names for its first arguments
_NAMES = {
    **dict.fromkeys(
        """arcsin bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1
        bessel_k1e bessel_y0 bessel_y1 copysign deg2rad frac invert rad2deg shape_""".split(),
        "x",
    ),
    **dict.fromkeys("floor_div floor_mod floormod truncate_mod tensor_mod".split(), "x y"),
    "diff_ext": "input n dim",
    "heaviside": "input values",
    "isnan_ext": "tensor",
    "numel": "input",
    "row_stack": "tensors",
    "shape_mul": "input_data",
    "tensor_slice": "input",
    "true_divide": "dividend divisor",
}

#: function -> its arguments that are names of 1.x, or additions
_OLD = {
    "argmax": "axis keepdims",
    "avg_pool2d": "strides pad_mode",
    "bias_add": "data_format",
    "clip_by_value": "min max",
    "dot": "x1 x2",
    "grid_sample": "interpolation_mode",
    "interpolate": "roi sizes scales coordinate_transformation_mode",
    "linspace": "num",
    "multinomial": "num_sample",
    "norm": "p axis keep_dims",
    "pad": "paddings",
    **dict.fromkeys([f"scatter_{kind}" for kind in "add div max min mul update".split()], "use_locking"),
    "split": "output_num input_x",
    "stack": "dim",
    "transpose": "input_perm",
    "zeros": "device",
}


def name_arguments(members: dict[str, Any]) -> None:
    """Give the functions of a module (``globals()``) upstream's names."""
    for name, names in _NAMES.items():
        members[name] = named(name, members[name], names.split())
    for name, old in _OLD.items():
        function, hidden = members[name], old.split()
        signature = inspect.signature(function)
        shown = [item for key, item in signature.parameters.items() if key not in hidden]
        function.__signature__ = signature.replace(parameters=shown)


def named(name: str, function: _Function, names: list[str]) -> _Function:
    """``function`` with other names for its first arguments; its own are taken, too."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    called: Any = known_as(function, {new: parameter.name for new, parameter in zip(names, parameters)})
    renamed = [parameter.replace(name=new) for new, parameter in zip(names, parameters)]
    called.__name__ = called.__qualname__ = name
    called.__signature__ = signature.replace(parameters=renamed + parameters[len(names) :])
    return called  # type: ignore[no-any-return]


def known_as(function: _Function, names: dict[str, str]) -> _Function:
    """``function``, with other names for some of its arguments."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
        return function(*args, **kwargs)

    return called
