"""Tracing: a network runs on the given inputs while its operators are recorded as a graph without side effects.

Real values flow, so shapes, Python control flow and constants come out as in any run. Memory reads, decisions by a
tensor and composite operators of torch, which a dispatch mode does not see, are events of the graph; sparse tensors
among the values are their parts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch

from mindspore_compat._graph.export.explore import Attempt, explore
from mindspore_compat._graph.export.ir import (
    CONSTANT,
    INPUT,
    MAX_LEAVES,
    PARAMETER,
    REFUSALS,
    Graph,
    Value,
    map_values,
    num_leaves,
    opened,
    refuse,
    tensors_in,
)
from mindspore_compat._graph.export.loop_node import RECURRENT, attributes_of, recurrent, run_loop, same_attribute
from mindspore_compat._graph.export.recorder import GraphRecorder, Kept, constant
from mindspore_compat._graph.recorder import Reading
from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.tensor import Tensor

_DECIDING = frozenset({"__bool__", "is_nonzero"})
_BOOLS = {Tensor.__bool__.__code__}


class GraphReading(Reading):
    """Mode that refuses to read memory, whose values would silently become constants. It asks the recorder for the
    outcome of ``if tensor``, and records dropout in training and recurrent layers as one operator.
    """

    recorder: GraphRecorder

    def _is_place(self, index: Any) -> bool:
        """Return whether it is one number of the graph."""
        return (
            isinstance(index, torch.Tensor)
            and not index.dim()
            and index.dtype in (torch.int32, torch.int64)
            and self.recorder.read(index).kind != CONSTANT
        )

    def called(self, func: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        if name in _DECIDING or (name == "item" and _asked_by_bool()):
            outcome = self.recorder.decide(args[0])
            if outcome is not None:
                return outcome
        if name in ("__getitem__", "__setitem__") and self._is_place(args[1]):  # torch would make a number of it
            args = (
                args[0],
                torch.reshape(args[1], (1,)),
                *[
                    torch.unsqueeze(item, 0) if isinstance(item, torch.Tensor) and item.dim() else item
                    for item in args[2:]
                ],
            )
            return func(*args) if name == "__setitem__" else torch.squeeze(func(*args), 0)
        if func is torch.dropout and _given(args, kwargs, 2, "train") and _given(args, kwargs, 1, "p"):
            return wrap(torch.native_dropout(args[0], _given(args, kwargs, 1, "p"), True)[0])
        if name in RECURRENT and func is getattr(torch, name, None) and not kwargs:
            found = recurrent(self.recorder, lambda what: refuse(what, self.recorder.scope()), name, args)
            if found is not NotImplemented:
                return wrap(found)
        return func(*args, **kwargs)


def _asked_by_bool() -> bool:
    """Return whether the tensor is read for ``if`` and the like."""
    frame: Any = sys._getframe(3)  # behind `called` and the mode
    while frame is not None and frame.f_code.co_filename.endswith("overrides.py"):
        frame = frame.f_back
    return frame is not None and frame.f_code in _BOOLS


def _given(args: tuple[Any, ...], kwargs: dict[str, Any], index: int, name: str) -> Any:
    return args[index] if len(args) > index else kwargs.get(name)


_Base = torch._C.TensorBase


#: (network, what makes an error of a text, what runs ``while test(values): values = body(values)``) -> what to call:
#: the network, or a replacement function, while it is traced
Prepare = Callable[[Any, Callable[[str], Exception], Callable[..., Any]], AbstractContextManager[Callable[..., Any]]]


def trace(
    net: Any,
    inputs: tuple[Any, ...],
    names: Iterable[str],
    label: str,
    kept: Kept,
    prepare: Prepare,
    straight: bool = False,
) -> Graph:
    """Return the graph of ``net(*inputs)``.

    Args:
        net: a Cell in the mode to export, or a function of tensors.
        inputs: tensors, or tuples and lists of them.
        names: a name for each tensor in them.
        label: the graph's name.
        kept: tells which operators not to take apart.
        prepare: makes the network's loops and optimizers such that they can be recorded.
        straight: refuse decisions by values, so that it runs only once.

    Raises:
        NotImplementedError: if ``construct`` does what a fixed graph cannot do; names the Cell.
    """
    is_cell = hasattr(net, "cells_and_names")
    paths = {id(cell): path for path, cell in net.cells_and_names()} if is_cell else {}
    cells = [cell for _, cell in net.cells_and_names()] if is_cell else []
    names = list(names)

    def attempt(choices: tuple[bool, ...]) -> Attempt:
        REFUSALS.clear()
        recorder = GraphRecorder(paths, kept, choices, straight)
        fresh = map_values(
            lambda item: wrap(_Base.clone(plain(item))) if isinstance(item, torch.Tensor) else item, tuple(inputs)
        )
        sources = [recorder.add_source(item, INPUT, name) for item, name in zip(tensors_in(fresh), names)]
        for parameter in net.get_parameters() if is_cell else ():
            recorder.parameters[parameter.name] = recorder.add_source(parameter, PARAMETER, parameter.name)

        run = _loop_runner(recorder, cells)
        try:
            with prepare(net, lambda what: refuse(what, recorder.scope()), run) as function:
                outputs = _run(recorder, function, fresh)
            if REFUSALS:
                raise REFUSALS[0]
            updates = recorder.updates()
        finally:
            recorder.restore()
        return Attempt(
            Graph(label, sources, list(recorder.parameters.values()), recorder.nodes, outputs, updates),
            recorder.decisions,
        )

    graph = explore(attempt, lambda what: refuse(what, ""), again=True)
    graph.remove_dead()
    return graph


def _loop_runner(recorder: GraphRecorder, cells: list[Any]) -> Callable[..., Any]:
    """Return the function that runs ``while test(values): values = body(values)``; it refuses to change Cells."""

    def run(test: Callable[..., Any], body: Callable[..., Any], values: Any) -> Any:
        before = attributes_of(cells)
        found = run_loop(recorder, lambda what: refuse(what, recorder.scope()), test, body, values)
        for key, item in attributes_of(cells).items():
            if key not in before or not same_attribute(before[key], item):
                raise refuse(
                    f"the body of a loop changes the attribute {key[1]!r} of a Cell, which a file does not hold. "
                    "Use a name in 'construct', or a Parameter",
                    recorder.scope(),
                )
        return found

    return run


@contextmanager
def _without_fused_kernels() -> Iterator[None]:
    """Run attention and recurrent layers as plain operators, which file formats have."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    before = torch._C._get_mkldnn_enabled(), torch._C._get_cudnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    torch._C._set_cudnn_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH), kernels.as_torch():
            yield
    finally:
        torch._C._set_mkldnn_enabled(before[0])
        torch._C._set_cudnn_enabled(before[1])


def _run(recorder: GraphRecorder, net: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    with torch.no_grad(), _without_fused_kernels(), GraphReading(recorder), recorder:
        result = net(*inputs)
    if num_leaves(result) > MAX_LEAVES:
        raise refuse(f"the result of 'construct' has more than {MAX_LEAVES} values, in nested tuples or lists", "")

    def value_of(item: Any) -> Value | None:
        if item is None:
            return None
        if isinstance(item, torch.Tensor):
            return recorder.read(item)
        if isinstance(item, (bool, int, float)):
            return constant(torch.tensor(item, dtype=torch.float32 if isinstance(item, float) else None))
        raise TypeError(
            "For 'export', 'construct' must return Tensors, sparse or not, numbers, None, or tuples of them, but it "
            f"returned {type(item).__name__}."
        )

    return map_values(value_of, opened(result))
