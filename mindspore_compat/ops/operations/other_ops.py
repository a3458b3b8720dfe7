"""Sequencing and parameters in class form. MindSpore: ``mindspore.ops.operations.other_ops``, ``inner_ops``,
``_inner_ops``, ``control_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._graph.program import program
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_plain, dtype_or_none
from mindspore_compat.ops._declare import plain, primitive
from mindspore_compat.ops.function.grad._operation import stop_gradient

__all__ = """
    Depend Partial StopGradient Push Pull PyFunc identity MixedPrecisionCast IsConstant MoveTo WhileLoop ForiLoop
    Scan Load UpdateState
""".split()

_Run = Callable[..., Any]

Depend = plain("Depend", F.depend)
Partial = plain("Partial", F.partial)
StopGradient = plain("StopGradient", stop_gradient)
identity = plain("identity", F.identity)
MixedPrecisionCast = plain("MixedPrecisionCast", F.mixed_precision_cast)
IsConstant = plain("IsConstant", F.isconstant)
MoveTo = plain("MoveTo", F.move_to)
Load = plain("Load", lambda variable, u=None: wrap(torch.clone(variable)))
UpdateState = plain("UpdateState", lambda u, *expressions: u)


@primitive
def Push(optim_type: str = "ApplyMomentum", only_shape_indices: Any = None) -> _Run:
    """Raise: parameter servers do not exist on PyTorch.

    Raises:
        NotImplementedError: always, when called.
    """
    return _no_parameter_server


@primitive
def Pull() -> _Run:
    """Raise: parameter servers do not exist on PyTorch.

    Raises:
        NotImplementedError: always, when called.
    """
    return _no_parameter_server


def _no_parameter_server(*args: Any) -> None:
    raise NotImplementedError(
        "For 'Push' and 'Pull', parameter server training is not available on PyTorch. Use data parallel training "
        "instead."
    )


@primitive
def PyFunc(
    fn: Callable[..., Any], in_types: Any, in_shapes: Any, out_types: Any, out_shapes: Any, stateful: bool = True
) -> _Run:
    """numpy function as operator; no gradient flows through it.

    The function takes arrays of the declared types and shapes, and a Python number for the shape (). Its results have
    the declared types and shapes.

    Raises:
        ValueError: if an input or a result has another number of elements than its declared shape, or if the results
            are more or fewer than declared.
    """

    def run(*inputs: Any) -> Any:
        program.not_repeatable("it calls a Python function")
        given = [_declared(item, *kind) for item, kind in zip(inputs, zip(in_types, in_shapes), strict=True)]
        found = fn(*[item.item() if item.dim() == 0 else item.cpu().numpy() for item in given])
        found = found if isinstance(found, tuple) or len(out_types) > 1 else (found,)
        return tuple(
            [wrap(_declared(item, *kind)) for item, kind in zip(found, zip(out_types, out_shapes), strict=True)]
        )

    return run


def _declared(value: Any, dtype: Any, shape: Any) -> torch.Tensor:
    value = as_plain(value if isinstance(value, torch.Tensor) else np.asarray(value), dtype_or_none(dtype))
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    try:
        return value.detach().reshape(shape)
    except RuntimeError:
        raise ValueError(
            f"For 'PyFunc', the declared shape {shape} must hold a value of shape {tuple(value.shape)}. Declare the "
            "shapes that the function takes and returns."
        ) from None


#: takes (cond_func, loop_func, init_val) while a network is exported: the rounds of a loop can depend on values then
loop_of_trace: Callable[..., Any] | None = None


def _while_loop(cond_func: Callable[..., Any], loop_func: Callable[..., Any], init_val: Any) -> Any:
    if loop_of_trace is not None:
        return loop_of_trace(cond_func, loop_func, init_val)
    value = init_val
    while cond_func(value):
        value = loop_func(value)
    return value


def _fori_loop(lower: Any, upper: Any, loop_func: Callable[..., Any], init_val: Any, unroll: bool = True) -> Any:
    value = init_val
    for i in range(int(lower), int(upper)):
        value = loop_func(i, value)
    return value


def _scan(loop_func: Callable[..., Any], init: Any, xs: Any, length: int | None = None, unroll: bool = True) -> Any:
    value, results = init, []
    for item in xs if xs is not None else [None] * int(length or 0):
        value, result = loop_func(value, item)
        results.append(result)
    return value, results


WhileLoop = plain("WhileLoop", _while_loop)
ForiLoop = plain("ForiLoop", _fori_loop)
Scan = plain("Scan", _scan)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
