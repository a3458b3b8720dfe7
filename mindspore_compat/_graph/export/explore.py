"""Value-dependent control flow: the function runs once for each path through its decisions, and the paths become one
graph.

A decision is a tensor where Python wants True or False (``if x.sum() > 0``). Nodes before it are the same on all paths.
Nodes after it become one graph for each outcome, and a ``branch`` node, the last of its graph, takes one of the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mindspore_compat._graph.export.ir import RESULT, Graph, Node, Value, map_values

MOST_PATHS = 64  # and decisions on one of them


@dataclass(repr=False)
class Attempt:
    """One path: its graph, and its decisions as (nodes before it, condition, outcome)."""

    graph: Graph
    decisions: list[tuple[int, Value, bool]] = field(default_factory=list)


def explore(
    attempt: Callable[[tuple[bool, ...]], Attempt], refuse: Callable[[str], Exception], again: bool = False
) -> Graph:
    """Return the graph of all paths.

    Args:
        attempt: runs the function; the first decisions are given, others are as the values say.
        refuse: makes the error of a text.
        again: the function runs twice where it decides nothing, to see whether the numbers that it gets from Python
            stay.
    """
    found: dict[tuple[bool, ...], Attempt] = {}
    left: list[tuple[bool, ...]] = [()]
    while left:
        given = left.pop()
        try:
            one = attempt(given)
        except NotImplementedError:
            raise
        except Exception as error:
            if not given:
                raise
            raise refuse(
                f"'construct' raises {type(error).__name__} ({error}) where a decision that depends on values is taken "
                "the other way, which a file cannot hold"
            ) from error
        taken = tuple(outcome for _, _, outcome in one.decisions)
        found[taken] = one
        left += [(*taken[:number], not taken[number]) for number in range(len(given), len(taken))]
        if len(found) + len(left) > MOST_PATHS or len(taken) > MOST_PATHS:
            raise too_many(refuse)
    first = next(iter(found.values()))
    if not first.decisions:
        if again:
            now, later = _described(first.graph), _described(attempt(()).graph)
            # fewer operators the second time: what construct keeps for later, such as a mask
            if now != later and [item[:2] for item in now] == [item[:2] for item in later]:
                raise _unsteady(refuse)
        return first.graph
    taken = next(iter(found))
    if _described(attempt(taken).graph) != _described(
        first.graph
    ):  # it has run several times by now: what is counted has changed
        raise _unsteady(refuse)
    changed = list({value.name: value for one in found.values() for value, _ in one.graph.updates}.values())
    structure = map_values(_is_value, first.graph.outputs)
    for one in found.values():
        if map_values(_is_value, one.graph.outputs) != structure:
            raise refuse("'construct' returns tuples of different forms where it decides by values")
        own = {value.name: new for value, new in one.graph.updates}
        sources = {value.name: value for value in one.graph.parameters}
        flat = [*one.graph.results(), *[own.get(value.name, sources.get(value.name, value)) for value in changed]]
        one.graph.outputs, one.graph.updates = tuple(flat), []
    graph = first.graph
    merged = _merged(found, (), 0, graph.name, refuse)
    results = iter(merged.outputs)
    graph.nodes = merged.nodes
    graph.outputs = map_values(lambda is_value: next(results) if is_value else None, structure)
    graph.updates = list(zip([_own(graph, value) for value in changed], results))
    return graph


def too_many(refuse: Callable[[str], Exception]) -> Exception:
    """Return the error for a loop that looks like decisions."""
    return refuse(
        f"'construct' decides by values (if, while) in more than {MOST_PATHS} paths: the rounds of a loop depend on "
        "them. Write the loop with ops.WhileLoop, or with a fixed number of rounds and ops.select"
    )


def _unsteady(refuse: Callable[[str], Exception]) -> Exception:
    return refuse(
        "'construct' does not compute the same when it runs again: something in Python, such as a count kept in an "
        "attribute, changes with each call. Keep it in a Parameter"
    )


def _described(graph: Graph) -> list[Any]:
    """Return the operators and the numbers that they got from Python."""

    def number(item: Any) -> Any:
        if item != item:
            return "nan"  # equal to itself here
        return item if isinstance(item, (bool, int, float, str, type(None))) else type(item).__name__

    return [
        (node.op, len(node.outputs), {key: map_values(number, item) for key, item in node.args.items()})
        for node in graph.nodes
    ]


def _is_value(item: Any) -> bool:
    return item is not None


def _own(graph: Graph, value: Value) -> Value:
    return next((item for item in graph.parameters if item.name == value.name), value)


def _merged(
    found: dict[tuple[bool, ...], Attempt],
    prefix: tuple[bool, ...],
    start: int,
    name: str,
    refuse: Callable[[str], Exception],
) -> Graph:
    """Return the graph after the decisions ``prefix``; the paths below share their Values up to here."""
    paths = [(taken, one) for taken, one in found.items() if taken[: len(prefix)] == prefix]
    taken, one = paths[0]
    if len(taken) == len(prefix):
        return Graph(name, [], one.graph.parameters, one.graph.nodes[start:], one.graph.outputs)
    end, condition, _ = one.decisions[len(prefix)]
    for _, other in paths[1:]:
        _share(one.graph, other, start, end, refuse)
    nodes = one.graph.nodes[start:end]
    sides = [
        _merged(found, (*prefix, outcome), end, f"{name}_{word}", refuse)
        for outcome, word in ((True, "then"), (False, "else"))
    ]
    for left, right in zip(sides[0].outputs, sides[1].outputs):
        if left.dtype is not right.dtype:
            raise refuse(
                f"'construct' returns {left.dtype} or {right.dtype}, as its decisions by values go, which a file can "
                "not hold. Cast them alike"
            )
    branch = Node(
        "branch", {"condition": condition, "then": sides[0], "other": sides[1]}, scope=nodes[-1].scope if nodes else ""
    )
    branch.outputs = [
        Value(
            RESULT,
            left.shape if left.shape == right.shape else _open(left.shape, right.shape),
            left.dtype,
            node=branch,
            index=index,
        )
        for index, (left, right) in enumerate(zip(sides[0].outputs, sides[1].outputs))
    ]
    return Graph(name, [], one.graph.parameters, [*nodes, branch], tuple(branch.outputs))


def _open(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    """Return -1 where sizes differ; for another number of axes the shape of one element."""
    return tuple(one if one == other else -1 for one, other in zip(left, right)) if len(left) == len(right) else (-2,)


def _share(graph: Graph, other: Attempt, start: int, end: int, refuse: Callable[[str], Exception]) -> None:
    """Use the Values of ``graph`` in ``other`` for sources and for the nodes from ``start`` to ``end``."""
    mine, theirs = graph.nodes[start:end], other.graph.nodes[start:end]
    if [(node.op, len(node.outputs)) for node in mine] != [(node.op, len(node.outputs)) for node in theirs]:
        raise _unsteady(refuse)
    same = {id(old): new for one, two in zip(theirs, mine) for old, new in zip(one.outputs, two.outputs)}
    named = {value.name: value for value in graph.parameters}
    same |= {id(old): named[old.name] for old in other.graph.parameters if old.name in named}
    same |= {id(old): new for old, new in zip(other.graph.inputs, graph.inputs)}
    graph.parameters += [value for value in other.graph.parameters if value.name not in named]

    def shared(item: Any) -> Any:
        return same.get(id(item), item)

    other.graph.nodes[start:end] = mine
    for node in other.graph.nodes[end:]:
        node.args = {key: map_values(shared, item) for key, item in node.args.items()}
    other.graph.outputs = map_values(shared, other.graph.outputs)
    other.decisions = [(place, shared(condition), outcome) for place, condition, outcome in other.decisions]
