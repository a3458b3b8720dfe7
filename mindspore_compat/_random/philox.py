"""Arrays of random numbers as pure functions of a seed, for MindSpore's initializers.

The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): block ``i`` of four
32-bit words is a hash of ``i`` and the seed. So any thread can compute any part of an array by itself, with the same
result. Words become doubles, doubles the distribution's values, values float32: bit for bit real MindSpore's.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

_BLOCKS = 8192  # at a time: what they need stays in a core's cache
_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_KEY_STEPS = np.arange(10, dtype=np.uint64)[:, None, None] * np.array([[0x9E3779B9], [0xBB67AE85]], np.uint64)
_ONE = np.uint64(0x3FF0000000000000)  # the bits of 1.0
# MindSpore's constants have the digits of a float
_TWO_PI = 2.0 * float(np.float32(3.1415926))
_ROOT_TWO = float(np.float32(1.4142135))
_LEAST = float(np.float32(1e-7))

_Distribution = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


def words(first: int, count: int, key: int, upper: int) -> tuple[np.ndarray, np.ndarray]:
    """Return blocks ``first`` to ``first + count`` as 32-bit words in uint64: those at even places, shape (2, count),
    and those at odd ones. ``key`` and ``upper``, the other half of the hash's input, have 64 bits.
    """
    low, high = key & 0xFFFFFFFF, key >> 32
    even, odd, product = (np.empty((2, count), np.uint64) for _ in range(3))
    even[0] = np.uint64(first) + np.arange(count, dtype=np.uint64)
    np.right_shift(even[0], _HALF, out=odd[0])
    even[0] &= _LOW
    even[1], odd[1] = upper & 0xFFFFFFFF, upper >> 32
    for key in (_KEY_STEPS + np.array([[low], [high]], np.uint64)) & _LOW:
        np.multiply(even, _MULTIPLIERS, out=product)
        np.right_shift(product, _HALF, out=even)
        odd ^= key
        odd ^= even[::-1]
        np.bitwise_and(product[::-1], _LOW, out=even)
        even, odd = odd, even
    return even, odd


def first_words(first: int, key: int, upper: int) -> int:
    """Return the first two words of one block of `words`, as 64 bits; arrays of one block take ten times as long."""
    a, b, c, d = first & 0xFFFFFFFF, first >> 32, upper & 0xFFFFFFFF, upper >> 32
    low, high = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        left, right = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = right >> 32 ^ b ^ low, right & 0xFFFFFFFF, left >> 32 ^ d ^ high, left & 0xFFFFFFFF
        low, high = low + 0x9E3779B9 & 0xFFFFFFFF, high + 0xBB67AE85 & 0xFFFFFFFF
    return a | b << 32


def _fractions(words: np.ndarray, bits: int) -> np.ndarray:
    """Return the lowest bits of words as doubles in [0, 1), on the same memory."""
    if bits < 32:
        words &= np.uint64((1 << bits) - 1)
    words <<= np.uint64(52 - bits)
    words |= _ONE
    result = words.view(np.float64)
    result -= 1.0
    return result


def _fill(seed: int, array: np.ndarray, bits: int, distribution: _Distribution) -> None:
    """Fill the array with the distribution's values of fractions: those at even places and those at odd ones, shape (2,
    n), become rows of four numbers.
    """
    if not isinstance(array, np.ndarray) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise TypeError(
            "Random numbers fill numpy arrays by a seed, an int of [0, 2**64), but got "
            f"{type(array).__name__} and {seed!r}."
        )
    if array.dtype != np.float32:
        raise RuntimeError(f"Unsupported data type '{array.dtype.char}'. The array must be of float32.")
    seed = int(seed) or secrets.randbits(32)  # 0 is no seed
    blocks = -(-array.size // 4)
    whole = array.flags.c_contiguous and array.size % 4 == 0
    rows = array.reshape(-1, 4) if whole else np.empty((blocks, 4), np.float32)

    def part(first: int) -> None:
        here = rows[first : first + _BLOCKS]
        even, odd = words(first, len(here), seed, seed)
        distribution(_fractions(even, bits), _fractions(odd, bits), here)

    starts = range(0, blocks, _BLOCKS)
    threads = min(torch.get_num_threads(), len(starts) // 4)
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, starts))
    else:
        for first in starts:
            part(first)
    if not whole:
        array[...] = rows.reshape(-1)[: array.size].reshape(array.shape)


def _single(*values: Any) -> list[float]:
    return [float(np.float32(value)) for value in values]


def fill_uniform(seed: int, array: np.ndarray, a: float, b: float) -> None:
    """Fill a float32 array with numbers from [a, b)."""
    a, b = _single(a, b)

    def distribution(even: np.ndarray, odd: np.ndarray, rows: np.ndarray) -> None:
        for place, values in enumerate((even, odd)):
            values *= b - a
            values += a
            rows[:, place::2] = values.T

    _fill(seed, array, 32, distribution)


def fill_normal(seed: int, array: np.ndarray, mean: float, sigma: float) -> None:
    """Fill a float32 array with numbers of the normal distribution, by Box and Muller's transform."""
    mean, sigma = _single(mean, sigma)

    def distribution(even: np.ndarray, odd: np.ndarray, rows: np.ndarray) -> None:
        radius, angle = torch.from_numpy(even), torch.from_numpy(odd)
        radius.clamp_min_(_LEAST).log_().mul_(-2.0).sqrt_().mul_(sigma)
        angle.clamp_min_(_LEAST).mul_(_TWO_PI)
        pair = torch.from_numpy(rows)
        pair[:, 0::2] = torch.cos(angle).mul_(radius).add_(mean).T
        pair[:, 1::2] = angle.sin_().mul_(radius).add_(mean).T

    _fill(seed, array, 23, distribution)


