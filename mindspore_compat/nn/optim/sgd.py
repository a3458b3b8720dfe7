"""MindSpore: ``mindspore.nn.SGD``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._ops.update import SGD as _SGD
from mindspore_compat.nn.optim._device import Number, Picks, Tensors, add_scaled_, on_device
from mindspore_compat.nn.optim._fused import check_nesterov, momentum_step, stat_step
from mindspore_compat.nn.optim._groups import not_negative, states_on_demand
from mindspore_compat.nn.optim.optimizer import Optimizer, host_parameter

__all__ = ["SGD"]


class SGD(Optimizer):
    """Without momentum p -= lr·g. With it: accum = g in the first step, then momentum·accum + (1 - dampening)·g; p -=
    lr·accum, or with Nesterov p -= lr·(g + momentum·accum). ``stat`` is 1 until a parameter's first step with momentum.

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1, momentum=0.9)
        >>> print(optimizer.get_lr().asnumpy())
        0.1
    """

    _repeats = "on a device"

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Any = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.nesterov = nesterov
        check_nesterov(nesterov, momentum, dampening)
        if self.dynamic_weight_decay:
            raise TypeError(
                "For 'SGD', dynamic weight decay is currently not supported, the argument 'weight_decay' or "
                "'weight_decay' set in grouped 'params' must be float or int type."
            )
        self.dampening = not_negative(dampening, "dampening")
        self.momentum = host_parameter(not_negative(momentum, "momentum"), "momentum")
        self.accum = states_on_demand(self.parameters, "accum")
        self.stat = states_on_demand(self.parameters, "stat", "ones")
        self.opt = (_SGD(float(dampening), 0.0, nesterov),) * self.param_length  # for subclasses
        self.__dict__["_fresh"] = None

    def _begin_step(self) -> None:
        if on_device(self.global_step):
            return
        # A loaded checkpoint may have put 0 or 1 into stat, so it is read, but only in steps after it could have
        # changed: once all are 0 they stay so until one is written to.
        versions = tuple(item._version for item in self.stat)
        if self.__dict__["_fresh"] is None or self.__dict__["_fresh"][0] != versions:
            flags = torch.stack(
                [item.flatten()[0] if item.numel() else item.new_zeros(()) for item in self.stat]
            ).tolist()
            self.__dict__["_fresh"] = (versions, [flag > 0 for flag in flags])

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        momentum = self.momentum.item()
        if momentum == 0.0:
            add_scaled_(parameters, gradients, -rate)
            return
        positions = range(len(self.stat)) if picks is None else picks
        accums = self._picked(self.accum, picks)
        if on_device(self.global_step):
            stats = self._picked(self.stat, picks)
            stat_step(parameters, gradients, accums, stats, rate, momentum, self.dampening, self.nesterov)
            return
        fresh = self.__dict__["_fresh"][1]
        if not any(fresh):
            momentum_step(parameters, gradients, accums, rate, momentum, self.dampening, self.nesterov)
            return
        for position, parameter, gradient, accum in zip(positions, parameters, gradients, accums):
            if fresh[position]:  # the first step takes the gradient itself
                torch._C.TensorBase.zero_(accum)
                torch._C.TensorBase.zero_(self.stat[position])
            momentum_step(
                [parameter],
                [gradient],
                [accum],
                rate,
                momentum,
                0.0 if fresh[position] else self.dampening,
                self.nesterov,
            )
