"""Random numbers. MindSpore: ``mindspore.ops.function.random_func``.

A ``seed`` argument other than None and 0 gives each call its own generator, so that one seed gives one result.
`_numbers` lists the functions with MindSpore's numbers.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._random.operator_engine import Engine, Reals, engine_of, in_vmap, with_seeds
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import sent
from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.generator import generator_on
from mindspore_compat.common.seed import SeedStream, joined_stream
from mindspore_compat.ops._adapt import as_int, as_ints, as_plain, dtype_or_none, to_dtype
from mindspore_compat.ops._mint_names import kept_in
from mindspore_compat.ops.function._numbers import (
    fixed_generator,
    generator_of,
    ints,
    laplaces,
    normals,
    numbers,
    reals,
)

__all__ = """
    normal uniform gamma laplace poisson standard_normal standard_laplace uniform_int rand rand_like randn
    randn_like randint randint_like randperm bernoulli multinomial multinomial_with_replacement random_categorical
    random_gamma random_poisson choice_with_mask random_
    uniform_ normal_ exponential_ bernoulli_ generator_of fixed_generator truncated_normal
""".split()

_int64 = torch.int64


def standard_normal(shape: Any, seed: int | None = None) -> Any:
    """Return float32 from N(0, 1)."""
    return wrap(normals("standard_normal", as_ints(shape), seed))


def standard_laplace(shape: Any, seed: int | None = None) -> Any:
    """Return float32 from the Laplace distribution."""
    return wrap(laplaces("standard_laplace", as_ints(shape), seed))


def normal(shape: Any, mean: Any, stddev: Any, seed: int | None = None) -> Any:
    """Draw from N(mean, stddev²): numbers of ``shape``, which the parameters broadcast with."""
    return wrap(normals("normal", as_ints(shape), seed) * stddev + mean)


def laplace(shape: Any, mean: Any, lambda_param: Any, seed: int | None = None) -> Any:
    """Draw from the Laplace distribution around ``mean``: numbers of ``shape``, which the parameters broadcast with."""
    return wrap(laplaces("laplace", as_ints(shape), seed) * lambda_param + mean)


def uniform(shape: Any, minval: Any, maxval: Any, seed: int | None = None, dtype: Any = torch.float32) -> Any:
    """Draw floats from [minval, maxval), or ints with an int ``dtype``: numbers of ``shape``, which the bounds
    broadcast with.
    """
    dtype = dtype_or_none(dtype)
    if dtype is not None and not dtype.is_floating_point:
        return uniform_int(shape, minval, maxval, seed, dtype)
    u = reals("uniform", as_ints(shape), seed)
    return wrap(to_dtype(u * (maxval - minval) + minval, dtype or torch.float32))


def uniform_int(shape: Any, minval: Any, maxval: Any, seed: int | None = None, dtype: Any = torch.int32) -> Any:
    """Return ints from [minval, maxval)."""
    if int(minval) >= int(maxval):
        raise ValueError(
            f"For 'UniformInt', the 'minval' must be less than the 'maxval', but got {int(minval)} and {int(maxval)}."
        )
    return wrap(ints("uniform", int(minval), int(maxval), as_ints(shape), seed, dtype_or_none(dtype) or torch.int32))


def gamma(shape: Any, alpha: Any, beta: Any, seed: int | None = None) -> Any:
    """Draw from the gamma distribution of shape ``alpha`` and rate ``beta``."""
    alpha, beta = as_plain(alpha, torch.float32), as_plain(beta, torch.float32)
    size = (*as_ints(shape), *np.broadcast_shapes(tuple(alpha.shape), tuple(beta.shape)))
    drawn = torch._standard_gamma(torch.Tensor.expand(alpha, size).contiguous(), generator_of(seed, alpha.device))
    return wrap(drawn / beta)


def random_gamma(shape: Any, alpha: Any, seed: int | None = None) -> Any:
    """Draw from the gamma distribution of shape ``alpha`` and rate 1, in shape + alpha.shape."""
    return gamma(shape, alpha, 1.0, seed)


def poisson(shape: Any, mean: Any, seed: int | None = None) -> Any:
    """Draw counts from the Poisson distribution."""
    mean = as_plain(mean, torch.float32)
    rates = torch.Tensor.expand(mean, np.broadcast_shapes(as_ints(shape), tuple(mean.shape))).contiguous()
    return wrap(to_dtype(torch.poisson(rates, generator_of(seed, rates.device)), torch.int32))


def random_poisson(shape: Any, rate: Any, seed: int | None = None, dtype: Any = torch.float32) -> Any:
    """Draw counts from the Poisson distribution in shape + rate.shape."""
    rate = as_plain(rate, torch.float32)
    rates = torch.Tensor.expand(rate, (*as_ints(shape), *tuple(rate.shape))).contiguous()
    return wrap(to_dtype(torch.poisson(rates, generator_of(seed, rates.device)), dtype_or_none(dtype) or torch.float32))


def truncated_normal(shape: Any, dtype: Any = torch.float32, seed: int | None = None) -> Any:
    """Draw from N(0, 1) within two standard deviations."""
    result = torch.empty(as_ints(shape), dtype=dtype_or_none(dtype), device=current_device())
    return wrap(torch.nn.init.trunc_normal_(result, generator=generator_of(seed, current_device())))


def _sizes(size: tuple) -> tuple[int, ...]:
    return as_ints(size[0]) if len(size) == 1 and not isinstance(size[0], int) else as_ints(size) if size else (1,)


def rand(*size: Any, dtype: Any = None, seed: int | None = None) -> Any:
    """Return floats from [0, 1)."""
    return wrap(_of_dtype(reals("rand", _sizes(size), seed), dtype))


def randn(*size: Any, dtype: Any = None, seed: int | None = None) -> Any:
    """Return floats from N(0, 1)."""
    return wrap(_of_dtype(normals("randn", _sizes(size), seed), dtype))


def _of_dtype(values: torch.Tensor, dtype: Any) -> torch.Tensor:
    return to_dtype(values, dtype_or_none(dtype) or torch.float32)


def rand_like(input: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Run `rand` in the shape and dtype of ``input``.

    Raises:
        ValueError: for a dtype that is not floating.
    """
    if not (dtype_or_none(dtype) or input.dtype).is_floating_point:
        raise ValueError(f"For 'rand_like', the 'dtype' must be a float type, but got {dtype or input.dtype}.")
    return wrap(_of_dtype(reals("rand_like", tuple(input.shape), seed), dtype or input.dtype))


