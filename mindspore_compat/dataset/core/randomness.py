"""Where the pipeline's randomness comes from.

One base seed per iterator; everything random below it is keyed by (base, pass, node, task), never by wall clock, thread
or process. So the same seed gives the same data for any number of workers, and every epoch of an iterator differs. As
upstream, a seed that the user chose makes each *new* iterator start over with the same order.
"""

from __future__ import annotations

import secrets
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

__all__ = [
    "DEFAULT_SEED",
    "Key",
    "chosen_seed",
    "configured_seed",
    "current_rng",
    "fresh_seed",
    "narrowed",
    "reseed",
    "seeded",
]

#: What `config.get_seed` answers before `config.set_seed`: it means "draw a fresh seed per iterator", as upstream.
DEFAULT_SEED = 5489

Key = tuple[int, ...]

_active = threading.local()
_configured: int | None = None
_eager = np.random.default_rng()
_eager_global: int | None = None


def reseed(seed: int) -> None:
    """Make `seed` the base of all iterators and eager calls from now on."""
    global _configured, _eager
    _configured = None if seed == DEFAULT_SEED else seed
    _eager = np.random.default_rng(_configured)


def configured_seed() -> int:
    """The seed of `config.set_seed`, or the default value that stands for none."""
    return DEFAULT_SEED if _configured is None else _configured


def _global_seed() -> int | None:
    """The seed of ``mindspore.set_seed``, None where it was never called."""
    module = sys.modules.get("mindspore_compat.common.seed")
    return None if module is None else module.get_seed()


def chosen_seed() -> int | None:
    """The seed the user chose: ``dataset.config.set_seed``, else ``mindspore.set_seed``, else None."""
    return _global_seed() if _configured is None else _configured


def fresh_seed() -> int:
    """A seed from the operating system."""
    return secrets.randbits(32)


@contextmanager
def seeded(key: Key) -> Iterator[None]:
    """Random operations inside draw from a generator of `key`, built only when one of them asks."""
    outer = getattr(_active, "key", None), getattr(_active, "rng", None)
    _active.key, _active.rng = key, None
    try:
        yield
    finally:
        _active.key, _active.rng = outer


@contextmanager
def narrowed(number: int) -> Iterator[None]:
    """Random operations inside draw from a generator of the enclosing task's key and `number`."""
    key = getattr(_active, "key", None)
    if key is None:
        yield
        return
    with seeded((*key, number)):
        yield


def current_rng() -> np.random.Generator:
    """The generator for a random operation: the enclosing task's, or the eager one outside a pipeline."""
    global _eager, _eager_global
    rng = getattr(_active, "rng", None)
    if rng is not None:
        return rng
    key = getattr(_active, "key", None)
    if key is not None:
        _active.rng = np.random.default_rng(key)
        return _active.rng
    seed = _global_seed()
    if _configured is None and seed != _eager_global:
        _eager, _eager_global = np.random.default_rng(seed), seed
    return _eager
