"""Control flow, tuples, scalars and states."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._autograd.custom_backward import own_backward
from mindspore_compat._autograd.float_status import clear_status, note_status, read_status
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._graph.mutable import isconstant
from mindspore_compat._graph.program import program
from mindspore_compat._numerics.dtype_families import is_subclass, type_of
from mindspore_compat._ops.adapt import (
    as_ints,
    as_plain,
    behind,
    changed,
    check_keeps_dtype,
    dtype_or_none,
    fitting,
    get_data,
    in_own_dtype,
    passes_gradient,
    to_dtype,
)
from mindspore_compat._ops.declare import Bool, PositiveInt, classes, functions, op, primitive, primitive_class
from mindspore_compat._ops.grad_func import jvp
from mindspore_compat._ops.grad_operation import stop_gradient
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import unaliased, wrap
from mindspore_compat.common.dtype import to_torch_dtype

_Run = Callable[..., Any]


@op(fallback=False)
def stop_gradient_(input: Any) -> None:
    """Stop gradients through ``input`` from here on, in place.

    Raises:
        TypeError: for something else than a Tensor. RuntimeError: for a view through which gradients flow.
    """
    if not input._is_view():
        input.detach_()
    elif input.requires_grad:
        raise RuntimeError("Cannot stop_gradient view inplace. Use ops.stop_gradient.")


@op(fallback=False)
def reshard(tensor: Any, layout: Any) -> Any:
    """Return ``tensor``: its sharding does not change its values, and the parallel modes choose their own layout if one
    has to follow another.
    """
    return tensor


def _slope(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda t: jvp(fn, t, wrap(torch.ones_like(t)))[1]


def _derivatives(fn: Callable[[Any], Any], t: Any, order: int) -> list[Any]:
    """Return fn and its derivatives up to ``order`` at the scalar ``t``."""
    functions = [fn]
    for _ in range(order):
        functions.append(_slope(functions[-1]))
    return [function(t) for function in functions]


@op(fallback=False)
def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """Return (outputs, their derivatives of orders 1 to n stacked) along the curve whose value is ``primals`` and whose
    derivatives are ``series``: (n, shape) for each input.

    Args:
        fn: Cell or function of the primals; it may return one Tensor or a tuple.
        primals, series: a Tensor, or a list or tuple of them; ints are taken as float32.
    """
    many = isinstance(primals, (tuple, list))
    values, rates = (list(item) if many else [item] for item in (primals, series))
    values, rates = (
        [x if x.is_floating_point() else wrap(torch.Tensor.float(x)) for x in item] for item in (values, rates)
    )
    order = rates[0].shape[0]
    if any(rate.shape[0] != order or tuple(rate.shape[1:]) != tuple(x.shape) for x, rate in zip(values, rates)):
        raise ValueError(
            "For 'jet', each of 'series' must be (orders, *shape of its primal), but got "
            f"{[tuple(item.shape) for item in rates]} for {[tuple(item.shape) for item in values]}."
        )

    def along(t: Any) -> Any:
        inputs = []
        for x, rate in zip(values, rates):
            factor, total = torch.ones_like(t), x
            for number in range(order):
                factor = factor * t / (number + 1)
                total = total + rate[number] * factor
            inputs.append(wrap(total))
        return fn(*inputs)

    zero = wrap(torch.zeros((), dtype=values[0].dtype, device=values[0].device))
    found = _derivatives(along, zero, order)
    if isinstance(found[0], tuple):
        outputs = list(zip(*found))
        return [item[0] for item in outputs], [wrap(torch.stack(item[1:])) for item in outputs]
    return found[0], wrap(torch.stack(found[1:]))


@op(fallback=False)
def depend(value: Any, expr: Any) -> Any:
    """Return ``value``; eager execution has already evaluated ``expr``.

    Examples:
        >>> x = Tensor([1.0])
        >>> print(ops.depend(x, x + 1))
        [1.]
    """
    note_status(expr)
    return value


Depend = primitive_class("Depend", depend)


@op(fallback=False)
def identity(x: Any) -> Any:
    """Return the argument itself."""
    return x


@op(fallback=False)
def partial(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Return ``fn`` with its first arguments bound.

    Examples:
        >>> add_one = ops.partial(ops.Add(), 1)
        >>> print(add_one(Tensor([1.0, 2.0])))
        [2. 3.]
    """
    return functools.partial(fn, *args, **kwargs)


