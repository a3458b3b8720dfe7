"""Recordable networks: loops by values as loop nodes, optimizers as Tensor arithmetic; and their graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from mindspore_compat._graph.export.ir import Graph
from mindspore_compat._graph.export.recorder import Kept
from mindspore_compat._graph.export.trace import trace
from mindspore_compat.train._export._loops import looping
from mindspore_compat.train._export._optimizers import recordable_optimizers


@contextmanager
def _recordable(net: Any, refuse: Callable[[str], Exception], run: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    with recordable_optimizers(net, refuse), looping(net, run) as function:
        yield function


def graph_of(
    net: Any, inputs: tuple[Any, ...], names: Iterable[str], label: str, kept: Kept, straight: bool = False
) -> Graph:
    """Return the graph of ``net(*inputs)``, by `trace`."""
    return trace(net, inputs, names, label, kept, _recordable, straight)
