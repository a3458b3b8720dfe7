"""Per-kernel random generators."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from mindspore_compat._graph.program import program
from mindspore_compat.common.seed import SeedStream

_T = TypeVar("_T")
_MOST_GRAPHS = 32  # of one Cell or function


class _Here(threading.local):
    graph: Graph | None = None
    find: Callable[[], Graph] | None = None  # of a call whose graph is looked up once something draws
    block: Repeated | None = None


_here = _Here()


class Drawn(SeedStream):
    """Seed of an operator with generators of its own; a copy of it begins anew.

    Args:
        seed: the seed of torch's generators, where they draw instead.
        make: returns a new generator.
    """

    make: Callable[[], Any]
    _by_kind: dict[Any, Any]

    def __new__(cls, seed: int, make: Callable[[], Any]) -> Drawn:
        drawn = super().__new__(cls, seed)
        drawn.make, drawn._by_kind = make, {}
        return drawn

    def __deepcopy__(self, memo: dict) -> Drawn:
        return Drawn(int(self), self.make)

    def __reduce__(self) -> Any:
        return Drawn, (int(self), self.make)

    def of_kind(self, kind: Any) -> Any:
        """Return the generator for inputs of a kind, without a graph."""
        if kind not in self._by_kind:
            self._by_kind[kind] = self.make()
        return self._by_kind[kind]


class Graph:
    """Generators of one graph of GRAPH_MODE, by the place in it."""

    def __init__(self) -> None:
        self._made: dict[Any, tuple[Any, Any]] = {}
        self._uses: dict[Any, int] = {}

    def run(self, compute: Callable[[Any], _T], arguments: Any) -> _T:
        """Return ``compute(arguments)``, as a run of this graph, or as part of the outer one."""
        if _here.graph is not None or _here.find is not None:
            return compute(arguments)
        self._begin()
        try:
            return compute(arguments)
        finally:
            _here.graph = None

    def _begin(self) -> None:
        _here.graph = self
        self._uses.clear()

    def kept(self) -> Callable[[], None]:
        """Return a function that restores the present generator states of this graph, or of the outer one."""
        made = (_graph_here() or self)._made.values()
        before = [(generator, copy.deepcopy(vars(generator))) for _, generator in made if generator is not None]

        def set_back() -> None:
            for generator, state in before:
                vars(generator).update(state)

        return set_back

    def here(self, caller: Any, make: Callable[[], Any]) -> Any:
        """Return the generator of the next place where ``caller`` draws."""
        name = caller if isinstance(caller, str) else id(caller)
        place = name, self._uses.get(name, 0)
        self._uses[name] = place[1] + 1
        if place not in self._made:
            self._made[place] = caller, make()  # with the caller, so that its id stays unique
        return self._made[place][1]


class Graphs:
    """Graphs of one Cell or function: one for each kind of arguments, as MindSpore compiles them."""

    def __init__(self) -> None:
        self._made: dict[Any, tuple[Graph, Any]] = {}

    def of(self, key: Any, arguments: Any, keep: Any = None) -> Graph:
        """Return the graph for a use and its arguments.

        Args:
            key: other properties of the use, hashable, with ids of objects in ``keep``.
        """
        kind = key, _signature(arguments)
        if kind not in self._made and len(self._made) >= _MOST_GRAPHS:
            del self._made[next(iter(self._made))]
        return self._made.setdefault(kind, (Graph(), keep))[0]

    def run(self, key: Any, arguments: Any, keep: Any, function: Callable[..., _T], /, *args: Any, **kwargs: Any) -> _T:
        """Return ``function(*args, **kwargs)``, as a run of the graph `of` a use, or as part of the outer one."""
        if _here.graph is not None or _here.find is not None:
            return function(*args, **kwargs)
        _here.find = lambda: self.of(key, arguments, keep)
        try:
            return function(*args, **kwargs)
        finally:
            _here.find = _here.graph = None


def _graph_here() -> Graph | None:
    """Return the graph that runs."""
    if _here.graph is None and _here.find is not None:
        _here.find()._begin()
    return _here.graph


def _signature(value: Any) -> Any:
    """Return the key of a compiled graph, hashable: the shapes and dtypes of tensors, the values of everything else."""
    if isinstance(value, torch.Tensor):
        return tuple(value.shape), value.dtype
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(_signature, value))
    if isinstance(value, dict):
        return tuple((key, _signature(item)) for key, item in value.items())
    return (type(value), value) if isinstance(value, (int, float, str, torch.dtype)) else type(value)


class Repeated:
    """Context of a block that runs again in the backward pass, with the random numbers of the first run."""

    def __init__(self) -> None:
        self._before: list[Any] | None = None
        self._place = 0
        self._outer: Repeated | None = None

    def __enter__(self) -> None:
        self._again, self._place = self._before is not None, 0
        self._before = self._before or []
        self._outer, _here.block = _here.block, self

    def __exit__(self, *error: object) -> None:
        _here.block, self._outer = self._outer, None

    def drawn(self, find: Callable[[], Any]) -> Any:
        """Return the generator from ``find`` in its state of the block's first run."""
        if not self._again:
            generator = self._outer.drawn(find) if self._outer is not None else find()
            self._before.append(copy.deepcopy(generator))  # type: ignore[union-attr]
            return generator
        program.not_repeatable("it draws random numbers in a backward pass")
        self._place += 1
        return copy.deepcopy(self._before[self._place - 1])  # type: ignore[index]


def drawn_here(caller: Drawn | str, make: Callable[[], Any], kind: Any = None) -> Any:
    """Return the generator for this call of an operator, or of a function by its name. Outside of graphs, each call of
    a function gets a new one.
    """

    def find() -> Any:
        graph = _graph_here()
        if graph is not None:
            return graph.here(caller, make)
        return caller.of_kind(kind) if isinstance(caller, Drawn) else make()

    return _here.block.drawn(find) if _here.block is not None else find()