Partial = primitive_class("Partial", partial)


# --- parameters -------------------------------------------------------------------------------------------------------
@op(fallback=False)
def assign(variable: Any, value: Any) -> Any:
    """Write ``value`` to the variable itself; return its present values. Raise ValueError for another shape."""
    data = get_data(variable)
    check_keeps_dtype("Assign", data, value)
    data.copy_(unaliased(data, fitting("Assign", data, value, data.dtype).detach()))
    result = changed(variable)
    is_kept = result is variable or isinstance(result, torch.nn.Parameter)
    return result if is_kept else wrap(torch.clone(result))  # later assignments do not change it


def _accumulated(owner: str, name: str, variable: Any, value: Any) -> Any:
    data = get_data(variable)
    check_keeps_dtype(owner, data, value)
    change = fitting(owner, data, int(value) if isinstance(value, bool) else value)
    if variable.grad_fn is not None and behind(variable) is variable and torch.is_grad_enabled() and in_graph():
        # an intermediate value: compiled code differentiates what comes after by what it was changed by
        return wrap(getattr(torch.Tensor, name + "_")(variable, change))
    if not passes_gradient(value):
        getattr(data, name + "_")(unaliased(data, change.detach()))
        return changed(variable)
    result = in_own_dtype(name, variable, change)
    data.copy_(result.detach())
    changed(variable)
    return wrap(result)


@op(fallback=False)
def assign_add(variable: Any, value: Any) -> Any:
    """Add ``value`` to the variable itself; return it, or where ``value`` has a gradient a Tensor that passes it on to
    both.
    """
    return _accumulated("AssignAdd", "add", variable, value)


