"""Steps of optimizers in class form: each changes its Parameters in place and returns them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import changed, checks_places, get_data
from mindspore_compat._ops.declare import Bool, classes, functions, primitive
from mindspore_compat._ops.other import assign, assign_add, assign_sub
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.index_bounds import refuse_negative
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name

_Run = Callable[..., Any]


def _scalar(value: Any) -> Any:
    """Return a factor as number or plain tensor that broadcasts."""
    return get_data(value) if isinstance(value, torch.Tensor) else value


def _in_one_dtype(inputs: list[Any]) -> list[Any]:
    """Return the inputs that have axes in the dtype of the variable, the first of them, or a wider one of at least
    float32. As in MindSpore's kernels, nothing is rounded to 16 bits on the way.
    """
    variable = next((item for item in inputs if isinstance(item, torch.Tensor) and item.dim()), None)
    if variable is None or not variable.is_floating_point():
        return inputs
    dtype = torch.promote_types(variable.dtype, torch.float32)
    return [
        item.to(dtype)
        if isinstance(item, torch.Tensor)
        and item.dim()
        and item.is_floating_point()
        and item.element_size() < dtype.itemsize
        else item
        for item in inputs
    ]


def _step(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function on plain data, without differentiation: it changes variables through their storage."""

    def run(*inputs: Any) -> Any:
        with torch.no_grad():
            given = [_scalar(item) for item in inputs]
            computed = _in_one_dtype(given)
            result = function(*computed)
            for own, wide in zip(given, computed):
                if wide is not own and wide._version:  # it was written to
                    own.copy_(wide)
        if result is None:
            return changed(inputs[0])
        return (
            tuple(changed(inputs[i]) for i in result) if isinstance(result, tuple) else wrap(result.to(given[0].dtype))
        )

    return run


def _rule(step: Any = None, *, locks: bool = False, inputs: str = "") -> Any:
    """Declare the operator that runs a step, from the function of its inputs. Use as decorator, with or without
    arguments.

    Args:
        locks: whether the constructor has MindSpore's ``use_locking``, without effect.
        inputs: MindSpore's names of the inputs, if the function has others.
    """
    if step is None:
        return functools.partial(_rule, locks=locks, inputs=inputs)
    run = _step(step)

    def plain() -> _Run:
        return run

    def locking(use_locking: bool = False) -> _Run:
        return run

    return primitive(locking if locks else plain, inputs=inputs, name=step.__name__, doc=step.__doc__)


@_rule
def ApplyAdaMax(
    var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any
) -> tuple:
    """(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad)."""
    m.mul_(beta1).add_(grad * (1 - beta1))
    v.copy_(torch.maximum(v * beta2, torch.abs(grad)))
    var.sub_(lr / (1 - beta1_power) * m / (v + epsilon))
    return 0, 1, 2


@_rule
def ApplyAdadelta(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any) -> tuple:
    """(var, accum, accum_update, lr, rho, epsilon, grad)."""
    accum.mul_(rho).add_(torch.square(grad) * (1 - rho))
    update = torch.sqrt(accum_update + epsilon) * torch.rsqrt(accum + epsilon) * grad
    accum_update.mul_(rho).add_(torch.square(update) * (1 - rho))
    var.sub_(lr * update)
    return 0, 1, 2


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


@_rule(locks=True, inputs="var mean_square moment learning_rate grad rho momentum epsilon")
def ApplyRMSProp(
    var: Any, mean_square: Any, moment: Any, lr: Any, grad: Any, decay: Any, momentum: Any, epsilon: Any
) -> None:
    """(var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon)."""
    mean_square.mul_(decay).add_(torch.square(grad) * (1 - decay))
    moment.mul_(momentum).add_(lr * grad * torch.rsqrt(mean_square + epsilon))
    var.sub_(moment)


