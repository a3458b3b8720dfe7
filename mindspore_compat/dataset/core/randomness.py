"""Random sources of the pipeline."""

from __future__ import annotations

import contextlib
import random
import secrets
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mindspore_compat._runtime.random_engines import MersenneTwister, MersenneTwister64

#: Result of `config.get_seed` before `config.set_seed`: it means "a fresh seed per iterator", as in MindSpore.
DEFAULT_SEED = 5489

Key = tuple[int, ...]

_active = threading.local()
_configured: tuple[int, int] | None = None  # calls of `mindspore.set_seed` before, and the seed
_times_set = 0
_eager: tuple[Any, np.random.Generator] = (None, np.random.default_rng())  # its seed, and itself


def _global() -> tuple[int, int | None]:
    """Return the number of calls of ``mindspore.set_seed``, and its last argument."""
    module = sys.modules.get("mindspore_compat.common.seed")
    return (0, None) if module is None else (module.times_set, module.get_seed())


def reseed(seed: int) -> None:
    """Make `seed` the base of all iterators and eager calls from now on."""
    global _configured, _times_set
    _configured, _times_set = (_global()[0], seed), _times_set + 1


def configured_seed() -> int:
    """Return the last argument of ``dataset.config.set_seed`` or ``mindspore.set_seed``, or the default, which means
    none.
    """
    times, seed = _global()
    if _configured is not None and _configured[0] == times:
        seed = _configured[1]
    return DEFAULT_SEED if seed is None else seed


def chosen_seed() -> int | None:
    """Return the seed the user chose, else None."""
    seed = configured_seed()
    return None if seed == DEFAULT_SEED else seed


def fresh_seed() -> int:
    """Return a seed from the operating system."""
    return secrets.randbits(32)


class Streams:
    """Engines of the operations of one map, one for each, which go on from row to row.

    Args:
        seed: of the map's own operations. called: others, which those call, and their seed. generator: of those in
            Python; None: the modules' generators, which all share.
    """

    def __init__(
        self, seed: int, called: Iterable[Any] = (), called_seed: int = 0, generator: Key | None = None
    ) -> None:
        self._seed, self._called_seed = seed, called_seed
        self._called = set(map(id, called))
        self._engines: dict[int, tuple[Any, MersenneTwister]] = {}
        self.python: Any = random
        self.numpy: Any = np.random
        self.kept: dict[int, list[Any]] = {}  # by operation: see `kept_order`
        if generator is not None:
            first, second = np.random.SeedSequence(generator).generate_state(2).tolist()
            self.python, self.numpy = random.Random(first), np.random.RandomState(second)

    def engine(self, operation: Any) -> MersenneTwister:
        """Return the engine of `operation`, as its last row left it."""
        if id(operation) not in self._engines:
            seed = self._called_seed if id(operation) in self._called else self._seed
            self._engines[id(operation)] = operation, MersenneTwister(seed)
        return self._engines[id(operation)][1]


