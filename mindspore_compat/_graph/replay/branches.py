"""Branches of a training step on a bool that it computes, such as ``if not overflow:``.

A replay runs up to the branch, reads the bool (one wait, which is the program's own), and goes on if it is that of the
recording. Otherwise it restores the few tensors that it has written, and Python runs the step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch

from mindspore_compat._tensor.wrapping import memory

#: bytes that a step may write before a branch
MAX_SAVED = 1 << 24


class OtherBranchError(Exception):
    """A replay came to a branch that goes the other way than in the recording."""


class Branch(NamedTuple):
    """Entry of a tape: Python found this value here."""

    value: bool

    def __call__(self, tensor: Any) -> None:
        """Raise OtherBranchError for another value."""
        if bool(tensor) is not self.value:
            raise OtherBranchError


class Saved:
    """Buffers for tensors, and for the states of generators, before a replay that may have to be undone."""

    def __init__(self, tensors: Sequence[torch.Tensor], generators: Iterable[torch.Generator]) -> None:
        kinds: dict[Any, list[torch.Tensor]] = {}
        for tensor in map(memory, tensors):
            kinds.setdefault((tensor.dtype, tensor.device), []).append(tensor)
        self._pairs = [(group, [tensor.clone() for tensor in group]) for group in kinds.values()]
        self._generators = list(generators)

    def keep(self) -> None:
        """Copy the present values and states."""
        for tensors, copies in self._pairs:
            torch._foreach_copy_(copies, tensors)
        self._states = [generator.get_state() for generator in self._generators]

    def restore(self) -> None:
        """Set the values and states back."""
        for tensors, copies in self._pairs:
            torch._foreach_copy_(tensors, copies)
        for generator, state in zip(self._generators, self._states):
            generator.set_state(state)