@_rule(locks=True)
def ApplyCenteredRMSProp(
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
    """(var, mean_gradient, mean_square, moment, grad, learning_rate, decay, momentum, epsilon)."""
    mean_gradient.mul_(decay).add_(grad * (1 - decay))
    mean_square.mul_(decay).add_(torch.square(grad) * (1 - decay))
    moment.mul_(momentum).add_(lr * grad * torch.rsqrt(mean_square - torch.square(mean_gradient) + epsilon))
    var.sub_(moment)


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


@primitive(inputs="var accum linear grad lr l1 l2 lr_power")
def ApplyFtrl(use_locking: bool = False) -> _Run:
    """(var, accum, linear, grad, lr, l1, l2, lr_power)."""
    return _step(_ftrl)


@primitive(inputs="var accum linear grad indices")
def SparseApplyFtrl(lr: float, l1: float, l2: float, lr_power: float, use_locking: bool = False) -> _Run:
    """(var, accum, linear, gradient of rows, indices)."""
    return _of_rows(3, lambda var, accum, linear, grad: _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power))


@_rule
def ApplyGradientDescent(var: Any, alpha: Any, delta: Any) -> None:
    """(var, alpha, delta)."""
    var.sub_(alpha * delta)


def _proximal(prox: Any, rate: Any, l1: Any, l2: Any) -> Any:
    return torch.sign(prox) * torch.clamp(torch.abs(prox) - rate * l1, min=0) / (1 + rate * l2)


@_rule
def ApplyProximalGradientDescent(var: Any, alpha: Any, l1: Any, l2: Any, delta: Any) -> None:
    """(var, alpha, l1, l2, delta)."""
    var.copy_(_proximal(var - alpha * delta, alpha, l1, l2))


@_rule(locks=True, inputs="var accum lr l1 l2 grad")
def ApplyProximalAdagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> tuple:
    """(var, accum, lr, l1, l2, grad)."""
    accum.add_(torch.square(grad))
    rate = lr * torch.rsqrt(accum)
    var.copy_(_proximal(var - rate * grad, rate, l1, l2))
    return 0, 1


@_rule
def ApplyAddSign(var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any) -> tuple:
    """(var, m, lr, alpha, sign_decay, beta, grad)."""
    m.mul_(beta).add_(grad * (1 - beta))
    var.sub_(lr * (alpha + sign_decay * torch.sign(grad) * torch.sign(m)) * grad)
    return 0, 1


@_rule
def ApplyPowerSign(var: Any, m: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any) -> tuple:
    """(var, m, lr, logbase, sign_decay, beta, grad)."""
    m.mul_(beta).add_(grad * (1 - beta))
    var.sub_(lr * torch.exp(logbase * sign_decay * torch.sign(grad) * torch.sign(m)) * grad)
    return 0, 1


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


@primitive
def Assign() -> _Run:
    """Put a value into the variable."""
    return assign


@primitive
def AssignAdd() -> _Run:
    """Add a value to the variable."""
    return assign_add


@primitive
def AssignSub() -> _Run:
    """Subtract a value from the variable."""
    return assign_sub


def _momentum(
    variable: Any, accumulation: Any, learning_rate: Any, gradient: Any, momentum: Any, nesterov: bool
) -> None:
    accumulation.mul_(momentum).add_(gradient)
    variable.sub_(learning_rate * (gradient + momentum * accumulation) if nesterov else learning_rate * accumulation)


@primitive(inputs="variable accumulation learning_rate gradient momentum")
def ApplyMomentum(use_nesterov: bool = False, use_locking: bool = False, gradient_scale: float = 1.0) -> _Run:
    """(variable, accumulation, learning_rate, gradient, momentum)."""
    return _step(
        lambda variable, accumulation, learning_rate, gradient, momentum: _momentum(
            variable,
            accumulation,
            learning_rate,
            gradient if gradient_scale == 1.0 else gradient * gradient_scale,
            momentum,
            use_nesterov,
        )
    )


