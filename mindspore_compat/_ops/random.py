"""Random numbers and dropout.

Normal, uniform and Laplace numbers are MindSpore's on a CPU, with `mindspore.set_seed` or seeds; else torch's. A
function's seeds advance from call to call; an operator has a stream of its own. A ``seed`` other than None and 0 gives
each call of a function its own generator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as tf

from mindspore_compat._api.validate import check_float_range, check_non_negative_int
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import as_int, as_ints, as_plain, dtype_or_none, to_dtype
from mindspore_compat._ops.declare import PositiveInt, classes, functions, named, op, primitive
from mindspore_compat._random.operator_engine import (
    ChannelMasks,
    Engine,
    Ints,
    Laplaces,
    LogUniform,
    Masks,
    Normals,
    Reals,
    engine_of,
    engines_draw,
    filled,
    in_vmap,
    stream_with,
    with_seeds,
)
from mindspore_compat._random.rng_state import Drawn
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import sent
from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat._tensor.indexing import take_elements
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.generator import generator_on
from mindspore_compat.common.seed import SeedStream, get_seed, joined_stream, stream_of

_Run = Callable[..., Any]


def _check_probability(p: Any, owner: str) -> float:
    if not 0 <= p <= 1:
        raise ValueError(f"For '{owner}', the 'p' must be in [0, 1], but got {p}.")
    return float(p)


@op(formerly="x=input")
def dropout(input: Any, p: float = 0.5, training: bool = True, seed: int | None = None) -> Any:
    """Set elements to 0 with probability ``p``, the rest scaled by 1 / (1 - p)."""
    p = _check_probability(p, "dropout")
    if not training:
        return input
    if p == 0:
        return wrap(torch.clone(input))
    make = with_seeds(partial(Masks, keep_prob=1 - p), "dropout", seed)
    engine = engine_of(seed, "dropout", make, input, repeats=True) if p < 1 else None
    if engine is not None:
        return wrap(_masked(input, engine)[0])
    if seed is None:
        return wrap(torch.dropout(input, p, True))
    return dropout_with_mask(input, 1 - p, seed)[0]


@with_dtype_fallback
def dropout_stream(keep_prob: float, seed: int, seed2: int) -> SeedStream:
    """Return the random stream of an operator or layer with these seeds."""
    return stream_with(partial(Masks, seed, seed2, keep_prob), seed, seed2)


@with_dtype_fallback
def dropout_with_mask(x: Any, keep_prob: float, seed: int | None = None) -> Any:
    """Return (x · mask / keep_prob, mask)."""
    engine = engine_of(seed, "dropout", None, x, repeats=True)
    if engine is not None:
        result, mask = _masked(x, engine)
        return wrap(result), wrap(mask.to(x.dtype))
    keep = (
        torch.rand(tuple(x.shape), device=x.device, dtype=torch.float32, generator=generator_of(seed, x.device))
        < keep_prob
    )
    mask = keep.to(x.dtype)
    return wrap(x * mask / keep_prob), wrap(mask)


@with_dtype_fallback
def dropped(x: Any, p: float, stream: SeedStream) -> Any:
    """Run `dropout` in training, with MindSpore's numbers where ``stream`` has them."""
    engine = engine_of(stream, "dropout", None, x, repeats=True)
    return torch.dropout(x, p, True) if engine is None else _masked(x, engine)[0]


@with_dtype_fallback
def draws_by_engine(stream: SeedStream, x: torch.Tensor) -> bool:
    """Return whether `dropped` would use MindSpore's numbers."""
    return isinstance(stream, Drawn) and engines_draw((x,))


def _masked(x: torch.Tensor, engine: Masks) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (x with the engine's mask, scaled up with MindSpore's rounding, and the mask, bool)."""
    mask = filled(engine.fill, x.shape, torch.bool)
    return x * mask * _scale(engine.keep_prob, x.dtype), mask


@lru_cache(64)
def _scale(keep_prob: float, dtype: torch.dtype) -> float:
    return torch.tensor(np.float32(1) / np.float32(keep_prob), dtype=dtype).item()


@op(formerly="x=input")
def dropout1d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Set whole channels of (N, C, L) or (C, L) to 0 with probability ``p``."""
    p = _check_probability(p, "dropout1d")
    found = _channels("Dropout2D", torch.unsqueeze(input, -1), p) if training and input.dim() == 3 else None
    return wrap(tf.dropout1d(input, p, training) if found is None else torch.squeeze(found, -1))


def _dropout_of_channels(axes: int, torchs: Callable[..., torch.Tensor]) -> Any:
    name, operator = f"dropout{axes}d", f"Dropout{axes}D"

    def dropout(input: Any, p: float = 0.5, training: bool = True) -> Any:
        p = _check_probability(p, name)
        found = _channels(operator, input, p) if training else None
        return wrap(torchs(input, p, training) if found is None else found)

    return op(named(dropout, name, "Set whole channels to 0 with probability ``p``."), formerly="x=input")


