"""Random generators of MindSpore's CPU kernels with seeds, as pure functions of these: C++'s ``minstd_rand0`` (Park and
Miller) or ``mt19937``, seeded by a hash of both seeds, under the distributions of GCC's library.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from mindspore_compat._graph.program import program
from mindspore_compat._random import philox
from mindspore_compat._random.rng_state import Drawn, drawn_here
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.random_engines import LinearCongruential, MersenneTwister
from mindspore_compat._tensor.tracing import is_tracing
from mindspore_compat.common.seed import SeedStream, _get_graph_seed

_MIXING_KEY = 0x02461E293EC8F720
_64_BITS = 2**64 - 1


def _mixed(seed: int, seed2: int) -> int:
    return philox.first_words(seed & _64_BITS, _MIXING_KEY, seed2 & _64_BITS)


class Engine(LinearCongruential):
    """Generator of one operator; its sequence continues from call to call."""

    def __init__(self, seed: int, seed2: int) -> None:
        super().__init__(_mixed(seed, seed2))

    def classes(self, limit: int, count: int) -> Iterator[int]:
        """Yield ints from [0, limit) without end; the engine advances by the ints taken."""
        while True:
            yield self.integer(0, limit - 1)


class LogUniform:
    """Ints from [0, limit), smaller ones more often, as the operator of that name draws them."""

    def __init__(self, seed: int) -> None:
        self._seed, self._block = seed & _64_BITS, 0

    def classes(self, limit: int, count: int) -> Iterator[int]:
        """Yield ints without end; the next call of an operator that samples ``count`` of them begins elsewhere."""
        first, whole = self._block, np.log1p(np.float32(limit))
        self._block += 512 * count
        for block in itertools.count(first, 256):
            even, odd = philox.words(block, 256, 87654321, self._seed)
            fractions = ((even & np.uint64(0xFFFFF)) << np.uint64(32) | odd).T.reshape(-1) / 2.0**52
            yield from ((np.exp(fractions * whole).astype(np.int64) - 1) % limit).tolist()


class Masks(Engine):
    """Masks of Dropout."""

    def __init__(self, seed: int, seed2: int, keep_prob: float) -> None:
        super().__init__(seed, seed2)
        self.keep_prob = keep_prob

    def fill(self, mask: torch.Tensor) -> None:
        """Fill a bool tensor on the CPU; other engines fill tensors of their dtypes."""
        self.single_chances(self.keep_prob, mask.numpy().reshape(-1))


class ChannelMasks(LinearCongruential):
    """Masks of Dropout2D and Dropout3D, from one seed that does not depend on the program's."""

    def __init__(self, keep_prob: float) -> None:
        super().__init__(1)
        self._keep_prob = float(np.float32(keep_prob))

    def fill(self, mask: torch.Tensor) -> None:
        mask.numpy().reshape(-1)[:] = self.chances(self._keep_prob, mask.numel())


def _parts(values: torch.Tensor) -> Iterator[np.ndarray]:
    """Yield chunks of the elements that fit into a core's cache; their length is even, as normals come in pairs."""
    flat = values.numpy().reshape(-1)
    for start in range(0, len(flat), 8192):
        yield flat[start : start + 8192]


class Normals(Engine):
    """float32 numbers from N(0, 1)."""

    def fill(self, values: torch.Tensor) -> None:
        self._normal = None
        for part in _parts(values):
            part[:] = self.single_normals(len(part))


class Laplaces(Engine):
    """float32 numbers of the Laplace distribution."""

    def fill(self, values: torch.Tensor) -> None:
        for part in _parts(values):
            drawn = self.singles(len(part), np.nextafter(np.float32(-1), np.float32(0)), 1.0)
            part[:] = np.copysign(np.log(1.0 - np.abs(drawn).astype(np.float64)), drawn)


class Reals(MersenneTwister):
    """float32 numbers from 0 to 1."""

    def __init__(self, seed: int, seed2: int) -> None:
        super().__init__(_mixed(seed, seed2))

    def fill(self, values: torch.Tensor) -> None:
        for part in _parts(values):
            part[:] = self.doubles(len(part))


