"""Conversion of sparse tensors among the values of a trace to their parts, which are tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat._graph.export.ir import Sparse, has_sparse, map_values
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor

_KINDS: dict[str, Any] = {"CSRTensor": CSRTensor, "COOTensor": COOTensor}


def opened(tree: Any) -> Any:
    """Return the same nesting of tuples, lists and dicts with each sparse tensor as `Sparse`."""

    def taken(item: Any) -> Any:
        if not isinstance(item, (CSRTensor, COOTensor)):
            return item
        *parts, shape = item.to_tuple()
        return Sparse("CSRTensor" if isinstance(item, CSRTensor) else "COOTensor", tuple(parts), shape)

    return map_values(taken, tree)


def closed(tree: Any) -> Any:
    """Convert each `Sparse` back to a sparse tensor."""
    if isinstance(tree, Sparse):
        return _KINDS[tree.kind](*tree.parts, tree.shape)
    if isinstance(tree, dict):
        return {key: closed(item) for key, item in tree.items()}
    return type(tree)(map(closed, tree)) if type(tree) in (tuple, list) else tree


def taken_apart(
    test: Callable[..., Any], body: Callable[..., Any], values: Any, refuse: Callable[[str], Exception]
) -> tuple[Callable[..., Any], Callable[..., Any], Any] | None:
    """Return a loop with its sparse tensors as `Sparse`; None if it has none, or has them so already."""
    is_sparse, values = has_sparse(values), opened(values)
    if is_sparse or not has_sparse(values):
        return None
    before = _forms(values)

    def round_of(items: Any) -> Any:
        found = opened(body(closed(items)))
        if _forms(found) != before:
            raise refuse("the body of a loop changes the kind or the shape of a sparse tensor")
        return found

    return lambda items: test(closed(items)), round_of, values


def _forms(tree: Any) -> list[Any]:
    """Return kind and shape of each `Sparse`, None for others."""
    if isinstance(tree, Sparse):
        return [(tree.kind, tree.shape)]
    items = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (tuple, list)) else None
    return [None] if items is None else [form for item in items for form in _forms(item)]
