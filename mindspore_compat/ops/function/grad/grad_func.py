"""Products with Jacobians and whole Jacobians. MindSpore: ``mindspore.ops.function.grad.grad_func``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.custom_vjp import custom_vjp as custom_vjp
from mindspore_compat._autograd.forward import (
    Forward,
    as_variable,
    detached,
    gradients,
    in_floats,
    is_differentiable,
    tensors_of,
)
from mindspore_compat._autograd.recorded import differentiable
from mindspore_compat._autograd.vmap import vmap
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import to_dtype
from mindspore_compat.ops.function.grad._operation import (
    GradOperation,
    checked_positions,
    get_grad,
    grad,
    stop_gradient,
    value_and_grad,
)

__all__ = [
    "GradOperation",
    "grad",
    "value_and_grad",
    "get_grad",
    "stop_gradient",
    "vjp",
    "jvp",
    "jacfwd",
    "jacrev",
    "vmap",
    "linearize",
    "derivative",
]


def _split_aux(outputs: Any, has_aux: bool, owner: str) -> tuple[Any, Any]:
    """Return (outputs to differentiate, the rest: a tuple, or a single one alone)."""
    if not has_aux:
        return outputs, ()
    if not isinstance(outputs, tuple) or len(outputs) < 2:
        raise ValueError(f"For '{owner}', 'has_aux' needs a function with more than one output, but got one.")
    return outputs[0], outputs[1] if len(outputs) == 2 else outputs[1:]


def vjp(fn: Callable[..., Any], *inputs: Any, weights: Any = None, has_aux: bool = False) -> Any:
    """Return (outputs, function of the outputs' gradients that returns a tuple of the inputs', auxiliary outputs if
    any).

    Raises:
        TypeError: if an input or gradient is neither a Tensor nor a tuple or list of Tensors.
    """
    _check_tensors(inputs, "The inputs type must be Tensor.")
    forward = Forward(
        fn, inputs, wanted=[position for position, item in enumerate(inputs) if isinstance(item, torch.Tensor)]
    )
    outputs, aux = _split_aux(forward.outputs, has_aux, "vjp")
    is_one = isinstance(weights, torch.Tensor)
    parameters = [] if weights is None else [weights] if is_one else list(weights)

    def vjp_fn(*sens: Any) -> Any:
        _check_tensors(sens, "The inputs type must be Tensor.")
        found = detached(gradients(forward.of(outputs), [*forward.variables, *parameters], sens, again=True))
        of_inputs, of_weights = found[: len(forward.variables)], found[len(forward.variables) :]
        return of_inputs if weights is None else (of_inputs, of_weights[0] if is_one else of_weights)

    return (detached(outputs), vjp_fn, detached(aux)) if has_aux else (detached(outputs), vjp_fn)


def vjp_before_2_0(fn: Callable[..., Any], inputs: Any, v: Any) -> Any:
    """Return (outputs, gradients of ``inputs`` for those of the outputs, ``v``)."""
    outputs, vjp_fn = vjp(fn, *_as_tuple(inputs))
    found = vjp_fn(*_as_tuple(v))
    return outputs, found if isinstance(inputs, (tuple, list)) else found[0]


def _check_tensors(values: Any, message: str) -> None:
    for value in values:
        if isinstance(value, (tuple, list)):
            _check_tensors(value, message)
        elif not isinstance(value, torch.Tensor):
            raise TypeError(message)


def _as_tuple(value: Any) -> tuple:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _structured_like(outputs: Any, items: list) -> Any:
    return tuple(items) if isinstance(outputs, (tuple, list)) else items[0]


def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False) -> Any:
    """Return (outputs, derivative of them along ``v``, auxiliary outputs if any).

    Raises:
        TypeError: unless both are a Tensor, or a tuple or list of Tensors.
        ValueError: if ``v`` does not match the inputs in number.
    """
    args, tangents = _as_tuple(inputs), _as_tuple(v)
    _check_tensors((*args, *tangents), "The inputs type must be a Tensor, tuple or list of Tensors.")
    if len(args) != len(tangents):
        raise ValueError(f"v has invalid length: should be {len(args)}, but got {len(tangents)}")

    def transposed() -> tuple[Any, tuple, list[torch.Tensor], tuple]:
        """Return outputs, seeds, and the seeds' products with the transposed Jacobian: linear in the seeds, so their
        gradient is the Jacobian's product.
        """
        forward = Forward(fn, args, wanted=range(len(args)), by_place=True)
        outputs, aux = _split_aux(forward.outputs, has_aux, "jvp")
        floats = in_floats(forward.of(outputs))
        seeds = [
            as_variable(torch.zeros_like(item)) if is_differentiable(item) else item
            for item in tensors_of(floats.outputs)
        ]
        return outputs, aux, seeds, gradients(floats, floats.variables, seeds)

    forward = Forward(transposed, ())
    outputs, aux, seeds, products = forward.outputs
    found = detached(gradients(forward.of(products), seeds, tangents))
    along = [
        item if item.dtype is output.dtype else wrap(to_dtype(item, output.dtype))  # of integers
        for item, output in zip(found, tensors_of(outputs))
    ]
    result = detached(outputs), _structured_like(outputs, along)
    return (*result, detached(aux)) if has_aux else result


def linearize(fn: Callable[..., Any], inputs: Any) -> Any:
    """Return (outputs, function of a direction that returns the derivative along it)."""
    outputs = detached(wrap(fn(*_as_tuple(inputs))))
    return outputs, lambda *v: jvp(fn, inputs, v[0] if len(v) == 1 else v)[1]


def derivative(fn: Callable[..., Any], primals: Any, order: int) -> Any:
    """Return (outputs, dⁿ/dtⁿ of fn(primals + t) at 0), for element-by-element functions; several outputs in lists.

    Args:
        primals: a Tensor, or a tuple of them, which all move with t.
        order: n.
    """

    def moved(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *points: jvp(function, points, tuple(wrap(torch.ones_like(x)) for x in points))[1]

    args = _as_tuple(primals)
    function = fn
    for _ in range(order):
        function = moved(function)
    found = detached(wrap(fn(*args))), detached(function(*args))
    return tuple(list(item) if isinstance(item, tuple) else item for item in found)


def _jacobian_rows(forward: Forward, root: torch.Tensor) -> list[Any]:
    """Return d root / d variable for each variable of ``forward``, of shape root.shape + variable.shape."""
    with torch.enable_grad(), differentiable():
        elements = torch.reshape(root, (-1,)).unbind()
    rows = [gradients(forward.of(element), forward.variables, again=True) for element in elements]
    return [
        wrap(torch.reshape(torch.stack(column), (*root.shape, *variable.shape)))
        for column, variable in zip(zip(*rows), forward.variables)
    ]


def jacrev(fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that returns the Jacobian by the inputs at ``grad_position`` (an int or a tuple of them), by
    reverse mode. A tuple gives a tuple, unless it holds one position only.

    Raises:
        TypeError: for another ``grad_position``. ValueError: if one is out of range or stands twice.
    """
    return _jacobian("jacrev", fn, grad_position, has_aux)


