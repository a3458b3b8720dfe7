"""Trains a network in `AutoParallel` over the processes that run this, and in one; prints the difference, how many
Parameters are cut, and where the context stands.
"""

from __future__ import annotations

from mindspore_compat.parallel.auto_parallel import AutoParallel
from networks import Mlp, adam, difference, trained

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat.communication import get_group_size, init, release

init()
SIZE = get_group_size()
ms.set_context(mode=ms.GRAPH_MODE)


def in_auto_parallel(network: nn.Cell, optimizer: nn.Cell) -> nn.Cell:
    """A step whose network is wrapped."""
    wrapped = AutoParallel(network, parallel_mode="semi_auto")
    wrapped.dataset_strategy("full_batch")
    wrapped.enable_gradients_mean()
    return nn.TrainOneStepCell(wrapped, optimizer)


cut = (((1, 1), (1, SIZE)), ((1, SIZE), (SIZE, 1)))
found = trained(Mlp(cut), "numbers", adam, in_auto_parallel)
mode = ms.get_auto_parallel_context("parallel_mode")
sliced = sum(item.sliced for item in found[1].get_parameters())
ms.reset_auto_parallel_context()
print(f"{difference(found, trained(Mlp(), 'numbers', adam)):.1e}", sliced, mode)
release()
