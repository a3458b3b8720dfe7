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

from typing import Any

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.thor_cell import ThorGpu
from mindspore_compat.nn.optim.thor_convert import convert_network
from mindspore_compat.nn.optim.thor_torch import ThorTorch

__all__ = ["thor", "ThorGpu"]


@arguments_of(ThorGpu)
def thor(net: Any, **options: Any) -> Any:
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
    return kind(net, **options)
