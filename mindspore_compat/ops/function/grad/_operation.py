"""Differentiation of functions and Cells. Upstream: ``mindspore.ops.GradOperation``, ``mindspore.grad``,
``mindspore.value_and_grad``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._capture.step.replay import replayed
from mindspore_compat.common._differentiation import Forward, detached, gradients
from mindspore_compat.common._program import program
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.parameter import Parameter

__all__ = ["GradOperation", "grad", "value_and_grad", "get_grad", "stop_gradient"]


def _weights_of(weights: Any, where: str) -> tuple[list[Parameter], bool]:
    """(Parameters, whether a single one was given)."""
    if isinstance(weights, torch.Tensor):
        return [weights], True  # type: ignore[list-item]
    items = list(weights)
    for item in items:
        if not isinstance(item, torch.nn.Parameter):
            raise TypeError(
                f"For '{where}', the elements of 'weights' must be Parameters, but got {type(item).__name__}."
            )
    return items, False


_MISSING: Any = object()


def _refuse(fn: Any, *args: Any, **kwargs: Any) -> Any:
    raise TypeError(
        f"For 'GradOperation', the first argument must be a 'Function' or 'Cell', but got {type(fn).__name__}."
    )


class GradOperation:
    """Makes gradient functions.

    Args:
        get_all: gradients of all tensor inputs instead of the first.
        get_by_list: gradients of the Parameters given as ``weights`` (default: the Cell's trainable ones).
        sens_param: the gradient function takes the output's gradient as its last argument; otherwise it is ones.

    Examples:
        >>> print(ops.GradOperation()(nn.ReLU())(Tensor([-1.0, 2.0])))
        [0. 1.]
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(value, bool):
                raise TypeError(f"For 'GradOperation', the '{name}' should be bool, but got {type(value).__name__}.")
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Callable[..., Any] = _MISSING, weights: Any = None) -> Callable[..., Any]:
        """A function of ``fn``'s arguments (and ``sens``, if so made) that returns gradients.

        Raises:
            TypeError: if ``fn`` is missing; when the function is called, if ``fn`` is none.
            ValueError: if the first input's gradient is wanted and there is no input.
        """
        if fn is _MISSING:
            raise TypeError(
                "GradOperation.__call__() missing 1 required positional argument: 'fn'. 'GradOperation' requires a "
                "forward network or function as an input, while the input is empty."
            )
        if not callable(fn):
            return functools.partial(_refuse, fn)
        with_value = self.with_value(fn, weights)
        return lambda *args, **kwargs: with_value(*args, **kwargs)[1]

    def with_value(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        """The same, but the function returns (outputs of ``fn``, gradients); not upstream's."""
        single = False
        parameters: list[Parameter] = []
        if self.get_by_list:
            if weights is None:
                weights = fn.trainable_params()  # type: ignore[attr-defined]
            parameters, single = _weights_of(weights, "GradOperation")

        def gradient_function(*args: Any, **kwargs: Any) -> Any:
            sens = None
            if self.sens_param:
                if "sens" in kwargs:
                    sens = kwargs.pop("sens")
                elif args:
                    args, sens = args[:-1], args[-1]
                else:
                    raise ValueError(
                        "For 'GradOperation' with sens_param=True, the last argument must be 'sens', but got no "
                        "arguments."
                    )
            wanted: list[int] = []
            if self.get_all or not self.get_by_list:
                wanted = [position for position, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
                if not self.get_all:
                    wanted = wanted[:1]
                if not wanted:
                    raise ValueError(
                        "For 'GradOperation', a gradient of the inputs is wanted, but no input is a Tensor."
                    )
            outputs, found = _differentiated(fn, args, kwargs, sens, tuple(wanted), parameters)
            of_inputs, of_weights = found[: len(wanted)], found[len(wanted) :]
            by_list = of_weights[0] if single else of_weights
            if not self.get_by_list:
                return outputs, of_inputs if self.get_all else of_inputs[0]
            return outputs, (of_inputs, by_list) if self.get_all else by_list

        return gradient_function


def _differentiated(
    fn: Callable[..., Any],
    args: tuple,
    kwargs: dict[str, Any],
    sens: Any,
    wanted: tuple[int, ...],
    parameters: list[Parameter],
    has_aux: bool = False,
) -> tuple[Any, tuple[Any, ...]]:
    """(outputs of ``fn``, gradients by the inputs at the wanted positions and by the parameters). A forward that the
    Cell kept is not run a second time, nor replayed.
    """
    kept = fn._take_kept(args, wanted) if not kwargs and hasattr(fn, "_take_kept") else None

    def compute(arguments: tuple[tuple, tuple, Any]) -> tuple[Any, tuple[Any, ...]]:
        args, values, sens = arguments
        forward = kept if kept is not None else Forward(fn, args, dict(zip(kwargs, values)), wanted)
        if has_aux and not isinstance(forward.outputs, tuple):
            raise ValueError("For 'value_and_grad', 'has_aux' needs a function with more than one output, but got one.")
        differentiated = forward.of(forward.outputs[0]) if has_aux else forward
        return detached(forward.outputs), detached(gradients(differentiated, [*forward.variables, *parameters], sens))

    arguments = args, tuple(kwargs.values()), sens
    if program.parallel is not None and kept is None:
        return program.parallel.differentiated(
            lambda *args: wrap(compute((args[: len(arguments[0])], args[len(arguments[0]) : -1], args[-1]))),
            (*arguments[0], *arguments[1], sens),
            {},
        )
    if kept is not None:
        return compute(arguments)
    return wrap(
        replayed(fn, (wanted, has_aux, tuple(kwargs), tuple(map(id, parameters))), compute, arguments, parameters)
    )


def _positions(grad_position: Any) -> tuple[int, ...]:
    if grad_position is None:
        return ()
    return grad_position if isinstance(grad_position, tuple) else (grad_position,)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """A function that returns (``fn``'s value, gradients).

    Args:
        grad_position: which inputs to differentiate by: None, an int, or a tuple of them.
        weights: Parameters to differentiate by.
        has_aux: only the first output is differentiated; the others are just returned.
        return_ids: pair each gradient with its position or the Parameter's name, for `get_grad`.
        sens_param: the output's gradient is given as the last argument, instead of ones.

    Raises:
        ValueError: if there is nothing to differentiate by. RuntimeError: in the call, if there is no such input.
    """
    if grad_position is None and weights is None:
        raise ValueError("`grad_position` and `weight` can not be None at the same time.")
    positions = _positions(grad_position)
    parameters, single = _weights_of(weights, "value_and_grad") if weights is not None else ([], False)

    @functools.wraps(fn, updated=())
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        sens = None
        if sens_param:
            args, sens = args[:-1], args[-1]
        for position in positions:
            if not 0 <= position < len(args):
                raise RuntimeError(
                    f"For 'value_and_grad', 'grad_position' {position} must be less than the number of inputs "
                    f"{len(args)}."
                )
        outputs, found = _differentiated(fn, args, kwargs, sens, positions, parameters, has_aux)
        if return_ids:
            identities = [*positions, *(parameter.name for parameter in parameters)]
            found = tuple(zip(identities, found))
        of_inputs: Any = found[: len(positions)]
        of_weights: Any = found[len(positions) :]
        if not isinstance(grad_position, tuple) and positions:
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
    """As `value_and_grad`, but the function returns the gradients only; with ``has_aux``, (gradients, other
    outputs).
    """
    function = value_and_grad(fn, grad_position, weights, has_aux, return_ids, sens_param)

    @functools.wraps(fn, updated=())
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = function(*args, **kwargs)
        return (found, value[1:]) if has_aux else found

    return gradient


def get_grad(gradients: Any, identifier: Any) -> Any:
    """The gradient of an input position or Parameter out of what ``return_ids=True`` gave.

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
    """``value`` without its history: no gradient flows through it."""
    if isinstance(value, torch.Tensor):
        return wrap(torch._C.TensorBase.detach(value))
    if isinstance(value, (tuple, list)):
        return type(value)(stop_gradient(item) for item in value)
    return value
