"""Programs of earlier releases: their calls and defaults in place of today's, where the meaning differs.

The tables are read off MindSpore's releases 1.0 to 2.7, and compared with real MindSpore 1.0.0 and 2.0.0.
"""

from __future__ import annotations

import copy
import functools
import importlib
import math
import numbers
import os
import pkgutil
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat import context, nn, ops, train, version
from mindspore_compat._api.releases import METHODS, VARIABLE, parse, with_arguments
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.conv import conv2d_before_2_0
from mindspore_compat._ops.elementwise import tensor_div
from mindspore_compat._ops.former import FORMER
from mindspore_compat._ops.image import interpolate_before_2_0
from mindspore_compat._ops.random import bernoulli
from mindspore_compat._ops.recurrent import FlatLSTM
from mindspore_compat._tensor import tracing
from mindspore_compat._tensor.aliasing import leave_aliases, leave_derivative
from mindspore_compat._tensor.operators import _TRUNCATED, promoted
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.initializer import Normal
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops import functional
from mindspore_compat.ops import operations as P
from mindspore_compat.train import serialization
from mindspore_compat.train.serialization import load_param_into_net


def _is_whole(item: Any) -> bool:
    if isinstance(item, torch.Tensor):
        return not (item.dtype.is_floating_point or item.dtype.is_complex)
    return isinstance(item, numbers.Integral)


def _promoting(function: Callable[..., Any], quotient: int = 0) -> Callable[..., Any]:
    """Return a product or quotient (1, reflected -1) with 0-d tensors as full members of type promotion. A quotient of
    integers is an integer, rounded towards zero.
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        *own, left, right = (*args, *kwargs.values())
        if quotient and _is_whole(left) and _is_whole(right):
            return tensor_div(*(left, right)[::quotient])
        if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
            return function(*own, *promoted(left, right))
        return function(*args, **kwargs)

    return called


def _with_int32(function: Callable[..., Any], *places: int) -> Callable[..., Any]:
    """Return a function with int32 in ``places`` of its results; without places the int64 of a Tensor of smaller
    integers has their dtype, of bools int32.
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if places:
            several = isinstance(found, tuple)
            return tuple(wrap(x.int()) if n in places else x for n, x in enumerate(found)) if several else found
        given = (*args, *kwargs.values())
        dtype = next((item.dtype for item in given if isinstance(item, torch.Tensor)), torch.int64)
        if found.dtype is not torch.int64 or any(item is torch.int64 for item in (dtype, *given)):
            return found
        return wrap(found.to(torch.int32 if dtype is torch.bool else dtype))

    return called


