"""MindSpore's loss scale on ``torch.amp.GradScaler``: the scaler scales and skips updates, a `LossScaleManager`
controls the scale.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import torch
from torch.amp.grad_scaler import _refresh_per_optimizer_state

from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor


class LossScaler(torch.amp.GradScaler):
    """GradScaler with a scale changed by the update Cell of a loss scale manager, on the device.

    A manager without such a Cell is read before each step; the caller notifies it of overflows.

    Args:
        device_type: of the network's parameters.
        manager: a `LossScaleManager`.
    """

    def __init__(self, device_type: str, manager: Any) -> None:
        super().__init__(device_type, init_scale=float(manager.get_loss_scale()))
        self._manager = manager
        self._update_cell = manager.get_update_cell()
        self._drops = self._update_cell is not None or getattr(manager, "get_drop_overflow_update", lambda: False)()
        self._sense = Parameter(Tensor(float(manager.get_loss_scale()), torch.float32), name="scale_sense")
        self._growth_tracker = torch.zeros((), dtype=torch.int32)  # torch counts here; the manager does so itself

    @property
    def _scale(self) -> Any:
        """The memory of the Parameter, which may move to another device."""
        return plain(self._sense)

    @_scale.setter
    def _scale(self, value: Any) -> None:
        """Do nothing: torch's constructor has no scale yet."""

    def _lazy_init_scale_growth_tracker(self, dev: torch.device) -> None:
        """Do nothing: torch creates its state here; this class has its own from the start."""

    def begin(self) -> None:
        """Begin an update's first batch."""
        if self._update_cell is None:
            plain(self._sense).fill_(float(self._manager.get_loss_scale()))

    def current(self) -> torch.Tensor:
        """Return the current scale, float32 of shape ()."""
        return plain(self._sense).clone()

    def overflow(self) -> torch.Tensor:
        """Return whether gradients unscaled since the last `update` held NaN or infinity; bool of shape ()."""
        assert self._scale is not None
        found = [
            value.to(self._scale.device)
            for state in self._per_optimizer_states.values()
            for value in state["found_inf_per_device"].values()
        ]
        return torch.stack(found).sum() > 0

    def leaves_out(self, overflow: torch.Tensor) -> bool:
        """Return whether a step with that overflow changes no weight."""
        return self._drops and bool(overflow)

    def step(self, optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> float | None:
        """Update from unscaled gradients; skip this after an overflow, if the manager drops such updates."""
        if not self._drops:
            return optimizer.step(*args, **kwargs)
        return super().step(optimizer, *args, **kwargs)

    def update(self, new_scale: float | torch.Tensor | None = None) -> None:
        """Change the scale by the manager, or set it."""
        if new_scale is not None:
            plain(self._sense).copy_(torch.as_tensor(new_scale))
        elif self._update_cell is not None:
            self._update_cell(self._sense, Tensor(self.overflow()))
        self._per_optimizer_states: Any = defaultdict(_refresh_per_optimizer_state)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)  # torch's stores the scale as the initial one

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def targets(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield (name, tensor) of the entries of a checkpoint, under the names of a MindSpore step."""
        yield "scale_sense", plain(self._sense)
        if self._update_cell is not None:
            yield from ((parameter.name, plain(parameter)) for parameter in self._update_cell.get_parameters())
