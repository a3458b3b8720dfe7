"""Kernels for 16-bit floats on a CPU that compute in float32 and round once.

torch has a float16 kernel of most operators, but many are slow. Without hardware for float16, matrix products are 80 to
350 times slower than in float32; with it the gradients of convolutions still 15 to 170 times. A few do not exist.
Through float32 most take 0.9 to 1.6 times float32's time, small ones up to 2.5 (benchmarks/half.py). They are no less
exact: torch's own kernels also accumulate in float32, where they are correct.

The module also has products of integers on CUDA, for which torch has no kernels.

The whole package calls these operators from here (tests/common/test_kernels.py). The rest of torch is faster as it is.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch

_nn: Any = torch._C._nn
_Base: Any = torch._C.TensorBase
_F16, _BF16, _F32 = torch.float16, torch.bfloat16, torch.float32
_HALVES = frozenset((_F16, _BF16))
_has_bfloat16 = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()

# types that go through float32
_FLOAT16 = frozenset((_F16,))
_BOTH = _HALVES
_PRODUCT = _FLOAT16 if _has_bfloat16 else _BOTH  # without hardware oneDNN emulates bfloat16

#: products that torch.autocast casts too
_PRODUCTS = (
    "matmul mm bmm addmm addbmm baddbmm linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
).split()
#: name: (torch's operator, types that go through float32)
_TABLE: dict[str, tuple[Callable[..., Any], frozenset[torch.dtype]]] = {
    **{
        name: (getattr(torch, name), _PRODUCT)
        for name in (
            "matmul mm bmm mv addmm addmv addbmm baddbmm addr inner tensordot einsum conv1d conv2d conv3d "
            "conv_transpose1d conv_transpose2d conv_transpose3d lstm"
        ).split()
    },
    "linear": (_nn.linear, _PRODUCT),
    "bilinear": (torch.nn.functional.bilinear, _PRODUCT),
    "multi_dot": (torch.linalg.multi_dot, _PRODUCT),
    "matrix_power": (torch.linalg.matrix_power, _PRODUCT),
    "affine_grid": (torch.nn.functional.affine_grid, _PRODUCT),
    "cov": (torch.cov, _PRODUCT),
    "corrcoef": (torch.corrcoef, _PRODUCT),
    "scaled_dot_product_attention": (_nn.scaled_dot_product_attention, _BOTH),
    **{
        name: (getattr(torch, name), _BOTH)
        for name in "gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell cdist".split()
    },
    "group_norm": (torch.group_norm, _FLOAT16),
    "adaptive_avg_pool1d": (torch.adaptive_avg_pool1d, _FLOAT16),
    "adaptive_avg_pool2d": (_nn.adaptive_avg_pool2d, _FLOAT16),
    "adaptive_avg_pool3d": (_nn.adaptive_avg_pool3d, _BOTH),
    "avg_pool3d": (_nn.avg_pool3d, _BOTH),
    "fold": (torch.nn.functional.fold, _FLOAT16),
    "unfold": (torch.nn.functional.unfold, _FLOAT16),
    "interpolate": (torch.nn.functional.interpolate, _FLOAT16),
    "norm": (torch.linalg.norm, _FLOAT16),
    "matrix_norm": (torch.linalg.matrix_norm, _FLOAT16),
    "renorm": (torch.renorm, _FLOAT16),
    "cosine_similarity": (torch.cosine_similarity, _FLOAT16),
    "square": (torch.square, _FLOAT16),
    "pow": (torch.pow, _FLOAT16),
    "vector_norm": (torch.linalg.vector_norm, _FLOAT16),
    "prod": (torch.prod, _BOTH),
    "logsumexp": (torch.logsumexp, _BOTH),
}
#: operators whose first Tensor is not the first argument
_NESTED = frozenset(("einsum", "multi_dot"))
#: operators that take float32 weights beside a 16-bit input
_MIXED = frozenset(("group_norm",))


#: products of two tensors that have no kernel for integers on CUDA, and those that add something to such a product
_PAIRS = frozenset("matmul mm bmm mv inner tensordot".split())
_SUMS = {"addmm": "mm", "addmv": "mv", "baddbmm": "bmm"}
_LIMB = 16  # bits: a sum of 2**21 products of two limbs is below 2**53, so float64 holds it exactly
_LONGEST = 2**21
_INTEGERS = frozenset(
    (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64)
)


class _Thread(threading.local):
    as_torch = False
    in_float32: frozenset[str] = frozenset()


THREAD = _Thread()
#: torch's product of float32, for a layer that has looked at the dtype and at ``THREAD.in_float32``
float32_dense: Callable[..., Any] = _nn.linear


def floats(value: Any) -> Iterator[torch.Tensor]:
    """Yield the floating-point tensors in nested tuples and lists."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from floats(item)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        return _Base.to(value, dtype) if value.is_floating_point() else value
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)([_cast(item, dtype) for item in value])
    return value


