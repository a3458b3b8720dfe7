"""Writing at indices: scatters into tensors and Parameters. Parts of ``array_func``, ``parameter_func``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._tensor.index_bounds import check_coordinates, count_from_end, refuse_negative
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import (
    as_ints,
    changed,
    check_keeps_dtype,
    checks_places,
    get_data,
    in_range,
    passes_gradient,
    to_dtype,
)
from mindspore_compat.ops.function._arithmetic import quotient
from mindspore_compat.ops.function._indexing import as_long

__all__ = """
    scatter_nd scatter_update scatter_add scatter_sub scatter_mul scatter_div scatter_max scatter_min
    scatter_nd_update scatter_nd_add scatter_nd_sub scatter_nd_mul scatter_nd_div scatter_nd_max scatter_nd_min
    tensor_scatter_update tensor_scatter_add tensor_scatter_sub tensor_scatter_mul tensor_scatter_div
    tensor_scatter_max tensor_scatter_min tensor_scatter_elements
""".split()

_ELEMENTWISE = {"none": "", "add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


@checks_places("TensorScatterElements", from_end=True)
def tensor_scatter_elements(input_x: Any, indices: Any, updates: Any, axis: int = 0, reduction: str = "none") -> Any:
    """Run `scatter`, or with values reduced by "add", "mul", "max" or "min"."""
    indices, axis = as_long(indices), in_range(axis, input_x.dim())

    def scatter(places: torch.Tensor) -> torch.Tensor:
        if reduction == "none":
            return torch.scatter(input_x, axis, places, updates)
        if reduction == "sub":
            return torch.scatter_add(input_x, axis, places, -updates)
        return torch.scatter_reduce(input_x, axis, places, updates, _ELEMENTWISE[reduction])

    return wrap(count_from_end(scatter, indices, input_x.shape[axis]))


@checks_places("ScatterNd")
def scatter_nd(indices: Any, updates: Any, shape: Any) -> Any:
    """Return zeros of ``shape`` with the updates added at coordinates.

    Raises:
        ValueError: unless there is one update for each index.
    """
    lengths = as_ints(shape)
    zero = torch.zeros(lengths, dtype=updates.dtype, device=updates.device)
    indices = as_long(indices)
    _check_updates("ScatterNd", lengths, indices, updates)
    return wrap(torch.index_put(zero, _coordinates(indices), updates, True))


def _coordinates(indices: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the last axis of int64 ``indices`` as one tensor for each indexed axis; indices below zero are refused."""
    return tuple(torch.unbind(refuse_negative(indices), -1))


_Combine = Callable[[torch.Tensor, tuple, torch.Tensor], torch.Tensor]


def _reduce_at(kind: str) -> _Combine:
    """Reduce ``x`` with updates at coordinates by "amax", "amin" or "prod", over flat positions of slices."""

    def combine(x: torch.Tensor, places: tuple, updates: torch.Tensor) -> torch.Tensor:
        depth = len(places)
        lead, rest = tuple(x.shape[:depth]), tuple(x.shape[depth:])
        flat = places[0]
        if depth > 1:
            flat = check_coordinates(places, lead)
            for length, place in zip(lead, places):
                flat = flat * length + place
        rows = torch.reshape(x, (-1, *rest))
        updates = torch.reshape(torch.Tensor.expand(updates, (*places[0].shape, *rest)), (-1, *rest))
        index = torch.Tensor.expand(torch.reshape(flat, (-1, *(1,) * len(rest))), tuple(updates.shape))
        return torch.reshape(torch.scatter_reduce(rows, 0, index, updates, kind), tuple(x.shape))

    return combine


def _div_at(x: torch.Tensor, places: tuple, updates: torch.Tensor) -> torch.Tensor:
    factor = _reduce_at("prod")(torch.ones_like(x), places, updates)
    return quotient(x, factor)


_COMBINE: dict[str, _Combine] = {
    "update": lambda x, places, updates: torch.index_put(x, places, updates),
    "add": lambda x, places, updates: torch.index_put(x, places, updates, True),
    "sub": lambda x, places, updates: torch.index_put(x, places, torch.neg(updates), True),
    "mul": _reduce_at("prod"),
    "div": _div_at,
    "max": _reduce_at("amax"),
    "min": _reduce_at("amin"),
}


