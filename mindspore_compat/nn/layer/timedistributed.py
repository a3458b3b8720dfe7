"""MindSpore: ``mindspore.nn.TimeDistributed``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell

__all__ = ["TimeDistributed"]


class TimeDistributed(Cell):
    """``layer`` applied to every slice along ``time_axis`` of an input of at least three axes.

    With ``reshape_with_axis`` time is merged into that neighbouring axis for a single call. The result is the same for
    layers that treat it as a batch axis.
    """

    def __init__(self, layer: Any, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        self.layer = layer
        self.time_axis = time_axis
        self.reshape_with_axis = None if reshape_with_axis is None else reshape_with_axis

    def construct(self, inputs: Any) -> Any:
        axis = self.time_axis % inputs.dim()
        if self.reshape_with_axis is not None:
            return self._merged(inputs, axis, self.reshape_with_axis % inputs.dim())
        return torch.stack([self.layer(item) for item in torch.unbind(inputs, axis)], axis)

    def _merged(self, inputs: Any, axis: int, partner: int) -> Any:
        # Time goes next to its partner: behind it if it came from behind, else in front of it.
        if partner == inputs.dim() - 1:
            beside = inputs.dim() - 2
        else:
            beside = partner + 1 if axis > partner else partner - 1
        moved = torch.movedim(inputs, axis, beside)
        first = min(beside, partner)
        outputs = self.layer(torch.flatten(moved, first, first + 1))
        pair = tuple(moved.shape[first : first + 2])
        if first >= outputs.dim() or outputs.shape[first] != pair[0] * pair[1]:
            raise ValueError(
                "For 'TimeDistributed', the 'reshape_with_axis' is invalid in the input and output: the layer must "
                f"keep the merged axis {first}, but gave shape {tuple(outputs.shape)}. Leave out 'reshape_with_axis'."
            )
        shape = tuple(outputs.shape)
        return torch.reshape(outputs, shape[:first] + pair + shape[first + 1 :])