def _of_constant(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Return a loss without a gradient of its labels, the argument in ``place``."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        args = tuple(ops.stop_gradient(item) if n == place else item for n, item in enumerate(args))
        labels = {name: ops.stop_gradient(kwargs[name]) for name in {"labels", "target"} & kwargs.keys()}
        return function(*args, **{**kwargs, **labels})

    return called


def _counting(get_lr: Callable[..., Any]) -> Callable[..., Any]:
    """Return `Optimizer.get_lr` that counts a step, for the program's own optimizers."""

    @functools.wraps(get_lr)
    def called(self: Any) -> Any:
        rate = get_lr(self)
        if self._is_dynamic_lr_or_weight_decay() and not type(self).construct.__module__.startswith(__package__):
            self.assignadd(self.global_step, self.global_step_increase_tensor)
        return rate

    return called


def _to_own_memory(change: Callable[..., Any]) -> Callable[..., Any]:
    """Return an assignment to elements that the aliases of the Tensor do not see."""

    @functools.wraps(change)
    def called(self: Any, *args: Any) -> None:
        leave_aliases(self)
        leave_derivative(self)
        change(self, *args)

    return called


def _to_new_tensor(cast: Callable[..., Any]) -> Callable[..., Any]:
    """Return a cast that gives another Tensor also for its own dtype."""

    @functools.wraps(cast)
    def called(*args: Any, **kwargs: Any) -> Any:
        found = cast(*args, **kwargs)
        return wrap(found.view_as(found)) if any(found is item for item in args) else found

    return called


def _by_copy(update: Callable[..., Any]) -> Callable[..., Any]:
    return lambda param, value, *args: update(param, value.clone(), *args)


def _resize_nearest(today: Callable[..., Any]) -> Callable[..., Any]:
    """Return `ResizeNearestNeighborV2` with a ``data_format``, by default the channels last."""

    @functools.wraps(today, updated=())
    def made(align_corners: bool = False, half_pixel_centers: bool = False, data_format: str = "NHWC") -> Any:
        run = today(align_corners, half_pixel_centers)
        return run if data_format == "NCHW" else lambda x, size: run(x.permute(0, 3, 1, 2), size).permute(0, 2, 3, 1)

    return made


#: what 2.0 still did: wrappers with their arguments, and what they change
_UP_TO_2_0: tuple[tuple[Callable[..., Any], tuple[int, ...], str], ...] = (
    (_promoting, (), "ops.mul ops.multiply Tensor.mul Tensor.multiply Tensor.__mul__ Tensor.__rmul__ Tensor.__imul__"),
    (_promoting, (), "ops.Mul.__call__"),
    (_promoting, (1,), "ops.div ops.divide ops.true_divide Tensor.div Tensor.divide Tensor.true_divide"),
    (_promoting, (1,), "Tensor.__truediv__ Tensor.__itruediv__ ops.Div.__call__"),
    (_promoting, (-1,), "Tensor.__rtruediv__"),
    (_with_int32, (), "ops.sum ops.prod ops.cumprod ops.trace ops.range ops.Range.__call__ numpy.sum numpy.trace"),
    (_with_int32, (), "Tensor.sum Tensor.prod Tensor.cumprod Tensor.trace"),
    (_with_int32, (0,), "ops.ArgMaxWithValue.__call__ ops.ArgMinWithValue.__call__"),
    (_with_int32, (1,), "ops.max ops.min Tensor.max Tensor.min Tensor.argmax_with_value Tensor.argmin_with_value"),
    (_with_int32, (1, 2), "ops.unique_consecutive Tensor.unique_consecutive ops.UniqueConsecutive.__call__"),
    (_counting, (), "nn.Optimizer.get_lr"),
    (_to_own_memory, (), "Tensor.__setitem__"),
    (_to_new_tensor, (), "Tensor.astype Tensor.to ops.cast ops.Cast.__call__"),
    (_resize_nearest, (), "ops.ResizeNearestNeighborV2 ops.operations.ResizeNearestNeighborV2"),
    (_by_copy, (), "train.serialization._update_param"),
    (_of_constant, (1,), "ops.binary_cross_entropy ops.kl_div"),
    (_of_constant, (2,), "nn.BCELoss.construct nn.KLDivLoss.construct ops.BinaryCrossEntropy.__call__"),
)

#: function: what it was before 2.0
_CALLS: dict[str, Callable[..., Any]] = {
    "split": lambda input_x, axis=0, output_num=1: P.Split(axis, output_num)(input_x),
    "max": lambda x, axis=0, keep_dims=False: P.ArgMaxWithValue(axis, keep_dims)(x),
    "min": lambda x, axis=0, keep_dims=False: P.ArgMinWithValue(axis, keep_dims)(x),
    "argmin": lambda x, axis=-1: P.Argmin(axis)(x),
    "std": lambda input_x, axis=(), unbiased=True, keep_dims=False: P.ReduceStd(axis, unbiased, keep_dims)(input_x),
    "dropout": lambda x, p=0.5, seed0=0, seed1=0: P.Dropout(1 - p, seed0, seed1)(x),
    **{name: FORMER[name][0] for name in ("norm", "median", "argmax", "avg_pool2d")},
    "conv2d": conv2d_before_2_0,
    "bernoulli": lambda x, p=0.5, seed=-1: bernoulli(x, p, None if seed == -1 else seed),
    "vjp": FORMER["vjp"][0],
    "interpolate": interpolate_before_2_0,
}

#: class or method: what its arguments were before 2.0, in their order up to the last that has moved, and their defaults
_ARGUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "nn.Conv2dTranspose": (
        "in_channels out_channels kernel_size stride pad_mode padding dilation group has_bias weight_init bias_init",
        {},
    ),
    **dict.fromkeys(["nn.MaxPool2d", "nn.AvgPool2d"], ("kernel_size stride pad_mode data_format", {})),
    "nn.BCELoss": ("", {"reduction": "none"}),
    **dict.fromkeys(["Model.train", "Model.eval"], ("", {"dataset_sink_mode": True})),
    "Model.fit": ("", {"dataset_sink_mode": True, "valid_dataset_sink_mode": True}),
}

#: the same before 2.1
_ARGUMENTS_BEFORE_2_1: dict[str, tuple[str, dict[str, Any]]] = {
    **dict.fromkeys(
        ["nn.Dense", *(f"nn.Conv{n}d{kind}" for n in (1, 2, 3) for kind in ("", "Transpose"))],
        ("", {"weight_init": "normal", "bias_init": "zeros"}),
    ),
    "ops.IsClose": ("", {"equal_nan": True}),
}

#: the same before 2.5
_BEFORE_2_5: dict[str, Any] = dict.fromkeys(["Tensor.max", "Tensor.min"], ("axis keepdims", {}))
_BEFORE_2_5["Tensor.repeat"] = ("repeats axis", {})

#: the same before 1.6
_BEFORE_1_6: dict[str, Any] = {
    "nn.LSTMCell": ("input_size hidden_size has_bias batch_first dropout bidirectional", {"batch_first": False})
}