def _check_updates(owner: str, shape: Any, indices: torch.Tensor, updates: Any, by_coordinates: bool = True) -> None:
    """Raise ValueError unless there is one update for each row of indices: torch would repeat missing ones."""
    if by_coordinates and indices.dim() < 2:
        raise ValueError(
            f"For primitive[{owner}], the dimension of 'indices' must be greater than or equal to 2, but got "
            f"{indices.dim()}. Its last axis holds coordinates: give indices of shape (n, {indices.numel()})."
        )
    batch, taken = (indices.shape[:-1], indices.shape[-1]) if by_coordinates else (indices.shape, 1)
    wanted = (*batch, *shape[taken:])
    if tuple(updates.shape) != wanted:
        raise ValueError(
            f"For '{owner}', the shape of 'updates' must be {wanted}, by the shapes {tuple(indices.shape)} of "
            f"'indices' and {tuple(shape)} of 'input_x', but got {tuple(updates.shape)}."
        )


def _tensor_scatter(kind: str) -> Callable[[Any, Any, Any], Any]:
    combine = _COMBINE[kind]

    @checks_places(f"TensorScatter{kind.capitalize()}")
    def op(input_x: Any, indices: Any, updates: Any) -> Any:
        owner = f"TensorScatter{kind.capitalize()}"
        indices = as_long(indices)
        _check_updates(owner, input_x.shape, indices, updates)
        return wrap(combine(input_x, _coordinates(indices), updates))

    op.__name__ = op.__qualname__ = f"tensor_scatter_{kind}"
    op.__doc__ = f"A copy of ``input_x`` with the updates combined ({kind}) at coordinates."
    return op


def _store(variable: torch.Tensor, result: torch.Tensor) -> Any:
    """Write the result to the variable itself and return it, as MindSpore does with Parameters."""
    get_data(variable).copy_(result.detach())
    return changed(variable)


def _scatter_into(kind: str, by_coordinates: bool) -> Callable[..., Any]:
    combine, owner = _COMBINE[kind], f"Scatter{'Nd' if by_coordinates else ''}{kind.capitalize()}"

    @checks_places(owner)
    def op(input_x: Any, indices: Any, updates: Any, use_locking: bool = False) -> Any:
        indices = as_long(indices)
        check_keeps_dtype(owner, input_x, updates)
        before = get_data(input_x).detach()  # in a Cell of another dtype `input_x` is read in that
        updates = to_dtype(updates, before.dtype)
        _check_updates(owner, input_x.shape, indices, updates, by_coordinates)
        places = _coordinates(indices) if by_coordinates else (refuse_negative(indices),)
        with torch.no_grad():
            result = combine(before, places, updates)
            del before  # else it counts as an alias of the Parameter
            stored = _store(input_x, result)
        if kind == "update" and passes_gradient(updates):  # of the other kinds MindSpore has no gradient
            return wrap(combine(get_data(stored).detach(), places, updates))
        return stored

    op.__name__ = op.__qualname__ = f"scatter_{'nd_' if by_coordinates else ''}{kind}"
    op.__doc__ = (
        f"Combine ({kind}) the updates into ``input_x`` itself, at "
        f"{'coordinates' if by_coordinates else 'rows'}; returns it. "
        "Those of a lower dtype are cast."
    )
    return op


_KINDS = ("update", "add", "sub", "mul", "div", "max", "min")

scatter_update, scatter_add, scatter_sub, scatter_mul, scatter_div, scatter_max, scatter_min = (
    _scatter_into(kind, False) for kind in _KINDS
)

scatter_nd_update, scatter_nd_add, scatter_nd_sub, scatter_nd_mul, scatter_nd_div, scatter_nd_max, scatter_nd_min = (
    _scatter_into(kind, True) for kind in _KINDS
)

(
    tensor_scatter_update,
    tensor_scatter_add,
    tensor_scatter_sub,
    tensor_scatter_mul,
    tensor_scatter_div,
    tensor_scatter_max,
    tensor_scatter_min,
) = (_tensor_scatter(kind) for kind in _KINDS)


apply_dtype_fallback(globals(), __all__)
