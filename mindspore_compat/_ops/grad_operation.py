"""Differentiation of functions and Cells. MindSpore: ``mindspore.ops.GradOperation``, ``mindspore.grad``,
``mindspore.value_and_grad``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._autograd.forward import Forward, detached, gradients, tensors_of
from mindspore_compat._autograd.integer_gradients import has_integers
from mindspore_compat._autograd.sequences import Spread, differentiable, is_container
from mindspore_compat._graph.mode import differentiating, own_results
from mindspore_compat._graph.program import program
from mindspore_compat._graph.replay.replay import replayed
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.sparse_tensor import Sparse
from mindspore_compat.context import is_graph_mode


def _weights_of(weights: Any, where: str) -> tuple[list[Parameter], bool]:
    """Return (Parameters, whether a single one was given)."""
    if isinstance(weights, torch.Tensor):
        return [getattr(weights, "shows", weights)], True  # type: ignore[list-item]
    items = [getattr(item, "shows", item) for item in weights]  # a Cell with a dtype sees casts of its Parameters
    for item in items:
        if not isinstance(item, torch.nn.Parameter):
            raise TypeError(
                f"For '{where}', the elements of 'weights' must be Parameters, but got {type(item).__name__}."
            )
    return items, False


def _given_sens(sens: Any) -> Any:
    if sens is None:
        raise TypeError("For 'GradOperation' with sens_param=True, 'sens' must be the output's gradient, but got None.")
    return sens.item() if isinstance(sens, np.generic) else sens


def _check_sens(outputs: list[torch.Tensor], sens: Any) -> None:
    """Raise unless ``sens`` has the outputs' dtypes; PyNative casts to that of an output without axes."""
    if isinstance(sens, (int, float)):
        if outputs and outputs[0].dim():
            raise ValueError(
                f"For 'GradOperation', the shape of 'sens' must be that of the output {tuple(outputs[0].shape)}, but "
                f"got the number {sens}."
            )
        return
    for output, seed in zip(outputs, tensors_of(sens)):
        if seed.dtype is not output.dtype and (output.dim() or is_graph_mode()):
            raise TypeError(
                f"For 'GradOperation', the dtype of 'sens' must be that of the output, {dtype_name(output.dtype)}, but "
                f"got {dtype_name(seed.dtype)}."
            )


class GradOperation:
    """Factory of gradient functions.

    Args:
        get_all: gradients of all tensor inputs instead of the first.
        get_by_list: gradients of the Parameters given as ``weights`` (default: the Cell's trainable ones).
        sens_param: the gradient function takes the output's gradient as its last argument; otherwise it is ones.

    Examples:
        >>> print(ops.GradOperation()(nn.ReLU())(Tensor([-1.0, 2.0])))
        [0. 1.]
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        """Return a function of ``fn``'s arguments (and ``sens``, if so made) that returns gradients: an empty tuple
        where no input is a Tensor.
        """
        with_value = self.with_value(fn, weights)
        return lambda *args, **kwargs: with_value(*args, **kwargs)[1]

    def with_value(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        """Return the same, but the function returns (outputs of ``fn``, gradients); not MindSpore's."""
        single = False
        parameters: list[Parameter] | None = []
        if self.get_by_list:
            if (
                weights is None
                and (is_graph_mode() or program.parallel is not None)
                and hasattr(fn, "trainable_params")
            ):
                weights = fn.trainable_params()
            parameters, single = (None, False) if weights is None else _weights_of(weights, "GradOperation")

        @differentiating
        def gradient_function(*args: Any, **kwargs: Any) -> Any:
            sens = None
            if self.sens_param:
                if "sens" in kwargs:
                    sens = kwargs.pop("sens")
                else:
                    args, sens = args[:-1], args[-1]
                sens = _given_sens(sens)
            wanted: tuple[int, ...] = ()
            if self.get_all or not self.get_by_list:
                have = differentiable((*args, *kwargs.values()))
                wanted = tuple([place for place, has in enumerate(have if self.get_all else have[:1]) if has])
            outputs, found = _differentiated(fn, args, kwargs, sens, wanted, parameters)
            of_inputs, of_weights = found[: len(wanted)], found[len(wanted) :]
            by_list = of_weights[0] if single else of_weights
            if not self.get_by_list:
                return outputs, of_inputs if self.get_all or not of_inputs else of_inputs[0]
            return outputs, (of_inputs, by_list) if self.get_all else by_list

        return gradient_function


