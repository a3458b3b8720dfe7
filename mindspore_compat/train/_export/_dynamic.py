"""Files for inputs with open sizes: the network is traced with several sizes, and differences between the files become
functions of them.

The files must be equal except for numbers. Each number that differs has to be one expression of the sizes in all of
them; the file computes it from the shapes of its inputs. The result is compared with the network at further sizes, to
detect an ``if`` on a size.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from mindspore_compat._graph.export.ir import leaves
from mindspore_compat._tensor.wrapping import memory, plain
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._export._sizes import (
    Expression,
    OpenSize,
    elements,
    fit,
    ground,
    open_sizes,
    probes,
    tellings,
)

_LARGEST, _MOST_POINTS, _MOST_ELEMENTS = 20_000, 200, 20_000_000
_HINT = (
    "Export with fixed sizes, one file for each, or say with mindspore.Symbol(divisor=…, min=…) which sizes there are"
)


def unequal(what: str) -> NotImplementedError:
    """Return the error for graphs that cannot be written with open sizes."""
    return NotImplementedError(f"For 'export', {what}. {_HINT}.")


class SizeExpressions:
    """Writer of numbers that follow open sizes, in the operators of a format: ``MULTIPLY``, ``ADD``, ``DIVIDE``."""

    MULTIPLY, ADD, DIVIDE = "", "", ""

    def __init__(self, traces: Any) -> None:
        self.traces = traces
        self.known: dict[Any, Any] = {}

    def operator(self, op: str, *inputs: str) -> str:
        """Return a node's result."""
        raise NotImplementedError

    def literal(self, number: int) -> str:
        """Return a constant."""
        raise NotImplementedError

    def size(self, group: int) -> str:
        """Return an open size."""
        raise NotImplementedError

    def fitting(self, values: Sequence[int]) -> Expression:
        """Return the expression with these numbers at the traced sizes. Raises: the error of `unequal`, if there is
        none.
        """
        found = fit(values, self.traces)
        if found is None:
            raise unequal(f"the number {values[0]} in the file depends on the sizes in a way that no operator writes")
        return found

    def expression(self, found: Expression) -> str:
        """Return its result, written once."""
        if found not in self.known:
            result = self.size(found.groups[0])
            for group in found.groups[1:]:
                result = self.operator(self.MULTIPLY, result, self.size(group))
            for op, number, nothing in (
                (self.MULTIPLY, found.factor, 1),
                (self.ADD, found.offset, 0),
                (self.DIVIDE, found.divisor, 1),
            ):
                if number != nothing:
                    result = self.operator(op, result, self.literal(number))
            self.known[found] = result
        return self.known[found]


def _extra(points: list[tuple[int, int]], sizes: Sequence[OpenSize], usual: dict[int, int]) -> list[dict[int, int]]:
    """Return further sizes to compare results at: each of the points, with the other sizes as in a trace."""
    symbols = {size.group: size.symbol for size in sizes}
    points = [(group, size) for group, size in points if symbols[group].allows(size)]
    if any(size > _LARGEST for _, size in points) or len(points) > _MOST_POINTS:
        raise unequal(
            f"'construct' compares an open size with {max(size for _, size in points)}, more than can be looked at"
            if len(points) <= _MOST_POINTS
            else "'construct' compares open sizes with too many numbers"
        )
    return [{**usual, group: size} for group, size in points]


def dynamic_model(
    build: Callable[[Any], Any], merge: Callable[..., Any], inputs: Any
) -> tuple[Any, list[OpenSize], list[dict[int, int]]]:
    """Return (the message of a file for inputs with open sizes, these sizes, further ones to compare results at).

    Args:
        build: gives the file's message for inputs with contents.
        merge: (messages, open sizes, {group: number} of each) → one message.
    """
    first: Exception | None = None
    for sizes, traces in tellings(open_sizes(inputs)):
        try:
            models, logs = [], []
            for numbers in traces:
                with watched() as log:
                    models.append(build(ground(inputs, sizes, numbers)))
                logs.append(log)
        except NotImplementedError:
            raise
        except Exception as error:  # sizes do not match, or are too small
            first = first or error
            continue
        return merge(models, sizes, traces), sizes, _extra(turning_points(logs, traces), sizes, traces[0])
    assert first is not None
    raise type(first)(
        f"For 'export', the network fails with all tried values of the open sizes: {first} {_HINT}."
    ) from first


def _run(net: Any, inputs: Any) -> list[torch.Tensor]:
    """Return the network's outputs, with its Parameters restored afterwards."""
    parameters = list(net.get_parameters()) if isinstance(net, Cell) else []
    before = [torch.clone(plain(item)) for item in parameters]
    try:
        with torch.no_grad():
            return _parts(net(*inputs))
    finally:
        for item, content in zip(parameters, before):
            memory(item).copy_(content)


