"""Steps of optimizers in class form: each changes its Parameters in place and returns them. Part of
``operations.nn_ops``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import changed, get_data
from mindspore_compat.ops._declare import primitive

__all__ = """
    ApplyMomentum FusedWeightScaleApplyMomentum ApplyKerasMomentum SGD Adam AdamNoUpdateParam AdamWeightDecay
    FusedCastAdamWeightDecay FusedSparseAdam FusedSparseLazyAdam Assign AssignAdd AssignSub
""".split()


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


@primitive
def Assign() -> _Run:
    """Put a value into the variable."""
    return F.assign


@primitive
def AssignAdd() -> _Run:
    """Add a value to the variable."""
    return F.assign_add


@primitive
def AssignSub() -> _Run:
    """Subtract a value from the variable."""
    return F.assign_sub


def _momentum(
    variable: Any, accumulation: Any, learning_rate: Any, gradient: Any, momentum: Any, nesterov: bool
) -> None:
    accumulation.mul_(momentum).add_(gradient)
    variable.sub_(learning_rate * (gradient + momentum * accumulation) if nesterov else learning_rate * accumulation)


@primitive
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


@primitive
def FusedWeightScaleApplyMomentum() -> _Run:
    """(weight_decay, loss_scale, variable, accumulation, learning_rate, gradient, momentum)."""

    def run(weight_decay: Any, loss_scale: Any, variable: Any, *rest: Any) -> Any:
        def step(variable: Any, accumulation: Any, learning_rate: Any, gradient: Any, momentum: Any) -> None:
            gradient = gradient * _scalar(loss_scale) + variable * _scalar(weight_decay)
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


@primitive
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


@primitive
def Adam(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient)."""

    def step(
        var: Any,
        m: Any,
        v: Any,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        gradient: Any,
    ) -> tuple:
        rate = lr * _root(1 - beta2_power) / (1 - beta1_power)
        _moments(m, v, beta1, beta2, gradient)
        direction = m * beta1 + (1 - beta1) * gradient if use_nesterov else m
        var.sub_(rate * direction / (torch.sqrt(v) + epsilon))
        return 0, 1, 2

    return _step(step)


@primitive
def AdamNoUpdateParam(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """(m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient); returns the summand for the variable."""

    def step(
        m: Any, v: Any, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, gradient: Any
    ) -> Any:
        rate = lr * _root(1 - beta2_power) / (1 - beta1_power)
        _moments(m, v, beta1, beta2, gradient)
        direction = m * beta1 + (1 - beta1) * gradient if use_nesterov else m
        return -rate * direction / (torch.sqrt(v) + epsilon)

    return _step(step)


def _adam_weight_decay(
    var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, gradient: Any
) -> tuple:
    _moments(m, v, beta1, beta2, gradient.to(m.dtype))
    var.sub_(lr * (m / (torch.sqrt(v) + epsilon) + decay * var))
    return 0, 1, 2


@primitive
def AdamWeightDecay(use_locking: bool = False) -> _Run:
    """(var, m, v, lr, beta1, beta2, epsilon, decay, gradient)."""
    return _step(_adam_weight_decay)


@primitive
def FusedCastAdamWeightDecay(use_locking: bool = False) -> _Run:
    """`AdamWeightDecay` with a gradient of another float dtype, and since 2.0 as last input a norm to divide it by."""

    def step(
        var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, grad: Any, norm: Any = 1
    ) -> tuple:
        return _adam_weight_decay(var, m, v, lr, beta1, beta2, epsilon, decay, grad.to(m.dtype) / norm)

    return _step(step)


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


@primitive
def FusedSparseAdam(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient of rows, indices)."""
    step = Adam(use_locking, use_nesterov)._run

    def run(var: Any, m: Any, v: Any, *rest: Any) -> Any:
        *rates, gradient, indices = rest
        check_rows("FusedSparseAdam", (var, m, v), gradient, indices)
        return step(var, m, v, *rates, _dense(gradient, indices, get_data(var)))

    return run


@primitive
def FusedSparseLazyAdam(use_locking: bool = False, use_nesterov: bool = False) -> _Run:
    """`FusedSparseAdam` that changes only the rows named."""

    def step(
        var: Any,
        m: Any,
        v: Any,
        b1p: Any,
        b2p: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        gradient: Any,
        indices: Any,
    ) -> tuple:
        check_rows("FusedSparseLazyAdam", (var, m, v), gradient, indices)
        rows = torch.unique(indices.long())
        gradient = _dense(gradient, indices, var)[rows]
        part = [item[rows] for item in (var, m, v)]
        Adam(use_locking, use_nesterov)._run(*part, b1p, b2p, lr, beta1, beta2, epsilon, gradient)
        for item, new in zip((var, m, v), part):
            item[rows] = new
        return 0, 1, 2

    return _step(step)
