"""Operators of a tape as one CUDA graph: the host starts the graph, and no kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import torch

from mindspore_compat import log

#: calls on a side stream before the capture, as in torch: libraries allocate workspaces and choose kernels
_WARM_UPS = 3


class Graphed:
    """A function of tensors on one CUDA device, run from a CUDA graph. It writes only to such tensors.

    The first calls run it on a side stream, and the next one captures it. From then on each call copies its tensors to
    the graph's inputs, starts the graph, and copies the results. If a capture fails, the function runs as it is; the
    log says why in one line.

    Args:
        function: gives a list of tensors.
        outside: tensors from outside that it uses; a result in the memory of one of them is given as it is.
        generators: of the random numbers it draws, beside the device's own.
        lent: for each result, whether the caller lets it go before the next call: it is given without a copy.
    """

    def __init__(
        self,
        function: Callable[..., list[torch.Tensor]],
        outside: Sequence[torch.Tensor],
        generators: Sequence[torch.Generator] = (),
        lent: Sequence[bool] = (),
    ) -> None:
        self.function, self.outside, self.generators, self.lent = function, outside, generators, lent
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
        """Capture the function, and run the graph: a capture itself computes nothing."""
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
        """Return why copies of the results would differ from the function's results."""
        known = {_storage(tensor) for tensor in self.outside}
        self.own = [_storage(tensor) not in known for tensor in self.outputs]
        inner = [_storage(tensor) for tensor, is_own in zip(self.outputs, self.own) if is_own]
        self.copied = [is_own and not is_lent for is_own, is_lent in zip_longest(self.own, self.lent)]
        if len(set(inner)) < len(inner):
            return "two of its results share their memory"
        if not {*map(_storage, self.inputs)}.isdisjoint(map(_storage, self.outputs)):
            return "it returns a part of its inputs"
        return ""

    def _replayed(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        if tensors:
            torch._foreach_copy_(self.inputs, tensors)
        self.graph.replay()
        return [tensor.clone() if is_copied else tensor for tensor, is_copied in zip(self.outputs, self.copied)]


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