def jacfwd(fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the same as `jacrev`: the Jacobian does not depend on the mode, and reverse mode covers more operators.

    Raises:
        TypeError: by integers, too.
    """
    return _jacobian("jacfwd", fn, grad_position, has_aux)


def _jacobian(owner: str, fn: Callable[..., Any], grad_position: Any, has_aux: bool) -> Callable[..., Any]:
    positions = checked_positions(grad_position)

    def check_floats(values: Any, what: str) -> None:
        for value in values:
            if isinstance(value, torch.Tensor) and not is_differentiable(value):
                raise TypeError(
                    f"For '{owner}', the {what} must be of a float dtype, but got {value.dtype}. Use astype."
                )

    def jacobian(*args: Any) -> Any:
        if max(positions, default=0) >= len(args):
            raise ValueError("The element in grad_position must belong to [0, args_num).")
        if owner == "jacfwd":
            check_floats([args[place] for place in positions], "inputs")
        forward = Forward(fn, args, wanted=positions, by_place=True)
        outputs, aux = _split_aux(forward.outputs, has_aux, owner)
        check_floats(tensors_of(outputs), "outputs")
        each = [_jacobian_rows(forward, root) for root in tensors_of(outputs)]
        shaped = [tuple(row) if len(positions) > 1 else row[0] for row in each]
        result = _structured_like(outputs, shaped)
        return (result, detached(aux)) if has_aux else result

    return jacobian
