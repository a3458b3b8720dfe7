"""``torch.cuda.CUDAGraph``: the base class that a CUDA build has, on the library's captures."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import torch

__all__ = ["give_graphs"]

_library: ctypes.CDLL
_pools = itertools.count(1)


def _check(problem: bytes | None) -> None:
    if problem is not None:
        text = problem.decode()
        raise (torch.AcceleratorError if text.startswith("CUDA error") else RuntimeError)(text)


class CUDAGraph:
    """What a capture recorded. A pool is only a name here: each graph has its own, which counts as allocated memory.

    CUDA counts it as reserved: what was in use at a time while the graph was captured, as long as the graph lives.
    """

    def __new__(cls, keep_graph: bool = False) -> Any:
        graph = super().__new__(cls)
        graph._handle = _library.fakecuda_graph_new()
        graph._pool = None
        return graph

    _handle: int
    _pool: Any

    def capture_begin(self, pool: Any = None, capture_error_mode: str = "global", **kwargs: Any) -> None:
        if capture_error_mode not in ("global", "thread_local", "relaxed"):
            raise RuntimeError(
                f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got {capture_error_mode}"
            )
        _check(_library.fakecuda_graph_begin(self._handle))
        self._pool = pool if pool is not None else graph_pool_handle()

    def capture_end(self) -> None:
        _check(_library.fakecuda_graph_end(self._handle))

    def instantiate(self) -> None:
        """Nothing to do."""

    def replay(self) -> None:
        if self._pool is None:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        _check(_library.fakecuda_graph_replay(self._handle))

    def reset(self) -> None:
        self._pool = None
        _library.fakecuda_graph_reset(self._handle)

    def pool(self) -> Any:
        if self._pool is None:
            raise RuntimeError("Called CUDAGraph::pool() without a preceding successful capture.")
        return self._pool

    def register_generator_state(self, generator: torch.Generator) -> None:
        torch.ops.fakecuda.register_generator(self._handle, generator)

    def enable_debug_mode(self) -> None:
        """Nothing to do."""

    @property
    def number_of_calls(self) -> int:
        """How many calls the graph repeats; only the fake device says so."""
        return _library.fakecuda_graph_size(self._handle)

    def __del__(self) -> None:
        _library.fakecuda_graph_delete(self._handle)


def graph_pool_handle() -> tuple[int, int]:
    return (0, next(_pools))


def give_graphs(library: ctypes.CDLL) -> None:
    """Put them into torch.cuda; torch's own Python above them (``graph``, ``make_graphed_callables``) stays."""
    global _library
    _library = library
    own: Any = torch._C
    graphs: Any = torch.cuda.graphs
    own._CUDAGraph = graphs._CUDAGraph = torch.cuda.CUDAGraph = graphs.CUDAGraph = CUDAGraph
    own._graph_pool_handle = graphs._graph_pool_handle = graph_pool_handle
    own._cuda_isCurrentStreamCapturing = graphs._cuda_isCurrentStreamCapturing = lambda: bool(
        library.fakecuda_capturing()
    )
