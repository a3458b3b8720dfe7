"""Steps of the AdaMax, Adadelta, Adagrad, RMSProp, FTRL, AdaFactor, proximal, sign and LARS rules in class form. Of
``mindspore.ops.operations.nn_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._tensor.index_bounds import refuse_negative
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import checks_places
from mindspore_compat.ops._declare import Bool, primitive
from mindspore_compat.ops.operations._update_ops import _dense, _step, check_rows, rounds

__all__ = """
    ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradV2 ApplyRMSProp ApplyCenteredRMSProp ApplyFtrl
    ApplyGradientDescent ApplyProximalGradientDescent ApplyProximalAdagrad ApplyAddSign ApplyPowerSign LARSUpdate
    SparseApplyAdagrad SparseApplyFtrl FusedAdaFactor FusedAdaFactorWithGlobalNorm
""".split()

_Run = Callable[..., Any]


@primitive
def ApplyAdaMax() -> _Run:
    """(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad)."""

    def step(
        var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any
    ) -> tuple:
        m.mul_(beta1).add_(grad * (1 - beta1))
        v.copy_(torch.maximum(v * beta2, torch.abs(grad)))
        var.sub_(lr / (1 - beta1_power) * m / (v + epsilon))
        return 0, 1, 2

    return _step(step)


@primitive
def ApplyAdadelta() -> _Run:
    """(var, accum, accum_update, lr, rho, epsilon, grad)."""

    def step(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any) -> tuple:
        accum.mul_(rho).add_(torch.square(grad) * (1 - rho))
        update = torch.sqrt(accum_update + epsilon) * torch.rsqrt(accum + epsilon) * grad
        accum_update.mul_(rho).add_(torch.square(update) * (1 - rho))
        var.sub_(lr * update)
        return 0, 1, 2

    return _step(step)


@primitive
def ApplyAdagrad(update_slots: bool = True) -> _Run:
    """(var, accum, lr, grad)."""
    return _adagrad(0.0, update_slots)


@primitive
def ApplyAdagradV2(epsilon: float, update_slots: bool = True) -> _Run:
    """(var, accum, lr, grad)."""
    return _adagrad(epsilon, update_slots)


def _adagrad(epsilon: float, update_slots: bool) -> _Run:
    def step(var: Any, accum: Any, lr: Any, grad: Any) -> tuple:
        if update_slots:
            accum.add_(torch.square(grad))
        var.sub_(lr * grad / (torch.sqrt(accum) + epsilon))
        return 0, 1

    return _step(step)


@primitive
def SparseApplyAdagrad(lr: float, update_slots: bool = True, use_locking: bool = False) -> _Run:
    """(var, accum, gradient of rows, indices)."""

    def step(var: Any, accum: Any, grad: Any, indices: Any) -> tuple:
        check_rows("SparseApplyAdagrad", (var, accum), grad, indices)
        rows = torch.unique(indices.long())
        total = _dense(grad, indices, var)[rows]  # gradients for one row add up
        if update_slots:
            accum.index_add_(0, rows, torch.square(total))
        var.index_add_(0, rows, -lr * total * torch.rsqrt(accum[rows]))
        return 0, 1

    return _step(step)


@primitive
def ApplyRMSProp(use_locking: bool = False) -> _Run:
    """(var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon)."""

    def step(
        var: Any, mean_square: Any, moment: Any, lr: Any, grad: Any, decay: Any, momentum: Any, epsilon: Any
    ) -> None:
        mean_square.mul_(decay).add_(torch.square(grad) * (1 - decay))
        moment.mul_(momentum).add_(lr * grad * torch.rsqrt(mean_square + epsilon))
        var.sub_(moment)

    return _step(step)


@primitive
def ApplyCenteredRMSProp(use_locking: bool = False) -> _Run:
    """(var, mean_gradient, mean_square, moment, grad, learning_rate, decay, momentum, epsilon)."""

    def step(
        var: Any,
        mean_gradient: Any,
        mean_square: Any,
        moment: Any,
        grad: Any,
        lr: Any,
        decay: Any,
        momentum: Any,
        epsilon: Any,
    ) -> None:
        mean_gradient.mul_(decay).add_(grad * (1 - decay))
        mean_square.mul_(decay).add_(torch.square(grad) * (1 - decay))
        moment.mul_(momentum).add_(lr * grad * torch.rsqrt(mean_square - torch.square(mean_gradient) + epsilon))
        var.sub_(moment)

    return _step(step)


def _ftrl(var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, lr_power: Any) -> None:
    power = -lr_power
    new = accum + torch.square(grad)
    sigma = (torch.pow(new, power) - torch.pow(accum, power)) / lr
    linear.add_(grad - sigma * var)
    accum.copy_(new)
    quadratic = torch.pow(new, power) / lr + 2 * l2
    var.copy_(
        torch.where(torch.abs(linear) > l1, (torch.sign(linear) * l1 - linear) / quadratic, torch.zeros_like(var))
    )


@primitive
def ApplyFtrl(use_locking: bool = False) -> _Run:
    """(var, accum, linear, grad, lr, l1, l2, lr_power)."""
    return _step(_ftrl)


@primitive
def SparseApplyFtrl(lr: float, l1: float, l2: float, lr_power: float, use_locking: bool = False) -> _Run:
    """(var, accum, linear, gradient of rows, indices)."""

    @checks_places("SparseApplyFtrl")
    def step(var: Any, accum: Any, linear: Any, grad: Any, indices: Any) -> tuple:
        check_rows("SparseApplyFtrl", (var, accum, linear), grad, indices)
        places = refuse_negative(indices.long())
        for some in rounds(places):
            rows = places[some]
            part = var[rows], accum[rows], linear[rows]
            _ftrl(part[0], part[1], part[2], grad[some], lr, l1, l2, lr_power)
            for item, new in zip((var, accum, linear), part):
                item[rows] = new
        return 0, 1, 2

    return _step(step)


@primitive
def ApplyGradientDescent() -> _Run:
    """(var, alpha, delta)."""

    def step(var: Any, alpha: Any, delta: Any) -> None:
        var.sub_(alpha * delta)

    return _step(step)


def _proximal(prox: Any, rate: Any, l1: Any, l2: Any) -> Any:
    return torch.sign(prox) * torch.clamp(torch.abs(prox) - rate * l1, min=0) / (1 + rate * l2)


@primitive
def ApplyProximalGradientDescent() -> _Run:
    """(var, alpha, l1, l2, delta)."""

    def step(var: Any, alpha: Any, l1: Any, l2: Any, delta: Any) -> None:
        var.copy_(_proximal(var - alpha * delta, alpha, l1, l2))

    return _step(step)


@primitive
def ApplyProximalAdagrad(use_locking: bool = False) -> _Run:
    """(var, accum, lr, l1, l2, grad)."""

    def step(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> tuple:
        accum.add_(torch.square(grad))
        rate = lr * torch.rsqrt(accum)
        var.copy_(_proximal(var - rate * grad, rate, l1, l2))
        return 0, 1

    return _step(step)


@primitive
def ApplyAddSign() -> _Run:
    """(var, m, lr, alpha, sign_decay, beta, grad)."""

    def step(var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any) -> tuple:
        m.mul_(beta).add_(grad * (1 - beta))
        var.sub_(lr * (alpha + sign_decay * torch.sign(grad) * torch.sign(m)) * grad)
        return 0, 1

    return _step(step)


@primitive
def ApplyPowerSign() -> _Run:
    """(var, m, lr, logbase, sign_decay, beta, grad)."""

    def step(var: Any, m: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any) -> tuple:
        m.mul_(beta).add_(grad * (1 - beta))
        var.sub_(lr * torch.exp(logbase * sign_decay * torch.sign(grad) * torch.sign(m)) * grad)
        return 0, 1

    return _step(step)


@primitive
def LARSUpdate(epsilon: float = 1e-05, hyperpara: float = 0.001, use_clip: bool = False) -> _Run:
    """The gradient scaled layer by layer: (weight, gradient, sum of squares of both, weight_decay, learning_rate)."""

    def run(
        weight: Any, gradient: Any, norm_weight: Any, norm_gradient: Any, weight_decay: Any, learning_rate: Any
    ) -> Any:
        with torch.no_grad():
            weight_norm, gradient_norm = torch.sqrt(norm_weight), torch.sqrt(norm_gradient)
            rate = hyperpara * weight_norm / (gradient_norm + weight_decay * weight_norm + epsilon)
            if use_clip:
                rate = torch.clamp(rate / learning_rate, 0, 1)
            return wrap(rate * (gradient + weight_decay * weight))

    return run


@primitive
def FusedAdaFactor(
    enable_scale_parameter: Bool = False, enable_first_moment: Bool = False, enable_weight_decay: Bool = False
) -> _Run:
    """A step of AdaFactor (https://arxiv.org/abs/1804.04235): (epsilon of shape (2,), clip_threshold, beta1, beta2,
    weight_decay, learning_rate, gradient, param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq). A matrix keeps
    its second moment as a row and a column, a vector whole in ``exp_avg_sq``.

    The result is MindSpore's: zeros of the Parameter's shape.
    """
    return _ada_factor(enable_scale_parameter, enable_first_moment, enable_weight_decay)


@primitive
def FusedAdaFactorWithGlobalNorm(
    enable_scale_parameter: Bool = False, enable_first_moment: Bool = False, enable_weight_decay: Bool = False
) -> _Run:
    """`FusedAdaFactor` with a last input that divides the gradient."""
    step = _ada_factor(enable_scale_parameter, enable_first_moment, enable_weight_decay)

    def run(*inputs: Any) -> Any:
        *others, global_norm = inputs
        others[6] = others[6] / global_norm
        return step(*others)

    return run


def _root_mean_square(values: Any) -> Any:
    return torch.sqrt(torch.mean(torch.square(values)))


def _ada_factor(scales: bool, has_moment: bool, decays: bool) -> _Run:
    def run(
        epsilon: Any,
        clip_threshold: Any,
        beta1: Any,
        beta2: Any,
        weight_decay: Any,
        learning_rate: Any,
        gradient: Any,
        param: Any,
        exp_avg: Any,
        exp_avg_sq_row: Any,
        exp_avg_sq_col: Any,
        exp_avg_sq: Any,
    ) -> Any:
        with torch.no_grad():
            slope, values = gradient.to(torch.float32), param.to(torch.float32)
            rate = learning_rate * torch.clamp(_root_mean_square(values), min=epsilon[1]) if scales else learning_rate
            squares = torch.square(slope) + epsilon[0]
            if param.dim() > 1:
                for moment, axis in ((exp_avg_sq_row, -1), (exp_avg_sq_col, -2)):
                    moment.copy_(torch.lerp(torch.mean(squares, axis), moment.to(torch.float32), beta2))
                rows, columns = exp_avg_sq_row.to(torch.float32), exp_avg_sq_col.to(torch.float32)
                rows = torch.rsqrt(rows / torch.mean(rows, -1, True))
                update = slope * torch.unsqueeze(rows, -1) * torch.unsqueeze(torch.rsqrt(columns), -2)
            else:
                exp_avg_sq.copy_(torch.lerp(squares, exp_avg_sq.to(torch.float32), beta2))
                update = slope * torch.rsqrt(exp_avg_sq.to(torch.float32))
            update = update / torch.clamp(_root_mean_square(update) / clip_threshold, min=1.0) * rate
            if has_moment:
                exp_avg.copy_(torch.lerp(update, exp_avg.to(torch.float32), beta1))
                update = exp_avg.to(torch.float32)
            if decays:
                values = values - values * weight_decay * rate
            param.copy_(values - update)
        return wrap((torch.zeros_like(param),))

    return run