def compare(
    net: Any, run: Callable[[Any], Any], inputs: Any, sizes: Sequence[OpenSize], extra: Sequence[dict[int, int]] = ()
) -> None:
    """Raise NotImplementedError if ``run``, the written graph, differs from the network at other sizes than the traced
    ones.
    """
    for numbers in (*probes(sizes), *extra):
        if elements(inputs, sizes, numbers) > _MOST_ELEMENTS:
            if numbers in extra:
                raise unequal(
                    f"'construct' compares an open size with a number near {max(numbers.values())}, and inputs of that "
                    "size are too large to be looked at"
                )
            continue
        given = ground(inputs, sizes, numbers)
        try:
            wanted = _run(net, given)
        except Exception:  # the network does not take this size
            continue
        shown = [list(item.shape) for item in leaves(given) if isinstance(item, torch.Tensor)]
        try:
            found = _parts(run([item for item in leaves(given) if isinstance(item, torch.Tensor)]))
            same = len(found) == len(wanted) and all(_same(one, other) for one, other in zip(found, wanted))
        except Exception as error:
            raise unequal(
                f"what the file computes fails for inputs of the shapes {shown}, where the network does not: {error}"
            ) from error
        if not same:
            raise unequal(
                f"the network computes something else for inputs of the shapes {shown} than the same operators would: "
                "'construct' decides by a size"
            )


def _parts(result: Any) -> list[Any]:
    """Return the Tensors and numbers of a result, those of sparse tensors included."""
    return [
        part
        for item in leaves(result)
        for part in (leaves(item.to_tuple()) if isinstance(item, (COOTensor, CSRTensor)) else (item,))
    ]


def _same(found: Any, wanted: Any) -> bool:
    one, other = np.asarray(_array(found)), np.asarray(_array(wanted))
    return one.shape == other.shape and bool(
        np.allclose(one.astype(np.float64), other.astype(np.float64), 1e-3, 1e-4, equal_nan=True)
    )


def _array(item: Any) -> Any:
    return (
        plain(item).float().numpy()
        if isinstance(item, torch.Tensor) and item.dtype is torch.bfloat16
        else plain(item).numpy()
        if isinstance(item, torch.Tensor)
        else item
    )


# --- comparisons of sizes in Python during `construct`: the file is also checked where their outcome differs ----------

_log: list[int] = []  # values compared with 0


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, int) else value


def _computed(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(*items: Any) -> Any:
        if not all(isinstance(item, int) for item in items):
            return NotImplemented
        result = function(*map(_number, items))
        return Watched(result) if isinstance(result, int) and not isinstance(result, bool) else result

    return method


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda right, left: function(left, right)


def _compared(function: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        if isinstance(other, int):
            _log.append(int(self) - int(other))
        return function(int(self), _number(other))

    return method


class Watched(int):
    """Size, or a result of sizes, with recorded comparisons."""

    __hash__ = int.__hash__

    def __bool__(self) -> bool:
        _log.append(int(self))
        return int(self) != 0


for _name in ("add", "sub", "mul", "floordiv", "neg"):
    setattr(Watched, f"__{_name}__", _computed(getattr(operator, _name)))
    if _name != "neg":
        setattr(Watched, f"__r{_name}__", _computed(_swapped(getattr(operator, _name))))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Watched, f"__{_name}__", _compared(getattr(operator, _name)))


@contextmanager
def watched() -> Iterator[list[int]]:
    """Record comparisons of sizes; the list holds the values compared with 0 afterwards."""
    before = Tensor.shape
    sizes: Any = before.fget  # type: ignore[attr-defined]
    found: list[int] = []
    _log.clear()
    Tensor.shape = property(lambda self: tuple(map(Watched, sizes(self))))  # type: ignore[misc, assignment]
    try:
        yield found
    finally:
        Tensor.shape = before  # type: ignore[misc, method-assign]
        found += _log
        _log.clear()


def turning_points(logs: Sequence[list[int]], traces: Sequence[dict[int, int]]) -> list[tuple[int, int]]:
    """Return (group, size) of the sizes around which a comparison changes its outcome."""
    found: dict[tuple[int, int], None] = {}
    for values in dict.fromkeys(zip(*logs)):
        expression = fit(values, traces) if len(set(values)) > 1 else None
        if expression is None or len(expression.groups) > 1:
            continue
        zero = -expression.offset // expression.factor if expression.divisor == 1 else -expression.offset
        for size in (zero - 1, zero, zero + 1, zero + 2):
            if size > 0:
                found[expression.groups[0], size] = None
    return list(found)
