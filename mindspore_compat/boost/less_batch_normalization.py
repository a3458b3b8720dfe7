"""MindSpore: ``mindspore.boost.LessBN``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dense

__all__ = ["CommonHeadLastFN", "LessBN"]


class CommonHeadLastFN(Cell):
    """Last layer that compares directions: multiplier·(x/|x|·(w/|w|)ᵀ + bias)."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
    ) -> None:
        super().__init__()
        self.weight = Parameter(initializer(weight_init, [out_channels, in_channels]), name="weight")
        self.multiplier = Parameter(Tensor([1.0], torch.float32), name="multiplier")
        self.has_bias = has_bias
        if has_bias:
            self.bias = Parameter(initializer(bias_init, [out_channels]), name="bias")

    def construct(self, x: Any) -> Any:
        x, weight = (_normalized(item) for item in (x, self.weight))
        return wrap(self.multiplier * kernels.linear(x, weight, self.bias if self.has_bias else None))


def _normalized(rows: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(rows, dim=1, eps=1e-2)  # MindSpore's L2Normalize has 1e-4 under the root


class LessBN(Cell):
    """The network, with ``fn_flag`` its last Dense replaced by a `CommonHeadLastFN` with the same weights and no bias.
    MindSpore's compiler may leave out BatchNorms; none is left out here.
    """

    def __init__(self, network: Any, fn_flag: bool = False) -> None:
        super().__init__()
        self.network = network
        if "less_bn" not in network.get_flags():
            network.set_boost("less_bn")
            network.update_cell_prefix()
            if fn_flag:
                _replace_last(network)
            network.add_flags(defer_inline=True)

    def construct(self, *inputs: Any) -> Any:
        return self.network(*inputs)


def _replace_last(network: Any) -> None:
    """Replace the last one of the Dense layers in each Cell."""
    last = None
    for name, cell in network.name_cells().items():
        if isinstance(cell, Dense):
            last = name, cell
        elif cell is not network:
            _replace_last(cell)
    if last is not None:
        name, cell = last
        made = CommonHeadLastFN(cell.in_channels, cell.out_channels, cell.weight, has_bias=False)
        made.update_parameters_name(cell.param_prefix + ".")
        network._exchange_child(name, made)
