"""MindSpore: ``mindspore.nn.SGD``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._graph.program import program
from mindspore_compat._ops.update import SGD as _SGD
from mindspore_compat._random.lazy_init import is_unmoved, unmoved
from mindspore_compat.nn.optim._device import Number, Picks, Tensors, add_scaled_, on_device
from mindspore_compat.nn.optim._fused import check_nesterov, clear_first, momentum_step, stat_step
from mindspore_compat.nn.optim._groups import not_negative, states_on_demand
from mindspore_compat.nn.optim.optimizer import Optimizer, host_parameter

__all__ = ["SGD"]


class SGD(Optimizer):
    """Without momentum p -= lr·g. With it: accum = g in the first step, then momentum·accum + (1 - dampening)·g; p -=
    lr·accum, or with Nesterov p -= lr·(g + momentum·accum). ``stat`` is 1 until a parameter's first step with momentum.
    On a device it stays on the host if ``dampening`` is 0. Then a first step that an overflow skips sets it to 0, too.

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1, momentum=0.9)
        >>> print(optimizer.get_lr().asnumpy())
        0.1
    """

    _repeats = "on a device"
    _fused_states = ("accum",)

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
        self.dampening = not_negative(dampening, "dampening")
        self.momentum = host_parameter(not_negative(momentum, "momentum"), "momentum")
        self.accum = states_on_demand(self.parameters, "accum")
        self.stat = states_on_demand(self.parameters, "stat", "ones")
        self.opt = (_SGD(float(dampening), 0.0, nesterov),) * self.param_length  # for subclasses
        self.__dict__.update(_is_new=True, _uses_stat=True)

    def _is_fused(self) -> bool:
        return bool(self.momentum.item()) and not self.dampening and is_unmoved(self.stat[0])

    def _begin_step(self) -> None:
        uses_stat = on_device(self.global_step) and (self.dampening > 0 or not is_unmoved(self.stat[0]))
        if self.momentum.item() and not uses_stat:
            with program.unrecorded():
                flag = unmoved(self.stat[0]).flatten()[:1]
            # a loaded checkpoint may put 1 into stat; a replay compares this number, too
            if self.__dict__["_is_new"] or (flag.numel() and flag.item()):
                uses_stat = self.dampening > 0
                if not uses_stat:
                    clear_first(self.accum, self.stat)
                self.__dict__["_is_new"] = False
        self.__dict__["_uses_stat"] = uses_stat

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        momentum = self.momentum.item()
        if momentum == 0.0:
            add_scaled_(parameters, gradients, -rate)
            return
        accums = self._picked(self.accum, picks)
        settings = (rate, momentum, self.dampening, self.nesterov)
        if self.__dict__["_uses_stat"]:
            stat_step(parameters, gradients, accums, self._picked(self.stat, picks), *settings)
        else:
            momentum_step(parameters, gradients, accums, *settings, decay, self._found_inf())