@primitive(inputs="weight_decay loss_scale variable accumulation learning_rate gradient momentum")
def FusedWeightScaleApplyMomentum() -> _Run:
    """(weight_decay, loss_scale, variable, accumulation, learning_rate, gradient, momentum); the step is one of
    `ApplyMomentum` with (gradient + weight_decay · variable) · loss_scale.
    """

    def run(weight_decay: Any, loss_scale: Any, variable: Any, *rest: Any) -> Any:
        def step(variable: Any, accumulation: Any, learning_rate: Any, gradient: Any, momentum: Any) -> None:
            gradient = (variable * _scalar(weight_decay) + gradient) * _scalar(loss_scale)
            _momentum(variable, accumulation, learning_rate, gradient, momentum, False)

        return _step(step)(variable, *rest)

    return run


@primitive
def ApplyKerasMomentum(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """(variable, accumulation, learning_rate, gradient, momentum); the accumulation holds steps."""

    def step(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any) -> tuple:
        accum.mul_(momentum).sub_(lr * grad)
        var.add_(accum * momentum - lr * grad if use_nesterov else accum)
        return 0, 1

    return _step(step)


@primitive(inputs="parameters gradient learning_rate accum momentum stat")
def SGD(dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False) -> _Run:
    """(parameters, gradient, learning_rate, accum, momentum, stat); ``stat`` above 0 marks the first step."""

    def step(parameters: Any, gradient: Any, learning_rate: Any, accum: Any, momentum: Any, stat: Any) -> None:
        if weight_decay:
            gradient = gradient + parameters * weight_decay
        moves = momentum != 0
        if isinstance(moves, torch.Tensor) or moves:  # a Tensor is not asked: that would wait for the device
            after = torch.where(stat > 0, gradient, accum * momentum + gradient * (1 - dampening))
            accum.copy_(torch.where(moves, after, accum) if isinstance(moves, torch.Tensor) else after)
            stat.copy_(torch.where(moves, 0, stat) if isinstance(moves, torch.Tensor) else torch.zeros_like(stat))
            new = gradient + accum * momentum if nesterov else accum
            gradient = torch.where(moves, new, gradient) if isinstance(moves, torch.Tensor) else new
        parameters.sub_(learning_rate * gradient)

    return _step(step)


def _moments(m: Any, v: Any, beta1: Any, beta2: Any, gradient: Any) -> None:
    m.add_((gradient - m) * (1 - beta1))
    v.add_((torch.square(gradient) - v) * (1 - beta2))


def _root(value: Any) -> Any:
    return torch.sqrt(value) if isinstance(value, torch.Tensor) else value**0.5


def _adam_change(use_nesterov: bool) -> Callable[..., Any]:
    """Return the function of (m, v, …, gradient) that moves both moments and returns the summand for the variable."""

    def change(
        m: Any, v: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, gradient: Any
    ) -> Any:
        rate = lr * _root(1 - beta2_power) / (1 - beta1_power)
        _moments(m, v, beta1, beta2, gradient)
        direction = m * beta1 + (1 - beta1) * gradient if use_nesterov else m
        return -rate * direction / (torch.sqrt(v) + epsilon)

    return change


@primitive
def Adam(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient)."""
    change = _adam_change(use_nesterov)

    def step(var: Any, *rest: Any) -> tuple:
        var.add_(change(*rest))
        return 0, 1, 2

    return _step(step)


@primitive
def AdamNoUpdateParam(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """(m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient); returns the summand for the variable."""
    return _step(_adam_change(use_nesterov))


def _adam_weight_decay(
    var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, gradient: Any
) -> tuple:
    _moments(m, v, beta1, beta2, gradient.to(m.dtype))
    var.sub_(lr * (m / (torch.sqrt(v) + epsilon) + decay * var))
    return 0, 1, 2


@primitive(inputs="var m v lr beta1 beta2 epsilon decay gradient", settable=True)
def AdamWeightDecay(use_locking: bool = False) -> _Run:
    """(var, m, v, lr, beta1, beta2, epsilon, decay, gradient)."""
    return _step(_adam_weight_decay)


@_rule(locks=True)
def FusedCastAdamWeightDecay(
    var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, grad: Any, norm: Any = 1
) -> tuple:
    """`AdamWeightDecay` with a gradient of another float dtype, and since 2.0 as last input a norm to divide it by."""
    return _adam_weight_decay(var, m, v, lr, beta1, beta2, epsilon, decay, grad.to(m.dtype) / norm)


def check_rows(owner: str, variables: tuple, gradient: Any, indices: Any) -> None:
    """Raise unless the gradient has a row of the variables' for each index."""
    if indices.dtype not in (torch.int32, torch.int64):
        raise TypeError(
            f"For primitive[{owner}], the input argument[indices] must be a type of {{Tensor[Int32], Tensor[Int64]}}, "
            f"but got {dtype_name(indices.dtype)}."
        )
    wanted = (indices.numel(), *variables[0].shape[1:])
    if tuple(gradient.shape) != wanted:
        raise ValueError(
            f"For primitive[{owner}], the gradient must have the shape {wanted}, a row for each of the indices, but "
            f"got {tuple(gradient.shape)}."
        )


def rounds(rows: torch.Tensor) -> Iterator[Any]:
    """Yield rows to update one after the other, so that none occurs twice at once: for a repeated row, MindSpore's
    kernels take the second step after the first.
    """
    if rows.numel() < 2:
        yield slice(None)
        return
    ordered, order = torch.sort(rows, stable=True)
    place = torch.arange(len(rows), device=rows.device)
    is_first = torch.nn.functional.pad(ordered[1:] != ordered[:-1], (1, 0), value=True)
    turn = torch.empty_like(place)
    turn[order] = place - torch.cummax(torch.where(is_first, place, torch.zeros_like(place)), 0)[0]
    last = int(turn.max())
    for number in range(last + 1):
        yield torch.nonzero(turn == number)[:, 0] if last else slice(None)


def _dense(gradient: Any, indices: Any, like: Any) -> Any:
    return torch.index_add(torch.zeros_like(like), 0, indices.long(), gradient.to(like.dtype))


@primitive(inputs="var m v beta1_power beta2_power lr beta1 beta2 epsilon grad indices")
def FusedSparseAdam(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient of rows, indices)."""
    step = Adam(use_locking, use_nesterov)._run

    def run(var: Any, m: Any, v: Any, *rest: Any) -> Any:
        *rates, gradient, indices = rest
        check_rows("FusedSparseAdam", (var, m, v), gradient, indices)
        return step(var, m, v, *rates, _dense(gradient, indices, get_data(var)))

    return run


@primitive(inputs="var m v beta1_power beta2_power lr beta1 beta2 epsilon grad indices")
def FusedSparseLazyAdam(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """`FusedSparseAdam` that changes only the rows named."""

    return _of_rows(3, Adam(use_locking, use_nesterov)._run, sums=True)


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


@primitive(inputs="var accum linear grad indices")
def FusedSparseFtrl(lr: float, l1: float, l2: float, lr_power: float, use_locking: Bool = False) -> _Run:
    """(var, accum, linear, gradient of rows, indices); gradients for one row add up."""

    rates = lr, l1, l2, lr_power
    return _of_rows(3, lambda var, accum, linear, grad: _ftrl(var, accum, linear, grad, *rates), sums=True)


@primitive(inputs="var accum lr l1 l2 grad indices")
def FusedSparseProximalAdagrad(use_locking: Bool = False) -> _Run:
    """(var, accum, lr, l1, l2, gradient of rows, indices); gradients for one row add up."""
    return _of_rows(2, _proximal_adagrad, sums=True)


def _proximal_adagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> None:
    accum.add_(kernels.square(grad))
    rate = lr * torch.rsqrt(accum)
    var.copy_(_proximal(var - rate * grad, rate, l1, l2))


@primitive(inputs="var accum lr l1 l2 grad indices")
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


__all__ = functions(globals())
PRIMITIVES = classes(globals())