#: the same of 1.0
_OF_1_0: dict[str, Any] = {
    "Parameter.clone": ("prefix init", {}),
    "nn.Conv2dBnAct": ("", {"momentum": 0.9}),
    "nn.ActQuant": ("activation ema_decay per_channel num_bits symmetric narrow_range quant_delay", {}),
    "nn.DenseBnAct": ("in_channels out_channels weight_init bias_init has_bias has_bn activation after_fake", {}),
}

_selected: list[tuple[int, int]] = []


def select(release: str) -> None:
    """Give calls their meaning of ``release``, in this process and, by an environment variable, in its child processes.
    ``mindspore.__version__`` shows it.

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
    version.__version__ = f"{number[0]}.{number[1]}.0"
    vars(sys.modules[__package__])["__version__"] = version.__version__
    if number < (2, 5):
        _restore_arguments(_BEFORE_2_5)
    if number < (2, 3):
        for name in ("register_forward_pre_hook", "register_forward_hook", "register_backward_hook"):
            setattr(nn.Cell, name, _with_cell_id(getattr(nn.Cell, name)))
    if number < (2, 1):
        _before_2_1()
        importlib.import_module(f"{__package__}.dataset._former").select(number)
    if number < (2, 0):
        _before_2_0()
    if number < (1, 6):
        _restore_arguments(_BEFORE_1_6)
        vars(sys.modules[Tensor.__module__])["keeps_digits"] = True
        _weights_before_1_6()
    if number < (1, 1):
        for module in (nn, nn.layer):
            setattr(module, "LSTM", _LSTM)  # noqa: B010
        _restore_arguments(_OF_1_0)
        _numbers_of_1_0()
    if (1, 3) <= number < (2, 0):
        context.set_context(mode=context.GRAPH_MODE)


def select_inherited() -> None:
    """Select the release named in the environment, if any."""
    if os.environ.get(VARIABLE):
        select(os.environ[VARIABLE])


def _before_2_1() -> None:
    for name in _TRUNCATED:  # compiled code computed x += y as x = x + y
        setattr(Tensor, f"__i{name}__", getattr(Tensor, f"__{name}__"))
        tracing.by_operator[f"i{name}"] = tracing.by_operator[name]
    for wrapper, places, paths in _UP_TO_2_0:
        for path in paths.split():
            outer, _, name = path.rpartition(".")
            owner = pkgutil.resolve_name(f"{__package__}.{outer}")
            setattr(owner, name, wrapper(getattr(owner, name), *places))
            if owner is ops:
                setattr(functional, name, getattr(ops, name))
    for owner in (ops, functional, Tensor):
        for name in ("clamp", "clip"):
            setattr(owner, name, ops.clip_by_value)  # at a bound: half of the gradient
    setattr(Tensor, "bernoulli", _CALLS["bernoulli"])  # noqa: B010
    nn.SGD._without_decay = ()
    pkgutil.resolve_name(f"{__package__}.mindrecord._codec").bytes_column = lambda data: data  # uint8, not a string
    nn.Optimizer._parts["get_lr"] = nn.Optimizer.get_lr
    for layer in (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer):
        layer._linears = ("linear1", "linear2")
        setattr(layer, "_like", copy.deepcopy)  # noqa: B010
    _restore_arguments(_ARGUMENTS_BEFORE_2_1)


def _before_2_0() -> None:
    for name, call in _CALLS.items():
        call.__name__ = call.__qualname__ = name
        setattr(ops, name, call)
        setattr(functional, name, call)
    for name in METHODS:
        setattr(Tensor, name, _CALLS[name])
    for module in (sys.modules[__package__], train, serialization):
        vars(module)["load_param_into_net"] = _left_of_net
    flatten = nn.Flatten.construct  # of one axis: (N, 1)
    setattr(nn.Flatten, "construct", lambda self, x: flatten(self, x.unsqueeze(-1)))  # noqa: B010
    _restore_arguments(_ARGUMENTS)


def _weights_before_1_6() -> None:
    """Draw initial weights from NumPy's global generator; truncated ones from two deviations."""
    module = vars(sys.modules[Normal.__module__])

    def normal(self: Any, arr: np.ndarray) -> None:
        values = np.empty(arr.shape, np.float32)
        module["random_normal"](arr.shape, *self.seed, torch.from_numpy(values))
        arr[...] = values * np.float32(self.sigma) + np.float32(self.mean)

    def truncated(a: float, b: float, mean: float, sigma: float, arr: np.ndarray) -> None:
        least, most = (math.erfc(-bound / math.sqrt(2)) / 2 for bound in (a, b))
        shares = torch.from_numpy(np.random.uniform(size=arr.shape)) * (most - least) + least
        arr[...] = torch.special.ndtri(shares).numpy() * sigma + mean

    def uniform(a: float, b: float, arr: np.ndarray) -> None:
        arr[...] = np.random.uniform(a, b, arr.shape)

    def he(mean: float, sigma: float, arr: np.ndarray) -> None:
        arr[...] = np.random.normal(mean, sigma, arr.shape)

    Normal._initialize = normal  # type: ignore[method-assign]
    module.update(
        _init_truncated_normal_inplace=truncated, _init_random_uniform_inplace=uniform, _init_random_normal_inplace=he
    )


