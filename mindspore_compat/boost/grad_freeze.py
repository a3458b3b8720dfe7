"""Training with some steps that leave the first layers unchanged. MindSpore: ``mindspore.boost.grad_freeze``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat.boost.base import OptimizerProcess, ParameterProcess
from mindspore_compat.boost.grad_accumulation import GradientAccumulation
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Identity
from mindspore_compat.nn.wrap.grad_reducer import DistributedGradReducer

__all__ = ["FreezeOpt", "GradientFreeze", "freeze_cell"]

CONTINUOUS_STRATEGY, INTERVAL_STRATEGY = 0, 1


class FreezeOpt(Cell):
    """One optimizer for each group of Parameters, with the arguments of ``opt``; ``opts`` holds them.

    Args:
        opt: an optimizer of this package, or a LARS around one.
        train_parameter_groups: lists of Parameters or of an optimizer's group dicts; without, all of ``opt``'s.
        train_strategy: which group each step trains.

    Raises:
        ValueError: for a strategy without groups.
    """

    def __init__(self, opt: Any, train_parameter_groups: Any = None, train_strategy: Any = None) -> None:
        super().__init__()
        if train_strategy is not None and train_parameter_groups is None:
            raise ValueError(
                "When the 'train_strategy' is specified, the value of 'train_parameter_groups' must also be specified"
            )
        process = OptimizerProcess(opt)
        self.single_opt, self.is_lars = process.single_opt, process.is_lars
        self.opt_class, self.opt_init_args = process.opt_class, process.opt_init_args
        self.parameters, self.dynamic_lr = process.single_opt.parameters, process.single_opt.dynamic_lr
        self.learning_rate = process.learning_rate
        if train_parameter_groups is None:
            train_parameter_groups = (tuple(self.parameters),)
        self.groups_num = len(train_parameter_groups)
        self.train_strategy = _strategy(train_strategy)
        rates = self._rates()
        self.opts = []
        for index, group in enumerate(train_parameter_groups):
            process.origin_params, process.learning_rate = group, rates[index]
            made = process.generate_new_optimizer()
            for optimizer in (made.opt, made) if self.is_lars else (made,):
                _rename(optimizer, f"boost_{index}")
            self.opts.append(made)

    def _rates(self) -> list[Any]:
        """Return a rate for each group; of a listed rate the values of the steps that train the group."""
        if self.learning_rate is None:
            self.learning_rate = self.single_opt.learning_rate
        rates = [self.learning_rate] * self.groups_num
        if not (self.dynamic_lr and isinstance(self.learning_rate, list) and self.train_strategy is not None):
            return rates
        steps = self.train_strategy.asnumpy().tolist()
        if len(self.learning_rate) > len(steps):
            return rates
        listed = list(zip(steps, self.learning_rate))
        return [[value for step, value in listed if step == group] or rates[group] for group in range(self.groups_num)]


def _strategy(given: Any) -> Tensor | None:
    return Tensor(given, torch.int32) if isinstance(given, (tuple, list)) else given


def _rename(optimizer: Any, prefix: str) -> None:
    """Prefix the names of the optimizer's own Parameters, so that those of several optimizers differ."""
    trained = {id(item) for item in optimizer.parameters}
    for name, item in optimizer.parameters_and_names():
        if id(item) not in trained:
            item.name = prefix + name


