"""Graph between the trace of a Cell and a file format: values, nodes of pure aten operators, clean-up, simplification,
and the errors of computations that no file can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor

#: of this run: 'construct' may catch what is raised in it, and go on
REFUSALS: list[NotImplementedError] = []


def refuse(what: str, scope: str) -> NotImplementedError:
    """Return the error for a computation that no file can hold, with the place and the ways around it."""
    error = NotImplementedError(
        f"For 'export', {what}{f' (in {scope})' if scope else ''}. Rewrite that part of 'construct', or use "
        "save_checkpoint for the parameters, or torch.onnx.export on the Cell, which is a torch.nn.Module."
    )
    REFUSALS.append(error)
    return error


MAX_LEAVES = 10_000  # of a result: tuples that share their parts can stand for more than any memory holds
INPUT, PARAMETER, CONSTANT, RESULT = "input", "parameter", "constant", "result"


@dataclass(eq=False, repr=False)
class Value:
    """A tensor of the graph. ``data`` exists for parameters and constants, ``node`` and ``index`` for results."""

    kind: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    name: str = ""
    data: torch.Tensor | None = None
    node: Node | None = None
    index: int = 0

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass(eq=False, repr=False)
class Node:
    """An operator: aten's name without overload, its arguments by aten's names with Values in place of tensors.

    ``attributes`` are written to MINDIR with the operator, beside its own. ``fits`` is false if the format has the
    operator, but not for these arguments.
    """

    op: str
    args: dict[str, Any]
    outputs: list[Value] = field(default_factory=list)
    scope: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    fits: bool = True

    def inputs(self) -> list[Value]:
        """Return its input Values, including outer Values of its inner graphs."""
        items = list(leaves(self.args))
        return [item for item in items if isinstance(item, Value)] + [
            value for item in items if isinstance(item, Graph) for value in item.captured()
        ]


@dataclass
class Sparse:
    """A sparse tensor returned by ``construct``: the name of its class, its tensors in the constructor's order, its
    dense shape.
    """

    kind: str
    parts: tuple[Any, ...]
    shape: tuple[int, ...]


@dataclass(repr=False)
class Graph:
    """Nodes, parameters and outputs. ``outputs`` has the structure of the result of ``construct``: a Value or a Sparse,
    or tuples, lists and dicts of them.

    ``updates`` are Parameters with their Values at the end.
    """

    name: str
    inputs: list[Value]
    parameters: list[Value]
    nodes: list[Node]
    outputs: Any
    updates: list[tuple[Value, Value]] = field(default_factory=list)

    def results(self) -> list[Value]:
        """Return the Values among the outputs, in order; the others are None."""
        return [item for item in leaves(self.outputs) if item is not None]

    def captured(self) -> list[Value]:
        """Return the outer Values of an inner graph, once each, without constants."""
        known = {id(value) for value in [*self.inputs, *(output for node in self.nodes for output in node.outputs)]}
        taken = [value for node in self.nodes for value in node.inputs()] + self.results()
        return list({id(value): value for value in taken if id(value) not in known and value.kind != CONSTANT}.values())

    def remove_dead(self) -> None:
        """Keep the nodes and parameters that the outputs and updates need."""
        needed = {id(value) for value in leaves((self.outputs, self.updates))}
        kept = []
        for node in reversed(self.nodes):
            if any(id(output) in needed for output in node.outputs):
                kept.append(node)
                for inner in leaves(node.args):
                    if isinstance(inner, Graph):
                        inner.remove_dead()
                needed.update(id(value) for value in node.inputs())
        self.nodes = kept[::-1]
        self.parameters = [value for value in self.parameters if id(value) in needed]


def leaves(tree: Any) -> Iterator[Any]:
    """Yield the items of nested tuples, lists, dicts and sparse tensors, in order."""
    if isinstance(tree, dict):
        tree = tree.values()
    elif isinstance(tree, Sparse):
        tree = tree.parts
    elif not isinstance(tree, (tuple, list)):
        yield tree
        return
    for item in tree:
        yield from leaves(item)


def num_leaves(tree: Any, _known: dict[int, int] | None = None) -> int:
    """Return how many `leaves` there are. Parts that several tuples share are walked once."""
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (tuple, list)) else None
    if parts is None:
        return 1
    known = {} if _known is None else _known
    if id(tree) not in known:
        known[id(tree)] = sum(num_leaves(item, known) for item in parts)
    return known[id(tree)]


def has_sparse(tree: Any) -> bool:
    """Return whether nested tuples, lists and dicts hold a sparse tensor."""
    items = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (tuple, list)) else ()
    return isinstance(tree, Sparse) or any(has_sparse(item) for item in items)


def map_values(function: Callable[[Any], Any], tree: Any) -> Any:
    """Return the same nesting with ``function`` of each leaf; namedtuples become tuples."""
    if isinstance(tree, dict):
        return {key: map_values(function, item) for key, item in tree.items()}
    if isinstance(tree, Sparse):
        return replace(tree, parts=map_values(function, tree.parts))
    if isinstance(tree, (tuple, list)):
        items = [map_values(function, item) for item in tree]
        return items if isinstance(tree, list) else tuple(items)
    return function(tree)


#: operators that return their input; dropout outside of training
IDENTITY = frozenset(
    {"detach", "alias", "lift_fresh", "lift", "lift_fresh_copy", "clone", "contiguous", "native_dropout"}
)
SYNONYMS = {
    "_unsafe_view": "view",
    "_reshape_alias": "view",
    "cudnn_batch_norm": "native_batch_norm",
    "miopen_batch_norm": "native_batch_norm",
    "t": "transpose",
    "_to_copy": "to",
    "cudnn_convolution": "convolution",
    "unsafe_split": "split",
    "true_divide": "div",
    "unsafe_split_with_sizes": "split_with_sizes",
    "expand_copy": "expand",
    "absolute": "abs",
    "fix": "trunc",
}
_NO_OP_IF_SAME_SHAPE = frozenset({"view", "expand", "squeeze", "slice"})


def tensors_in(tree: Any) -> list[torch.Tensor]:
    return [item for item in leaves(tree) if isinstance(item, torch.Tensor)]


def changes_nothing(op: str, bound: dict[str, Any], tensors: list[torch.Tensor], made: list[torch.Tensor]) -> bool:
    if len(made) != 1 or made[0].dtype is not tensors[0].dtype or tuple(made[0].shape) != tuple(tensors[0].shape):
        return False
    if op == "permute":
        return [axis % made[0].dim() for axis in bound["dims"]] == list(range(made[0].dim()))
    if op == "transpose":
        return made[0].dim() < 2 or ("dim0" in bound and (bound["dim0"] - bound["dim1"]) % made[0].dim() == 0)
    return op in _NO_OP_IF_SAME_SHAPE or op == "to"


def normalized(func: Any, op: str, named: dict[str, Any], made: list[torch.Tensor]) -> dict[str, Any]:
    """Return uniform arguments of synonyms; a view of a view becomes one of the first."""
    if op == "view":
        source = named["self"]
        while source.node is not None and source.node.op == "view":
            source = source.node.args["self"]
        return {"self": source, "size": list(made[0].shape)}
    if op == "expand":
        return {"self": named["self"], "size": list(made[0].shape)}
    if op == "transpose" and "dim0" not in named:
        return {"self": named["self"], "dim0": 0, "dim1": made[0].dim() - 1}
    return named


def computed(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the operator's result. Indices out of range, as random sample inputs have them, read place 0: a file
    depends on shapes only.
    """
    try:
        return func(*args, **kwargs)
    except (IndexError, RuntimeError) as error:
        if "out of range" not in str(error) and "out of bounds" not in str(error):
            raise
        return func(*map_values(_at_zero, args), **map_values(_at_zero, kwargs))


def _at_zero(item: Any) -> Any:
    return (
        torch.zeros_like(item) if isinstance(item, torch.Tensor) and item.dtype in (torch.int32, torch.int64) else item
    )


# --- sparse tensors among the values of a trace, and their parts

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