class DirectStreams(Streams):
    """Streams of MindSpore's worker processes, which call operations directly: each row draws from new engines. Python
    operations draw from the process's generators. Built-in operations need no process for that here.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.python, self.numpy = random.Random(seed), np.random.RandomState(seed % 2**32)

    def engine(self, operation: Any) -> MersenneTwister:
        """Return a new engine."""
        return MersenneTwister(self._seed)


class CalledStreams(Streams):
    """Streams of operations that a Python operation calls. MindSpore makes C++ operations anew for each row, as in a
    direct call; Python operations draw from the caller's generators.
    """

    def __init__(self, seed: int, kept: dict[int, list[Any]]) -> None:
        super().__init__(seed)
        self.python, self.numpy, self.kept = python_random(), numpy_random(), kept

    def engine(self, operation: Any) -> MersenneTwister:
        """Return a new engine."""
        return MersenneTwister(self._seed)


class _Drawing:
    """Current random source of a thread."""

    __slots__ = ("engine", "key", "numpy", "python", "rng", "streams")

    def __init__(self, key: Key | None, streams: Streams | None) -> None:
        self.key, self.streams = key, streams
        self.engine: MersenneTwister | None = None
        self.rng: np.random.Generator | None = None
        self.python: random.Random | None = None
        self.numpy: np.random.RandomState | None = None

    def number(self, use: int) -> int:
        """Return a seed derived from the key, another for each use."""
        return int(np.random.SeedSequence((*(self.key or ()), use)).generate_state(1)[0])


class seeded:
    """Context in which random operations draw from `streams`, else from a generator of `key`, built on first use."""

    __slots__ = ("_drawing", "_outer")

    def __init__(self, key: Key | None, streams: Streams | None = None) -> None:
        self._drawing = _Drawing(key, streams)

    def __enter__(self) -> None:
        self._outer = getattr(_active, "drawing", _OUTSIDE)
        _active.drawing = self._drawing

    def __exit__(self, *_: object) -> None:
        _active.drawing = self._outer


def narrowed(number: int, streams: Streams | None = None) -> seeded:
    """Return a context in which random operations draw from `streams`, else from a generator of the enclosing task's
    key and `number`.
    """
    key = getattr(_active, "drawing", _OUTSIDE).key
    return seeded(None if key is None else (*key, number), streams)


def called_directly() -> contextlib.AbstractContextManager:
    """Return a context in which operations draw as in a direct call, although a function of a pipeline calls them. Only
    with a chosen seed, as else each task has its own numbers.
    """
    if getattr(_active, "drawing", _OUTSIDE) is _OUTSIDE or chosen_seed() is None:
        return contextlib.nullcontext()
    return seeded(None)


def called_in_python() -> contextlib.AbstractContextManager:
    """Return a context for operations called by a Python operation: C++ operations draw as in a direct call. Only with
    a chosen seed, as in `called_directly`.
    """
    drawing, seed = getattr(_active, "drawing", _OUTSIDE), chosen_seed()
    streams = drawing.streams
    if seed is None or isinstance(streams, DirectStreams) or (streams is None and drawing.key is None):
        return contextlib.nullcontext()
    return seeded(drawing.key, CalledStreams(seed, {} if streams is None else streams.kept))


def engine_of(operation: Any) -> MersenneTwister:
    """Return the engine of `operation` for one row. Call it once a row: in a direct call MindSpore makes the operation
    anew, from the seed.
    """
    drawing = getattr(_active, "drawing", _OUTSIDE)
    if drawing.streams is not None:
        return drawing.streams.engine(operation)
    if drawing.key is None:
        seed = chosen_seed()
        if seed is not None:
            return MersenneTwister(seed)
        if not hasattr(_active, "engine"):
            _active.engine = MersenneTwister(fresh_seed())
        return _active.engine
    if drawing.engine is None:
        drawing.engine = MersenneTwister(drawing.number(0))
    return drawing.engine


def python_random() -> Any:
    """Return the generator of MindSpore's Python operations: the global module `random` in direct calls and where all
    rows come in order, else a generator of the lane or of the task.
    """
    drawing = getattr(_active, "drawing", _OUTSIDE)
    if drawing.streams is not None:
        return drawing.streams.python
    if drawing.key is None:
        return random
    if drawing.python is None:
        drawing.python = random.Random(drawing.number(1))
    return drawing.python


def numpy_random() -> Any:
    """Return the generator, as `python_random`, of operations that draw from `numpy.random`."""
    drawing = getattr(_active, "drawing", _OUTSIDE)
    if drawing.streams is not None:
        return drawing.streams.numpy
    if drawing.key is None:
        return np.random
    if drawing.numpy is None:
        drawing.numpy = np.random.RandomState(drawing.number(2))
    return drawing.numpy


def kept_order(operation: Any, items: list[Any]) -> list[Any]:
    """Return `items` in the order in which the row before left them, to be shuffled in place: the list itself where
    `python_random` gives the module, else the lane's copy; for a task by itself always the first order.
    """
    drawing = getattr(_active, "drawing", _OUTSIDE)
    if drawing.streams is None:
        return items if drawing.key is None else list(items)
    return items if drawing.streams.python is random else drawing.streams.kept.setdefault(id(operation), list(items))


def current_rng() -> np.random.Generator:
    """Return the generator for a random operation: the enclosing task's, or the eager one outside a pipeline."""
    global _eager
    drawing = getattr(_active, "drawing", _OUTSIDE)
    if drawing.key is not None:
        if drawing.rng is None:
            drawing.rng = np.random.default_rng(drawing.key)
        return drawing.rng
    source = _times_set, _global()
    if _eager[0] != source:
        _eager = source, np.random.default_rng(chosen_seed())
    return _eager[1]


_OUTSIDE = _Drawing(None, None)


class Order:
    """Random row order of one pass over a node: the engines that MindSpore draws it from.

    Args:
        seed: of the node's first pass. passes: how many passes came before. kept: for all passes of a node the same
            dict, in which an order waits to be shuffled further.
    """

    def __init__(self, seed: int, passes: int = 0, kept: dict | None = None) -> None:
        self.seed, self.passes = seed, passes
        self._kept: dict = {} if kept is None else kept

    def engine(self, step: int = 1) -> MersenneTwister:
        """Return the engine of this pass; its seed is `step` more than that of the pass before."""
        return MersenneTwister(self.seed + step * self.passes)

    def buffer_engine(self, count: Callable[[], int]) -> MersenneTwister64:
        """Return the engine of a row buffer, one number a row, continued from pass to pass. `count`: returns the rows
        of a pass, called if the pass before was not read to its end.
        """
        passes, engine = self._kept.pop("buffer", (0, None))
        if engine is None or passes != self.passes:
            engine = MersenneTwister64(self.seed % 2**32)
            if self.passes:
                engine.skip(self.passes * count())
        return engine

    def keep_engine(self, engine: MersenneTwister64) -> None:
        """Let `engine` go on in the next pass."""
        self._kept["buffer"] = self.passes + 1, engine

    def first(self) -> Order:
        """Return the order of the first pass, for nodes with the same order in all passes."""
        return Order(self.seed)

    def shuffled(self, size: int, seed: int | None = None, step: int = 1) -> np.ndarray:
        """Return 0 to ``size - 1`` in the order of this pass: MindSpore shuffles that of the pass before once more,
        with the next seed. `seed` is that of the first pass, default the node's.
        """
        first = self.seed if seed is None else seed

        def further(order: np.ndarray | None, passes: int) -> np.ndarray:
            shuffled = MersenneTwister(first + step * passes).shuffled(size)
            return shuffled if order is None else order[shuffled]

        return self.continued((size, first, step), further)

    def continued(self, what: Any, further: Callable[[Any, int], Any]) -> Any:
        """Return the state of `what` in this pass: ``further(state or None, passes before)`` for each pass."""
        passes, state = self._kept.get(what, (-1, None))
        if passes > self.passes:
            passes, state = -1, None
        for number in range(passes + 1, self.passes + 1):
            state = further(state, number)
        self._kept[what] = self.passes, state
        return state


class Unshuffled(Order):
    """Identity order, for counting rows."""

    def __init__(self) -> None:
        super().__init__(0)

    def shuffled(self, size: int, *args: Any, **kwargs: Any) -> np.ndarray:
        return np.arange(size)
