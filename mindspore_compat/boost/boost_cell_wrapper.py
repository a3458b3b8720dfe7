"""Training steps with the methods of `AutoBoost`. MindSpore: ``mindspore.boost.boost_cell_wrapper``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.boost.boost import AutoBoost
from mindspore_compat.boost.grad_accumulation import Accumulator
from mindspore_compat.boost.grad_freeze import FreezeOpt, freeze_cell
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore_compat.nn.wrap.grad_reducer import reducing
from mindspore_compat.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell
from mindspore_compat.ops.composite.base import HyperMap
from mindspore_compat.parallel._utils import _get_device_num

__all__ = ["BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell"]


class BoostTrainOneStepCell(TrainOneStepCell):
    """`nn.TrainOneStepCell` with a `FreezeOpt`, or with gradients accumulated over steps as `AutoBoost` sets.

    Args:
        network: a Cell that returns the loss.
        sens: the loss's gradient.

    Raises:
        UnsupportedError: where MindSpore would combine processes by AdaSum (more than 8 of them).
    """

    def __init__(self, network: Any, optimizer: Any, sens: Any = None) -> None:
        super().__init__(network, optimizer, sens)
        self.hyper_map = HyperMap()
        self.freeze = isinstance(optimizer, FreezeOpt)
        self.train_strategy = getattr(optimizer, "train_strategy", None)
        self.auto_boost = AutoBoost()
        self.max_accumulation_step = max(1, int(self.auto_boost.grad_accumulation_step))
        self.use_grad_accumulation = (
            self.parallel_mode in ("data_parallel", "stand_alone")
            and bool(self.auto_boost.boost_config.get("grad_accumulation", False))
            and self.max_accumulation_step > 1
        )
        self.enable_dim_reduce = self.check_dim_reduce_enable()
        self.enable_adasum = self.check_adasum_enable()
        for enabled, name in ((self.enable_dim_reduce, "dim_reduce"), (self.enable_adasum, "adasum")):
            if enabled:
                raise UnsupportedError(
                    f"For '{type(self).__name__}', '{name}' of the optimizer is not supported by mindspore_compat."
                )
        self.accumulation_step = Parameter(Tensor(0, torch.int32), name="accumulation_step")
        if self.use_grad_accumulation:
            self.grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self.step = Parameter(Tensor(0, torch.int32), name="step")
        self.sync_tensor = Parameter(Tensor(0, torch.int32), name="sync_tensor")  # part of MindSpore's checkpoints
        self.freeze_nets: Any = None
        self._freeze_steps: list[int] | None = None
        self._accumulator: Any = None
        if self.freeze:
            self.freeze_nets = freeze_cell(
                self.reducer_flag,
                self.network,
                optimizer,
                self.sens,
                self.grad,
                self.use_grad_accumulation,
                self.mean if self.reducer_flag else None,
                self.degree if self.reducer_flag else None,
                self.max_accumulation_step,
            )
            if self.train_strategy is not None:
                self._freeze_steps = self.train_strategy.asnumpy().tolist()
        elif self.use_grad_accumulation:
            self._accumulator = Accumulator(self.max_accumulation_step, self.grad_accumulation, self.accumulation_step)

    def construct(self, *inputs: Any) -> Any:
        if self.freeze:
            return self.gradient_freeze_process(*inputs)
        if self._accumulator is None:
            return super().construct(*inputs)
        loss, found = self._loss_and_gradients(*inputs)
        return self._accumulator(loss, self.grad_reducer(found), self.optimizer)

    def gradient_freeze_process(self, *inputs: Any) -> Any:
        """Run one step of the present optimizer; return the loss."""
        step = int(self.step)
        turn = step if self._freeze_steps is None else self._freeze_steps[step]
        last = len(self.freeze_nets if self._freeze_steps is None else self._freeze_steps)
        loss = self.freeze_nets[turn](*inputs)
        plain(self.step).fill_(0 if step + 1 >= last else step + 1)
        return loss

    def gradient_accumulation_process(self, loss: Any, grads: Any, sens: Any, *inputs: Any) -> Any:
        """Add the gradients; update with their mean after a number of calls. Return the loss."""
        if self._accumulator is None:
            self.grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
            self._accumulator = Accumulator(self.max_accumulation_step, self.grad_accumulation, self.accumulation_step)
        return self._accumulator(loss, grads, self.optimizer)

    def check_adasum_enable(self) -> bool:
        """Return whether the optimizer asks for AdaSum and there are 16, 32, 64 … processes in groups of 8."""
        if not getattr(self.optimizer, "adasum", None) or not self.reducer_flag:
            return False
        groups = _get_device_num() // 8
        return groups > 1 and groups & (groups - 1) == 0

    def check_dim_reduce_enable(self) -> bool:
        """Return whether the optimizer asks for the reduction of dimensions."""
        return bool(getattr(self.optimizer, "dim_reduce", None))


class BoostTrainOneStepWithLossScaleCell(TrainOneStepWithLossScaleCell, BoostTrainOneStepCell):
    """`nn.TrainOneStepWithLossScaleCell` with gradients accumulated over steps or a `GroupLossScaleManager`, as
    `AutoBoost` sets. Returns (loss, overflow, scale).

    With a `GroupLossScaleManager` overflow is the number of groups with one (int32). A group's scale is multiplied by
    2^(1/1000), on overflow by 2^(-1/2). Only a step without any changes weights.

    Args:
        scale_sense: a loss-scale update Cell, or a Tensor of shape () or (1,).

    Raises:
        TypeError: for a `FreezeOpt`, or or with ``loss_scale_group`` on but no `GroupLossScaleManager`.
    """

    def __init__(self, network: Any, optimizer: Any, scale_sense: Any) -> None:
        if isinstance(optimizer, FreezeOpt):
            raise TypeError(
                "For 'BoostTrainOneStepWithLossScaleCell', the 'optimizer' must not be a FreezeOpt. "
                "Use BoostTrainOneStepCell."
            )
        self_groups = bool(AutoBoost().boost_config.get("loss_scale_group", False))
        if self_groups and not (isinstance(scale_sense, Cell) and hasattr(scale_sense, "set_loss_scale_status")):
            raise TypeError(f"The scale_sense must be enhanced amp Cell, but got {type(scale_sense)}")
        super().__init__(network, optimizer, scale_sense)
        self.enable_enhanced_amp = self_groups
        if self_groups:
            self._set_groups(scale_sense)

    def _set_groups(self, manager: Any) -> None:
        self.loss_scale_groups = manager.loss_scale_groups
        group_of = {id(item): index for index, group in enumerate(self.loss_scale_groups) for item in group}
        unknown = [item.name for item in self.weights if id(item) not in group_of]
        if unknown:
            raise ValueError(
                "For 'GroupLossScaleManager', 'loss_scale_groups' must hold every Parameter of the optimizer, "
                f"but {', '.join(unknown[:3])} are in none."
            )
        self._weight_groups = [group_of[id(item)] for item in self.weights]
        manager.set_loss_scale_status(len(self.loss_scale_groups), manager.get_loss_scale())

    def construct(self, *inputs: Any) -> Any:
        if self.enable_enhanced_amp:
            return self._grouped_step(*inputs)
        if self._accumulator is None:
            return TrainOneStepWithLossScaleCell.construct(self, *inputs)
        scale = plain(self.scale_sense).clone()
        with reducing(self.grad_reducer, self.weights, 1.0 / scale.reshape(()), False) as reduced:
            loss, found = self._scaled_gradients(inputs, scale)
        found = wrap(reduced(found))
        overflow = self.get_overflow_status(None, found)
        if not bool(self.process_loss_scale(overflow)):
            loss = self._accumulator(loss, found, self.optimizer)
        return loss, overflow, wrap(plain(self.scale_sense).clone())

    def _grouped_step(self, *inputs: Any) -> tuple[Any, Any, Any]:
        manager, groups = self.loss_scaling_manager, range(len(self.loss_scale_groups))
        used = [plain(scale).clone() for scale in manager.dynamic_loss_scale[1:-1]]
        loss, found = self._loss_and_gradients(*inputs)
        found = self.grad_reducer(found)
        bad = [
            bool(
                self.get_overflow_status(
                    None, [item for item, group in zip(found, self._weight_groups) if group == index]
                )
            )
            for index in groups
        ]
        scales = [manager.update_loss_scale_status(index, 2**-0.5 if bad[index] else 2**0.001) for index in groups]
        if not any(bad):
            self.optimizer(
                tuple(wrap(plain(item) / used[group].to(item.dtype)) for item, group in zip(found, self._weight_groups))
            )
        return loss, Tensor(sum(bad), torch.int32), scales[0]
