"""Mixed-precision strategies for all operators while they are pushed. MindSpore: ``mindspore.train.amp``'s
``push_amp_strategy``, ``AmpDecorator``, and the lists of "auto".

A list names Primitives; `_TORCH_NAMES` maps them to torch's operators. A ``TorchFunctionMode`` intercepts operators, in
the same place as `_precision.py` does for "auto".
"""

from __future__ import annotations

import contextlib
import enum
import re
from collections.abc import Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.autocast import COMPUTING, cast_each, float_types, run_by_kernel
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops import operations as _operations

Rows = Sequence[tuple[str, Sequence[int]]]


class AmpLevel(enum.IntEnum):
    """Level of a strategy, by the operators with cast inputs: AmpO0 none; AmpO1 the white list's; AmpO2 all but the
    black list's, which get float32; AmpO3 all; AmpAuto the white list's, with float32 for the black list's and the
    widest input type for others.
    """

    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


def _listed(names: str) -> list[Any]:
    return [getattr(_operations, name) for name in names.split() if hasattr(_operations, name)]


#: Primitives that "auto" computes in low precision
AMP_AUTO_WHITE_LIST: list[Any] = _listed(
    "Conv2D Conv3D Conv2DExt Conv3DExt ConvTranspose2D Conv2DTranspose Conv3DTranspose Convolution MatMul MatMulExt "
    "BatchMatMul BatchMatMulExt PReLU Einsum Dense Addmm Addbmm Addmv Baddbmm Mv"
)
#: Primitives that "auto" computes in float32
AMP_AUTO_BLACK_LIST: list[Any] = _listed(
    "Pow ACos Asin Cosh Erfinv Exp Expm1 Log Log10 Log1p Log2 Reciprocal Rsqrt Sinh Tan Softplus SoftplusExt LayerNorm "
    "LayerNormExt BatchNorm BatchNormExt GroupNorm Norm KLDivLoss SmoothL1Loss MultilabelMarginLoss SoftMarginLoss "
    "TripletMarginLoss MultiMarginLoss BCEWithLogitsLoss Pdist Cdist Renorm ReduceProd Softmax LogSoftmax "
    "LogSoftmaxExt CumProd CumSum CumsumExt ProdExt SumExt L1LossExt MSELossExt NLLLoss NLLLoss2d"
)
_TORCH_NAMES = {
    "Conv2D": "conv1d conv2d",
    "Conv3D": "conv3d",
    "ConvTranspose2D": "conv_transpose2d",
    "Conv2DTranspose": "conv_transpose1d conv_transpose2d",
    "Conv3DTranspose": "conv_transpose3d",
    "Convolution": "conv1d conv2d conv3d convolution",
    "MatMul": "matmul mm linear addmm __matmul__ __rmatmul__",
    "BatchMatMul": "bmm matmul __matmul__ __rmatmul__",
    "Dense": "linear",
    "PReLU": "prelu",
    "ACos": "acos",
    "Pow": "pow __pow__ __rpow__",
    "KLDivLoss": "kl_div",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "ReduceProd": "prod",
    "ReduceSum": "sum",
    "ReduceMean": "mean",
    "CumProd": "cumprod",
    "CumSum": "cumsum",
    "Add": "add __add__ __radd__",
    "Sub": "sub __sub__ __rsub__",
    "Mul": "mul __mul__ __rmul__",
    "Div": "div true_divide __truediv__ __rtruediv__",
    "ReLU": "relu",
    "GeLU": "gelu",
    "SiLU": "silu",
    "L1Loss": "l1_loss",
    "MSELoss": "mse_loss",
    "NLLLoss2d": "nll_loss",
    "Norm": "norm vector_norm",
}


