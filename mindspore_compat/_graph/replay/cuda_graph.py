"""The operators of a tape as one CUDA graph: the host starts it, and no kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat import log

__all__ = ["Graphed"]

#: calls on a side stream before the capture, as torch has it: libraries take their workspaces and choose their kernels
_WARM_UPS = 3


class Graphed:
    """A function of tensors on one CUDA device that writes nothing but such tensors, run from a CUDA graph.

    The first calls run it on a side stream, the next one captures it, and from then on each call copies its tensors to
    where the graph reads them, starts it, and copies what it gives. What cannot be captured goes on as it is; the log
    says why in one line.

    Args:
        function: gives a list of tensors.
        outside: tensors from outside that it uses; a result in the memory of one of them is given as it is.
        generators: of the random numbers it draws, beside the device's own.
    """

    def __init__(
        self,
        function: Callable[..., list[torch.Tensor]],
        outside: Sequence[torch.Tensor],
        generators: Sequence[torch.Generator] = (),
    ) -> None:
        self.function, self.outside, self.generators = function, outside, generators
        self.graph: Any = None
        self.calls = 0
        self.run: Callable[..., list[torch.Tensor]] = self._warm_up

    def __call__(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        with torch.no_grad():
            return self.run(*tensors)

    def _warm_up(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        self.calls += 1
        if self.calls > _WARM_UPS:
            return self._captured(*tensors)
        compute = torch.cuda.current_stream()
        side = torch.cuda.Stream()
        side.wait_stream(compute)
        with torch.cuda.stream(side):
            results = self.function(*tensors)
        compute.wait_stream(side)
        for tensor in tensors:
            tensor.record_stream(side)
        for tensor in results:
            tensor.record_stream(compute)
        return results

    def _captured(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        """Capture, and compute with what was captured: a capture itself computes nothing."""
        self.inputs = [tensor.clone() for tensor in tensors]
        graph = torch.cuda.CUDAGraph()
        try:
            for generator in self.generators:
                graph.register_generator_state(generator)
            # other threads, which load data, may go on using the device
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                self.outputs = self.function(*self.inputs)
            why = self._why_not()
        except RuntimeError as error:  # CUDA's: a program must not fail for it
            why = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        if why:
            log.warning("GRAPH_MODE: a step runs operator by operator, without a CUDA graph: %s.", why)
            self.inputs, self.outputs, self.run = [], [], self.function
            return self.function(*tensors)
        self.graph, self.run = graph, self._replayed
        log.info("GRAPH_MODE: a step runs as one CUDA graph from now on.")
        return self._replayed(*tensors)

    def _why_not(self) -> str:
        """Why copies of the results would not be what the function gives."""
        known = {_storage(tensor) for tensor in self.outside}
        self.own = [_storage(tensor) not in known for tensor in self.outputs]
        inner = [_storage(tensor) for tensor, is_own in zip(self.outputs, self.own) if is_own]
        if len(set(inner)) < len(inner):
            return "two of its results share their memory"
        if not {*map(_storage, self.inputs)}.isdisjoint(map(_storage, self.outputs)):
            return "it returns a part of its inputs"
        return ""

    def _replayed(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        if tensors:
            torch._foreach_copy_(self.inputs, tensors)
        self.graph.replay()
        return [tensor.clone() if is_own else tensor for tensor, is_own in zip(self.outputs, self.own)]


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
