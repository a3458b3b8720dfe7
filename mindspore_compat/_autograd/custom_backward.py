"""Functions with a derivative of their own. MindSpore: a Cell's ``bprop``, and operators that users make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_map

from mindspore_compat._autograd.integer_gradients import is_integer
from mindspore_compat._autograd.recorded import THREAD, differentiable
from mindspore_compat._tensor.wrapping import wrap

_Base = torch._C.TensorBase


def own_backward(compute: Callable[..., Any], bprop: Callable[..., Any], count: int, *inputs: Any) -> Any:
    """Return ``compute`` of the first ``count`` inputs, differentiated by ``bprop(inputs, out, dout)``. The other
    inputs are Parameters that ``compute`` uses. Integer inputs have gradients, too, where they are wanted.
    """
    shadows = THREAD.shadows
    if shadows is None or all(shadows.of(item) is item for item in inputs):
        return OwnBackward.apply(compute, bprop, count, *inputs)
    made: list[Any] = []

    def whole(*_: Any) -> Any:
        made.append(compute(*inputs[:count]))
        return tree_map(_as_shadow, made[0])

    def gradients(given: Any, out: Any, dout: Any) -> list[Any]:
        dout = tree_map(lambda item, told: _Base.to(item, told.dtype) if is_integer(told) else item, dout, made[0])
        return [_as_shadow(item) for item in bprop(wrap(list(inputs[:count])), made[0], wrap(dout))]

    with shadows.paused():
        found = OwnBackward.apply(whole, gradients, count, *map(shadows.of, inputs))

        def result(item: Any, shadow: Any) -> Any:
            if not is_integer(item):
                return shadow
            shadows.follow(item, shadow)
            return item

        return tree_map(result, made[0], found)


def _as_shadow(item: Any) -> Any:
    return _Base.to(item, torch.float64) if is_integer(item) else item


class OwnBackward(torch.autograd.Function):
    """Autograd function from one function for values and one for gradients. It is differentiable itself."""

    @staticmethod
    def forward(ctx: Any, compute: Callable[..., Any], bprop: Callable[..., Any], count: int, *inputs: Any) -> Any:  # type: ignore[override]
        out = compute(*inputs[:count])
        outputs = out if isinstance(out, tuple) else (out,)
        fresh = tuple(
            item.detach().clone() if isinstance(item, torch.Tensor) and any(item is i for i in inputs) else item
            for item in outputs
        )
        tensors = [item for item in (*inputs, *fresh) if isinstance(item, torch.Tensor)]
        ctx.save_for_backward(*tensors)  # the outputs with their graph: bprop may be differentiated through them
        ctx.others = [None if isinstance(item, torch.Tensor) else (item,) for item in (*inputs, *fresh)]
        ctx.bprop, ctx.count, ctx.total, ctx.is_single = bprop, count, len(inputs), not isinstance(out, tuple)
        return fresh[0] if ctx.is_single else fresh

    @staticmethod
    def backward(ctx: Any, *douts: Any) -> Any:
        saved = iter(ctx.saved_tensors)
        items = [next(saved) if other is None else other[0] for other in ctx.others]
        inputs, outputs = items[: ctx.total], items[ctx.total :]
        out, dout = (outputs[0], douts[0]) if ctx.is_single else (tuple(outputs), tuple(douts))
        with differentiable():
            found = ctx.bprop(wrap(inputs[: ctx.count]), wrap(out), wrap(dout))
        return (
            None,
            None,
            None,
            *[
                item if isinstance(given, torch.Tensor) and isinstance(item, torch.Tensor) else None
                for item, given in zip(found, inputs)
            ],
        )
