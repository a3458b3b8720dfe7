"""Our side of the THOR checks: networks of networks.py made, converted and stepped."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from tests.thor.networks import BATCH, DAMPINGS, make_cell, make_data, make_weights

__all__ = ["batch", "make_net", "make_step", "make_thor", "trainable"]


def make_net(case: str, dtype: torch.dtype = torch.float32) -> Any:
    """The Cell with the weights of networks.py."""
    net = make_cell(case, nn, ops)
    start = make_weights(case)
    for parameter in net.get_parameters():
        if parameter.name in start:
            parameter.set_data(Tensor(start[parameter.name]))
    return net if dtype is torch.float32 else net.double()


def make_thor(net: Any, rates: np.ndarray, filter: str = "", dampings: np.ndarray = DAMPINGS, **options: Any) -> Any:
    """`thor` with the settings of networks.OPTIONS; frequency 3 gives the flags T, F, F, T."""
    options = {"batch_size": BATCH, "frequency": 3, "momentum": 0.9, **options}
    if filter:
        options["decay_filter"] = lambda item: filter not in item.name
    return nn.thor(net, Tensor(rates), Tensor(dampings), **options)


def make_step(net: Any, optimizer: Any, scale: float = 1.0) -> Any:
    """A training step on (inputs, labels)."""
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, optimizer, sens=scale)
    step.set_train()
    return step


def batch(case: str, step: int, dtype: torch.dtype = torch.float32) -> tuple[Any, Any]:
    """Tensors of `make_data`."""
    x, y = make_data(case, step)
    x = Tensor(x)
    return x.astype(dtype) if case != "embedding" and dtype is not torch.float32 else x, ms.Tensor(y)


def trainable(net: Any) -> dict[str, np.ndarray]:
    """{name: value} of the trainable parameters."""
    return {item.name: item.asnumpy().copy() for item in net.trainable_params()}
