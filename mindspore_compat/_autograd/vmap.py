"""Vectorized calls. MindSpore: ``mindspore.ops.function.grad.vmap_func``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from mindspore_compat._tensor.wrapping import wrap

_NEEDS_AXIS = (
    "For 'vmap', a result that depends on the element needs an axis in 'out_axes'. It is invalid that source is not "
    "None and dst is None."
)


def vmap(fn: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Map ``fn`` over an axis of its inputs (None: the same input each time); stack results along ``out_axes``. Each
    Cell of a CellList gets its element.

    Args:
        in_axes: an axis for all inputs, or a tuple or list with one for each; for an input that is a tuple or list
            again one for all of it or a tuple or list.
        out_axes: the same for what ``fn`` returns. Numbers among it become Tensors, or stay with None, which is for
            what does not depend on the element.

    Raises:
        RuntimeError: if there are fewer or more axes than inputs or results.
        ValueError: for other axes that do not fit; for a CellList of another length than the axes.
    """
    if getattr(fn, "_is_ensemble", False):
        return functools.partial(_ensemble, fn, in_axes, out_axes)

    def mapped(*args: Any) -> Any:
        inputs = _inputs(in_axes, args)
        results = _Results(out_axes)

        def run(*items: Any) -> list[torch.Tensor]:
            return results.flat(wrap(fn(*wrap(tree_unflatten(list(items), inputs.structure)))))

        try:
            made = torch.vmap(run, tuple(inputs.axes), results.places, randomness="different")(*inputs.items)
        except ValueError as error:
            if "when out_dim is None" in str(error):
                raise RuntimeError(_NEEDS_AXIS) from error
            raise
        except RuntimeError as error:
            if "vmap" not in str(error) and "functorch" not in str(error).lower():
                raise
        else:
            return results.built(made, inputs)
        return _joined([wrap(fn(*inputs.element(i))) for i in range(inputs.length)], inputs, out_axes)

    return mapped


class _Inputs(NamedTuple):
    """Inputs as a flat list, the axis of each, their structure, the length of the axes (0 without any)."""

    items: list[Any]
    axes: list[int | None]
    structure: Any
    length: int

    def element(self, index: int) -> Any:
        items = [
            item if axis is None else wrap(torch.select(item, axis, index)) for item, axis in zip(self.items, self.axes)
        ]
        return tree_unflatten(items, self.structure)

    def repeated(self, value: Any) -> torch.Tensor:
        """Return a number as a Tensor with one value for each element."""
        if not isinstance(value, (bool, int, float)):
            raise RuntimeError(f"For 'vmap', 'fn' must return Tensors and numbers, but got {type(value).__name__}.")
        dtype = torch.float32 if isinstance(value, float) else torch.bool if isinstance(value, bool) else torch.int64
        device = next((item.device for item in self.items if isinstance(item, torch.Tensor)), None)
        return torch.full((self.length,), value, dtype=dtype, device=device)


def _inputs(in_axes: Any, args: tuple) -> _Inputs:
    if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
        raise RuntimeError(
            "When vmap`s 'in_axes' is a tuple or list, and its size must be equal to the number of arguments of 'fn': "
            f"{len(args)}, but got size: {len(in_axes)}."
        )
    items, structure = tree_flatten(args)
    axes = _spread(in_axes, args, "in_axes", False)
    lengths = [item.shape[axis] for item, axis in zip(items, axes) if axis is not None]
    # torch's rules for several inputs, such as of grid_sample, take the axes to be equal
    items = [item if axis is None else torch.movedim(item, axis, 0) for item, axis in zip(items, axes)]
    return _Inputs(items, [None if axis is None else 0 for axis in axes], structure, lengths[0] if lengths else 0)


def _spread(axes: Any, value: Any, name: str, is_exact: bool) -> list[int | None]:
    """Return one axis for each leaf of ``value``. ``is_exact``: require as many as leaves, not at least as many."""
    if isinstance(axes, (tuple, list)) and isinstance(value, (tuple, list)):
        if len(axes) < len(value) or (is_exact and len(axes) > len(value)):
            raise RuntimeError(
                f"The size of vmap's '{name}' should be equal to the number of "
                f"{'results of' if is_exact else 'inputs of'} 'fn': {len(value)}, but got size: {len(axes)}."
            )
        return [axis for part, item in zip(axes, value) for axis in _spread(part, item, name, is_exact)]
    return [axes] * len(tree_flatten(value)[0])


def _of_results(axes: Any, value: Any) -> list[int | None]:
    """Return one axis for each leaf of a result; a single result may have its axis in a sequence of one."""
    if isinstance(axes, (tuple, list)) and not isinstance(value, (tuple, list)):
        if len(axes) != 1:
            raise RuntimeError(
                f"The size of vmap's 'out_axes' should be equal to the result size: 1, but got size: {len(axes)}."
            )
        axes = axes[0]
    return _spread(axes, value, "out_axes", True)


class _Results:
    """Results of ``fn``: Tensors go through `torch.vmap` as a list, the rest is stored until the end."""

    def __init__(self, out_axes: Any) -> None:
        self._out_axes = out_axes
        #: for torch, which reads it after ``fn`` has run: 0 or None for each Tensor
        self.places: list[int | None] = []

    def flat(self, value: Any) -> list[torch.Tensor]:
        self._axes = _of_results(self._out_axes, value)
        self._items, self._structure = tree_flatten(value)
        tensors = [(item, axis) for item, axis in zip(self._items, self._axes) if isinstance(item, torch.Tensor)]
        self.places[:] = [None if axis is None else 0 for _, axis in tensors]
        return [item for item, _ in tensors]

    def built(self, tensors: list[torch.Tensor], inputs: _Inputs) -> Any:
        rest = iter(tensors)
        made = []
        for item, axis in zip(self._items, self._axes):
            if isinstance(item, torch.Tensor):
                found = next(rest)
                made.append(found if axis in (None, 0) else torch.movedim(found, 0, axis))
            else:
                made.append(item if axis is None else inputs.repeated(item))
        return wrap(tree_unflatten(made, self._structure))


def _ensemble(cells: Any, in_axes: Any, out_axes: Any, *args: Any) -> Any:
    """Run `vmap` of a CellList."""
    inputs = _inputs(in_axes, args)
    if inputs.length not in (0, len(cells)):
        raise ValueError(
            "If you want to execute the model ensembling parallel training, please make sure the 'axis_size' in the "
            "scope of vmap consistent with the cell size of the input 'CellList', otherwise, please do not enter "
            f"'CellList' as the first argument, but we get axis_size: {inputs.length} and the cell size: {len(cells)}."
        )
    inputs = inputs._replace(length=len(cells))
    return _joined([wrap(cell(*inputs.element(i))) for i, cell in enumerate(cells)], inputs, out_axes)


def _joined(results: list[Any], inputs: _Inputs, out_axes: Any) -> Any:
    """Return results of one structure, with each leaf joined along its axis."""
    axes = _of_results(out_axes, results[0])
    structure = tree_flatten(results[0])[1]
    made = []
    for axis, *parts in zip(axes, *(tree_flatten(result)[0] for result in results)):
        if not isinstance(parts[0], torch.Tensor):
            made.append(parts[0] if axis is None else inputs.repeated(parts[0]))
        elif axis is not None:
            made.append(torch.stack(parts, axis))
        elif all(torch.equal(part, parts[0]) for part in parts[1:]):
            made.append(parts[0])
        else:
            raise RuntimeError(_NEEDS_AXIS)
    return wrap(tree_unflatten(made, structure))