def randn_like(input: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Run `randn` in the shape of ``input``, float32 without a ``dtype``."""
    return wrap(_of_dtype(normals("randn_like", tuple(input.shape), seed), dtype))


def randint(low: int, high: int, size: Any, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Return ints from [low, high)."""
    return wrap(ints("randint", low, high, as_ints(size), seed, dtype_or_none(dtype) or _int64))


def randint_like(input: Any, low: int, high: int, seed: int | None = None, *, dtype: Any = None) -> Any:
    """Run `randint` in the shape and dtype of ``input``."""
    return wrap(ints("randint_like", low, high, tuple(input.shape), seed, dtype_or_none(dtype) or input.dtype))


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


def bernoulli(input: Any, p: Any = 0.5, seed: int | None = None) -> Any:
    """Draw 1 with probability ``p``, else 0, in the shape and dtype of ``input``."""
    drawn = torch.rand(tuple(input.shape), generator=fixed_generator(seed, input.device), device=input.device)
    return wrap(to_dtype(drawn < p, input.dtype))


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


def random_(input: Any, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Any:
    """Fill with ints from [from_, to)."""
    return _in_place("random_", input, from_, to, generator=generator)


def uniform_(input: Any, from_: float = 0, to: float = 1, *, generator: Any = None) -> Any:
    """Fill from [from_, to)."""
    return _in_place("uniform_", input, from_, to, generator=generator)


def normal_(input: Any, mean: float = 0, std: float = 1, *, generator: Any = None) -> Any:
    """Fill from N(mean, std²)."""
    return _in_place("normal_", input, mean, std, generator=generator)


def exponential_(input: Any, lambd: float = 1, *, generator: Any = None) -> Any:
    """Fill from the exponential distribution."""
    return _in_place("exponential_", input, lambd, generator=generator)


def bernoulli_(input: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Fill with 1 with probability ``p``, else 0."""
    return _in_place("bernoulli_", input, p, generator=generator)


# MindSpore keeps these here
__getattr__ = module_getattr(
    __name__,
    {
        **kept_in("random_func"),
        "log_uniform_candidate_sampler": "ops.function._sampling",
        "uniform_candidate_sampler": "ops.function._sampling",
    },
    fallback="ops.function",
)


apply_dtype_fallback(globals(), __all__)
