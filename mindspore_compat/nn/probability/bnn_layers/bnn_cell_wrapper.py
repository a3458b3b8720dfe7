"""The loss of a Bayesian network. MindSpore: ``mindspore.nn.probability.bnn_layers.bnn_cell_wrapper``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.probability.bnn_layers._variational import Variational

__all__ = ["WithBNNLossCell"]


class WithBNNLossCell(Cell):
    """``loss_fn(backbone(x), label)`` · dnn_factor + the divergences of all layers of the backbone that draw their
    weights · bnn_factor.

    Args:
        backbone: the network.
        loss_fn: of its output and the label.
        dnn_factor, bnn_factor: numbers.
    """

    def __init__(self, backbone: Any, loss_fn: Any, dnn_factor: float = 1, bnn_factor: float = 1) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn
        self.dnn_factor, self.bnn_factor = dnn_factor, bnn_factor
        self.kl_loss = _divergences(backbone)

    def construct(self, x: Any, label: Any) -> Any:
        divergence = sum(compute() for compute in self.kl_loss)
        return wrap(self._loss_fn(self._backbone(x), label) * self.dnn_factor + divergence * self.bnn_factor)

    @property
    def backbone_network(self) -> Any:
        return self._backbone


def _divergences(network: Any) -> list[Any]:
    """Return methods of the layers below ``network``; not its own, as in MindSpore."""
    found: list[Any] = []
    for layer in network.name_cells().values():
        found += [layer.compute_kl_loss] if isinstance(layer, Variational) else _divergences(layer)
    return found
