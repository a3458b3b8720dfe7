"""``jit_level`` O1 and O2: the operators of a tape as one function compiled by torch.compile's inductor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat import log
from mindspore_compat._graph.replay.check import _close


class Fused:
    """A function of tensors, compiled by inductor. Its first call runs both versions from the same state. If they
    differ by more than 1e-5, or the compiler fails, the original stays; the log says so in one line.

    Args:
        plain: the function with its operators called one by one.
        traceable: the same for the compiler.
        written: tensors from outside that it may write to.
    """

    def __init__(self, plain: Callable[..., Any], traceable: Callable[..., Any], written: list[torch.Tensor]) -> None:
        self.plain, self.traceable, self.written = plain, traceable, written
        self.run: Callable[..., Any] = self._first

    def __call__(self, *tensors: torch.Tensor) -> Any:
        with torch.no_grad():
            return self.run(*tensors)

    def _first(self, *tensors: torch.Tensor) -> Any:
        changing = [*self.written, *tensors]
        before, random = [tensor.clone() for tensor in changing], _random_states()
        expected = self.plain(*tensors)
        after, random_after = [tensor.clone() for tensor in changing], _random_states()

        def set_to(values: list[torch.Tensor], states: tuple[torch.Tensor, ...]) -> None:
            for tensor, value in zip(changing, values):
                tensor.copy_(value)
            torch.set_rng_state(states[0])
            for state in states[1:]:
                torch.cuda.set_rng_state(state)

        expected = [item.clone() if isinstance(item, torch.Tensor) else item for item in expected]
        set_to(before, random)
        try:
            fused = torch.compile(
                self.traceable, backend="inductor", fullgraph=True, dynamic=False, options={"fallback_random": True}
            )
            found = fused(*tensors)
            why = (
                "" if self._agree([*expected, *after], [*found, *changing]) else "its results differ by more than 1e-5"
            )
        except Exception as error:  # the compiler's: a program must not fail for it
            why = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        if why:
            log.warning(
                "jit_level O1: torch.compile does not take this computation, which is replayed as at O0: %s", why
            )
            self.run = self.plain
            set_to(after, random_after)
            return expected
        self.run = fused
        return found

    @staticmethod
    def _agree(expected: list[Any], found: list[Any]) -> bool:
        return all(_close(a, b) for a, b in zip(expected, found) if isinstance(a, torch.Tensor))


def _random_states() -> tuple[torch.Tensor, ...]:
    """Return the states of torch's generators: of the CPU, and of the GPU where one is in use."""
    states = (torch.get_rng_state(),)
    return (*states, torch.cuda.get_rng_state()) if torch.cuda.is_initialized() else states