def _check_has_auxiliary(outputs: Any) -> None:
    """Raise in compiled code for a tuple of one output: it has no auxiliary ones."""
    is_compiled = is_graph_mode()
    if not isinstance(outputs, tuple) or len(outputs) < 2 - is_compiled:
        error = RuntimeError if is_compiled else ValueError
        raise error("When has_aux is True, origin fn requires more than one outputs.")


def _differentiated(
    fn: Callable[..., Any],
    args: tuple,
    kwargs: dict[str, Any],
    sens: Any,
    wanted: tuple[int, ...],
    parameters: list[Parameter] | None,
    has_aux: bool = False,
) -> tuple[Any, tuple[Any, ...]]:
    """Return (outputs of ``fn``, gradients by the inputs at the wanted positions and by the parameters). For None take
    the parameters that it used, in that order. Keyword inputs count after the others; containers have containers of
    gradients. A forward kept by the Cell is not run again, nor replayed.
    """
    inputs = (*args, *kwargs.values())
    if any(is_container(inputs[place]) for place in wanted):
        spread = Spread(_by_position(fn, len(args), tuple(kwargs)) if kwargs else fn, inputs, wanted)
        outputs, found = _differentiated(spread.fn, spread.args, {}, sens, spread.wanted, parameters, has_aux)
        return outputs, spread.gradients(found)
    weights = parameters or []
    integers = has_integers(inputs, wanted, weights)
    take = None if kwargs or integers else getattr(fn, "_pop_cached_forward", None)
    kept = take(args, wanted) if take is not None else None

    def compute(arguments: tuple[tuple, tuple, Any]) -> tuple[Any, tuple[Any, ...]]:
        args, values, sens = arguments
        if kept is not None:
            forward = kept
        elif kwargs:
            forward = Forward(_by_position(fn, len(args), tuple(kwargs)), (*args, *values), None, wanted, weights)
        else:
            forward = Forward(fn, args, None, wanted, weights)
        if has_aux:
            _check_has_auxiliary(forward.outputs)
        differentiated = forward.of(forward.outputs[0]) if has_aux else forward
        of = _used_parameters(forward.outputs) if parameters is None else weights
        if sens is not None:
            _check_sens(tensors_of(differentiated.outputs), sens)
        found = detached(gradients(differentiated, [*forward.variables, *of], sens))
        if is_graph_mode() and any(isinstance(arg, Sparse) for arg in args):  # compiled, sparse inputs have sparse ones
            points = [args[place] if place < len(args) else None for place in wanted]
            of_inputs = [x._like(g) if isinstance(x, Sparse) else g for x, g in zip(points, found)]
            found = (*of_inputs, *found[len(wanted) :])
        outputs = own_results(forward.outputs, args, program.writes) if is_graph_mode() else forward.outputs
        return detached(outputs), found

    arguments = args, tuple(kwargs.values()), sens
    if program.parallel is not None and kept is None:
        return program.parallel.differentiated(
            lambda *args: wrap(compute((args[: len(arguments[0])], args[len(arguments[0]) : -1], args[-1]))),
            (*arguments[0], *arguments[1], sens),
            {},
        )
    if kept is not None or integers or parameters is None:
        return wrap(compute(arguments))
    return wrap(replayed(fn, (wanted, has_aux, tuple(kwargs), tuple(map(id, weights))), compute, arguments, weights))


def _used_parameters(outputs: Any) -> list[Parameter]:
    """Return the parameters in the outputs' graph, in the order of their first use."""
    first: dict[Parameter, tuple[float, int]] = {}
    for place, item in enumerate(tensors_of(outputs)):
        if isinstance(item, Parameter):  # returned unchanged
            first[item] = math.inf, place
    roots = [item.grad_fn for item in tensors_of(outputs) if item.grad_fn is not None]
    waiting, seen = list(roots), set(roots)
    while waiting:
        node = waiting.pop()
        for place, (source, _) in enumerate(node.next_functions):
            variable = getattr(source, "variable", None)
            if isinstance(variable, Parameter):
                use = node._sequence_nr(), place
                first[variable] = min(first.get(variable, use), use)
            elif source is not None and source not in seen:
                seen.add(source)
                waiting.append(source)
    return sorted(first, key=first.__getitem__)


