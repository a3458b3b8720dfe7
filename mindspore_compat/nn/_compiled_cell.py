"""Result of ``torch.compile(cell)`` as a Cell."""

from __future__ import annotations

from typing import Any

from mindspore_compat.nn.cell import Cell


class CompiledCell(Cell):
    """Cell that calls a compiled one; Parameters, their names and modes are those of the inner Cell."""

    def __init__(self, network: Any) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.set_train(network.training)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self.network(*args, **kwargs)


def as_cell(network: Any) -> Any:
    """Return ``network``, or for a Cell compiled by torch.compile a Cell that calls it."""
    return (
        CompiledCell(network)
        if isinstance(getattr(network, "_orig_mod", None), Cell) and not isinstance(network, Cell)
        else network
    )
