"""Torch networks under `Model` with their loss: evaluation and prediction, and the base of `TorchTrainStep`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree

from mindspore_compat._runtime import placement
from mindspore_compat.train._torch.batch import loss_of, prediction_of, split, wrapped
from mindspore_compat.train._torch.names import torch_targets


class TorchStep(torch.nn.Module):
    """Network with its loss, and the attributes that callbacks use of a train network.

    Args:
        amp_level: but for "O0", the network runs under ``torch.autocast``, and its outputs are returned in float32.
        amp_dtype: torch.float16 or torch.bfloat16; None is float16 on a GPU, bfloat16 elsewhere.
    """

    def __init__(
        self, network: torch.nn.Module, loss_fn: Any, amp_level: str = "O0", amp_dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        self.network = network
        self.loss_fn = loss_fn
        self.amp_level, self.amp_dtype = amp_level, amp_dtype
        placement.adopted(self)  # torch creates modules on the CPU

    def device_type(self) -> str:
        """Return the device type of the network's first parameter."""
        first = next(self.network.parameters(), None)
        return "cpu" if first is None else first.device.type

    def outputs_for(self, batch: Any) -> Any:
        """Return the network's outputs in its precision, as float32 if that is lower."""
        if self.amp_level == "O0":
            return batch.through(self.network)
        device_type = self.device_type()
        dtype = self.amp_dtype or (torch.float16 if device_type == "cuda" else torch.bfloat16)
        with torch.autocast(device_type, dtype):
            outputs = batch.through(self.network)
        return _as_float32(outputs)

    def set_train(self, mode: bool = True) -> TorchStep:
        self.train(mode)
        return self

    def set_grad(self, requires_grad: bool = True) -> TorchStep:
        return self

    def get_parameters(self, expand: bool = True) -> Iterator[torch.Tensor]:
        """Return the network's parameters."""
        return iter(self.network.parameters(expand))

    def trainable_params(self, recurse: bool = True) -> list[torch.Tensor]:
        """Return the network's parameters with requires_grad."""
        return [parameter for parameter in self.network.parameters(recurse) if parameter.requires_grad]

    def checkpoint_targets(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield (MindSpore name, tensor) of all entries of a checkpoint."""
        yield from torch_targets(self.network)


def _as_float32(outputs: Any) -> Any:
    return pytree.tree_map_only(
        torch.Tensor, lambda item: item.to(torch.float32) if item.is_floating_point() else item, outputs
    )


placement.follow(TorchStep)  # also networks built before the device was chosen


class TorchEvalStep(TorchStep):
    """Cell that returns (loss, outputs, label) as Tensors, for metrics."""

    def forward(self, *inputs: Any) -> Any:
        batch = split(self.network, inputs, self.loss_fn is not None)
        outputs = self.outputs_for(batch)
        predicted = prediction_of(outputs)
        loss = loss_of(outputs) if self.loss_fn is None else batch.loss(self.loss_fn, predicted)
        return wrapped((loss, predicted, batch.labels))


class TorchPredict(TorchStep):
    """The network's outputs as Tensors."""

    def forward(self, *inputs: Any) -> Any:
        return wrapped(self.outputs_for(split(self.network, inputs, False)))
