"""Numbers, sequences of tokens and formats in class form. Parts of ``math_ops``, ``array_ops``, ``nn_ops``,
``inner_ops``, ``random_ops`` and ``_embedding_cache_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.seed import joined_stream
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops._declare import Bool, PositiveInt, plain, primitive

__all__ = """
    CheckNumerics CompareAndBitpack DataFormatDimMap DataFormatVecPermute MatrixSolveLs TridiagonalMatMul RaggedRange
    NoRepeatNGram EditDistance NonDeterministicInts ParameterizedTruncatedNormal MapUniform SubAndFilter
""".split()

_Run = Callable[..., Any]
_Format = Literal["NHWC", "NCHW"]


def _check_numerics(x: Any) -> Any:
    """Return ``x``."""
    for kind, found in (("NaN", torch.isnan(x)), ("Inf", torch.isinf(x))):
        if bool(torch.any(found)):
            raise RuntimeError(f"For 'CheckNumerics', the tensor had {kind} values. Look for where they arise.")
    return wrap(torch.clone(x))


def _compare_and_bitpack(x: Any, threshold: Any) -> Any:
    """Return uint8 of 8 bits each, x > threshold along the last axis; the first is the highest bit, of bools the
    lowest.
    """
    bits = torch.reshape(torch.gt(x, threshold), (*x.shape[:-1], x.shape[-1] // 8, 8))
    order = range(8) if x.dtype is torch.bool else range(7, -1, -1)
    weights = constant([1 << place for place in order], x.device)
    return wrap(to_dtype(torch.sum(bits * weights, -1), torch.uint8))


CheckNumerics = plain("CheckNumerics", _check_numerics)
CompareAndBitpack = plain("CompareAndBitpack", _compare_and_bitpack)


@primitive
def DataFormatDimMap(src_format: _Format = "NHWC", dst_format: _Format = "NCHW") -> _Run:
    """The numbers in ``src_format`` of the axes that ``dst_format`` has at places; negative ones count from the end."""
    table = [src_format.index(letter) for letter in dst_format]

    def run(input_x: Any) -> Any:
        places = torch.remainder(input_x.long(), 4)
        return wrap(to_dtype(constant(table, input_x.device)[places], input_x.dtype))

    return run


@primitive
def DataFormatVecPermute(src_format: _Format = "NHWC", dst_format: _Format = "NCHW") -> _Run:
    """(4,) or (4, 2), a row an axis, from one format to the other."""
    order = [src_format.index(letter) for letter in dst_format]

    def run(input_x: Any) -> Any:
        if tuple(input_x.shape) not in ((4,), (4, 2)):
            raise ValueError(
                f"For 'DataFormatVecPermute', the shape must be (4,) or (4, 2), but got {tuple(input_x.shape)}."
            )
        return wrap(torch.index_select(input_x, 0, constant(order, input_x.device)))

    return run


@primitive
def MatrixSolveLs(fast: Bool = True) -> _Run:
    """(matrix (..., m, n), rhs (..., m, k), l2): x of least |matrix · x - rhs|² + l2 · |x|²; without ``fast`` l2 is
    ignored, as in MindSpore.
    """

    @kernels.as_given
    def run(matrix: Any, rhs: Any, l2: Any) -> Any:
        weight = l2.to(matrix.device, matrix.real.dtype if matrix.is_complex() else matrix.dtype)
        if not fast:
            return wrap(kernels.matmul(torch.linalg.pinv(matrix), rhs))
        rows, columns = matrix.shape[-2:]
        turned = torch.conj(torch.transpose(matrix, -1, -2)).resolve_conj()
        eye = torch.eye(min(rows, columns), dtype=matrix.dtype, device=matrix.device) * weight
        if rows >= columns:
            return wrap(torch.linalg.solve(kernels.matmul(turned, matrix) + eye, kernels.matmul(turned, rhs)))
        return wrap(kernels.matmul(turned, torch.linalg.solve(kernels.matmul(matrix, turned) + eye, rhs)))

    return run


def _tridiagonal_matmul(superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any) -> Any:
    """Return the product of a matrix with three diagonals (..., 1, m), and ``rhs`` (..., m, n); the last of
    ``superdiag`` and the first of ``subdiag`` do not count.
    """
    above, main, below = (torch.transpose(item, -1, -2) for item in (superdiag, maindiag, subdiag))
    zeros = torch.zeros_like(rhs[..., :1, :])
    following = torch.cat((rhs[..., 1:, :], zeros), -2)
    before = torch.cat((zeros, rhs[..., :-1, :]), -2)
    return wrap(below * before + main * rhs + above * following)


TridiagonalMatMul = plain("TridiagonalMatMul", _tridiagonal_matmul)


@primitive
def RaggedRange(Tsplits: Any) -> _Run:
    """(where each range begins and the last ends, all ranges joined) of (starts, limits, deltas)."""
    dtype = to_torch_dtype(Tsplits)

    def run(starts: Any, limits: Any, deltas: Any) -> Any:
        starts, limits, deltas = (torch.reshape(item, (-1,)) for item in (starts, limits, deltas))
        if bool(torch.any(deltas == 0)):
            raise ValueError("For 'RaggedRange', the 'deltas' must not be 0.")
        span, step = limits - starts, deltas
        exact = (
            span.double() / step.double()
            if starts.is_floating_point()
            else -torch.div(-span, step, rounding_mode="floor")
        )
        sizes = torch.clamp(torch.ceil(exact).long() if starts.is_floating_point() else exact.long(), min=0)
        ends = torch.cumsum(sizes, 0)
        owner = torch.repeat_interleave(torch.arange(sizes.shape[0], device=sizes.device), sizes)
        rank = torch.arange(owner.shape[0], device=sizes.device) - (ends - sizes)[owner]
        values = starts[owner] + to_dtype(rank, starts.dtype) * step[owner]
        return wrap((to_dtype(torch.cat((ends.new_zeros(1), ends)), dtype), values))

    return run


@primitive
def NoRepeatNGram(ngram_size: PositiveInt = 1) -> _Run:
    """(state_seq (B, beams, m) int32, log_probs (B, beams, V)): log_probs with the least float where the token would
    end an n-gram that is in the sequence.
    """

    def run(state_seq: Any, log_probs: Any) -> Any:
        length = state_seq.shape[-1]
        grams = torch.Tensor.unfold(state_seq, -1, ngram_size, 1).long()  # (B, beams, places, n)
        last = state_seq[..., length - ngram_size + 1 :].unsqueeze(-2).long()
        repeats = torch.all(grams[..., :-1] == last, -1)
        banned = torch.zeros(tuple(log_probs.shape), dtype=torch.int32, device=log_probs.device)
        banned = torch.scatter_add(banned, -1, grams[..., -1], to_dtype(repeats, torch.int32))
        return wrap(torch.masked_fill(log_probs, banned > 0, torch.finfo(log_probs.dtype).min))

    return run


def _edit_distance(hypothesis: list, truth: list) -> int:
    """Return the number of insertions, deletions and substitutions between two sequences."""
    row = list(range(len(truth) + 1))
    for i, left in enumerate(hypothesis, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(truth, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


@primitive
def EditDistance(normalize: Bool = True) -> _Run:
    """float32 distances of sequences in two sparse tensors (indices, values, shape); ``normalize`` divides by the
    length of the truth.
    """

    def run(*parts: Any) -> Any:
        groups: list[dict] = []
        for indices, values, _ in (parts[:3], parts[3:]):
            found: dict[tuple, list] = {}
            for place, value in zip(indices.tolist(), values.tolist()):
                found.setdefault(tuple(place[:-1]), []).append(value)
            groups.append(found)
        shape = [max(a, b) for a, b in zip(as_ints(parts[2])[:-1], as_ints(parts[5])[:-1])]
        out = torch.zeros(shape, dtype=torch.float32)
        for place in groups[0].keys() | groups[1].keys():
            hypothesis, truth = (group.get(place, []) for group in groups)
            distance = float(_edit_distance(hypothesis, truth))
            if normalize:
                distance = distance / len(truth) if truth else float("inf") if hypothesis else 0.0
            out[place] = distance
        return wrap(out.to(parts[1].device))

    return run


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
        generator = F.generator_of(stream, mean.device)
        uniform = torch.rand(size, generator=generator, device=mean.device, dtype=torch.float64)
        below, above = (torch.special.ndtr((bound - mean_) / deviation) for bound in (low, high))
        found = mean_ + deviation * torch.special.ndtri(below + uniform * (above - below))
        return wrap(to_dtype(torch.minimum(torch.maximum(found, low), high), mean.dtype))

    return run


def _sub_and_filter(input_x: Any, max_num: Any, offset: Any) -> Any:
    """Return (input - offset where that lies in [0, max_num), the places of those)."""
    moved = input_x - offset
    places = torch.nonzero((moved >= 0) & (moved < max_num)).reshape(-1)
    return wrap((to_dtype(moved[places], input_x.dtype), to_dtype(places, input_x.dtype)))


MapUniform = plain(
    "MapUniform",
    lambda input, per_group_size, group_num: wrap(
        to_dtype(input % group_num * per_group_size + torch.div(input, group_num, rounding_mode="floor"), input.dtype)
    ),
)
SubAndFilter = plain("SubAndFilter", _sub_and_filter)