dropout2d, dropout3d = _dropout_of_channels(2, tf.dropout2d), _dropout_of_channels(3, tf.dropout3d)


@with_dtype_fallback
def channel_mask(operator: str, x: torch.Tensor, keep_prob: float) -> torch.Tensor | None:
    """Return the channels that ``Dropout2D`` or ``Dropout3D`` keeps of (N, C, ...): bool, with axes of size 1 behind;
    None where torch draws, as it does without a seed.
    """
    if get_seed() is None or not keep_prob:
        return None
    engine = engine_of(_shared(operator, keep_prob), operator, None, x, repeats=True)
    return None if engine is None else filled(engine.fill, (*x.shape[:2], *[1] * (x.dim() - 2)), torch.bool)


@lru_cache(None)
def _shared(operator: str, keep_prob: float) -> SeedStream:
    """Return one kernel for all operators of this rate: they have no seeds."""
    return stream_with(partial(ChannelMasks, keep_prob), 1)


def _channels(operator: str, x: torch.Tensor, p: float) -> torch.Tensor | None:
    mask = channel_mask(operator, x, 1 - p) if x.dim() == int(operator[-2]) + 2 else None
    return None if mask is None else x * mask * _scale(1 - p, x.dtype)


@op(fallback=False)
def bernoulli_ext(input: Any, *, generator: Any = None) -> Any:
    """Return 1 with the probabilities ``input``, else 0, in its dtype; ``generator`` is torch's."""
    return wrap(torch.bernoulli(input, generator=generator))


def generator_of(seed: Any, device: Any = None) -> torch.Generator | None:
    """Return the generator of a seed; None, 0 and -1 mean the global one. An operator's `SeedStream` advances by
    itself. An int is a function's: it draws other numbers at every call until `set_seed`.
    """
    if seed is None or seed == 0 or seed == -1:
        return None
    return (seed if isinstance(seed, SeedStream) else stream_of(int(seed))).generator(device or "cpu")


def fixed_generator(seed: Any, device: Any) -> torch.Generator | None:
    """Return a fresh generator, for functions that draw the same numbers at every call with a seed."""
    return generator_of(SeedStream(seed) if seed else seed, device)


def normals(name: str, shape: tuple[int, ...], seed: Any) -> torch.Tensor:
    """Return float32 from N(0, 1), for a function."""
    found = numbers(Normals, name, seed, shape)
    if found is None:
        return torch.randn(shape, generator=generator_of(seed, current_device()), device=current_device())
    return found


def reals(name: str, shape: tuple[int, ...], seed: Any) -> torch.Tensor:
    """Return float32 from [0, 1), for a function."""
    found = numbers(Reals, name, seed, shape)
    if found is None:
        return torch.rand(shape, generator=generator_of(seed, current_device()), device=current_device())
    return found


def laplaces(name: str, shape: tuple[int, ...], seed: Any) -> torch.Tensor:
    """Return float32 of the Laplace distribution, for a function."""
    found = numbers(Laplaces, name, seed, shape)
    if found is not None:
        return found
    u = torch.rand(shape, generator=generator_of(seed, current_device()), device=current_device()) - 0.5
    return -torch.sign(u) * torch.log1p(-2 * torch.abs(u))


def ints(name: str, low: int, high: int, shape: tuple[int, ...], seed: Any, dtype: torch.dtype) -> torch.Tensor:
    """Return ints from [low, high), for a function."""
    fits = -(2**31) <= low < high < 2**31
    found = numbers(Ints, name, seed, shape, low, high) if fits else None
    if found is not None:
        return to_dtype(found, dtype)
    device = current_device()
    return torch.randint(low, high, shape, generator=generator_of(seed, device), dtype=dtype, device=device)


def numbers(kind: type, function: str, seed: Any, shape: tuple[int, ...], *bounds: int) -> torch.Tensor | None:
    """Return an engine's numbers for a function, or for the operator of a stream; None where torch draws.

    Args:
        kind: Normals, Laplaces, Reals, or Ints with their ``bounds``.
        seed: the function's argument, or the operator's stream.
    """
    engine = engine_of(seed, function, with_seeds(kind, function, seed), kind=shape, repeats=True)
    return None if engine is None else filled(engine.fill, shape, torch.int32 if bounds else torch.float32, *bounds)


@op
def shuffle(x: Any, seed: int | None = None) -> Any:
    """Return the slices along the first axis in random order."""
    if not x.dim():
        return wrap(torch.clone(x))
    engine = engine_of(seed, "shuffle", with_seeds(Engine, "shuffle", seed), x)
    if engine is not None:
        return wrap(take_elements(x, torch.from_numpy(engine.shuffled(x.shape[0]))))
    return wrap(take_elements(x, torch.randperm(x.shape[0], generator=generator_of(seed, x.device), device=x.device)))


_int64 = torch.int64