def _torch_names(primitive: str) -> set[str]:
    base = primitive.removesuffix("Ext")
    known = _TORCH_NAMES.get(primitive) or _TORCH_NAMES.get(base)
    return set(known.split()) if known else {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", base).lower(), base.lower()}


_FLOATS = (torch.float16, torch.bfloat16, torch.float32)


class AmpStrategy:
    """A level, the low precision and the lists, by Primitives' names, with the arguments concerned (empty: all)."""

    def __init__(self, level: AmpLevel, dtype: torch.dtype, white_list: Rows, black_list: Rows) -> None:
        self._level, self._dtype = level, dtype
        self._white, self._black = list(white_list), list(black_list)

    def get_amp_level(self) -> AmpLevel:
        return self._level

    def get_amp_dtype(self) -> torch.dtype:
        return self._dtype

    def get_white_list(self) -> list[Any]:
        return self._white

    def get_black_list(self) -> list[Any]:
        return self._black


class _Casts(TorchFunctionMode):
    """Casts of operator inputs by a strategy."""

    def __init__(self, strategy: AmpStrategy) -> None:
        super().__init__()
        self._entered = contextlib.ExitStack()
        self._level, self._dtype = strategy.get_amp_level(), strategy.get_amp_dtype()
        self._white, self._black = (
            {name: tuple(positions) for primitive, positions in rows for name in _torch_names(primitive)}
            for rows in (strategy.get_white_list(), strategy.get_black_list())
        )

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        target = self._target(getattr(func, "__name__", ""), args, kwargs) if self is _pushed[-1] else None
        if target is None:
            return run_by_kernel(func, args, kwargs)
        dtype, positions = target
        if not positions and kwargs.get("dtype") in float_types(args):  # special value: as the input
            kwargs = {**kwargs, "dtype": dtype}

        def cast(tensor: torch.Tensor) -> torch.Tensor:
            own = torch._C.TensorBase.dtype.__get__(tensor)
            return torch._C.TensorBase.to(tensor, dtype) if own in _FLOATS and own is not dtype else tensor

        args = tuple(
            cast_each(value, cast) if not positions or position in positions else value
            for position, value in enumerate(args)
        )
        if not positions:
            kwargs = {key: cast_each(value, cast) for key, value in kwargs.items()}
        return run_by_kernel(func, args, kwargs)

    def __enter__(self) -> Any:
        self._entered.enter_context(kernels.as_torch())  # to see operators before their 16-bit inputs change
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._entered.close()

    def _target(self, name: str, args: Any, kwargs: Any) -> tuple[torch.dtype, tuple[int, ...]] | None:
        """Return the dtype for an operator's inputs, and the inputs to cast (none: all); None to cast nothing."""
        level = self._level
        if level == AmpLevel.AmpO0 or name not in COMPUTING:
            return None
        found = float_types((*args, *kwargs.values()))
        if not found or torch.float64 in found:
            return None
        if level in (AmpLevel.AmpO1, AmpLevel.AmpAuto) and name in self._white:
            return self._dtype, self._white[name]
        if level in (AmpLevel.AmpO2, AmpLevel.AmpAuto) and name in self._black:
            return torch.float32, self._black[name]
        if level in (AmpLevel.AmpO2, AmpLevel.AmpO3):
            return self._dtype, ()
        return (torch.float32, ()) if level == AmpLevel.AmpAuto and len(found) > 1 else None


def create_amp_strategy(amp_level: Any, amp_dtype: Any, white_list: Rows, black_list: Rows) -> AmpStrategy:
    """Return a strategy for `push_amp_strategy`; see `AmpLevel`."""
    return AmpStrategy(amp_level, to_torch_dtype(amp_dtype), white_list, black_list)


_pushed: list[_Casts] = []


def push_amp_strategy(amp_level: Any, amp_dtype: Any, white_list: Rows, black_list: Rows) -> None:
    """Cast operator inputs by the strategy until `pop_amp_strategy`. The last of several counts."""
    casts = _Casts(create_amp_strategy(amp_level, amp_dtype, white_list, black_list))
    casts.__enter__()
    _pushed.append(casts)


def pop_amp_strategy() -> None:
    """End the strategy that was pushed last, if any."""
    if _pushed:
        _pushed.pop().__exit__(None, None, None)


class AmpDecorator:
    """Context of a strategy: ``with AmpDecorator(level, dtype, white_list, black_list):``."""

    def __init__(self, amp_level: Any, amp_dtype: Any, white_list: Rows, black_list: Rows) -> None:
        self.amp_level, self.amp_dtype = amp_level, amp_dtype
        self.white_list, self.black_list = white_list, black_list

    def __enter__(self) -> None:
        push_amp_strategy(self.amp_level, self.amp_dtype, self.white_list, self.black_list)

    def __exit__(self, *error: object) -> None:
        pop_amp_strategy()


def amp_cast(value: Any, dtype: Any) -> Any:
    """Return a floating-point Tensor in ``dtype``; other values unchanged."""
    if isinstance(value, Tensor) and torch.Tensor.is_floating_point(value):
        return value.astype(dtype)
    return value
