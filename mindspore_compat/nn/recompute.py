"""``mindspore.recompute``: a Cell's forward runs again in the backward pass, instead of saving activations."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from mindspore_compat._autograd.cell_bprop import recomputed
from mindspore_compat.nn.cell import Cell

__all__ = ["recompute"]


def recompute(
    block: Any,
    *args: Any,
    use_reentrant: bool = True,
    output_recompute: bool = False,
    early_stop: bool = True,
    context_fn: Callable[[], tuple[Any, Any]] | None = None,
    **kwargs: Any,
) -> Any:
    """Return ``block(*args, **kwargs)``, of which only the inputs are kept for the backward pass.

    Args:
        block: a Cell; with ``use_reentrant=False`` any function.
        use_reentrant, output_recompute, early_stop: there is one way here, which keeps no outputs and stops when all is
            there.
        context_fn: gives two contexts: for the forward pass, and for when it runs again.

    Raises:
        TypeError: if ``block`` is no Cell and ``use_reentrant``.

    Examples:
        >>> layer = nn.Dense(2, 3)
        >>> print(ms.recompute(layer, ops.ones((1, 2))).shape)
        (1, 3)
    """
    if use_reentrant and not isinstance(block, Cell):
        raise TypeError("Recompute function now only support block which inherited from Cell when use_reentrant=True!")
    contexts = list(context_fn()) if context_fn is not None else []

    def run(*given: Any, **named: Any) -> Any:
        with contexts.pop(0) if contexts else contextlib.nullcontext():
            return block(*given, **named)

    return recomputed(block, run, args, kwargs)
