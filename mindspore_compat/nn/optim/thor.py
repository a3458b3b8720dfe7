"""Second-order optimizer THOR. MindSpore: ``mindspore.nn.thor``. Source of the method:
https://ojs.aaai.org/index.php/AAAI/article/view/16867.

docs/design/thor.md has the formulas and the differences from MindSpore. A step:

    g = gradient / loss_scale
    in a second-order step: new inverses of the damped factors, averaged over the processes
    g = G⁻¹ g A⁻¹ (Dense, Conv2d, Embedding);  g / (g² / batch_size + √damping) (LayerNorm);  g (others)
    g = g + weight_decay · w where decay_filter says so;  g · min(1, 1/‖g‖) with enable_clip_grad
    m = momentum · m + g;  w -= lr · m, with Nesterov w -= lr · (g + momentum · m)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.thor_arguments import decay_all
from mindspore_compat.nn.optim.thor_cell import ThorGpu
from mindspore_compat.nn.optim.thor_convert import convert_network
from mindspore_compat.nn.optim.thor_torch import ThorTorch

__all__ = ["thor", "ThorGpu"]


def thor(
    net: Any,
    learning_rate: Any,
    damping: Any,
    momentum: float,
    weight_decay: float = 0.0,
    loss_scale: float = 1.0,
    batch_size: int = 32,
    use_nesterov: bool = False,
    decay_filter: Callable[[Any], bool] = decay_all,
    split_indices: Any = None,
    enable_clip_grad: bool = False,
    frequency: int = 100,
) -> Any:
    """Return an optimizer that preconditions gradients by inverse Kronecker factors, renewed every ``frequency``-th
    step.

    Converts ``net`` in place first, so that its layers record factors.

    Args:
        net: a Cell; or a plain ``torch.nn.Module``, for which a ``torch.optim.Optimizer`` comes back.
        learning_rate, damping: 1-D float32 Tensors, one value a step.
        momentum: a float, at least 0.
        loss_scale: what the loss is multiplied by; gradients are divided by it, G by its square.
        batch_size: samples of a batch.
        decay_filter: of a Parameter, whether weight decay applies.
        split_indices: how MindSpore groups the all-reduce of the inverses: without effect.
        enable_clip_grad: each gradient's norm at most 1.
        frequency: an int, at least 2.
    """
    convert_network(net)
    kind: Any = ThorGpu if isinstance(net, Cell) else ThorTorch
    return kind(
        net,
        learning_rate,
        damping,
        momentum,
        weight_decay,
        loss_scale,
        batch_size,
        use_nesterov,
        decay_filter,
        split_indices,
        enable_clip_grad,
        frequency,
    )