class Ints(Reals):
    """int32 numbers."""

    def fill(self, values: torch.Tensor, low: int, high: int) -> None:  # type: ignore[override]
        """Draw from [low, high)."""
        for part in _parts(values):
            part[:] = low + self.below(np.full(len(part), high - low))


def stream_with(make: Callable[[], Any], *seeds: int) -> SeedStream:
    """Return the stream of an operator: the engine of ``make`` where `engine_of` allows it, otherwise torch's. With
    seeds that are all 0 it is always torch's.
    """
    seed = abs(seeds[0] if len(seeds) == 1 else seeds[0] * 1000003 + seeds[1])
    return Drawn(seed, make) if any(seeds) else SeedStream(seed)


def engine_of(
    seed: Any,
    function: str,
    make: Callable[[], Any] | None,
    *inputs: torch.Tensor,
    kind: Any = None,
    repeats: bool = False,
) -> Any:
    """Return the engine of a call of an operator with the stream ``seed``, or else of a ``function`` with that
    argument. None means torch's generator: without a seed, on a GPU, in a vmap or a trace, and where several processes
    compute one network.

    Args:
        make: gives the function's engine, or None; `with_seeds` for most. None if it has none.
        inputs: the tensors that it draws for, if there are any.
        kind: what makes another kernel of the operator, if it is not their shapes and dtypes.
        repeats: whether it uses `filled`; a capture cannot repeat other draws of an engine.
    """
    if (isinstance(seed, SeedStream) and not isinstance(seed, Drawn)) or not engines_draw(inputs):
        return None
    if isinstance(seed, Drawn):
        kind = kind or tuple([(tuple(item.shape), item.dtype) for item in inputs])
        engine = drawn_here(seed, seed.make, kind)
    else:
        engine = drawn_here(function, make) if make is not None else None
    if engine is not None and not repeats:
        program.not_repeatable("an operator with a seed draws numbers on the host")
    return engine


def with_seeds(kind: Callable[..., Any], function: str, seed: int | None) -> Callable[[], Any]:
    """Return an engine with the seeds of this call of a function, None without seeds."""
    return partial(_with_seeds, kind, function, seed)


def _with_seeds(kind: Callable[..., Any], function: str, seed: int | None) -> Any:
    seeds = _get_graph_seed(seed, function)
    return kind(*seeds) if any(seeds) else None


def engines_draw(inputs: tuple[torch.Tensor, ...]) -> bool:
    """Return whether MindSpore's engines, not torch, draw for these tensors, or without any on the current device."""
    own_modes = program.recorder_here() is not None  # others, for export or shape inference, know torch's operators
    if is_tracing() or program.parallel is not None or torch._C._len_torch_dispatch_stack() > own_modes:
        return False
    if not inputs:
        return current_device().type == "cpu"
    return not any(item.device.type != "cpu" or torch._C._functorch.is_batchedtensor(item) for item in inputs)


def in_vmap(draw: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Return ``draw`` of ``x``; in a vmap draw for all of it at once, as MindSpore's kernels see it: with another axis
    in front.
    """
    if not torch._C._functorch.is_batchedtensor(x):
        return draw(x)
    level, axis = torch._C._functorch.maybe_get_level(x), torch._C._functorch.maybe_get_bdim(x)
    whole = torch.movedim(torch._C._functorch.get_unwrapped(x), axis, 0)
    return torch._C._functorch._add_batch_dim(in_vmap(draw, whole), 0, level)


def filled(draw: Callable[..., None], shape: Sequence[int], dtype: torch.dtype, *bounds: int) -> torch.Tensor:
    """Return a new tensor filled by ``draw``, a method of an engine, now and in each replay."""
    values = torch.empty(shape, dtype=dtype, device="cpu")
    recorder = program.recorder_here()
    if recorder is not None:
        recorder.python(draw, (values, *bounds), draws=True)
    else:
        draw(values, *bounds)
    return values
