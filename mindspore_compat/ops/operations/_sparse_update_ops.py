"""Steps of optimizers by rows, and Adam with the greatest second moment. Part of ``operations.nn_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.index_bounds import refuse_negative
from mindspore_compat.ops._adapt import checks_places
from mindspore_compat.ops._declare import Bool, primitive
from mindspore_compat.ops.operations._adaptive_update_ops import _ftrl, _proximal
from mindspore_compat.ops.operations._update_ops import _dense, _moments, _root, _step, check_rows, rounds

__all__ = """
    ApplyAdagradDA ApplyAdamWithAmsgrad ApplyAdamWithAmsgradV2 FusedSparseFtrl FusedSparseProximalAdagrad
    SparseApplyAdadelta SparseApplyAdagradV2 SparseApplyFtrlV2 SparseApplyProximalAdagrad SparseApplyRMSProp
""".split()

_Run = Callable[..., Any]


def _of_rows(variables: int, step: Callable[..., Any], sums: bool = False) -> _Run:
    """Return ``step`` on the rows named by ``indices``, the last input. Of gradients for one row use the sum, if
    ``sums``, else one after the other.
    """

    @checks_places("SparseApply")
    def run(*given: Any) -> tuple:
        *inputs, grad, indices = given
        check_rows("SparseApply", tuple(inputs[:variables]), grad, indices)
        rows = refuse_negative(indices.long())
        if sums:
            rows = torch.unique(rows)
            grad = _dense(grad, indices, inputs[0])[rows]
        for some in rounds(rows):
            parts = [item[rows[some]] for item in inputs[:variables]]
            step(*parts, *inputs[variables:], grad[some])
            for item, new in zip(inputs[:variables], parts):
                item[rows[some]] = new
        return tuple(range(variables))

    return _step(run)


@primitive
def ApplyAdagradDA(use_locking: Bool = False) -> _Run:
    """(var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step); returns var."""

    return _step(_adagrad_da)


def _adagrad_da(var: Any, sums: Any, squares: Any, grad: Any, lr: Any, l1: Any, l2: Any, global_step: Any) -> None:
    sums.add_(grad)
    squares.add_(kernels.square(grad))
    shrunk = torch.sign(sums) * torch.clamp(torch.abs(sums) - l1 * global_step, min=0)
    top = torch.where(constant(l1, var.device) > 0 if isinstance(l1, (int, float)) else l1 > 0, shrunk, sums)
    var.copy_(-lr * top / (l2 * global_step * lr + torch.sqrt(squares)))


def _amsgrad(
    var: Any, m: Any, v: Any, vhat: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any,
    epsilon: Any, grad: Any,
) -> tuple:  # fmt: skip
    rate = lr * _root(1 - beta2_power) / (1 - beta1_power)
    _moments(m, v, beta1, beta2, grad)
    vhat.copy_(torch.maximum(vhat, v))
    var.sub_(rate * m / (torch.sqrt(vhat) + epsilon))
    return 0, 1, 2, 3


@primitive
def ApplyAdamWithAmsgrad(
    beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08, use_locking: Bool = False
) -> _Run:
    """(var, m, v, vhat, beta1_power, beta2_power, lr, grad); powers and lr are Tensors."""
    return _step(
        lambda var, m, v, vhat, beta1_power, beta2_power, lr, grad: _amsgrad(
            var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
        )
    )


@primitive
def ApplyAdamWithAmsgradV2(use_locking: Bool = False) -> _Run:
    """(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)."""
    return _step(_amsgrad)


@primitive
def FusedSparseFtrl(lr: float, l1: float, l2: float, lr_power: float, use_locking: Bool = False) -> _Run:
    """(var, accum, linear, gradient of rows, indices); gradients for one row add up."""

    def step(var: Any, accum: Any, linear: Any, grad: Any) -> None:
        _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power)

    return _of_rows(3, step, sums=True)


@primitive
def FusedSparseProximalAdagrad(use_locking: Bool = False) -> _Run:
    """(var, accum, lr, l1, l2, gradient of rows, indices); gradients for one row add up."""
    return _of_rows(2, _proximal_adagrad, sums=True)


def _proximal_adagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> None:
    accum.add_(kernels.square(grad))
    rate = lr * torch.rsqrt(accum)
    var.copy_(_proximal(var - rate * grad, rate, l1, l2))


@primitive
def SparseApplyProximalAdagrad(use_locking: Bool = False) -> _Run:
    """(var, accum, lr, l1, l2, gradient of rows, indices)."""
    return _of_rows(2, _proximal_adagrad)


@primitive
def SparseApplyAdadelta(epsilon: float, use_locking: Bool = False) -> _Run:
    """(var, accum, accum_update, lr, rho, gradient of rows, indices)."""

    def step(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, grad: Any) -> None:
        accum.mul_(rho).add_(kernels.square(grad) * (1 - rho))
        update = torch.sqrt(accum_update + epsilon) * torch.rsqrt(accum + epsilon) * grad
        var.sub_(lr * update)
        accum_update.mul_(rho).add_(kernels.square(update) * (1 - rho))

    return _of_rows(3, step)


@primitive
def SparseApplyAdagradV2(lr: float, epsilon: float, use_locking: Bool = False, update_slots: Bool = True) -> _Run:
    """(var, accum, gradient of rows, indices)."""

    def step(var: Any, accum: Any, grad: Any) -> None:
        if update_slots:
            accum.add_(kernels.square(grad))
        var.sub_(lr * grad / (torch.sqrt(accum) + epsilon))

    return _of_rows(2, step)


@primitive
def SparseApplyFtrlV2(
    lr: float, l1: float, l2: float, l2_shrinkage: float, lr_power: float, use_locking: Bool = False
) -> _Run:
    """(var, accum, linear, gradient of rows, indices); the linear term takes grad + 2 · l2_shrinkage · var."""

    def step(var: Any, accum: Any, linear: Any, grad: Any) -> None:
        linear.add_(2 * l2_shrinkage * var)
        _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power)

    return _of_rows(3, step)


@primitive
def SparseApplyRMSProp(rho: float, momentum: float, epsilon: float, use_locking: Bool = False) -> _Run:
    """(var, ms, mom, lr, gradient of rows, indices); ms stays where the gradient is 0, as in MindSpore's kernel."""

    def step(var: Any, square: Any, moment: Any, lr: Any, grad: Any) -> None:
        square.copy_(torch.where(grad == 0, square, square * rho + kernels.square(grad) * (1 - rho)))
        moment.mul_(momentum).add_(lr * grad * torch.rsqrt(square + epsilon))
        var.sub_(moment)

    return _of_rows(3, step)
