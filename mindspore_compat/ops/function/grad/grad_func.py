"""Products with Jacobians, whole Jacobians and vectorized calls. Upstream: ``mindspore.ops.function.grad.grad_func``,
``vmap_func``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_map

from mindspore_compat.common._differentiation import (
    Forward,
    as_variable,
    detached,
    differentiable,
    gradients,
    is_differentiable,
    tensors_of,
)
from mindspore_compat.common._wrap import wrap
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


def _split_aux(outputs: Any, has_aux: bool, owner: str) -> tuple[Any, tuple]:
    if not has_aux:
        return outputs, ()
    if not isinstance(outputs, tuple) or len(outputs) < 2:
        raise ValueError(f"For '{owner}', 'has_aux' needs a function with more than one output, but got one.")
    return outputs[0], outputs[1:]


def vjp(fn: Callable[..., Any], *inputs: Any, weights: Any = None, has_aux: bool = False) -> Any:
    """(outputs, function of the outputs' gradients that returns a tuple of the inputs', auxiliary outputs if any).

    ``vjp(fn, inputs, v)`` of 1.x is the same as ``vjp(fn, *inputs)[1](v)`` now.

    Raises:
        TypeError: if an input or gradient is neither a Tensor nor a tuple or list of Tensors.
    """
    _check_tensors(inputs, "The inputs type must be Tensor.")
    forward = Forward(
        fn, inputs, wanted=[position for position, item in enumerate(inputs) if isinstance(item, torch.Tensor)]
    )
    outputs, aux = _split_aux(forward.outputs, has_aux, "vjp")
    parameters = [] if weights is None else [weights] if isinstance(weights, torch.Tensor) else list(weights)

    def vjp_fn(*sens: Any) -> Any:
        _check_tensors(sens, "The inputs type must be Tensor.")
        found = detached(gradients(forward.of(outputs), [*forward.variables, *parameters], sens, again=True))
        of_inputs, of_weights = found[: len(forward.variables)], found[len(forward.variables) :]
        return of_inputs if weights is None else (of_inputs, of_weights)

    return (detached(outputs), vjp_fn, detached(aux)) if has_aux else (detached(outputs), vjp_fn)


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
    """(outputs, derivative of them along ``v``, auxiliary outputs if any).

    Raises:
        TypeError: unless both are a Tensor, or a tuple or list of Tensors.
        ValueError: if ``v`` does not match the inputs in number.
    """
    args, tangents = _as_tuple(inputs), _as_tuple(v)
    _check_tensors((*args, *tangents), "The inputs type must be a Tensor, tuple or list of Tensors.")
    if len(args) != len(tangents):
        raise ValueError(f"v has invalid length: should be {len(args)}, but got {len(tangents)}")

    def transposed() -> tuple[Any, tuple, list[torch.Tensor], tuple]:
        """Outputs, seeds, and the seeds' products with the transposed Jacobian: linear in the seeds, so their gradient
        is the Jacobian's product.
        """
        forward = Forward(fn, args, wanted=range(len(args)))
        outputs, aux = _split_aux(forward.outputs, has_aux, "jvp")
        seeds = [
            as_variable(torch.zeros_like(item)) if is_differentiable(item) else item for item in tensors_of(outputs)
        ]
        return outputs, aux, seeds, gradients(forward.of(outputs), forward.variables, seeds)

    forward = Forward(transposed, ())
    outputs, aux, seeds, products = forward.outputs
    along = list(detached(gradients(forward.of(products), seeds, tangents)))
    result = detached(outputs), _structured_like(outputs, along)
    return (*result, detached(aux)) if has_aux else result


def linearize(fn: Callable[..., Any], inputs: Any) -> Any:
    """(outputs, function of a direction that returns the derivative along it)."""
    outputs = detached(wrap(fn(*_as_tuple(inputs))))
    return outputs, lambda *v: jvp(fn, inputs, v[0] if len(v) == 1 else v)[1]


def derivative(fn: Callable[..., Any], primals: Any, order: int) -> Any:
    """(outputs, derivative of the given order by the input along ones), for functions that work element by element."""

    def differentiated(function: Callable[..., Any]) -> Callable[..., Any]:
        return GradOperation(get_all=not isinstance(primals, torch.Tensor))(function)

    args = _as_tuple(primals)
    function = fn
    for _ in range(order):
        function = differentiated(function)
    return detached(wrap(fn(*args))), function(*args)


def _jacobian_rows(forward: Forward, root: torch.Tensor) -> list[Any]:
    """d root / d variable for each variable of ``forward``, of shape root.shape + variable.shape."""
    with torch.enable_grad(), differentiable():
        elements = torch.reshape(root, (-1,)).unbind()
    rows = [gradients(forward.of(element), forward.variables, again=True) for element in elements]
    return [
        wrap(torch.reshape(torch.stack(column), (*root.shape, *variable.shape)))
        for column, variable in zip(zip(*rows), forward.variables)
    ]


def jacrev(fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the Jacobian by the inputs at ``grad_position`` (an int or a tuple of them), by reverse
    mode. A tuple gives a tuple, unless it holds one position only.

    Raises:
        TypeError: for another ``grad_position``. ValueError: if one is out of range or stands twice.
    """
    positions = checked_positions(grad_position)

    def jacobian(*args: Any) -> Any:
        if max(positions, default=0) >= len(args):
            raise ValueError("The element in grad_position must belong to [0, args_num).")
        forward = Forward(fn, args, wanted=positions)
        outputs, aux = _split_aux(forward.outputs, has_aux, "jacrev")
        each = [_jacobian_rows(forward, root) for root in tensors_of(outputs)]
        shaped = [tuple(row) if len(positions) > 1 else row[0] for row in each]
        result = _structured_like(outputs, shaped)
        return (result, detached(aux)) if has_aux else result

    return jacobian