def fill_truncated_normal(seed: int, array: np.ndarray, a: float, b: float, mean: float, sigma: float) -> None:
    """Fill a float32 array with numbers of the normal distribution from [a, b], by the inverse of its integral."""
    a, b, mean, sigma = _single(a, b, mean, sigma)
    if sigma <= 0:
        raise RuntimeError(f"TruncatedNormal: invalid sigma {sigma:g}. It must be greater than 0.")
    least, most = (math.erfc((mean - bound) / sigma / _ROOT_TWO) / 2.0 for bound in (a, b))

    def distribution(even: np.ndarray, odd: np.ndarray, rows: np.ndarray) -> None:
        result = torch.from_numpy(rows)
        for place, values in enumerate((torch.from_numpy(even), torch.from_numpy(odd))):
            values.mul_(most - least).add_(least).mul_(2.0)
            if least > 0.5:  # the rest of the interval may round to its end
                values[values >= 2.0] = 2.0 - 2.0**-23
            standard = torch.erfinv(values - 1.0)
            small = values < 2.0**-20  # the difference to 1 has lost their digits
            if small.any():
                few = values[small]
                few[few <= 0.0] = 2.0**-149
                standard[small] = torch.special.ndtri(few / 2.0) / math.sqrt(2.0)
            result[:, place::2] = standard.mul_(_ROOT_TWO).mul_(sigma).add_(mean).T

    _fill(seed, array, 32, distribution)


def fill_normal_of_1_0(seed: int, array: np.ndarray) -> None:
    """Fill a float32 array with standard normal numbers as MindSpore 1.0: in sixteen streams, in which each block of
    four words is the hash of the block before. The streams' words lie in one long integer, 64 bits apart.
    """
    streams = 16 if array.size > 16 else 1
    sizes = [array.size // streams] * streams
    sizes[-1] += array.size % streams
    ones = sum(1 << 64 * i for i in range(len(sizes)))
    low, key, found = 0xFFFFFFFF * ones, int(seed) & 0xFFFFFFFF, []
    a = sum((size * i + 3) // 4 << 64 * i for i, size in enumerate(sizes))
    b, c, d = 0, key * ones, (int(seed) >> 32) * ones
    for _ in range(-(-max(sizes) // 4)):
        for _ in range(10):
            left, right = a * 0xD2511F53, c * 0xCD9E8D57
            keys = key * ones
            a, b, c, d = right >> 32 & low ^ b ^ keys, right & low, left >> 32 & low ^ d ^ keys, left & low
            key = key + 0x9E3779B9 & 0xFFFFFFFF
        a = a + ones & low
        found += [(one | other << 32).to_bytes(8 * len(sizes), "little") for one, other in ((a, b), (c, d))]
    fractions = (np.frombuffer(b"".join(found), "<u4") & (1 << 23) - 1).astype(np.float32) / np.float32(1 << 23)
    first, second = fractions.reshape(-1, 2, len(sizes), 2).transpose(3, 2, 0, 1)
    radius = np.sqrt(np.float32(-2.0) * np.log(np.maximum(first, np.float32(_LEAST))))
    angle = np.float32(2 * 3.14) * second
    rows = np.stack([radius * np.sin(angle), radius * np.cos(angle)], -1).reshape(len(sizes), -1)
    array[...] = np.concatenate([row[:size] for row, size in zip(rows, sizes, strict=True)]).reshape(array.shape)
