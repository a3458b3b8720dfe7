"""Check mode of replays: a replayed step runs eagerly as well, from the same state, and a difference is an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat._random.rng_state import Graph
from mindspore_compat._runtime.module_tree import modules
from mindspore_compat._tensor.wrapping import plain

_SIMPLE = (int, float, bool, str, type(None))


class _State:
    """State that a step may change: tensors of the owner's modules, tensors that the tape writes to, simple attributes,
    generator states.
    """

    def __init__(self, owner: Any, written: Sequence[torch.Tensor], graph: Graph) -> None:
        self.modules = modules(owner) if isinstance(owner, torch.nn.Module) else []
        found = [
            tensor
            for module in self.modules
            for store in (module._parameters, module._buffers)
            for tensor in store.values()
            if tensor is not None
        ]
        self.tensors = list({tensor.data_ptr(): plain(tensor) for tensor in (*found, *written)}.values())
        self.values = [tensor.clone() for tensor in self.tensors]
        self.attributes = [
            {name: value for name, value in module.__dict__.items() if isinstance(value, _SIMPLE)}
            for module in self.modules
        ]
        self.random, self.set_draws = torch.get_rng_state(), graph.kept()

    def restore(self) -> None:
        for tensor, value in zip(self.tensors, self.values):
            tensor.copy_(value)
        for module, attributes in zip(self.modules, self.attributes):
            module.__dict__.update(attributes)
        torch.set_rng_state(self.random)
        self.set_draws()


def checked(
    owner: Any, written: Sequence[torch.Tensor], graph: Graph, eager: Callable[[], Any], replay: Callable[[], Any]
) -> Any:
    """Return the result of ``replay``, after ``eager`` gave the same and left the same state, within 1e-5.

    Raises:
        RuntimeError: if they differ.
    """
    before = _State(owner, written, graph)
    expected = eager()
    after = _State(owner, written, graph)
    before.restore()
    found = replay()
    name = type(owner).__name__ if isinstance(owner, torch.nn.Module) else getattr(owner, "__name__", str(owner))
    pairs = [
        ("a result", a, b)
        for a, b in zip(torch.utils._pytree.tree_leaves(expected), torch.utils._pytree.tree_leaves(found))
    ]
    pairs += [("a tensor that it writes to", a, b) for a, b in zip(after.values, after.tensors)]
    for what, a, b in pairs:
        if isinstance(a, torch.Tensor) and not _close(plain(a), plain(b)):
            raise RuntimeError(
                f"{name}: {what} of shape {tuple(a.shape)} differs by {_difference(plain(a), plain(b))} between Python "
                "and the replayed step (MINDSPORE_COMPAT_REPLAY=check). Turn replays off with "
                "MINDSPORE_COMPAT_REPLAY=off, and please report the program."
            )
    return found


def _close(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype is not b.dtype:
        return False
    return (
        torch.allclose(
            a, b, rtol=1e-5, atol=1e-5 * max(1.0, float(a.abs().max())) if a.numel() else 0.0, equal_nan=True
        )
        if a.is_floating_point() or a.is_complex()
        else torch.equal(a, b)
    )


def _difference(a: torch.Tensor, b: torch.Tensor) -> str:
    if a.shape != b.shape or a.dtype is not b.dtype:
        return f"{a.dtype} of shape {tuple(a.shape)} against {b.dtype} of shape {tuple(b.shape)}"
    return f"{float((a.to(torch.float64) - b.to(torch.float64)).abs().max()):.3g}"