def jacfwd(fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The same as `jacrev`: the Jacobian does not depend on the mode, and reverse mode covers more operators."""
    return jacrev(fn, grad_position, has_aux)


def vmap(fn: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """``fn`` over an axis of its inputs (None: the same input each time), results stacked along ``out_axes``. Of a
    CellList each Cell gets its element.

    Raises:
        RuntimeError: if all of ``in_axes`` are None (but for a CellList), the lengths of the axes differ, or a CellList
            has one Cell.
    """
    if getattr(fn, "_is_ensemble", False):
        return functools.partial(_ensemble, fn, in_axes, out_axes)

    def mapped(*args: Any) -> Any:
        axes = _broadcast_axes(in_axes, len(args))
        try:
            return wrap(
                torch.vmap(lambda *items: wrap(fn(*_wrapped(items))), axes, out_axes, randomness="different")(*args)
            )
        except RuntimeError as error:
            if "vmap" not in str(error) and "functorch" not in str(error).lower():
                raise
        return _loop(fn, args, axes, out_axes)

    return mapped


def _ensemble(cells: Any, in_axes: Any, out_axes: Any, *args: Any) -> Any:
    """`vmap` of a CellList."""
    if len(cells) < 2:
        raise RuntimeError(f"For 'vmap', a CellList must have more than one Cell, but got {len(cells)}.")
    axes = _broadcast_axes(in_axes, len(args), True)
    lengths = [arg.shape[axis] for arg, axis in zip(args, axes) if axis is not None]
    if any(length != len(cells) for length in lengths):
        raise RuntimeError(
            f"For 'vmap', the axes to map over must have the length of the CellList, {len(cells)}, but got {lengths}."
        )
    return _stacked_along(
        [
            wrap(cell(*[arg if axis is None else wrap(torch.select(arg, axis, i)) for arg, axis in zip(args, axes)]))
            for i, cell in enumerate(cells)
        ],
        out_axes,
    )


def _wrapped(items: Any) -> Any:
    return wrap(tuple(items))


def _broadcast_axes(in_axes: Any, count: int, may_be_none: bool = False) -> tuple:
    axes = (in_axes,) * count if in_axes is None or isinstance(in_axes, int) else tuple(in_axes)
    if len(axes) != count:
        raise RuntimeError(
            f"For 'vmap', 'in_axes' must have one axis for each of the {count} arguments, but got {len(axes)}."
        )
    if not may_be_none and all(axis is None for axis in axes):
        raise RuntimeError("For 'vmap', at least one of 'in_axes' must not be None. Name the axis to map over.")
    return axes


def _loop(fn: Callable[..., Any], args: tuple, axes: tuple, out_axes: Any) -> Any:
    """`vmap` one element at a time, for what torch.vmap cannot vectorize."""
    length = next(arg.shape[axis] for arg, axis in zip(args, axes) if isinstance(axis, int))
    results = [
        wrap(fn(*[arg if axis is None else wrap(torch.select(arg, axis, i)) for arg, axis in zip(args, axes)]))
        for i in range(length)
    ]
    return _stacked_along(results, out_axes)


def _stacked_along(results: list[Any], out_axes: Any) -> Any:
    if isinstance(results[0], tuple) and not isinstance(out_axes, int):
        return tuple(_stacked(items, place) for items, place in zip(zip(*results), out_axes))
    return _stacked(results, out_axes if isinstance(out_axes, int) else out_axes[0])


def _stacked(items: Any, axis: int) -> Any:
    """Results of one structure, joined along a new axis."""
    return tree_map(lambda *parts: wrap(torch.stack(parts, axis)), *items)