def _sampled(
    function: str,
    make: Callable[[], Any] | None,
    true_classes: Any,
    chance: Callable[[torch.Tensor], torch.Tensor],
    range_max: int,
    num_sampled: int,
    unique: bool,
    seed: int,
    remove: bool = False,
) -> Any:
    """Return ``chance`` of classes in one draw; it is asked for true classes outside of the range, too."""
    classes = torch.arange(range_max, dtype=torch.float64, device=true_classes.device)
    weights = chance(classes)
    if remove:
        true = torch.reshape(true_classes, (-1,)).to(_int64)
        weights[true[(true >= 0) & (true < range_max)]] = 0
    engine = engine_of(seed, function, make, true_classes)
    if engine is None:
        stream = seed if isinstance(seed, SeedStream) else SeedStream(seed)
        drawn, tries = _drawn(weights, num_sampled, unique, generator_of(stream, weights.device))
    else:
        _check_enough(weights, num_sampled, unique)
        given = engine.classes(range_max, num_sampled)
        left_out = set(true.tolist()) if remove and unique else set()
        drawn, tries = _taken(given, num_sampled, unique, left_out)

    def expected(places: torch.Tensor) -> Any:
        chances = chance(places.double())
        counts = chances * tries if tries == num_sampled else -torch.expm1(tries * torch.log1p(-chances))
        return wrap(to_dtype(counts, torch.float32))

    return wrap(to_dtype(drawn, true_classes.dtype)), expected(true_classes), expected(drawn)


def _check_enough(weights: torch.Tensor, count: int, unique: bool) -> None:
    if unique and int(torch.count_nonzero(weights)) < count:
        raise ValueError(f"There are fewer than {count} classes to sample from without repetition.")


def _taken(given: Iterator[int], count: int, unique: bool, left_out: set[int]) -> tuple[torch.Tensor, int]:
    """Return (``count`` of the given classes, how many it took); with ``unique`` those that are new."""
    if not unique:
        return torch.tensor([next(given) for _ in range(count)]), count
    found: dict[int, None] = {}
    tries = 0
    while len(found) < count:
        place = next(given)
        tries += 1
        if place not in left_out:
            found[place] = None
    return torch.tensor(list(found)), tries


def _drawn(weights: torch.Tensor, count: int, unique: bool, generator: Any) -> tuple[torch.Tensor, int]:
    """Return (places drawn by their weights, how many draws it took); with ``unique`` repetitions are drawn again."""
    if not unique:
        return torch.multinomial(weights, count, True, generator=generator), count
    _check_enough(weights, count, unique)
    found: dict[int, None] = {}
    tries = 0
    while len(found) < count:
        batch = torch.multinomial(weights, max(count, 64), True, generator=generator)
        if torch._C._functorch.is_batchedtensor(batch):  # in a vmap nothing can be read: one draw for each
            return torch.multinomial(weights, count, False, generator=generator), count
        for place in batch.tolist():
            tries += len(found) < count
            if len(found) < count:
                found[place] = None
    return torch.tensor(list(found), device=weights.device), tries


@op(fallback=False)
def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int = 1, num_sampled: int = 5, unique: bool = True, range_max: int = 5, seed: int = 0
) -> Any:
    """Return (sampled classes, expected counts of the true ones, and of the sampled ones), more often the smaller the
    class.
    """
    whole = math.log(range_max + 1)

    def chance(classes: torch.Tensor) -> torch.Tensor:
        return torch.log((classes + 2) / (classes + 1)) / whole

    make = partial(LogUniform, seed)
    return _sampled("log_uniform_candidate_sampler", make, true_classes, chance, range_max, num_sampled, unique, seed)


@op(fallback=False)
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int = 0,
    remove_accidental_hits: bool = False,
) -> Any:
    """Return (sampled classes, expected counts of the true ones, and of the sampled ones), all equally often."""

    def chance(classes: torch.Tensor) -> torch.Tensor:
        return torch.full_like(classes, 1 / range_max)

    make = partial(Engine, seed, 0) if seed else None
    sizes = range_max, num_sampled, unique, seed, remove_accidental_hits
    return _sampled("uniform_candidate_sampler", make, true_classes, chance, *sizes)


_int64 = torch.int64


@op
def standard_normal(shape: Any, seed: int | None = None) -> Any:
    """Return float32 from N(0, 1)."""
    return wrap(normals("standard_normal", as_ints(shape), seed))


@op
def standard_laplace(shape: Any, seed: int | None = None) -> Any:
    """Return float32 from the Laplace distribution."""
    return wrap(laplaces("standard_laplace", as_ints(shape), seed))


@op
def normal(shape: Any, mean: Any, stddev: Any, seed: int | None = None) -> Any:
    """Draw from N(mean, stddev²): numbers of ``shape``, which the parameters broadcast with."""
    return wrap(normals("normal", as_ints(shape), seed) * stddev + mean)


@op
def laplace(shape: Any, mean: Any, lambda_param: Any, seed: int | None = None) -> Any:
    """Draw from the Laplace distribution around ``mean``: numbers of ``shape``, which the parameters broadcast with."""
    return wrap(laplaces("laplace", as_ints(shape), seed) * lambda_param + mean)


