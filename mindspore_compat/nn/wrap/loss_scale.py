"""Training steps with a loss scale. Upstream: ``mindspore.nn.wrap.loss_scale``."""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat.common._wrap import plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore_compat.ops.composite.grad import gradients

__all__ = ["DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "TrainOneStepWithLossScaleCell"]


class DynamicLossScaleUpdateCell(Cell):
    """Changes ``loss_scale`` (a Parameter) in place: divided on overflow, multiplied after ``scale_window`` steps without; at least 1."""

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value
        self.scale_factor = check_positive_int(scale_factor, "scale_factor", "DynamicLossScaleUpdateCell")
        self.scale_window = check_positive_int(scale_window, "scale_window", "DynamicLossScaleUpdateCell")
        self.cur_iter = Parameter(Tensor(1, torch.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(Tensor(0, torch.int32), name="last_overflow_iterator_step")

    def get_loss_scale(self) -> float:
        """The scale to start with."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:
        """Updates without waiting for the device; returns ``overflow``."""
        scale, current, last = plain(loss_scale), plain(self.cur_iter), plain(self.last_overflow_iter)
        overflowed = plain(overflow) if isinstance(overflow, torch.Tensor) else torch.tensor(bool(overflow), device=scale.device)
        overflowed = overflowed.to(torch.bool).reshape(())
        grows = (current - last) >= self.scale_window
        reduced = torch.clamp(scale / self.scale_factor, min=1.0)
        scale.copy_(torch.where(overflowed, reduced, torch.where(grows, scale * self.scale_factor, scale)))
        last.copy_(torch.where(overflowed | grows, current, last))
        current.add_(1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Leaves the scale as it is; returns ``overflow``."""

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """The scale."""
        return self.loss_scale_value

    def construct(self, _: Any, overflow: Any) -> Any:
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step on the scaled loss: gradients are unscaled, and a step with NaN or infinity in them changes no weight.

    Returns (loss, overflow, scale). User subclasses call `start_overflow_check`, `get_overflow_status`, `process_loss_scale`.

    Args:
        scale_sense: a loss-scale update Cell, or a Tensor of shape () or (1,).
    """

    def __init__(self, network: Any, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer, sens=None)
        self.is_distributed = self.reducer_flag
        self.loss_scaling_manager: Any = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            self.scale_sense = Parameter(Tensor(scale_sense.get_loss_scale(), torch.float32), name="scale_sense")
        elif isinstance(scale_sense, torch.Tensor):
            if tuple(scale_sense.shape) not in ((), (1,)):
                raise ValueError("For 'TrainOneStepWithLossScaleCell', the shape of 'scale_sense' must be (1,) or (), "
                                 f"but got {tuple(scale_sense.shape)}.")
            self.scale_sense = Parameter(scale_sense, name="scale_sense")
        else:
            raise TypeError("For 'TrainOneStepWithLossScaleCell', the 'scale_sense' must be Cell or Tensor, "
                            f"but got 'scale_sense' type: {type(scale_sense)}.")

    @property
    def hyper_map(self) -> Any:
        from mindspore_compat.ops.composite import HyperMap
        return HyperMap()

    def construct(self, *inputs: Any) -> Any:
        network = self.network
        with torch.enable_grad():
            loss = network(*inputs)
        if isinstance(network, Cell):
            network.__dict__["_captured"] = None
        scale = plain(self.scale_sense).clone()
        seed = torch.ones_like(plain(loss)) * scale.to(loss.dtype)
        found = list(torch._foreach_mul([plain(item) for item in gradients(loss, list(self.weights), seed)], 1.0 / scale.reshape(())))
        found = list(self.grad_reducer(tuple(found)))
        overflow = self.get_overflow_status(None, found)
        if not self.process_loss_scale(overflow):
            self.optimizer(tuple(found))
        return wrap(plain(loss)), overflow, wrap(scale)

    def set_sense_scale(self, sens: Any) -> None:
        """Replace a scale that was given as a Tensor."""
        if not isinstance(sens, torch.Tensor):
            raise TypeError(f"For 'TrainOneStepWithLossScaleCell', the type of 'sens' must be Tensor, but got {type(sens)}")
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """(status, compute_input): there is no device state to clear."""
        return Tensor([0] * 8, torch.int32), compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Any:
        """A bool Tensor: whether any of the given tensors holds NaN or infinity, in any process."""
        tensors = [plain(item) for item in _flat(compute_output)]
        finite = [torch.isfinite(torch.sum(item)) if item.numel() else None for item in tensors]
        bad = [~item for item in finite if item is not None]
        overflow = torch.stack(bad).any() if bad else torch.tensor(False)
        # A sum may overflow although all its terms are finite: look closer only then.
        if bool(overflow):
            overflow = torch.stack([(~torch.isfinite(item)).any() for item in tensors if item.numel()]).any()
        if self.is_distributed:
            import torch.distributed as dist
            flag = overflow.to(torch.float32)
            dist.all_reduce(flag)
            overflow = flag > 0
        return wrap(overflow)

    def process_loss_scale(self, overflow: Any) -> Any:
        """Update the scale; returns ``overflow``."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow


def _flat(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for item in value for tensor in _flat(item)]
