"""Where the pipeline's randomness comes from."""

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

__all__ = [
    "DEFAULT_SEED",
    "DirectStreams",
    "Key",
    "Order",
    "Unshuffled",
    "chosen_seed",
    "configured_seed",
    "Streams",
    "called_directly",
    "current_rng",
    "engine_of",
    "fresh_seed",
    "kept_order",
    "narrowed",
    "numpy_random",
    "python_random",
    "reseed",
    "seeded",
]

#: What `config.get_seed` answers before `config.set_seed`: it means "draw a fresh seed per iterator", as MindSpore.
DEFAULT_SEED = 5489

Key = tuple[int, ...]

_active = threading.local()
_configured: tuple[int, int] | None = None  # calls of `mindspore.set_seed` before, and the seed
_times_set = 0
_eager: tuple[Any, np.random.Generator] = (None, np.random.default_rng())  # what it was seeded by, and itself


def _global() -> tuple[int, int | None]:
    """Return how often ``mindspore.set_seed`` was called, and what it got last."""
    module = sys.modules.get("mindspore_compat.common.seed")
    return (0, None) if module is None else (module.times_set, module.get_seed())


def reseed(seed: int) -> None:
    """Make `seed` the base of all iterators and eager calls from now on."""
    global _configured, _times_set
    _configured, _times_set = (_global()[0], seed), _times_set + 1


def configured_seed() -> int:
    """What was given last to ``dataset.config.set_seed`` or ``mindspore.set_seed``, or the default value that stands
    for none.
    """
    times, seed = _global()
    if _configured is not None and _configured[0] == times:
        seed = _configured[1]
    return DEFAULT_SEED if seed is None else seed


def chosen_seed() -> int | None:
    """The seed the user chose, else None."""
    seed = configured_seed()
    return None if seed == DEFAULT_SEED else seed


def fresh_seed() -> int:
    """A seed from the operating system."""
    return secrets.randbits(32)


class Streams:
    """What the operations of one map draw from, row after row, each from an engine of its own.

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
        """The engine of `operation`, as its last row left it."""
        if id(operation) not in self._engines:
            seed = self._called_seed if id(operation) in self._called else self._seed
            self._engines[id(operation)] = operation, MersenneTwister(seed)
        return self._engines[id(operation)][1]


class DirectStreams(Streams):
    """In a worker process MindSpore calls the operations directly, so that each row draws from new engines; those in
    Python draw from the process's generators. Here built-in operations need no process for that.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.python, self.numpy = random.Random(seed), np.random.RandomState(seed % 2**32)

    def engine(self, operation: Any) -> MersenneTwister:
        """A new one."""
        return MersenneTwister(self._seed)


class CalledStreams(Streams):
    """Of operations that one in Python calls: MindSpore makes those in C++ anew for each row, as in a direct call; those
    in Python draw from what the caller draws from.
    """

    def __init__(self, seed: int, kept: dict[int, list[Any]]) -> None:
        super().__init__(seed)
        self.python, self.numpy, self.kept = python_random(), numpy_random(), kept

    def engine(self, operation: Any) -> MersenneTwister:
        """A new one."""
        return MersenneTwister(self._seed)


class _Drawing:
    """What random operations draw from in a thread for now."""

    __slots__ = ("engine", "key", "numpy", "python", "rng", "streams")

    def __init__(self, key: Key | None, streams: Streams | None) -> None:
        self.key, self.streams = key, streams
        self.engine: MersenneTwister | None = None
        self.rng: np.random.Generator | None = None
        self.python: random.Random | None = None
        self.numpy: np.random.RandomState | None = None

    def number(self, use: int) -> int:
        """A seed that follows from the key, another for each use."""
        return int(np.random.SeedSequence((*(self.key or ()), use)).generate_state(1)[0])


class seeded:
    """A context: random operations inside draw from `streams`, else from a generator of `key`, built only when one
    asks.
    """

    __slots__ = ("_drawing", "_outer")

    def __init__(self, key: Key | None, streams: Streams | None = None) -> None:
        self._drawing = _Drawing(key, streams)

    def __enter__(self) -> None:
        self._outer = getattr(_active, "drawing", _OUTSIDE)
        _active.drawing = self._drawing

    def __exit__(self, *_: object) -> None:
        _active.drawing = self._outer


def narrowed(number: int, streams: Streams | None = None) -> seeded:
    """A context: random operations inside draw from `streams`, else from a generator of the enclosing task's key and
    `number`.
    """
    key = getattr(_active, "drawing", _OUTSIDE).key
    return seeded(None if key is None else (*key, number), streams)


