"""Operators with torch's arguments and behaviour under MindSpore's names: class ``AddExt``, function ``add_ext``.

A row is a function; its class has attributes where the row names some.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.integer_results import given_in, mean_in
from mindspore_compat._ops.activation import silu, swiglu
from mindspore_compat._ops.adapt import as_plain, dtype_or_none, pair
from mindspore_compat._ops.conv import conv_transpose2d, sizes_of
from mindspore_compat._ops.creation import one_hot
from mindspore_compat._ops.declare import Int, declared, row
from mindspore_compat._ops.linalg import solve_triangular
from mindspore_compat._ops.pooling import MaxPoolWithArgmaxV2
from mindspore_compat._ops.shape import concat
from mindspore_compat._ops.update import _step
from mindspore_compat._tensor.wrapping import wrap


def _add(input: Any, other: Any, alpha: Any = 1) -> Any:
    """Return input + alpha · other."""
    left, right = pair(input, other)
    return wrap(torch.add(left, right, alpha=alpha))


def _sub(input: Any, other: Any, alpha: Any = 1) -> Any:
    """Return input - alpha · other."""
    left, right = pair(input, other)
    return wrap(torch.sub(left, right, alpha=alpha))


def _reduction(function: Any, name: str) -> Any:
    def reduce(input: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        axes = tuple(range(input.dim())) if dim is None or dim == () else dim
        return wrap(given_in(function, input, axes, keepdim, dtype=dtype_or_none(dtype)))

    reduce.__doc__ = f"The {name} over ``dim``, None for all axes."
    return reduce


def _cumsum(input: Any, dim: int, dtype: Any = None) -> Any:
    """Return running sums along ``dim``."""
    return wrap(given_in(torch.cumsum, input, dim, dtype=dtype_or_none(dtype)))


def _scatter(input: Any, dim: int, index: Any, src: Any, reduce: str = "none") -> Any:
    """Return a copy with ``src`` put, or for "add" added, at places ``index`` along ``dim``."""
    reduce = {0: "none", 1: "add"}.get(reduce, reduce) if isinstance(reduce, int) else reduce
    if reduce not in ("none", "add"):
        raise ValueError(f"For 'Scatter', the 'reduce' must be 'none' or 'add', but got {reduce!r}.")
    index = torch.Tensor.long(index)
    if not isinstance(src, torch.Tensor):
        return wrap(torch.scatter(input, dim, index, src, **({"reduce": "add"} if reduce == "add" else {})))
    return wrap(torch.scatter_add(input, dim, index, src) if reduce == "add" else torch.scatter(input, dim, index, src))


def _one_hot(tensor: Any, num_classes: int, on_value: Any, off_value: Any, axis: int = -1) -> Any:
    """Return ``on_value`` at the class, ``off_value`` elsewhere, along a new axis."""
    return one_hot(tensor, num_classes, on_value, off_value, axis)


def _slice(input: Any, dim: int, start: int, end: int, step: int) -> Any:
    """Return ``input[start:end:step]`` along ``dim``."""
    return input[(slice(None),) * (dim % input.dim()) + (slice(start, end, step),)]


def _convolution(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    transposed: bool = False,
    output_padding: Any = 0,
    groups: int = 1,
) -> Any:
    """Run torch's general convolution, or its transpose."""
    dims = weight.dim() - 2
    steps = [sizes_of(value, dims) for value in (stride, padding, dilation)]
    return wrap(torch.convolution(input, weight, bias, *steps, transposed, sizes_of(output_padding, dims), groups))


def _upsample_nearest2d(input: Any, output_size: Any = None, scales: Any = None) -> Any:
    """Return nearest neighbours, to ``output_size`` or by ``scales``."""
    sizes = None if output_size is None else tuple(output_size)
    return wrap(torch._C._nn.upsample_nearest2d(input, sizes, None if scales is None else list(scales)))


def _group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-05) -> Any:
    """Return (y, mean, 1 / deviation), both of (N, groups) and without gradient."""
    batch, channels = input.shape[:2]
    size = math.prod(input.shape[2:])
    y, *rest = torch.native_group_norm(as_plain(input), weight, bias, batch, channels, size, int(num_groups), eps)
    return wrap((y, *(item.detach() for item in rest)))