def _by_position(fn: Callable[..., Any], count: int, names: tuple[str, ...]) -> Callable[..., Any]:
    return lambda *inputs: fn(*inputs[:count], **dict(zip(names, inputs[count:])))


def checked_positions(grad_position: Any) -> tuple[int, ...]:
    """Return ``grad_position`` as a tuple of different positions."""
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    if min(positions, default=0) < 0:
        raise ValueError("grad_position must be >= 0.")
    if len(set(positions)) != len(positions):
        raise ValueError("There are duplicate positions in `grad_position`, please check it")
    return positions


def _wanted(positions: tuple[int, ...], inputs: tuple) -> tuple[int, ...]:
    """Return the positions that have a gradient. Return None for a function without inputs, in PyNative."""
    if not inputs and not is_graph_mode():
        return ()
    for position in positions:
        if position >= len(inputs):
            error = IndexError if is_graph_mode() else RuntimeError  # as in MindSpore
            raise error(f"Position index {position} is exceed input size.")
    have = differentiable(inputs) if positions else []
    return tuple([position for position in positions if have[position]])


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Return a function that returns (``fn``'s value, gradients).

    Args:
        grad_position: which inputs to differentiate by: None, an int, or a tuple of them. A tuple gives a tuple of
            gradients, unless it holds only one Tensor's position.
        weights: Parameters to differentiate by.
        has_aux: only the first output is differentiated; the others are just returned.
        return_ids: pair each gradient with its position or the Parameter's name, for `get_grad`.
        sens_param: the output's gradient is given as the last argument, instead of ones.

    Raises:
        ValueError: if there is nothing to differentiate by. TypeError: for an argument of another type.
        RuntimeError: in the call, if there is no such input, or ``grad_position`` is an empty tuple.
    """
    if grad_position is None and weights is None:
        raise ValueError("`grad_position` and `weight` cannot be None at the same time.")
    positions = () if grad_position is None else checked_positions(grad_position)
    parameters, single = _weights_of(weights, "value_and_grad") if weights is not None else ([], False)

    @differentiating
    @functools.wraps(fn, updated=())
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        if grad_position is not None and not positions:
            raise RuntimeError("grad_position should not be empty when grad by position! Give None for weights alone.")
        sens = None
        if sens_param:
            args, sens = args[:-1], args[-1]
        wanted = _wanted(positions, (*args, *kwargs.values()))
        outputs, found = _differentiated(fn, args, kwargs, sens, wanted, parameters, has_aux)
        if return_ids:
            found = tuple(zip([*wanted, *(parameter.name for parameter in parameters)], found))
        of_inputs: Any = found[: len(wanted)]
        of_weights: Any = found[len(wanted) :]
        if len(wanted) == 1:
            of_inputs = of_inputs[0]
        if single:
            of_weights = of_weights[0]
        if not parameters and weights is None:
            result = of_inputs
        else:
            result = (of_inputs, of_weights) if positions else of_weights
        return outputs, result

    return value_and_gradient


def grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Return the function of `value_and_grad` with the gradients only; with ``has_aux``, (gradients, other outputs)."""
    function = value_and_grad(fn, grad_position, weights, has_aux, return_ids, sens_param)

    @functools.wraps(fn, updated=())
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = function(*args, **kwargs)
        return (found, value[1:]) if has_aux else found

    return gradient


def get_grad(gradients: Any, identifier: Any) -> Any:
    """Return the gradient of an input position or Parameter from the result of ``return_ids=True``.

    Raises:
        RuntimeError: if it is not there.
    """
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    items = (
        gradients if isinstance(gradients, tuple) and gradients and isinstance(gradients[0], tuple) else (gradients,)
    )
    for item in items:
        if isinstance(item, tuple) and len(item) == 2 and not isinstance(item[0], tuple):
            if item[0] == wanted and type(item[0]) is type(wanted):
                return item[1]
        elif isinstance(item, tuple):
            for identity, value in item:
                if identity == wanted and type(identity) is type(wanted):
                    return value
    raise RuntimeError(f"Can not find the gradient for position or Parameter {identifier!r}.")


def stop_gradient(value: Any) -> Any:
    """Return ``value`` without its history: no gradient flows through it."""
    if isinstance(value, torch.Tensor):
        return wrap(torch._C.TensorBase.detach(value))
    if isinstance(value, (tuple, list)):
        return type(value)(stop_gradient(item) for item in value)
    return value