def _through_float32(
    operator: Callable[..., Any], dtype: torch.dtype, mixed: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Run the operator on float32 copies and round its results to ``dtype``. Mixed dtypes go to torch unchanged."""
    given = [*args, *kwargs.values()]
    if (not mixed and any(tensor.dtype is not dtype for tensor in floats(given))) or kwargs.get("out") is not None:
        return operator(*args, **kwargs)
    target = kwargs.get("dtype") or dtype
    if torch.is_autocast_enabled("cpu"):  # it would cast them back
        with torch.autocast("cpu", enabled=False):
            return _through_float32(operator, dtype, mixed, args, kwargs)
    return _cast(
        operator(*[_cast(arg, _F32) for arg in args], **{key: _cast(arg, _F32) for key, arg in kwargs.items()}), target
    )


def integer_product(operator: Callable[..., Any], x: torch.Tensor, y: torch.Tensor, *args: Any) -> torch.Tensor:
    """Return the product of two integer tensors of one dtype, by `operator` on float64 limbs. Each limb's products are
    exact, so the result is exact and wraps around like integers.

    Args:
        operator: bilinear, and sums over at most 2**21 products.
    """
    count = max(1, x.dtype.itemsize * 8 // _LIMB)

    def limbs(value: torch.Tensor) -> list[torch.Tensor]:
        wide = _Base.to(value, torch.int64)
        return [_Base.to((wide >> _LIMB * i) & (2**_LIMB - 1), torch.float64) for i in range(count)]

    lefts, rights = limbs(x), limbs(y)
    total: Any = 0
    for i, left in enumerate(lefts):
        for j, right in enumerate(rights[: count - i]):
            total = total + (_Base.to(operator(left, right, *args), torch.int64) << _LIMB * (i + j))
    return _Base.to(total, x.dtype)


def _in_float32(operator: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the operator on float32 copies; return its float32 results."""
    wide = {key: _F32 if key == "dtype" and arg is not None else _cast(arg, _F32) for key, arg in kwargs.items()}
    with torch.autocast("cpu", enabled=False):
        return operator(*_cast(args, _F32), **wide)


def _with_integers(name: str) -> Callable[..., Any]:
    """Return torch's operator, also for integers on CUDA."""
    operator = _TABLE[name][0]

    def product(x: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(x, "dtype", None) in _INTEGERS and not x.is_cpu and args and args[0].dtype is x.dtype:
            length = min(x.numel(), args[0].numel()) if name == "tensordot" else x.shape[-1] if x.dim() else 0
            if length <= _LONGEST and "out" not in kwargs:
                return integer_product(operator, x, *args, *kwargs.values())
        return operator(x, *args, **kwargs)

    def added(x: Any, *args: Any, beta: Any = 1, alpha: Any = 1, **kwargs: Any) -> Any:
        whole = isinstance(beta, int) and isinstance(alpha, int)
        if getattr(x, "dtype", None) in _INTEGERS and not x.is_cpu and whole and not kwargs:
            return beta * x + alpha * _with_integers(_SUMS[name])(*args)
        return operator(x, *args, beta=beta, alpha=alpha, **kwargs)

    return added if name in _SUMS else product if name in _PAIRS else operator


def _kernel(name: str) -> Callable[..., Any]:
    operator, types = _TABLE[name]
    anywhere = _with_integers(name)
    mixed = name in _MIXED

    def kernel(x: Any, *args: Any, **kwargs: Any) -> Any:
        dtype = getattr(x, "dtype", None)
        if dtype is _F32:
            return operator(x, *args, **kwargs)
        if dtype in types and x.is_cpu and not THREAD.as_torch:
            if name in THREAD.in_float32 and torch.is_autocast_enabled("cpu"):
                return _in_float32(operator, (x, *args), kwargs)
            return _through_float32(operator, dtype, mixed, (x, *args), kwargs)
        return anywhere(x, *args, **kwargs)

    def nested(*args: Any, **kwargs: Any) -> Any:
        first = next(floats(args), None)
        if first is not None and first.dtype in types and first.is_cpu and not THREAD.as_torch:
            return _through_float32(operator, first.dtype, mixed, args, kwargs)
        return operator(*args, **kwargs)

    chosen = nested if name in _NESTED else kernel
    chosen.__name__ = chosen.__qualname__ = name
    return chosen


def as_given(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function without the casts of "auto", for a single MindSpore operator that is on neither list."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        for device in ("cpu", "cuda"):
            if torch.is_autocast_enabled(device):
                with torch.autocast(device, enabled=False):
                    return function(*args, **kwargs)
        return function(*args, **kwargs)

    return run


@contextlib.contextmanager
def giving_float32(names: frozenset[str]) -> Iterator[None]:
    """Let the operators of these names return their float32 results while torch.autocast is on."""
    before, THREAD.in_float32 = THREAD.in_float32, names
    try:
        yield
    finally:
        THREAD.in_float32 = before


def adds_bias_apart(x: Any) -> bool:
    """Return whether a layer adds its bias by a separate operator, so that a float32 bias is not rounded to 16 bits."""
    return bool(THREAD.in_float32) and torch.is_autocast_enabled(x.device.type)


def convolved(operator: Callable[..., Any], x: Any, weight: Any, bias: Any, *rest: Any) -> Any:
    """Run a convolution of torch and add its bias, by a separate operator if `adds_bias_apart`."""
    if bias is None or not adds_bias_apart(x):
        return operator(x, weight, bias, *rest)
    return torch.add(operator(x, weight, None, *rest), torch.reshape(bias, (-1, *[1] * (weight.dim() - 2))))


def dense(x: Any, weight: Any, bias: Any) -> Any:
    """Return x · weightᵀ + bias, by two operators if `adds_bias_apart`."""
    if not THREAD.in_float32 or bias is None or not adds_bias_apart(x):
        return KERNELS["linear"](x, weight, bias)
    return torch.add(KERNELS["linear"](x, weight), bias)


@contextlib.contextmanager
def as_torch(wanted: bool = True) -> Iterator[None]:
    """Run operators as torch does, so that exported files show no casts. False ends that."""
    before, THREAD.as_torch = THREAD.as_torch, wanted
    try:
        yield
    finally:
        THREAD.as_torch = before


def shows_torch() -> bool:
    """Return whether operators run as torch's own here, for a recorder."""
    return THREAD.as_torch


#: rows that differ from torch's method of the name: windows along an axis, norms of flattened tensors
_OTHERS = frozenset({"unfold", "norm"})
_NAMES = {operator: name for name, (operator, _) in _TABLE.items()}


def kernel_of(operator: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the table's kernel of torch's operator or Tensor method, if it has one."""
    name = _NAMES.get(operator) or getattr(operator, "__name__", "").strip("_")
    return None if name in _OTHERS and operator not in _NAMES else KERNELS.get(name)


#: torch's operators that "auto" gives 16-bit inputs, by their row
CAST_BY_AUTOCAST = {
    _TABLE[name][0]: name
    for name in (*_PRODUCTS, *"mv addmv inner tensordot multi_dot cov corrcoef scaled_dot_product_attention".split())
    if name != "conv_transpose1d"  # it is on none of MindSpore's lists
}


_ADDED_TO = {**_SUMS, "addbmm": "bmm"}  # operators that add to a product, and that product


def cast_by_autocast(device: str, operator: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run one of `CAST_BY_AUTOCAST` under torch.autocast: on rounded inputs (float64, too), by the table's kernel. The
    summand of a product is not rounded.
    """
    name, dtype = CAST_BY_AUTOCAST[operator], torch.get_autocast_dtype(device)
    with torch.autocast(device, enabled=False):
        added = _ADDED_TO.get(name)
        if added and args[0].is_floating_point():
            product = KERNELS[added](*_cast(args[1:], dtype))
            product = torch.sum(product, 0) if name == "addbmm" else product
            return args[0] * kwargs.get("beta", 1) + product * kwargs.get("alpha", 1)
        return KERNELS[name](*_cast(args, dtype), **{key: _cast(arg, dtype) for key, arg in kwargs.items()})


KERNELS: dict[str, Callable[..., Any]] = {name: _kernel(name) for name in _TABLE}
globals().update(KERNELS)
#: methods of torch's Tensors that are these operators
METHODS = {name: KERNELS[name] for name in "matmul mm bmm mv addmm addmv addbmm baddbmm addr inner square pow".split()}


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module {__name__!r} has no operator {name!r}; those of KERNELS are here.")
