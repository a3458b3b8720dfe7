"""Layer calls of a run and their tensors, for the graph of a network whose operators cannot be captured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch.utils._pytree import tree_leaves


class Call(NamedTuple):
    """One call of a layer; ``inputs`` and ``outputs`` are the tensors in them, in order."""

    module: torch.nn.Module
    inputs: list[torch.Tensor]
    outputs: list[torch.Tensor]


class LayerCalls:
    """Record of layer calls, by forward hooks, until `stop`; it keeps their tensors alive."""

    def __init__(self, layers: Iterable[torch.nn.Module]) -> None:
        self.calls: list[Call] = []
        self._handles = [layer.register_forward_hook(self._note) for layer in layers]

    def _note(self, module: Any, inputs: Any, outputs: Any) -> None:
        self.calls.append(Call(module, _tensors(inputs), _tensors(outputs)))

    def stop(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []


class NextInputs:
    """Inputs of a module's next call; ``inputs`` is None until then, and always without a module."""

    def __init__(self, module: torch.nn.Module | None) -> None:
        self.inputs: tuple[Any, ...] | None = None
        self._handle = module.register_forward_pre_hook(self._note) if module is not None else None

    def _note(self, module: Any, inputs: Any) -> None:
        self.inputs = tuple(inputs)
        self.stop()

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.remove()
        self._handle = None


def _tensors(value: Any) -> list[torch.Tensor]:
    return [item for item in tree_leaves(value) if isinstance(item, torch.Tensor)]
