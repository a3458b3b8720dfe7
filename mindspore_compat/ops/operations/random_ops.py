"""Random numbers in class form. MindSpore: ``mindspore.ops.operations.random_ops``. Seeds work as in
``function.random_func``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._api.validate import check_non_negative_int
from mindspore_compat._random.operator_engine import Engine, Ints, Laplaces, LogUniform, Normals, Reals, stream_with
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.seed import SeedStream, joined_stream
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import to_dtype
from mindspore_compat.ops._declare import PositiveInt, primitive

__all__ = """
    StandardNormal StandardLaplace UniformReal UniformInt Gamma Poisson RandomGamma RandomPoisson TruncatedNormal
    Multinomial MultinomialWithReplacement RandomCategorical RandomChoiceWithMask RandomShuffle Randperm RandpermV2
    Bernoulli Cauchy LogNormalReverse UniformCandidateSampler LogUniformCandidateSampler
""".split()

_Run = Callable[..., Any]


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
    return lambda shape: F.standard_normal(shape, seed)


@primitive
def StandardLaplace(seed: int = 0, seed2: int = 0) -> _Run:
    """float32 from the Laplace distribution."""
    seed = _seed("StandardLaplace", seed, seed2, Laplaces)
    return lambda shape: F.standard_laplace(shape, seed)


@primitive
def UniformReal(seed: int = 0, seed2: int = 0) -> _Run:
    """float32 from [0, 1)."""
    seed = _seed("UniformReal", seed, seed2, Reals)
    return lambda shape: F.uniform(shape, 0.0, 1.0, seed)


@primitive
def UniformInt(seed: int = 0, seed2: int = 0) -> _Run:
    """int32 from [minval, maxval)."""
    seed = _seed("UniformInt", seed, seed2, Ints)
    return lambda shape, minval, maxval: F.uniform_int(shape, minval, maxval, seed)


@primitive
def Gamma(seed: int = 0, seed2: int = 0) -> _Run:
    """The gamma distribution."""
    seed = _seed("Gamma", seed, seed2)
    return lambda shape, alpha, beta: F.gamma(shape, alpha, beta, seed)


@primitive
def Poisson(seed: int = 0, seed2: int = 0) -> _Run:
    """Counts from the Poisson distribution."""
    seed = _seed("Poisson", seed, seed2)
    return lambda shape, mean: F.poisson(shape, mean, seed)


@primitive
def RandomGamma(seed: int = 0, seed2: int = 0) -> _Run:
    """The gamma distribution of rate 1."""
    seed = _seed("RandomGamma", seed, seed2)
    return lambda shape, alpha: F.random_gamma(shape, alpha, seed)


@primitive
def RandomPoisson(seed: int = 0, seed2: int = 0, dtype: Any = torch.int64) -> _Run:
    """Counts from the Poisson distribution."""
    seed = _seed("RandomPoisson", seed, seed2)
    return lambda shape, rate: F.random_poisson(shape, rate, seed, dtype)


@primitive
def TruncatedNormal(dtype: Any = torch.float32, seed: int = 0, seed2: int = 0) -> _Run:
    """N(0, 1) within two standard deviations."""
    seed = _seed("TruncatedNormal", seed, seed2)
    return lambda shape: F.truncated_normal(shape, dtype, seed)


@primitive
def Multinomial(seed: int = 0, seed2: int = 0, dtype: Any = torch.int32) -> _Run:
    """Classes drawn by weights, with replacement."""
    seed = _seed("Multinomial", seed, seed2, Engine)
    return lambda x, num_samples: wrap(to_dtype(F.multinomial(x, num_samples, True, seed), dtype))


@primitive
def MultinomialWithReplacement(numsamples: int, replacement: bool = False) -> _Run:
    """Classes drawn by weights."""
    return lambda x, seed, offset: F.multinomial_with_replacement(x, int(seed), int(offset), numsamples, replacement)


@primitive
def RandomCategorical(dtype: Any = torch.int64) -> _Run:
    """Classes drawn by softmax of logits."""
    streams: dict[int, SeedStream] = {}

    def run(logits: Any, num_sample: Any, seed: Any = 0) -> Any:
        seed = int(seed)
        if seed not in streams:
            streams[seed] = stream_with(partial(Engine, 0, seed), seed)
        return F.random_categorical(logits, num_sample, streams[seed], dtype)

    return run


@primitive
def RandomChoiceWithMask(count: PositiveInt = 256, seed: int = 0, seed2: int = 0) -> _Run:
    """(coordinates of ``count`` random true elements, mask of the real ones)."""
    stream = stream_with(partial(Engine, seed, seed2), seed, seed2)
    return lambda input_x: F.choice_with_mask(input_x, count, stream)


@primitive
def RandomShuffle(seed: int = 0, seed2: int = 0) -> _Run:
    """The slices along the first axis in random order."""
    seed = _seed("RandomShuffle", seed, seed2, Engine)
    return lambda x: F.shuffle(x, seed)


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


@primitive
def RandpermV2(seed: int = 0, offset: int = 0, dtype: Any = torch.int64) -> _Run:
    """0 ... n-1 in random order."""
    return lambda n: F.randperm(n, seed, offset, dtype)


@primitive
def Bernoulli(seed: int = -1, offset: int = 0) -> _Run:
    """1 with probability p."""
    return lambda x, p: F.bernoulli(x, p, seed)


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
    return lambda true_classes: F.uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, stream, remove_accidental_hits
    )


@primitive
def LogUniformCandidateSampler(
    num_true: int = 1, num_sampled: int = 5, unique: bool = True, range_max: int = 5, seed: int = 0
) -> _Run:
    """(sampled classes, expected counts of true and of sampled ones)."""
    stream = stream_with(partial(LogUniform, seed), seed, 1)
    return lambda true_classes: F.log_uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, stream
    )


__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