@op
def uniform(shape: Any, minval: Any, maxval: Any, seed: int | None = None, dtype: Any = torch.float32) -> Any:
    """Draw floats from [minval, maxval), or ints with an int ``dtype``: numbers of ``shape``, which the bounds
    broadcast with.
    """
    dtype = dtype_or_none(dtype)
    if dtype is not None and not dtype.is_floating_point:
        return uniform_int(shape, minval, maxval, seed, dtype)
    u = reals("uniform", as_ints(shape), seed)
    return wrap(to_dtype(u * (maxval - minval) + minval, dtype or torch.float32))


@with_dtype_fallback
def uniform_int(shape: Any, minval: Any, maxval: Any, seed: int | None = None, dtype: Any = torch.int32) -> Any:
    """Return ints from [minval, maxval)."""
    if int(minval) >= int(maxval):
        raise ValueError(
            f"For 'UniformInt', the 'minval' must be less than the 'maxval', but got {int(minval)} and {int(maxval)}."
        )
    return wrap(ints("uniform", int(minval), int(maxval), as_ints(shape), seed, dtype_or_none(dtype) or torch.int32))


@op
def gamma(shape: Any, alpha: Any, beta: Any, seed: int | None = None) -> Any:
    """Draw from the gamma distribution of shape ``alpha`` and rate ``beta``, which broadcast with ``shape``."""
    alpha, beta = as_plain(alpha, torch.float32), as_plain(beta, torch.float32)
    size = np.broadcast_shapes(as_ints(shape), tuple(alpha.shape), tuple(beta.shape))
    drawn = torch._standard_gamma(torch.Tensor.expand(alpha, size).contiguous(), generator_of(seed, alpha.device))
    return wrap(drawn / beta)


@op
def random_gamma(shape: Any, alpha: Any, seed: int | None = None) -> Any:
    """Draw from the gamma distribution of shape ``alpha`` and rate 1, in shape + alpha.shape."""
    return gamma((*as_ints(shape), *tuple(alpha.shape)), alpha, 1.0, seed)


@op
def poisson(shape: Any, mean: Any, seed: int | None = None) -> Any:
    """Draw counts from the Poisson distribution."""
    mean = as_plain(mean, torch.float32)
    rates = torch.Tensor.expand(mean, np.broadcast_shapes(as_ints(shape), tuple(mean.shape))).contiguous()
    return wrap(to_dtype(torch.poisson(rates, generator_of(seed, rates.device)), torch.int32))


@op
def random_poisson(shape: Any, rate: Any, seed: int | None = None, dtype: Any = torch.float32) -> Any:
    """Draw counts from the Poisson distribution in shape + rate.shape."""
    rate = as_plain(rate, torch.float32)
    rates = torch.Tensor.expand(rate, (*as_ints(shape), *tuple(rate.shape))).contiguous()
    return wrap(to_dtype(torch.poisson(rates, generator_of(seed, rates.device)), dtype_or_none(dtype) or torch.float32))


@with_dtype_fallback
def truncated_normal(shape: Any, dtype: Any = torch.float32, seed: int | None = None) -> Any:
    """Draw from N(0, 1) within two standard deviations."""
    result = torch.empty(as_ints(shape), dtype=dtype_or_none(dtype), device=current_device())
    return wrap(torch.nn.init.trunc_normal_(result, generator=generator_of(seed, current_device())))


def _sizes(size: tuple) -> tuple[int, ...]:
    return as_ints(size[0]) if len(size) == 1 and not isinstance(size[0], int) else as_ints(size) if size else (1,)


@op
def rand(*size: Any, dtype: Any = None, seed: int | None = None) -> Any:
    """Return floats from [0, 1)."""
    return wrap(_of_dtype(reals("rand", _sizes(size), seed), dtype))


@op
def randn(*size: Any, dtype: Any = None, seed: int | None = None) -> Any:
    """Return floats from N(0, 1)."""
    return wrap(_of_dtype(normals("randn", _sizes(size), seed), dtype))


def _of_dtype(values: torch.Tensor, dtype: Any) -> torch.Tensor:
    return to_dtype(values, dtype_or_none(dtype) or torch.float32)