def _adamw(var: Any, m: Any, v: Any, max_v: Any, gradient: Any, step: Any, lr: Any, *rest: Any) -> tuple[int, int, int]:
    """Run one step of `mint.optim.AdamW`, after ``step`` earlier ones."""
    names = ("beta1", "beta2", "weight_decay", "eps", "amsgrad", "maximize")
    lists = [[var], [gradient.contiguous()], [m], [v], [max_v] if rest[4] else [], [torch.as_tensor(step + 1.0)]]
    torch._fused_adamw_(*lists, lr=lr, **dict(zip(names, rest)))
    return 0, 1, 2


_FUNCTIONS: dict[str, Any] = {
    "GroupNorm": _group_norm,
    "SliceExt": _slice,
    "Convolution": _convolution,
    "ConvTranspose2D": conv_transpose2d,
    "UpsampleNearest2D": _upsample_nearest2d,
    "AddExt": _add,
    "SubExt": _sub,
    "SumExt": _reduction(torch.sum, "sum"),
    "MeanExt": _reduction(mean_in, "mean"),
    "CumsumExt": _cumsum,
    "MatMulExt": lambda input, other: wrap(kernels.matmul(*pair(input, other))),
    "BatchMatMulExt": lambda input, mat2: wrap(kernels.bmm(*pair(input, mat2))),
    "FmodScalar": lambda input, other: wrap(torch.fmod(input, other)),
    "FmodTensor": lambda input, other: wrap(torch.fmod(*pair(input, other))),
    "Outer": lambda input, vec2: wrap(torch.outer(*pair(input, vec2))),
    "SiLU": silu,
    "SortExt": lambda input, dim=-1, descending=False, stable=False: wrap(
        tuple(torch.sort(input, dim=dim, descending=descending, stable=stable))
    ),
    "TopkExt": lambda input, k, dim=-1, largest=True, sorted=True: wrap(
        tuple(torch.topk(input, int(k), dim, largest, sorted))
    ),
    "SplitWithSize": lambda input, split_size, dim=0: wrap(tuple(torch.split(input, list(split_size), dim))),
    "SplitTensor": lambda input, split_size, dim=0: wrap(tuple(torch.split(input, int(split_size), dim))),
    "ZerosLikeExt": lambda input, dtype=None: wrap(torch.zeros_like(as_plain(input), dtype=dtype_or_none(dtype))),
    "OnesLikeExt": lambda input, dtype=None: wrap(torch.ones_like(as_plain(input), dtype=dtype_or_none(dtype))),
    "SolveTriangular": solve_triangular,
    "Swiglu": swiglu,
    "Scatter": _scatter,
    "IndexSelect": lambda input, dim, index: wrap(torch.index_select(input, dim, index)),
    "OneHotExt": row(_one_hot, axis=(Int, -1)),
    "SequenceConcat": row(lambda x, axis=0: concat(x, axis), "Tensors of a sequence along an axis.", axis=(Int, 0)),
    "AdamW": lambda var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad=False, maximize=False: (
        _step(_adamw)(var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad, maximize)
    ),
    "InplaceCopy": lambda input, src, non_blocking=False: input.copy_(src, non_blocking),
    "StackExt": row(
        lambda tensors, dim=0: wrap(torch.stack(list(tensors), dim)), "Tensors along a new axis.", dim=(Int, 0)
    ),
}

CLASSES: dict[str, Any] = {**declared(_FUNCTIONS, __name__), "MaxPoolWithIndices": MaxPoolWithArgmaxV2}


def _named(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def _contiguous(input: Any) -> Any:
    """Return the tensor, in row-major order."""
    return input.contiguous()


def _copy(input: Any) -> Any:
    """Return a copy in row-major order."""
    return input.clone().contiguous()


#: add_ext, sum_ext, ...: those whose arguments are all inputs
FUNCTIONS: dict[str, Any] = {
    _named(name).replace("mat_mul", "matmul"): function
    for name, function in _FUNCTIONS.items()
    if name.endswith("Ext") and callable(function) and not isinstance(function, tuple)
} | {"contiguous": _contiguous, "copy": _copy, "solve_triangular": solve_triangular}