class _LSTM(nn.Cell):
    """LSTM of 1.0, with one flat weight."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0,
        bidirectional: bool = False,
    ) -> None:
        super().__init__()
        self.batch_first, sides = batch_first, 2 if bidirectional else 1
        self.layout = FlatLSTM(input_size, hidden_size, num_layers, has_bias, sides, 0)
        self.dropout = float(dropout)
        self.lstm = P.LSTM(input_size, hidden_size, num_layers, has_bias, bidirectional, self.dropout)
        count = sum(math.prod(shape) for one in self.layout.sizes() for shape in one)
        count += 8 * hidden_size * num_layers * sides * has_bias
        bound = 1 / math.sqrt(hidden_size)
        draw = np.random.uniform(-bound, bound, (count, 1, 1)).astype(np.float32)
        self.weight = Parameter(Tensor(draw), name="weight")

    def construct(self, x: Any, hx: Any) -> Any:
        x = x.swapaxes(0, 1) if self.batch_first else x
        inputs, hidden, layers, has_bias, sides, _ = self.layout
        if layers == 1 or (sides == 1 and inputs == hidden):
            x, h, c, *_ = self.lstm(x, *hx, self.weight)
        else:  # the kernel of 1.0's CPU does not pass both directions to the next layer
            weights = [item for one in self.layout.of_cudnn(torch.reshape(self.weight, (-1,))) for item in one]
            x, h, c = wrap(
                kernels.lstm(x, hx, weights, has_bias, layers, self.dropout, self.training, sides == 2, False)
            )
        return x.swapaxes(0, 1) if self.batch_first else x, (h, c)


_LSTM.__name__ = _LSTM.__qualname__ = "LSTM"


def _in_tensors_dtype(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Compute integers with a float in the dtype of the integers, and bools with an integer in int32."""

    @functools.wraps(compute)
    def called(*operands: Any) -> Any:
        dtypes = [item.dtype for item in operands if isinstance(item, torch.Tensor)]
        if len(dtypes) == 1 and not (dtypes[0].is_floating_point or dtypes[0].is_complex):
            kind = int if dtypes[0] is torch.bool else float
            operands = tuple(
                (Tensor(item, torch.int32) if kind is int else int(item)) if type(item) is kind else item
                for item in operands
            )
        return compute(*operands)

    return called


def _numbers_of_1_0() -> None:
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        for method in (f"__{name}__", f"__r{name}__", f"__i{name}__"):
            setattr(Tensor, method, _in_tensors_dtype(getattr(Tensor, method)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Tensor, f"__{name}__", _in_tensors_dtype(getattr(Tensor, f"__{name}__")))
    for name in (
        "TensorAdd Add Sub Mul Div RealDiv FloorDiv Mod FloorMod TruncateDiv TruncateMod Pow Maximum Minimum "
        "SquaredDifference Less LessEqual Greater GreaterEqual Equal NotEqual"
    ).split():
        primitive = getattr(P, name)
        setattr(primitive, "__call__", _in_tensors_dtype(primitive.__call__))  # noqa: B010


@functools.wraps(load_param_into_net)
def _left_of_net(*args: Any, **kwargs: Any) -> Any:
    """Return names of the network's Parameters that are not loaded, but not those of the checkpoint, as before 2.0."""
    return load_param_into_net(*args, **kwargs)[0]


def _with_cell_id(register: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of Cell whose hooks get the Cell's name and id, a string, in the place of the Cell."""

    @functools.wraps(register)
    def called(self: Any, hook_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        def hook(cell: Any, *given: Any) -> Any:
            return hook_fn(f"{cell.cls_name}({id(cell)})", *given)

        is_own = str(getattr(hook_fn, "__module__", "")).startswith(__package__)
        return register(self, hook_fn if is_own else functools.wraps(hook_fn)(hook), *args, **kwargs)

    return called


def _restore_arguments(table: dict[str, tuple[str, dict[str, Any]]]) -> None:
    for path, (order, defaults) in table.items():
        outer, _, name = path.rpartition(".")
        owner = pkgutil.resolve_name(f"{__package__}.{outer}")
        target = getattr(owner, name)
        if isinstance(target, type):
            target.__init__ = with_arguments(target.__init__, order.split(), defaults)  # type: ignore[misc]
        else:
            setattr(owner, name, with_arguments(target, order.split(), defaults))