class _TrainFreezeCell(Cell):
    """One training step of the Parameters of ``optimizer``."""

    def __init__(
        self,
        net: Any,
        sens: Any,
        grad: Any,
        grad_reducer: Any,
        use_grad_accumulation: bool,
        optimizer: Any,
        max_accumulation_step: int = 1,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.net, self.grad, self.grad_reducer, self.opt, self.sens = net, grad, grad_reducer, optimizer, sens
        self.parameters = optimizer.parameters
        self.grad_accumulation = (
            GradientAccumulation(max_accumulation_step, optimizer) if use_grad_accumulation else None
        )

    def construct(self, *inputs: Any) -> Any:
        loss = self.net(*inputs)
        gradients = self.grad_reducer(self.grad(self.net, self.parameters)(*inputs, torch.full_like(loss, self.sens)))
        if self.grad_accumulation is not None:
            return self.grad_accumulation(loss, gradients)
        self.opt(gradients)
        return loss


class GradientFreeze:
    """Splitter of a network's Parameters into groups, with a `FreezeOpt` for them.

    Args:
        param_groups: number of groups; group i leaves out the first i parts of the network.
        freeze_type: 0, all steps with everything, then one with each group; 1, now and then a group chosen by chance
            (NumPy's generator).
        freeze_p: share of the steps that train everything.
        total_steps: steps of the whole training.
    """

    def __init__(self, param_groups: int, freeze_type: int, freeze_p: float, total_steps: int) -> None:
        self._param_groups, self._freeze_type = param_groups, freeze_type
        self._freeze_p, self._total_steps = freeze_p, total_steps
        self.grad_reducer = Identity()

    def split_parameters_groups(self, net: Any, freeze_para_groups_number: int) -> list[list[Any]]:
        """Return lists of Parameters, each without the first parts of the list before."""
        parts: list[list[Any]] = [[]]
        for item in net.trainable_params():
            if len(parts[-1]) >= 3 and "bn" not in item.name and "bias" not in item.name:
                parts.append([])  # a normalization stays with its convolution
            parts[-1].append(item)
        parts = [part for part in parts if part]
        stride = len(parts) // freeze_para_groups_number
        return [
            [item for part in parts[index * stride :] for item in part] for index in range(freeze_para_groups_number)
        ]

    def generate_freeze_index_sequence(
        self, parameter_groups_number: int, freeze_strategy: int, freeze_p: float, total_steps: int
    ) -> list[int]:
        """Return the group that each step trains.

        Raises:
            ValueError: for another strategy than 0 and 1.
        """
        steps = int(total_steps * 1.01)
        if parameter_groups_number <= 1:
            return [0] * steps
        others = list(range(1, parameter_groups_number))
        if freeze_strategy == CONTINUOUS_STRATEGY:
            wholes = int(freeze_p * len(others) // (1 - freeze_p) + 0.5)
            turn = [0] * wholes + others
            return turn * -(-steps // len(turn))
        if freeze_strategy == INTERVAL_STRATEGY:
            return _by_chance(others, freeze_p, steps)
        raise ValueError(f"Unsupported freezing training strategy '{freeze_strategy}'")

    def freeze_generate(self, network: Any, optimizer: Any) -> tuple[Any, FreezeOpt]:
        """Return (network, its `FreezeOpt`)."""
        origin = OptimizerProcess(optimizer).origin_params
        groups = [
            [part for part in ParameterProcess.generate_group_params(group, origin) if part.get("params", True)]
            for group in self.split_parameters_groups(network, self._param_groups)
        ]
        strategy = self.generate_freeze_index_sequence(
            self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
        )
        return network, FreezeOpt(optimizer, groups, strategy)


def _by_chance(others: Sequence[int], freeze_p: float, steps: int) -> list[int]:
    """Return zeros; insert one of the other numbers while their share is too low, small ones more often."""
    shares = [item / sum(others) for item in others]
    found, frozen = [0], 0
    while len(found) < steps:
        if frozen / len(found) < 1 - freeze_p:
            found.append(int(np.random.choice(others[::-1], p=shares)))
            frozen += 1
        else:
            found.append(0)
    return found


def freeze_cell(
    reducer_flag: bool,
    network: Any,
    optimizer: FreezeOpt,
    sens: Any,
    grad: Any,
    use_grad_accumulation: bool,
    mean: Any = None,
    degree: Any = None,
    max_accumulation_step: int = 1,
) -> tuple[Any, ...]:
    """Return a training step for each optimizer of a `FreezeOpt`; ``reducer_flag`` reduces gradients over processes.

    Args:
        grad: ``GradOperation(get_by_list=True, sens_param=True)``.
    """
    process = ParameterProcess()
    cells = []
    for each in optimizer.opts:
        reducer: Any = Identity()
        if reducer_flag:
            reducer = DistributedGradReducer(process.assign_parameter_group(each.parameters), mean, degree)
        cells.append(_TrainFreezeCell(network, sens, grad, reducer, use_grad_accumulation, each, max_accumulation_step))
    return tuple(cells)