@op
def rand_like(input: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Run `rand` in the shape and dtype of ``input``.

    Raises:
        ValueError: for a dtype that is not floating.
    """
    if not (dtype_or_none(dtype) or input.dtype).is_floating_point:
        raise ValueError(f"For 'rand_like', the 'dtype' must be a float type, but got {dtype or input.dtype}.")
    return wrap(_of_dtype(reals("rand_like", tuple(input.shape), seed), dtype or input.dtype))


@op
def randn_like(input: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Run `randn` in the shape of ``input``, float32 without a ``dtype``."""
    return wrap(_of_dtype(normals("randn_like", tuple(input.shape), seed), dtype))


@op
def randint(low: int, high: int, size: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Return ints from [low, high)."""
    return wrap(ints("randint", low, high, as_ints(size), seed, dtype_or_none(dtype) or _int64))


@op
def randint_like(input: Any, low: int, high: int, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Run `randint` in the shape and dtype of ``input``."""
    return wrap(ints("randint_like", low, high, tuple(input.shape), seed, dtype_or_none(dtype) or input.dtype))


@op
def randperm(n: int, seed: int = 0, offset: int = 0, dtype: Any = _int64) -> Any:
    """Return 0 ... n-1 in random order, the same at every call with an ``offset`` other than 0, or else a ``seed`` of 0
    or more; ``seed=-1`` is another order each time.
    """
    n = as_int(n)
    if n < 0:
        raise ValueError(f"For 'Randperm', 'n' must not be negative, but got {n}.")
    if not offset and seed < 0:
        return wrap(torch.randperm(n, dtype=dtype_or_none(dtype), device=current_device()))
    order = torch.from_numpy(MersenneTwister(offset or seed).shuffled(n))
    return wrap(sent(to_dtype(order, dtype_or_none(dtype) or _int64), current_device()))


@op(formerly="x=input")
def bernoulli(input: Any, p: Any = 0.5, seed: int | None = None) -> Any:
    """Draw 1 with probability ``p``, else 0, in the shape and dtype of ``input``."""
    drawn = torch.rand(tuple(input.shape), generator=fixed_generator(seed, input.device), device=input.device)
    return wrap(to_dtype(drawn < p, input.dtype))


@op(hidden="num_sample", formerly="inputs=input")
def multinomial(
    input: Any,
    num_samples: int | None = None,
    replacement: bool = True,
    seed: int | None = None,
    *,
    num_sample: int | None = None,
) -> Any:
    """Draw int32 classes by the weights in the last axis; ``num_sample`` is the name of 1.x."""
    count = as_int(num_sample if num_samples is None else num_samples)
    weights = input if isinstance(input, torch.Tensor) and input.is_floating_point() else as_plain(input, torch.float32)
    if not replacement and weights.dim() and weights.shape[-1] >= count:
        fractions = numbers(Reals, "multinomial", seed, (weights.numel(),))
        if fractions is not None:
            shares = torch.log(torch.reshape(fractions, tuple(weights.shape))) / (weights + 1e-6)
            return wrap(to_dtype(torch.topk(shares, count)[1], torch.int32))
    make, kind = with_seeds(Engine, "multinomial", seed), (tuple(weights.shape), weights.dtype)
    engine = engine_of(seed, "multinomial", make, kind=kind) if replacement and weights.device.type == "cpu" else None
    if engine is not None:
        drawn = in_vmap(lambda rows: _by_shares(rows, engine, count), weights.detach())
        return wrap(to_dtype(drawn, torch.int32))
    drawn = torch.multinomial(input, count, replacement, generator=generator_of(seed, input.device))
    return wrap(to_dtype(drawn, torch.int32))


def _by_shares(weights: torch.Tensor, engine: Engine, count: int) -> torch.Tensor:
    """Return the places where the running sums of each row pass its fractions, in the weights' type as in MindSpore."""
    rows = weights.numpy().reshape(-1, weights.shape[-1])
    found = np.empty((len(rows), count), np.int64)
    for row, target in zip(rows, found):
        sums = np.cumsum(row, dtype=row.dtype)
        if sums[-1]:
            sums /= sums[-1]
        target[:] = np.searchsorted(sums, engine.singles(count).astype(row.dtype), side="right")
    return torch.from_numpy(np.minimum(found, weights.shape[-1] - 1).reshape(*weights.shape[:-1], count))


@op
def multinomial_with_replacement(x: Any, seed: int, offset: int, numsamples: int, replacement: bool = False) -> Any:
    """Draw int64 classes by the weights in the last axis.

    Raises:
        ValueError: for more samples than classes without ``replacement``.
    """
    if not replacement and numsamples > x.shape[-1]:
        raise ValueError(
            "For 'multinomial_with_replacement', the 'numsamples' must be at most the number of classes without "
            f"replacement, but got {numsamples} of {x.shape[-1]}."
        )
    generator = fixed_generator(joined_stream(int(seed), int(offset)), x.device)
    return wrap(torch.multinomial(x, numsamples, replacement, generator=generator))


@op(method="random_categorical")
def random_categorical(logits: Any, num_sample: int, seed: int = 0, dtype: Any = _int64) -> Any:
    """Draw classes by softmax(logits), by the same numbers in every row; the same ones at every call with a seed."""
    engine = engine_of(seed, "random_categorical", partial(Engine, 0, seed) if seed else None, logits)
    if engine is None:
        weights = torch.softmax(logits, -1)
        stream = seed if isinstance(seed, SeedStream) else SeedStream(seed)
        drawn = torch.multinomial(weights, num_sample, True, generator=generator_of(stream, logits.device))
    else:
        drawn = _by_fractions(logits.detach().numpy(), engine.doubles(num_sample))
    return wrap(to_dtype(drawn, dtype_or_none(dtype) or _int64))


def _by_fractions(logits: np.ndarray, fractions: np.ndarray) -> torch.Tensor:
    """Return for each row the classes where its running sums reach the fractions, in the logits' type as MindSpore."""
    rows = logits.reshape(-1, logits.shape[-1])
    weights = np.exp((rows - rows.max(-1, keepdims=True)).astype(np.float32)).astype(logits.dtype)
    sums = np.cumsum(weights, -1, dtype=logits.dtype)
    shares = fractions.astype(np.float32).astype(logits.dtype)
    found = [np.searchsorted(row, row[-1] * shares) for row in sums]
    return torch.from_numpy(np.stack(found).reshape(*logits.shape[:-1], len(shares)))


@op
def choice_with_mask(input_x: Any, count: int = 256, seed: int | None = None) -> Any:
    """Return (int32 coordinates of ``count`` random true elements, mask of which are real); padded with zeros."""
    engine = engine_of(seed, "choice_with_mask", with_seeds(Engine, "choice_with_mask", seed), input_x)
    found = torch.nonzero(input_x)
    if engine is None:
        order = torch.randperm(found.shape[0], generator=generator_of(seed, found.device), device=found.device)[:count]
    else:
        order = torch.from_numpy(engine.shuffled(found.shape[0])[:count])
    places = torch.zeros((count, input_x.dim()), dtype=torch.int32, device=found.device)
    mask = torch.zeros((count,), dtype=torch.bool, device=found.device)
    places[: order.numel()] = to_dtype(found[order], torch.int32)
    mask[: order.numel()] = True
    return wrap(places), wrap(mask)


# --- in place ---------------------------------------------------------------------------------------------------------
def _in_place(name: str, input: Any, *args: Any, generator: Any = None) -> Any:
    with torch.no_grad():
        getattr(torch.Tensor, name)(input, *args, generator=generator_on(generator, input.device))
    return input


@op
def random_(input: Any, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Any:
    """Fill with ints from [from_, to)."""
    return _in_place("random_", input, from_, to, generator=generator)


@op
def uniform_(input: Any, from_: float = 0, to: float = 1, *, generator: Any = None) -> Any:
    """Fill from [from_, to)."""
    return _in_place("uniform_", input, from_, to, generator=generator)


@op
def normal_(input: Any, mean: float = 0, std: float = 1, *, generator: Any = None) -> Any:
    """Fill from N(mean, std²)."""
    return _in_place("normal_", input, mean, std, generator=generator)


@op
def exponential_(input: Any, lambd: float = 1, *, generator: Any = None) -> Any:
    """Fill from the exponential distribution."""
    return _in_place("exponential_", input, lambd, generator=generator)


@op
def bernoulli_(input: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Fill with 1 with probability ``p``, else 0."""
    return _in_place("bernoulli_", input, p, generator=generator)


@primitive
def NonDeterministicInts(dtype: Any = torch.int64) -> _Run:
    """Random integers of the whole range of ``dtype``."""
    kind = to_torch_dtype(dtype)

    def run(shape: Any) -> Any:
        size = as_ints(shape)
        whole = torch.randint(-(2**63), 2**63 - 1, size, dtype=torch.int64, device=current_device())
        return wrap(whole.to(kind))

    return run


@primitive
def ParameterizedTruncatedNormal(seed: int = 0, seed2: int = 0) -> _Run:
    """(shape, mean, stdevs, min, max): values of normal distributions between bounds, one a row."""
    stream = joined_stream(seed, seed2)

    def run(shape: Any, mean: Any, stdevs: Any, min: Any, max: Any) -> Any:
        size = as_ints(shape)

        def each(x: Any) -> torch.Tensor:
            return torch.reshape(x.double(), (-1, *(1,) * (len(size) - 1)))

        mean_, deviation, low, high = (each(item) for item in (mean, stdevs, min, max))
        generator = generator_of(stream, mean.device)
        uniform = torch.rand(size, generator=generator, device=mean.device, dtype=torch.float64)
        below, above = (torch.special.ndtr((bound - mean_) / deviation) for bound in (low, high))
        found = mean_ + deviation * torch.special.ndtri(below + uniform * (above - below))
        return wrap(to_dtype(torch.minimum(torch.maximum(found, low), high), mean.dtype))

    return run


@primitive
def Uniform(minval: float = 0.0, maxval: float = 1.0, seed: int = 0, offset: int = 0) -> _Run:
    """Numbers from [minval, maxval) in the shape and dtype of the input."""
    stream = joined_stream(seed, offset)

    def run(x: Any) -> Any:
        if not x.dtype.is_floating_point:
            raise TypeError(f"For 'Uniform', the 'x' must be of a float dtype, but got {x.dtype}.")
        drawn = torch.rand(x.shape, generator=generator_of(stream, x.device), device=x.device)
        return wrap(to_dtype(minval + (maxval - minval) * drawn, x.dtype))

    return run


@primitive(settable=True)
def Dropout(keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0, p: float | None = None) -> _Run:
    """(x with elements set to 0 and the rest scaled up, mask). No MindSpore takes ``p``, the share set to 0, but
    projects write it.
    """
    if p is not None:
        keep_prob = 1 - check_float_range(p, "p", "Dropout", 0, 1, (True, False))
    if not isinstance(keep_prob, (int, float)) or not 0 < keep_prob <= 1:
        raise ValueError(f"For 'Dropout', the 'keep_prob' must be in (0, 1], but got {keep_prob!r}.")
    stream = dropout_stream(keep_prob, Seed0, Seed1)
    return lambda x: dropout_with_mask(x, keep_prob, stream)


def _channel_dropout(keep_prob: float, axes: int) -> _Run:
    if not 0 <= keep_prob <= 1:
        raise ValueError(
            f"For 'Dropout{axes}D', the 'keep_prob' must be in range of [0.0, 1.0], but got {keep_prob} "
            "with type 'float'."
        )

    def run(x: Any) -> Any:
        keep = channel_mask(f"Dropout{axes}D", x, keep_prob)
        if keep is None:
            keep = torch.rand((*x.shape[:2], *(1,) * axes), device=x.device) < keep_prob
        mask = torch.Tensor.expand(keep, tuple(x.shape))
        scaled = x * to_dtype(mask, x.dtype) / keep_prob if keep_prob else torch.zeros_like(x)
        return wrap(to_dtype(scaled, x.dtype)), wrap(torch.clone(mask))

    return run


@primitive
def Dropout2D(keep_prob: float = 0.5) -> _Run:
    """(x with whole channels set to 0, bool mask)."""
    return _channel_dropout(keep_prob, 2)


@primitive
def Dropout3D(keep_prob: float = 0.5) -> _Run:
    """(x with whole channels set to 0, bool mask)."""
    return _channel_dropout(keep_prob, 3)


@primitive
def DropoutGenMask(Seed0: int = 0, Seed1: int = 0) -> _Run:
    """The mask of a shape for `DropoutDoMask`: one byte each, not MindSpore's one bit each."""
    stream = joined_stream(Seed0, Seed1)

    def run(shape: Any, keep_prob: Any) -> Any:
        device = current_device()
        drawn = torch.rand(as_ints(shape), generator=generator_of(stream, device), device=device)
        return wrap(to_dtype(drawn < float(keep_prob), torch.uint8))

    return run


@primitive
def DropoutDoMask() -> _Run:
    """x · mask / keep_prob, with a mask of `DropoutGenMask`."""
    return lambda x, mask, keep_prob: wrap(
        x * to_dtype(torch.reshape(mask, tuple(x.shape)), x.dtype).to(x.device) / float(keep_prob)
    )


@primitive
def ComputeAccidentalHits(num_true: int = 1) -> _Run:
    """(row, place, weight) of sampled classes that are true ones."""

    def run(true_classes: Any, sampled_candidates: Any) -> Any:
        hits = torch.nonzero(torch.unsqueeze(true_classes, 2) == sampled_candidates)  # one for each true class
        weights = torch.full((hits.shape[0],), torch.finfo(torch.float32).min, device=hits.device)
        return wrap(to_dtype(hits[:, 0], torch.int32)), wrap(hits[:, 2]), wrap(weights)

    return run


def _seed(owner: str, seed: int, seed2: int, kind: Callable[[int, int], Any] | None = None) -> SeedStream:
    """Return the stream of both seeds, the operator's own; 0 means the global generator. MindSpore's are those of an
    engine of a ``kind``, if it is known.
    """
    check_non_negative_int(seed, "seed", owner)
    check_non_negative_int(seed2, "seed2", owner)
    if kind is not None:
        return stream_with(partial(kind, seed, seed2), seed, seed2)
    return joined_stream(seed, seed2)


@primitive
def StandardNormal(seed: int = 0, seed2: int = 0) -> _Run:
    """float32 from N(0, 1)."""
    seed = _seed("StandardNormal", seed, seed2, Normals)
    return lambda shape: standard_normal(shape, seed)


@primitive
def StandardLaplace(seed: int = 0, seed2: int = 0) -> _Run:
    """float32 from the Laplace distribution."""
    seed = _seed("StandardLaplace", seed, seed2, Laplaces)
    return lambda shape: standard_laplace(shape, seed)


@primitive
def UniformReal(seed: int = 0, seed2: int = 0) -> _Run:
    """float32 from [0, 1)."""
    seed = _seed("UniformReal", seed, seed2, Reals)
    return lambda shape: uniform(shape, 0.0, 1.0, seed)


@primitive
def UniformInt(seed: int = 0, seed2: int = 0) -> _Run:
    """int32 from [minval, maxval)."""
    seed = _seed("UniformInt", seed, seed2, Ints)
    return lambda shape, minval, maxval: uniform_int(shape, minval, maxval, seed)


@primitive
def Gamma(seed: int = 0, seed2: int = 0) -> _Run:
    """The gamma distribution."""
    seed = _seed("Gamma", seed, seed2)
    return lambda shape, alpha, beta: gamma(shape, alpha, beta, seed)


@primitive
def Poisson(seed: int = 0, seed2: int = 0) -> _Run:
    """Counts from the Poisson distribution."""
    seed = _seed("Poisson", seed, seed2)
    return lambda shape, mean: poisson(shape, mean, seed)


@primitive
def RandomGamma(seed: int = 0, seed2: int = 0) -> _Run:
    """The gamma distribution of rate 1."""
    seed = _seed("RandomGamma", seed, seed2)
    return lambda shape, alpha: random_gamma(shape, alpha, seed)


@primitive
def RandomPoisson(seed: int = 0, seed2: int = 0, dtype: Any = torch.int64) -> _Run:
    """Counts from the Poisson distribution."""
    seed = _seed("RandomPoisson", seed, seed2)
    return lambda shape, rate: random_poisson(shape, rate, seed, dtype)


@primitive
def TruncatedNormal(dtype: Any = torch.float32, seed: int = 0, seed2: int = 0) -> _Run:
    """N(0, 1) within two standard deviations."""
    seed = _seed("TruncatedNormal", seed, seed2)
    return lambda shape: truncated_normal(shape, dtype, seed)


@primitive
def Multinomial(seed: int = 0, seed2: int = 0, dtype: Any = torch.int32) -> _Run:
    """Classes drawn by weights, with replacement."""
    seed = _seed("Multinomial", seed, seed2, Engine)
    return lambda x, num_samples: wrap(to_dtype(multinomial(x, num_samples, True, seed), dtype))


@primitive(inputs="x seed offset")
def MultinomialWithReplacement(numsamples: int, replacement: bool = False) -> _Run:
    """Classes drawn by weights."""
    return lambda x, seed, offset: multinomial_with_replacement(x, int(seed), int(offset), numsamples, replacement)


@primitive(inputs="logits num_samples seed")
def RandomCategorical(dtype: Any = torch.int64) -> _Run:
    """Classes drawn by softmax of logits."""
    streams: dict[int, SeedStream] = {}

    def run(logits: Any, num_sample: Any, seed: Any = 0) -> Any:
        seed = int(seed)
        if seed not in streams:
            streams[seed] = stream_with(partial(Engine, 0, seed), seed)
        return random_categorical(logits, num_sample, streams[seed], dtype)

    return run


@primitive
def RandomChoiceWithMask(count: PositiveInt = 256, seed: int = 0, seed2: int = 0) -> _Run:
    """(coordinates of ``count`` random true elements, mask of the real ones)."""
    stream = stream_with(partial(Engine, seed, seed2), seed, seed2)
    return lambda input_x: choice_with_mask(input_x, count, stream)


@primitive(inputs="input_x")
def RandomShuffle(seed: int = 0, seed2: int = 0) -> _Run:
    """The slices along the first axis in random order."""
    seed = _seed("RandomShuffle", seed, seed2, Engine)
    return lambda x: shuffle(x, seed)


@primitive
def Randperm(max_length: PositiveInt = 1, pad: int = -1, dtype: Any = torch.int32) -> _Run:
    """0 ... n-1 in random order, filled up by ``pad`` to ``max_length``."""

    def run(n: Any) -> Any:
        count = int(n)
        if count > max_length:
            raise ValueError(f"For 'Randperm', 'n' must be at most 'max_length' {max_length}, but got {count}.")
        result = torch.full((max_length,), pad, dtype=dtype, device=current_device())
        result[:count] = torch.randperm(count, dtype=dtype, device=result.device)
        return wrap(result)

    return run


@primitive(settable=True)
def RandpermV2(seed: int = 0, offset: int = 0, dtype: Any = torch.int64) -> _Run:
    """0 ... n-1 in random order."""
    return lambda n: randperm(n, seed, offset, dtype)


@primitive
def Bernoulli(seed: int = -1, offset: int = 0) -> _Run:
    """1 with probability p."""
    return lambda x, p: bernoulli(x, p, seed)


@primitive
def Cauchy(size: Any, median: float = 0.0, sigma: float = 1.0) -> _Run:
    """float32 from the Cauchy distribution."""
    return lambda: wrap(torch.empty(tuple(size), device=current_device()).cauchy_(median, sigma))


@primitive
def LogNormalReverse(mean: float = 1.0, std: float = 2.0) -> _Run:
    """A tensor like the input from the log-normal distribution."""
    return lambda input: wrap(torch.Tensor.log_normal_(torch.empty_like(input), mean, std))


@primitive
def UniformCandidateSampler(
    num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int = 0, remove_accidental_hits: bool = False
) -> _Run:
    """(sampled classes, expected counts of true and of sampled ones)."""
    stream = stream_with(partial(Engine, seed, 0), seed)
    return lambda true_classes: uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, stream, remove_accidental_hits
    )


@primitive
def LogUniformCandidateSampler(
    num_true: int = 1, num_sampled: int = 5, unique: bool = True, range_max: int = 5, seed: int = 0
) -> _Run:
    """(sampled classes, expected counts of true and of sampled ones)."""
    stream = stream_with(partial(LogUniform, seed), seed, 1)
    return lambda true_classes: log_uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, stream
    )


__all__ = functions(globals())
PRIMITIVES = classes(globals())
