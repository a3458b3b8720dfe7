"""Operators around functions and layouts. Parts of ``debug_ops``, ``reshard_ops`` and ``other_ops``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.custom_backward import own_backward
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import plain, primitive

__all__ = "Morph Reshard Reusing".split()

_Run = Callable[..., Any]


@primitive
def Morph(fn: Any, infer_shape: Any, infer_dtype: Any, bprop_fn: Any = None) -> _Run:
    """``fn`` as an operator; ``bprop_fn(*inputs, out, dout)`` gives the gradients of its inputs. Shapes and dtypes
    follow from the computation.
    """
    if bprop_fn is None:
        return fn
    signature = inspect.signature(fn)

    def gradients(inputs: list[Any], out: Any, dout: Any) -> tuple[Any, ...]:
        found = bprop_fn(*inputs, out, dout)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != len(inputs):
            raise TypeError(
                f"For 'Morph', 'bprop_fn' must return a gradient for each of the {len(inputs)} inputs, but returned "
                f"{len(found)}."
            )
        return found

    def run(*inputs: Any, **by_name: Any) -> Any:
        inputs = signature.bind(*inputs, **by_name).args
        return wrap(own_backward(fn, gradients, len(inputs), *inputs))

    return run


@primitive
def Reshard(in_layout: Any, out_layout: Any, in_strategy: Any) -> _Run:
    """`ops.reshard` by layouts: the tensor."""
    return lambda tensor: F.reshard(tensor, out_layout)


Reusing = plain("Reusing", lambda x: wrap(torch.clone(x)))
