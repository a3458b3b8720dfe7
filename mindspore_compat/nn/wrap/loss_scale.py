"""Training steps with a loss scale. MindSpore: ``mindspore.nn.wrap.loss_scale``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._autograd.forward import Forward, detached, gradients
from mindspore_compat._graph.replay.replay import replayed
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim._device import on_device, unless
from mindspore_compat.nn.wrap.cell_wrapper import TrainOneStepCell, _accumulated, _micro_size
from mindspore_compat.nn.wrap.grad_reducer import reducing
from mindspore_compat.ops import operations
from mindspore_compat.ops.composite.base import HyperMap, MultitypeFuncGraph
from mindspore_compat.parallel._utils import _get_pipeline_stages

__all__ = [
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "TrainOneStepWithLossScaleCell",
    "grad_scale",
    "shard_grad_scale",
]


class DynamicLossScaleUpdateCell(Cell):
    """In-place update of ``loss_scale`` (a Parameter): divided on overflow, multiplied after ``scale_window`` steps
    without; at least 1.
    """

    def __init__(self, loss_scale_value: float, scale_factor: float, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value
        self.scale_factor = scale_factor
        self.scale_window = scale_window
        self.cur_iter = Parameter(Tensor(1, torch.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(Tensor(0, torch.int32), name="last_overflow_iterator_step")

    def get_loss_scale(self) -> float:
        """Return the scale to start with."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:
        """Update without waiting for the device; return ``overflow``."""
        scale, current, last = plain(loss_scale), plain(self.cur_iter), plain(self.last_overflow_iter)
        overflowed = (
            plain(overflow) if isinstance(overflow, torch.Tensor) else torch.tensor(bool(overflow), device=scale.device)
        )
        overflowed = overflowed.to(torch.bool).reshape(scale.shape)
        grows = (current - last) >= self.scale_window
        reduced = torch.clamp(scale * (1.0 / self.scale_factor), min=1.0)
        scale.copy_(torch.where(overflowed, reduced, torch.where(grows, scale * self.scale_factor, scale)))
        last.copy_(torch.where(overflowed | grows, current, last))
        current.add_(1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Constant loss scale; returns ``overflow``."""

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """Return the scale."""
        return self.loss_scale_value

    def construct(self, _: Any, overflow: Any) -> Any:
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """Training step on the scaled loss: gradients are unscaled, and a step with NaN or infinity in them changes no
    weight.

    Returns (loss, overflow, scale of the next step). User subclasses call `start_overflow_check`,
    `get_overflow_status`, `process_loss_scale`.

    Args:
        scale_sense: a loss-scale update Cell, or a Tensor of shape () or (1,).
    """

    _in_parts = False  # whether the gradients come of several backward passes

    def __init__(self, network: Any, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer, sens=None)
        # what subclasses in user code use of MindSpore's attributes
        self.hyper_map = HyperMap()
        self.base = Tensor(1, torch.float32)
        self.less_equal, self.reduce_sum = operations.LessEqual(), operations.ReduceSum(keep_dims=False)
        self.allreduce = operations.AllReduce()
        self.is_distributed = self.reducer_flag or _get_pipeline_stages() > 1
        self.loss_scaling_manager: Any = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            self.scale_sense = Parameter(Tensor(scale_sense.get_loss_scale(), torch.float32), name="scale_sense")
        else:
            if tuple(scale_sense.shape) not in ((), (1,)):
                raise ValueError(
                    "For 'TrainOneStepWithLossScaleCell', the shape of 'scale_sense' must be (1,) or (), "
                    f"but got {tuple(scale_sense.shape)}."
                )
            self.scale_sense = Parameter(scale_sense, name="scale_sense")
        if hasattr(optimizer, "follow_loss_scale"):  # THOR's factors come from the scaled gradients
            optimizer.follow_loss_scale(self.scale_sense)

    def construct(self, *inputs: Any) -> Any:
        scale = plain(self.scale_sense).clone()
        factor = 1.0 / scale.reshape(())
        with reducing(self.grad_reducer, self.weights, factor, self._in_parts) as reduced:
            loss, scaled = self._scaled_gradients(inputs, scale)
            scaled = list(scaled)  # the tuple would hold what is done with
        found = wrap(reduced(scaled))
        overflow = self.get_overflow_status(None, found)
        unless(self.process_loss_scale(overflow), self.optimizer, found)
        return loss, overflow, wrap(plain(self.scale_sense).clone())

    def _scaled_gradients(self, inputs: tuple[Any, ...], scale: torch.Tensor) -> tuple[Any, Any]:
        return self._part_gradients(self.network, inputs, scale)

    def _part_gradients(self, network: Any, inputs: tuple[Any, ...], scale: torch.Tensor) -> tuple[Any, Any]:
        def differentiated(arguments: tuple[tuple[Any, ...], torch.Tensor]) -> tuple[Any, Any]:
            inputs, scale = arguments
            forward = Forward(network, inputs)
            if not isinstance(forward.outputs, torch.Tensor):
                raise TypeError(
                    "For 'TrainOneStepWithLossScaleCell', the network must return the loss as one Tensor, but got "
                    f"'{type(forward.outputs).__name__}'. Return the loss alone."
                )
            loss = plain(forward.outputs)
            return detached(forward.outputs), gradients(
                forward, self.weights, torch.ones_like(loss) * plain(scale).to(loss.dtype)
            )

        return wrap(replayed(network, ("loss scale", id(self.weights)), differentiated, (inputs, scale), self.weights))

    def set_sense_scale(self, sens: Any) -> None:
        """Replace a scale that was given as a Tensor."""
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """(status, compute_input): there is no device state to clear. A scale comes without a derivative, for which the
        gradients that it is multiplied with would be kept.
        """
        is_tensor = isinstance(compute_input, torch.Tensor)
        return Tensor([0] * 8, torch.int32), wrap(plain(compute_input)) if is_tensor else compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Any:
        """Return a bool Tensor: whether any given tensor holds NaN or infinity, in any process."""
        tensors = [plain(item) for item in _flat(compute_output)]
        on_devices = [item for item in tensors if on_device(item) and item.numel()]
        if on_devices:
            largest = torch._foreach_norm(on_devices, float("inf"))
            overflow = torch.amax(torch.stack(largest)) * 0 != 0  # fewer kernels than isfinite has
            return wrap(self._in_any_process(overflow))
        finite = [torch.isfinite(torch.sum(item)) if item.numel() else None for item in tensors]
        bad = [~item for item in finite if item is not None]
        overflow = torch.stack(bad).any() if bad else torch.tensor(False)
        # A sum may overflow although all its terms are finite: look closer only then.
        if bool(overflow):
            overflow = torch.stack([(~torch.isfinite(item)).any() for item in tensors if item.numel()]).any()
        return wrap(self._in_any_process(overflow))

    def _in_any_process(self, overflow: torch.Tensor) -> torch.Tensor:
        if not self.is_distributed:
            return overflow
        import torch.distributed as dist

        flag = overflow.to(torch.float32)
        dist.all_reduce(flag)
        return flag > 0

    def process_loss_scale(self, overflow: Any) -> Any:
        """Update the scale; return ``overflow``."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow


class _TrainGradAccuWithLossScaleCell(TrainOneStepWithLossScaleCell):
    """Scaled step that updates once with the mean gradient of the parts of a batch, see `GradAccumulationCell`."""

    _in_parts = True

    def _scaled_gradients(self, inputs: tuple[Any, ...], scale: torch.Tensor) -> tuple[Any, Any]:
        loss, found = _accumulated(
            self.network, lambda network, part: self._part_gradients(network, part, scale), inputs
        )
        return loss, [gradient / _micro_size(self.network) for gradient in found]


_TrainPipelineWithLossScaleCell = TrainOneStepWithLossScaleCell  # of releases before 2.5, for a `PipelineCell`


def _unscaled(scale: Any, gradient: Any, accumulated: Any) -> Any:
    """Return ``accumulated`` over the scale; set it to zero for the next steps."""
    result = wrap(plain(accumulated) * plain(scale).reciprocal())
    plain(accumulated).zero_()
    return result


def _unscaled_shard(scale: Any, gradient: Any, accumulated: Any) -> Any:
    """Return ``gradient`` over the scale; set ``accumulated`` to zero for the next steps."""
    result = wrap(plain(gradient) * plain(scale).reciprocal())
    plain(accumulated).zero_()
    return result


_grad_scale = MultitypeFuncGraph("grad_scale")  # tutorials of 1.x import it
_grad_scale.register("Tensor", "Tensor")(
    lambda scale, gradient: wrap(plain(gradient) * plain(scale).reciprocal().to(gradient.dtype))
)
grad_scale = MultitypeFuncGraph("grad_scale")
grad_scale.register("Tensor", "Tensor", "Tensor")(_unscaled)
shard_grad_scale = MultitypeFuncGraph("shard_grad_scale")
shard_grad_scale.register("Tensor", "Tensor", "Tensor")(_unscaled_shard)


_grad_overflow = MultitypeFuncGraph("_grad_overflow")
_grad_overflow.register("Tensor")(operations.FloatStatus())


def _flat(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for item in value for tensor in _flat(item)]
