"""Printing, dumping, summaries and assertions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.errors import warn_once
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._ops.declare import classes, functions, op, primitive, primitive_class
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


@op(fallback=False)
def print_(*input_x: Any) -> None:
    """Print tensors and other values, one a line, as MindSpore's operator does."""
    for item in input_x:
        if isinstance(item, torch.Tensor):
            print(repr(item), flush=True)
        else:
            print(item, flush=True)


@op(fallback=False)
def tensordump(file_name: str, tensor: Any, mode: str = "out") -> None:
    """Save a tensor's values as ``file_name`` (.npy)."""
    np.save(file_name if file_name.endswith(".npy") else f"{file_name}.npy", tensor.detach().cpu().numpy())


#: Listeners of the summary operators: functions of (kind, name, value), kind being "Scalar", "Image",
# "Tensor" or "Histogram".
summary_hooks: list[Callable[[str, str, Any], None]] = []


def _summary(kind: str, owner: str, dims: Callable[[int], bool], needed: str) -> Any:
    def record(name: Any, value: Any) -> Any:
        if not dims(value.dim()):
            raise ValueError(f"For '{owner}', the dimension of 'value' must be {needed}, but got {value.dim()}.")
        program.not_repeatable("it gives values to the summary")
        for hook in summary_hooks:
            hook(kind, name, wrap(value.detach()))
        return value

    record.__doc__ = f"Give a named value to the summary (kind {kind}); without a recorder nothing happens."
    return primitive_class(owner, record)


ScalarSummary = _summary("Scalar", "ScalarSummary", lambda dims: dims <= 1, "0 or 1")
ImageSummary = _summary("Image", "ImageSummary", lambda dims: dims == 4, "4")
TensorSummary = _summary("Tensor", "TensorSummary", lambda dims: dims >= 1, "at least 1")
HistogramSummary = _summary("Histogram", "HistogramSummary", lambda dims: dims >= 1, "at least 1")


def _print(*input_x: Any) -> Any:
    program.not_repeatable("it prints")
    print_(*input_x)
    return input_x[0] if input_x else None


Print = primitive_class("Print", _print)
Print.__doc__ = "Print tensors and other values, one a line."


@primitive
def Assert(summarize: int = 3) -> _Run:
    """Raise if the condition is false, showing the first elements of the data.

    Raises:
        RuntimeError: if it is false.
    """

    def run(condition: Any, input_data: Any = ()) -> None:
        if not bool(condition):
            shown = [
                item.flatten().tolist()[:summarize] if isinstance(item, torch.Tensor) else item for item in input_data
            ]
            raise RuntimeError(f"For 'Assert', assert failed: the condition is false. input data: {shown}")

    return run


@primitive
def TensorDump(input_output: str = "out") -> _Run:
    """Save a tensor as .npy."""
    return lambda file, input_x: tensordump(file, input_x, input_output)


class _Changed(torch.autograd.Function):
    """Identity with a function of its gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, function: Callable[[Any], Any]) -> torch.Tensor:  # type: ignore[override]
        ctx.function = function
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        changed = ctx.function(wrap(gradient))
        return (gradient if changed is None else changed), None


@primitive
def InsertGradientOf(f: Callable[[Any], Any]) -> _Run:
    """Identity; its gradient is passed through ``f``."""
    return lambda x: wrap(_Changed.apply(x, f))


@primitive
def DumpGradient() -> _Run:
    """Identity; its gradient is saved as .npy: (path, x, "in" or "out")."""

    def run(path: str, x: Any, input_output: str) -> Any:
        program.not_repeatable("it dumps gradients")

        def dump(gradient: Any) -> Any:
            tensordump(path, gradient, input_output)
            return gradient

        return wrap(_Changed.apply(x, dump))

    return run


@primitive
def HookBackward(hook_fn: Callable[..., Any], cell_id: str = "") -> _Run:
    """Identity; ``hook_fn(gradients)`` gets the gradient as a 1-tuple and may return another. In compiled code
    (GRAPH_MODE, `mindspore.jit`) it is the identity only, as in MindSpore.
    """

    def changed(gradient: Any) -> Any:
        result = hook_fn((gradient,))
        return result[0] if isinstance(result, tuple) else result

    def run(*inputs: Any) -> Any:
        if in_graph():
            warn_once(
                "HookBackward",
                "'HookBackward' does not call its function in compiled code (GRAPH_MODE or mindspore.jit), as in "
                "MindSpore. Run in PYNATIVE_MODE, or use 'InsertGradientOf'.",
            )
            return inputs[0] if len(inputs) == 1 else inputs
        hooked = tuple(wrap(_Changed.apply(x, changed)) for x in inputs)
        return hooked[0] if len(hooked) == 1 else hooked

    return run


__all__ = functions(globals())
PRIMITIVES = classes(globals())
