"""Optimizers in an exported train step: the same updates as Tensor arithmetic, with rates and powers from Parameters at
each run.

The optimizers' own updates compute with Python numbers, which would be constants in a file.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from mindspore_compat import nn
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer, _IteratorLearningRate

_write = torch._C.TensorBase.copy_


def _momentum(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    buffer = opt.moments[place]
    new = buffer * opt.momentum + g
    _write(buffer, new)
    _write(p, p - rate * (g + new * opt.momentum if opt.use_nesterov else new))


def _sgd(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    if not _number(opt.momentum):
        _write(p, p - rate * g)
        return
    accum, fresh = opt.accum[place], opt.stat[place]
    new = torch.where(fresh > 0, g, accum * opt.momentum + g * (1.0 - opt.dampening))
    _write(accum, new)
    _write(fresh, torch.zeros_like(fresh))
    _write(p, p - rate * (g + new * opt.momentum if opt.nesterov else new))


def _moments(first: Any, second: Any, g: Any, opt: Any) -> tuple[Any, Any]:
    beta1, beta2 = _number(opt.beta1), _number(opt.beta2)
    m, v = first * beta1 + g * (1.0 - beta1), second * beta2 + g * g * (1.0 - beta2)
    _write(first, m)
    _write(second, v)
    return m, v


def _adam(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    m, v = _moments(opt.moment1[place], opt.moment2[place], g, opt)
    if opt.use_amsgrad:
        v = torch.maximum(opt.vhat[place], v)
        _write(opt.vhat[place], v)
    if opt.use_nesterov:
        m = m * _number(opt.beta1) + g * (1.0 - _number(opt.beta1))
    pace = rate * torch.sqrt(1.0 - opt.beta2_power) / (1.0 - opt.beta1_power)
    _write(p, p - pace * m / (torch.sqrt(v) + _number(opt.eps)))


def _adam_powers(opt: Any) -> None:
    for power, beta in ((opt.beta1_power, opt.beta1), (opt.beta2_power, opt.beta2)):
        _write(power, power * _number(beta))


def _adam_weight_decay(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    m, v = _moments(opt.moments1[place], opt.moments2[place], g, opt)
    update = m / (torch.sqrt(v) + _number(opt.eps))
    _write(p, p - rate * (update + p * decay if decay else update))


def _rms_prop(opt: Any, place: int, p: Any, g: Any, rate: Any, decay: float) -> None:
    squares, moment = opt.ms[place], opt.moment[place]
    new = squares * opt.decay + g * g * (1.0 - opt.decay)
    _write(squares, new)
    if opt.centered:
        mean = opt.mg[place] * opt.decay + g * (1.0 - opt.decay)
        _write(opt.mg[place], mean)
        new = new - mean * mean
    step = moment * opt.momentum + rate * g / torch.sqrt(new + opt.epsilon)
    _write(moment, step)
    _write(p, p - step)


#: {class: (values once a step, the update of one Parameter)}
_RULES: dict[type, tuple[Callable[[Any], None] | None, Callable[..., None]]] = {
    nn.Momentum: (None, _momentum),
    nn.SGD: (None, _sgd),
    nn.Adam: (_adam_powers, _adam),
    nn.AdamWeightDecay: (None, _adam_weight_decay),
    nn.RMSProp: (None, _rms_prop),
}


def _construct(refuse: Callable[[str], Exception]) -> Callable[..., Any]:
    def construct(self: Any, gradients: Any) -> Any:
        names = ", ".join(sorted(cls.__name__ for cls in _RULES))
        instead = f"Export the gradients instead (ops.value_and_grad in 'construct'), or train with one of {names}"
        if type(self) not in _RULES:
            raise refuse(f"the optimizer {type(self).__name__} in a train step is not available. {instead}")
        if self.dynamic_weight_decay:
            raise refuse(
                f"{type(self).__name__} with a schedule of weight decays in a train step is not available. {instead}"
            )
        before, update = _RULES[type(self)]
        with torch.no_grad():
            decays, gradients = self._current_decays(), self._centralized(list(gradients), range(self.param_length))
            rates = [self.learning_rate] * len(gradients) if not self.is_group_lr else list(self.learning_rate)
            rates = [_rate(rate, self.global_step, refuse) for rate in rates]
            _write(self.global_step, self.global_step + 1)
            if before is not None:
                before(self)
            for place, (p, g, rate, decay) in enumerate(zip(self.parameters, gradients, rates, decays)):
                if decay and not self._decoupled_decay:
                    g = g + p * (decay * self.loss_scale)
                update(self, place, p, g * (1.0 / self.loss_scale) if self.need_scale else g, rate, decay)
        return True

    return construct


def _number(parameter: Any) -> float:
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes(), torch._C.DisableTorchFunction():
        return float(parameter.detach())


def _rate(rate: Any, step: Any, refuse: Callable[[str], Exception]) -> Any:
    """Return the learning rate of this step: a Parameter, or its place in a list."""
    if isinstance(rate, _IteratorLearningRate):
        place = torch.clamp(step.to(torch.int64), 0, rate.learning_rate.shape[0] - 1)
        return torch.reshape(torch.index_select(rate.learning_rate, 0, torch.reshape(place, (-1,))), ())
    if isinstance(rate, Cell):
        raise refuse(
            f"the learning rate schedule {type(rate).__name__} in a train step is not available. Give the learning "
            "rates as a list, one for each step"
        )
    return rate


@contextmanager
def recordable_optimizers(net: Any, refuse: Callable[[str], Exception]) -> Iterator[None]:
    """Let the optimizers among the Cells of ``net`` update by Tensor arithmetic."""
    found = [cell for _, cell in net.cells_and_names() if isinstance(cell, Optimizer)] if isinstance(net, Cell) else []
    found = [cell for cell in found if type(cell).__call__ is Optimizer.__call__ and "construct" not in cell.__dict__]
    for cell in found:
        cell.__dict__["construct"] = types.MethodType(_construct(refuse), cell)
    try:
        yield
    finally:
        for cell in found:
            del cell.__dict__["construct"]
