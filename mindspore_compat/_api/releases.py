"""Calls and defaults that earlier releases of MindSpore gave another meaning.

`select` puts the older ones in the places of today's, in this process. Names are MindSpore's; read off its releases 1.0
to 2.7.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable
from typing import Any

__all__ = ["VARIABLE", "notes", "or_before_2_0", "parse", "select", "select_inherited"]

VARIABLE = "MINDSPORE_COMPAT_RELEASE"
_NEWEST = (2, 10)


@functools.cache
def _calls() -> dict[str, Callable[..., Any]]:
    """{name: the function as it was before 2.0}."""
    from mindspore_compat import ops
    from mindspore_compat.common import dtype as mstype
    from mindspore_compat.ops import operations as P

    today = ops.interpolate

    def interpolate(
        x: Any,
        roi: Any = None,
        scales: Any = None,
        sizes: Any = None,
        coordinate_transformation_mode: str = "align_corners",
        mode: str = "linear",
    ) -> Any:
        transformation = coordinate_transformation_mode
        return today(x, mode=mode, scales=scales, sizes=sizes, coordinate_transformation_mode=transformation)

    def conv2d(
        inputs: Any,
        weight: Any,
        pad_mode: str = "valid",
        padding: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        group: int = 1,
    ) -> Any:
        kernel = weight.shape[0], tuple(weight.shape[2:])
        return P.Conv2D(*kernel, 1, pad_mode, padding, stride, dilation, group)(inputs, weight)

    found: dict[str, Callable[..., Any]] = {
        "split": lambda input_x, axis=0, output_num=1: P.Split(axis, output_num)(input_x),
        "norm": lambda input_x, axis, p=2, keep_dims=False, epsilon=1e-12: P.LpNorm(axis, p, keep_dims, epsilon)(
            input_x
        ),
        "median": lambda x, global_median=False, axis=0, keep_dims=False: P.Median(global_median, axis, keep_dims)(x),
        "max": lambda x, axis=0, keep_dims=False: P.ArgMaxWithValue(axis, keep_dims)(x),
        "min": lambda x, axis=0, keep_dims=False: P.ArgMinWithValue(axis, keep_dims)(x),
        "argmax": lambda x, axis=-1, output_type=mstype.int32: P.Argmax(axis, output_type)(x),
        "argmin": lambda x, axis=-1: P.Argmin(axis)(x),
        "std": lambda input_x, axis=(), unbiased=True, keep_dims=False: P.ReduceStd(axis, unbiased, keep_dims)(input_x),
        "dropout": lambda x, p=0.5, seed0=0, seed1=0: P.Dropout(1 - p, seed0, seed1)(x),
        "avg_pool2d": lambda x, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW": P.AvgPool(
            kernel_size, strides, pad_mode, data_format
        )(x),
        "conv2d": conv2d,
        "interpolate": interpolate,
    }
    for name, call in found.items():
        call.__name__ = call.__qualname__ = name
    return found


#: those that were methods of Tensor as well; the default of the axis is the method's
_METHODS = ("split", "norm", "median")

#: class or method: what its arguments were before 2.0, in their order up to the last that has moved, and their defaults
_ARGUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    **dict.fromkeys(
        ["nn.Dense", "nn.Conv1d", "nn.Conv2d", "nn.Conv3d", "nn.Conv1dTranspose", "nn.Conv3dTranspose"],
        ("", {"weight_init": "normal", "bias_init": "zeros"}),
    ),
    "nn.Conv2dTranspose": (
        "in_channels out_channels kernel_size stride pad_mode padding dilation group has_bias weight_init bias_init",
        {"weight_init": "normal", "bias_init": "zeros"},
    ),
    **dict.fromkeys(["nn.MaxPool2d", "nn.AvgPool2d"], ("kernel_size stride pad_mode data_format", {})),
    "nn.BCELoss": ("", {"reduction": "none"}),
    **dict.fromkeys(["Model.train", "Model.eval"], ("", {"dataset_sink_mode": True})),
    "Model.fit": ("", {"dataset_sink_mode": True, "valid_dataset_sink_mode": True}),
}

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


_Function = Callable[..., Any]


def or_before_2_0(position: int, kinds: Any) -> Callable[[_Function], _Function]:
    """Decorator: a call with one of these types at ``position``, which today's meaning does not take there, has the
    meaning of before 2.0.
    """

    def mark(function: _Function) -> _Function:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if len(args) > position and isinstance(args[position], kinds):
                return _calls()[function.__name__](*args, **kwargs)
            return function(*args, **kwargs)

        return called

    return mark


def notes() -> dict[str, str]:
    """{MindSpore's name of a function or method whose meaning changed: what changed}."""
    functions = {
        f"mindspore.{space}.{name}": note for space in ("ops", "ops.functional") for name, note in _NOTES.items()
    }
    return functions | {f"mindspore.Tensor.{name}": _NOTES[name] for name in _METHODS}


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


_selected: list[tuple[int, int]] = []


def select(release: str) -> None:
    """Give calls the meaning that they had in ``release``, in this process and, by an environment variable, in those
    that it starts. ``mindspore.__version__`` says so.

    Raises:
        ValueError: for an unknown release. RuntimeError: if another one was selected before.
    """
    number = parse(release)
    if _selected and _selected != [number]:
        raise RuntimeError(f"The release {_selected[0][0]}.{_selected[0][1]} is selected already; start a new process.")
    os.environ[VARIABLE] = release
    if _selected:
        return
    _selected.append(number)
    import mindspore_compat
    from mindspore_compat import version

    mindspore_compat.__version__ = version.__version__ = f"{number[0]}.{number[1]}.0"
    if number < (2, 0):
        _before_2_0()
    if (1, 3) <= number < (2, 0):
        mindspore_compat.context.set_context(mode=mindspore_compat.context.GRAPH_MODE)


def select_inherited() -> None:
    """Select the release that the environment names, if any."""
    if os.environ.get(VARIABLE):
        select(os.environ[VARIABLE])


def _before_2_0() -> None:
    from mindspore_compat import Model, Tensor, nn, ops
    from mindspore_compat.ops import functional

    calls = _calls()
    for name, call in calls.items():
        setattr(ops, name, call)
        setattr(functional, name, call)
    for name in _METHODS:
        setattr(Tensor, name, _method(calls[name]))
    owners = {"nn": nn, "Model": Model}
    for path, (order, defaults) in _ARGUMENTS.items():
        owner, name = path.split(".")
        target = getattr(owners[owner], name)
        if isinstance(target, type):
            target.__init__ = _with_arguments(target.__init__, order.split(), defaults)  # type: ignore[misc]
        else:
            setattr(owners[owner], name, _with_arguments(target, order.split(), defaults))


def _method(call: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(self, *args, **kwargs)

    method.__name__ = call.__name__
    return method


def _with_arguments(function: Callable[..., Any], order: list[str], defaults: dict[str, Any]) -> Callable[..., Any]:
    """A method whose positional arguments have this order, if one is given, and these defaults."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        if order and len(args) <= len(order):
            args, kwargs = (), {**dict(zip(order, args)), **kwargs}
        given = signature.bind_partial(self, *args, **kwargs).arguments
        return function(self, *args, **{name: value for name, value in defaults.items() if name not in given}, **kwargs)

    return called