def called_directly() -> contextlib.AbstractContextManager:
    """A context: what is called inside of it draws as in a direct call, though a function of a pipeline makes it; only
    with a chosen seed, as else each task has its own numbers.
    """
    if getattr(_active, "drawing", _OUTSIDE) is _OUTSIDE or chosen_seed() is None:
        return contextlib.nullcontext()
    return seeded(None)


def called_in_python() -> contextlib.AbstractContextManager:
    """A context for what an operation in Python calls: C++'s draw as in a direct call; only with a chosen seed, as in
    `called_directly`.
    """
    drawing, seed = getattr(_active, "drawing", _OUTSIDE), chosen_seed()
    streams = drawing.streams
    if seed is None or isinstance(streams, DirectStreams) or (streams is None and drawing.key is None):
        return contextlib.nullcontext()
    return seeded(drawing.key, CalledStreams(seed, {} if streams is None else streams.kept))


def engine_of(operation: Any) -> MersenneTwister:
    """What `operation` draws from while it works on one row: asked for once a row, as in a direct call MindSpore makes
    the operation anew, from the seed.
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
    """What operations that MindSpore has in Python draw from: the module `random`, whose state all share, in direct
    calls and where all rows come in order; else a generator of their lane or of the task's.
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
    """As `python_random`, for those that draw from `numpy.random`."""
    drawing = getattr(_active, "drawing", _OUTSIDE)
    if drawing.streams is not None:
        return drawing.streams.numpy
    if drawing.key is None:
        return np.random
    if drawing.numpy is None:
        drawing.numpy = np.random.RandomState(drawing.number(2))
    return drawing.numpy


def kept_order(operation: Any, items: list[Any]) -> list[Any]:
    """`items` in the order in which the row before left them, to be shuffled in place: that of the list itself where
    `python_random` gives the module, else of the lane; for a task by itself always the first.
    """
    drawing = getattr(_active, "drawing", _OUTSIDE)
    if drawing.streams is None:
        return items if drawing.key is None else list(items)
    return items if drawing.streams.python is random else drawing.streams.kept.setdefault(id(operation), list(items))


def current_rng() -> np.random.Generator:
    """The generator for a random operation: the enclosing task's, or the eager one outside a pipeline."""
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
    """What is random about the order of rows in one pass over a node: the engines that MindSpore draws it from.

    Args:
        seed: of the node's first pass. passes: how many passes came before. kept: for all passes of a node the same
            dict, in which an order waits to be shuffled further.
    """

    def __init__(self, seed: int, passes: int = 0, kept: dict | None = None) -> None:
        self.seed, self.passes = seed, passes
        self._kept: dict = {} if kept is None else kept

    def engine(self, step: int = 1) -> MersenneTwister:
        """The engine of this pass, whose seed is `step` more than that of the pass before."""
        return MersenneTwister(self.seed + step * self.passes)

    def buffer_engine(self, count: Callable[[], int]) -> MersenneTwister64:
        """The engine that a buffer of rows draws from, one number a row: it goes on from pass to pass. `count`: how
        many rows a pass has, asked where the pass before was not seen to its end.
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
        """The order of the first pass, for what is the same in all."""
        return Order(self.seed)

    def shuffled(self, size: int, seed: int | None = None, step: int = 1) -> np.ndarray:
        """0 to ``size - 1`` in the order of this pass: MindSpore shuffles that of the pass before once more, with the
        next seed. `seed` is that of the first pass, default the node's.
        """
        first = self.seed if seed is None else seed

        def further(order: np.ndarray | None, passes: int) -> np.ndarray:
            shuffled = MersenneTwister(first + step * passes).shuffled(size)
            return shuffled if order is None else order[shuffled]

        return self.continued((size, first, step), further)

    def continued(self, what: Any, further: Callable[[Any, int], Any]) -> Any:
        """What has become of something in this pass: ``further(what it was, or None, passes before)`` for each pass."""
        passes, state = self._kept.get(what, (-1, None))
        if passes > self.passes:
            passes, state = -1, None
        for number in range(passes + 1, self.passes + 1):
            state = further(state, number)
        self._kept[what] = self.passes, state
        return state


class Unshuffled(Order):
    """For counting rows: nothing changes its place."""

    def __init__(self) -> None:
        super().__init__(0)

    def shuffled(self, size: int, *args: Any, **kwargs: Any) -> np.ndarray:
        return np.arange(size)