@op(fallback=False)
def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract ``value`` from the variable itself; return it, or where ``value`` has a gradient a Tensor that passes it
    on to both.
    """
    return _accumulated("AssignSub", "sub", variable, value)


@op(fallback=False, method="move_to")
def move_to(input: Any, to: str = "CPU", blocking: bool = True) -> Any:
    """Return ``input`` on another device: "CPU" or "Ascend" / "GPU" (CUDA)."""
    device = {"CPU": "cpu", "GPU": "cuda", "Ascend": "cuda"}[to]
    return wrap(input.to(device, non_blocking=not blocking))


MoveTo = primitive_class("MoveTo", move_to)


@op(fallback=False)
def mixed_precision_cast(dst_dtype: Any, x: Any) -> Any:
    """Cast float tensors (in tuples, lists and dicts too) to another float dtype; the rest is unchanged. As in
    MindSpore, a list becomes a tuple.
    """
    if isinstance(x, torch.Tensor):
        return wrap(to_dtype(x, to_torch_dtype(dst_dtype))) if x.dtype.is_floating_point else x
    if isinstance(x, (tuple, list)):
        return tuple(mixed_precision_cast(dst_dtype, item) for item in x)
    if isinstance(x, dict):
        return {key: mixed_precision_cast(dst_dtype, item) for key, item in x.items()}
    return x


MixedPrecisionCast = primitive_class("MixedPrecisionCast", mixed_precision_cast, inputs="dst_dtype input_x")


def float_status(x: Any) -> Any:
    """Return float32 [1.] if any element is nan or infinite, else [0.]."""
    return wrap(torch.reshape(to_dtype(torch.logical_not(torch.all(torch.isfinite(x))), torch.float32), (1,)))


# --- Python values: names of MindSpore's graph language ---------------------------------------------------------------
@op(fallback=False)
def make_range(*args: int) -> tuple[int, ...]:
    """Return the ints of ``range`` as a tuple."""
    return tuple(builtins.range(*[int(item) for item in args]))


@op(fallback=False)
def make_tuple(*items: Any) -> tuple:
    """Return a tuple of the arguments."""
    return items


@op(fallback=False)
def make_list(*items: Any) -> list:
    """Return a list of the arguments."""
    return list(items)


@op(fallback=False)
def make_dict(keys: Any, values: Any) -> dict:
    """Return a dict of keys and values."""
    return dict(zip(keys, values))


@op(fallback=False)
def make_slice(start: Any, stop: Any, step: Any) -> builtins.slice:
    """Return a slice."""
    return builtins.slice(start, stop, step)


def _with_item(sequence: Any, index: Any, value: Any) -> Any:
    items = dict(sequence) if isinstance(sequence, dict) else list(sequence)
    items[index] = value
    return tuple(items) if isinstance(sequence, tuple) else items


@op(fallback=False)
def array_to_scalar(x: Any) -> Any:
    """Return the only element as a Python number."""
    return x.item()


@op(fallback=False)
def typeof(x: Any) -> Any:
    """Return the MindSpore type of a value: ``Tensor[Float32]``, or ``Tuple[Int64*2]`` of a tuple of two integers."""
    return type_of(x)


@op(fallback=False)
def hastype(x: Any, kind: Any) -> bool:
    """Return whether `typeof` is ``kind`` or of its family."""
    return is_subclass(type_of(x), kind)


@op(fallback=False)
def is_tensor_bool_cond(x: Any) -> bool:
    """Return whether it is a tensor that a condition can take."""
    return isinstance(x, torch.Tensor) and x.numel() == 1


@op(fallback=False, shown="input_data")
def shape_mul(shape: Any) -> int:
    """Return the product of a shape."""
    return math.prod(shape)


@op(fallback=False)
def switch(condition: Any, true_branch: Any, false_branch: Any) -> Any:
    """Return one of two values by a condition."""
    return true_branch if condition else false_branch


tuple_getitem = list_getitem = dict_getitem = operator.getitem
tuple_setitem = list_setitem = dict_setitem = op(_with_item, fallback=False)
tuple_len = list_len = len
tuple_equal = list_equal = string_eq = bool_eq = scalar_eq = operator.eq
string_concat = scalar_add = operator.add
is_, is_not, bool_not = operator.is_, operator.is_not, operator.not_
scalar_sub, scalar_mul, scalar_div, scalar_floordiv = operator.sub, operator.mul, operator.truediv, operator.floordiv
scalar_mod, scalar_pow = operator.mod, operator.pow
scalar_ne, scalar_lt, scalar_le, scalar_gt, scalar_ge = operator.ne, operator.lt, operator.le, operator.gt, operator.ge
scalar_log, scalar_uadd, scalar_usub, scalar_max = math.log, operator.pos, operator.neg, builtins.max
scalar_min = builtins.min


@op(fallback=False)
def tuple_reversed(items: tuple) -> tuple:
    """Return the tuple from its end."""
    return items[::-1]


@op(fallback=False)
def tuple_div(items: tuple, other: tuple) -> tuple:
    """Return exact quotients of ints, element by element.

    Raises:
        ValueError: if the tuples differ in length. RuntimeError: for a rest.
    """
    for a, b in zip(items, other, strict=True):
        if a % b:
            raise RuntimeError(f"The inputs of 'tuple_div' operator should be divisible, but they are {a} and {b}.")
    return tuple(a // b for a, b in zip(items, other))


@op(fallback=False)
def in_dict(key: Any, items: dict) -> bool:
    """Return whether the dict has the key."""
    return key in items


@op(fallback=False)
def not_in_dict(key: Any, items: dict) -> bool:
    """Return whether the dict does not have the key."""
    return key not in items


@op(fallback=False)
def bool_or(left: Any, right: Any) -> Any:
    """Return ``left or right``."""
    return left or right


@op(fallback=False)
def bool_and(left: Any, right: Any) -> Any:
    """Return ``left and right``."""
    return left and right


@primitive
def Morph(fn: Any, infer_shape: Any, infer_dtype: Any, bprop_fn: Any = None) -> _Run:
    """``fn`` as an operator; ``bprop_fn(*inputs, out, dout)`` gives the gradients of its inputs. Shapes and dtypes
    follow from the computation.
    """
    if bprop_fn is None:
        return fn
    signature = inspect.signature(fn)

    def gradients(inputs: list[Any], out: Any, dout: Any) -> tuple[Any, ...]:
        found = bprop_fn(*inputs, out, dout)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != len(inputs):
            raise TypeError(
                f"For 'Morph', 'bprop_fn' must return a gradient for each of the {len(inputs)} inputs, but returned "
                f"{len(found)}."
            )
        return found

    def run(*inputs: Any, **by_name: Any) -> Any:
        inputs = signature.bind(*inputs, **by_name).args
        return wrap(own_backward(fn, gradients, len(inputs), *inputs))

    return run


@primitive(inputs="tensor")
def Reshard(in_layout: Any, out_layout: Any, in_strategy: Any) -> _Run:
    """`ops.reshard` by layouts: the tensor."""
    return lambda tensor: reshard(tensor, out_layout)


Reusing = primitive_class("Reusing", lambda x: wrap(torch.clone(x)))
Identity = primitive_class("Identity", lambda input_x: wrap(torch.clone(input_x)))
TensorToTuple = primitive_class("TensorToTuple", lambda x: tuple(x.tolist()), inputs="input_tensor")


@primitive
def NoRepeatNGram(ngram_size: PositiveInt = 1) -> _Run:
    """(state_seq (B, beams, m) int32, log_probs (B, beams, V)): log_probs with the least float where the token would
    end an n-gram that is in the sequence.
    """

    def run(state_seq: Any, log_probs: Any) -> Any:
        length = state_seq.shape[-1]
        grams = torch.Tensor.unfold(state_seq, -1, ngram_size, 1).long()  # (B, beams, places, n)
        last = state_seq[..., length - ngram_size + 1 :].unsqueeze(-2).long()
        repeats = torch.all(grams[..., :-1] == last, -1)
        banned = torch.zeros(tuple(log_probs.shape), dtype=torch.int32, device=log_probs.device)
        banned = torch.scatter_add(banned, -1, grams[..., -1], to_dtype(repeats, torch.int32))
        return wrap(torch.masked_fill(log_probs, banned > 0, torch.finfo(log_probs.dtype).min))

    return run


def _edit_distance(hypothesis: list, truth: list) -> int:
    """Return the number of insertions, deletions and substitutions between two sequences."""
    row = list(range(len(truth) + 1))
    for i, left in enumerate(hypothesis, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(truth, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


@primitive
def EditDistance(normalize: Bool = True) -> _Run:
    """float32 distances of sequences in two sparse tensors (indices, values, shape); ``normalize`` divides by the
    length of the truth.
    """

    def run(*parts: Any) -> Any:
        groups: list[dict] = []
        for indices, values, _ in (parts[:3], parts[3:]):
            found: dict[tuple, list] = {}
            for place, value in zip(indices.tolist(), values.tolist()):
                found.setdefault(tuple(place[:-1]), []).append(value)
            groups.append(found)
        shape = [max(a, b) for a, b in zip(as_ints(parts[2])[:-1], as_ints(parts[5])[:-1])]
        out = torch.zeros(shape, dtype=torch.float32)
        for place in groups[0].keys() | groups[1].keys():
            hypothesis, truth = (group.get(place, []) for group in groups)
            distance = float(_edit_distance(hypothesis, truth))
            if normalize:
                distance = distance / len(truth) if truth else float("inf") if hypothesis else 0.0
            out[place] = distance
        return wrap(out.to(parts[1].device))

    return run


def _sub_and_filter(input_x: Any, max_num: Any, offset: Any) -> Any:
    """Return (input - offset where that lies in [0, max_num), the places of those)."""
    moved = input_x - offset
    places = torch.nonzero((moved >= 0) & (moved < max_num)).reshape(-1)
    return wrap((to_dtype(moved[places], input_x.dtype), to_dtype(places, input_x.dtype)))


SubAndFilter = primitive_class("SubAndFilter", _sub_and_filter)


MapUniform = primitive_class(
    "MapUniform",
    lambda input, per_group_size, group_num: wrap(
        to_dtype(input % group_num * per_group_size + torch.div(input, group_num, rounding_mode="floor"), input.dtype)
    ),
)

# --- overflow checks of Ascend ----------------------------------------------------------------------------------------
FloatStatus = primitive_class("FloatStatus", float_status)

NPUAllocFloatStatus = primitive_class("NPUAllocFloatStatus", lambda: wrap(torch.zeros(8, device=current_device())))
NPUGetFloatStatus, NPUClearFloatStatus = (
    primitive_class("NPUGetFloatStatus", read_status),
    primitive_class("NPUClearFloatStatus", clear_status),
)
NPUGetFloatStatusV2, NPUClearFloatStatusV2 = (  # these return another Tensor
    primitive_class("NPUGetFloatStatusV2", lambda status: read_status(torch.clone(status))),
    primitive_class("NPUClearFloatStatusV2", lambda status: clear_status(torch.clone(status))),
)
StopGradient = primitive_class("StopGradient", stop_gradient)
IsConstant = primitive_class("IsConstant", isconstant)
Load = primitive_class("Load", lambda variable, u=None: wrap(torch.clone(variable)), inputs="ref u")
UpdateState = primitive_class("UpdateState", lambda u, *expressions: u)


@primitive(inputs="optim_inputs optim_input_shapes")
def Push(optim_type: str = "ApplyMomentum", only_shape_indices: Any = None) -> _Run:
    """Raise: parameter servers do not exist on PyTorch.

    Raises:
        NotImplementedError: always, when called.
    """
    return _no_parameter_server


@primitive(inputs="key weight")
def Pull() -> _Run:
    """Raise: parameter servers do not exist on PyTorch.

    Raises:
        NotImplementedError: always, when called.
    """
    return _no_parameter_server


def _no_parameter_server(*args: Any) -> None:
    raise NotImplementedError(
        "For 'Push' and 'Pull', parameter server training is not available on PyTorch. Use data parallel training "
        "instead."
    )


@primitive
def PyFunc(
    fn: Callable[..., Any], in_types: Any, in_shapes: Any, out_types: Any, out_shapes: Any, stateful: bool = True
) -> _Run:
    """numpy function as operator; no gradient flows through it.

    The function takes arrays of the declared types and shapes, and a Python number for the shape (). Its results have
    the declared types and shapes.

    Raises:
        ValueError: if an input or a result has another number of elements than its declared shape, or if the results
            are more or fewer than declared.
    """

    def run(*inputs: Any) -> Any:
        program.not_repeatable("it calls a Python function")
        given = [_declared(item, *kind) for item, kind in zip(inputs, zip(in_types, in_shapes), strict=True)]
        found = fn(*[item.item() if item.dim() == 0 else item.cpu().numpy() for item in given])
        found = found if isinstance(found, tuple) or len(out_types) > 1 else (found,)
        return tuple(
            [wrap(_declared(item, *kind)) for item, kind in zip(found, zip(out_types, out_shapes), strict=True)]
        )

    return run


def _declared(value: Any, dtype: Any, shape: Any) -> torch.Tensor:
    value = as_plain(value if isinstance(value, torch.Tensor) else np.asarray(value), dtype_or_none(dtype))
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    try:
        return value.detach().reshape(shape)
    except RuntimeError:
        raise ValueError(
            f"For 'PyFunc', the declared shape {shape} must hold a value of shape {tuple(value.shape)}. Declare the "
            "shapes that the function takes and returns."
        ) from None


#: takes (cond_func, loop_func, init_val) while a network is exported: the rounds of a loop can depend on values then
loop_of_trace: Callable[..., Any] | None = None


def _while_loop(cond_func: Callable[..., Any], loop_func: Callable[..., Any], init_val: Any) -> Any:
    if loop_of_trace is not None:
        return loop_of_trace(cond_func, loop_func, init_val)
    value = init_val
    while cond_func(value):
        value = loop_func(value)
    return value


WhileLoop = primitive_class("WhileLoop", _while_loop)


def _fori_loop(lower: Any, upper: Any, loop_func: Callable[..., Any], init_val: Any, unroll: bool = True) -> Any:
    value = init_val
    for i in range(int(lower), int(upper)):
        value = loop_func(i, value)
    return value


ForiLoop = primitive_class("ForiLoop", _fori_loop)


def _scan(loop_func: Callable[..., Any], init: Any, xs: Any, length: int | None = None, unroll: bool = True) -> Any:
    value, results = init, []
    for item in xs if xs is not None else [None] * int(length or 0):
        value, result = loop_func(value, item)
        results.append(result)
    return value, results


Scan = primitive_class("Scan", _scan)

__all__ = [
    *functions(globals()),
    *"""
    tuple_getitem list_getitem dict_getitem tuple_len list_len tuple_equal list_equal string_eq
    bool_eq scalar_eq string_concat scalar_add is_ is_not bool_not scalar_sub
    scalar_mul scalar_div scalar_floordiv scalar_mod scalar_pow scalar_ne scalar_lt scalar_le
    scalar_gt scalar_ge scalar_log scalar_uadd scalar_usub scalar_max scalar_min
""".split(),
]
PRIMITIVES = classes(globals())
