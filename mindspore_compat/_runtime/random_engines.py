"""Random numbers of C++'s <random>, as in GNU's library: MindSpore's data engine and CPU kernels draw from them.

An engine returns 32-bit (or 31-bit) numbers; the methods are the distributions over them. The number of draws is part
of a distribution: an integer takes one number or more (those past the last full multiple are thrown away), a double
two, a float one.
"""

from __future__ import annotations

import bisect
import functools
import math
from typing import Any

import numpy as np

_BLOCK = 512
_LAST_FLOAT = np.nextafter(np.float32(1), np.float32(0))


class Engine:
    """Base of the engines: a subclass defines `_more(count) -> array` of uint64, numbers from 0 to `range`."""

    range: int

    def __init__(self) -> None:
        self._numbers = np.empty(0, np.uint64)
        self._place = 0
        self._normal: float | None = None  # the second of a pair

    def _more(self, count: int) -> np.ndarray:
        raise NotImplementedError

    def _ahead(self, count: int) -> np.ndarray:
        """Return the next `count` numbers without consuming them; `_place` marks the next one."""
        missing = count - (len(self._numbers) - self._place)
        if missing > 0:
            self._numbers = np.concatenate([self._numbers[self._place :], self._more(max(missing, _BLOCK))])
            self._place = 0
        return self._numbers[self._place : self._place + count]

    def raw(self, count: int) -> np.ndarray:
        """Return `count` numbers of the engine, uint64."""
        numbers = self._ahead(count)
        self._place += count
        return numbers

    def below(self, counts: np.ndarray) -> np.ndarray:
        """Draw an int64 from 0 to each of `counts` (up to the engine's range), exclusive."""
        counts = np.asarray(counts, np.uint32)
        scales = np.uint32(self.range) // counts
        limits = counts * scales
        found = np.empty(len(counts), np.int64)
        done = 0
        while done < len(counts):
            left = len(counts) - done
            numbers = self._ahead(left).astype(np.uint32)
            # Which of the counts a number is for depends on how many before it were taken. From any guess this comes
            # to the one answer that agrees with itself, after few rounds, as neighbours have similar limits.
            taken = numbers < limits[done:]
            while True:
                before = np.cumsum(taken) - taken
                again = numbers < limits[done:][before]
                if np.array_equal(again, taken):
                    break
                taken = again
            used = numbers[taken]
            found[done : done + len(used)] = used // scales[done : done + len(used)]
            self._place += left
            done += len(used)
        return found

    def integer(self, low: int, high: int) -> int:
        """Draw as `uniform_int_distribution`: an integer from `low` to `high`, both inclusive."""
        count = high - low + 1
        if count > self.range:
            if count == self.range + 1:
                return low + int(self.raw(1)[0])
            raise ValueError(f"The range {low} to {high} is more than one number of the engine can tell apart.")
        scale = self.range // count
        while True:
            number = int(self.raw(1)[0])
            if number < count * scale:
                return low + number // scale

    def shuffled(self, size: int) -> np.ndarray:
        """Return the result of `shuffle` of 0 to ``size - 1``; one number decides two places where there is room for
        both.
        """
        if size < 2:
            return np.arange(size)
        if self.range // size >= size:
            first = 2 - size % 2  # an even size begins with a place of its own
            start = self.below(np.array([2])) if first == 2 else np.empty(0, np.int64)
            lower = np.arange(first + 1, size, 2, dtype=np.uint32)  # choices for the first of the two
            upper = lower + np.uint32(1)
            pairs = self.below(lower * upper).astype(np.uint32)
            places = pairs // upper
            targets = np.concatenate([start, np.stack([places, pairs - places * upper], 1).ravel()])
        else:
            targets = self.below(np.arange(2, size + 1, dtype=np.uint32))
        return _swapped(targets)

    def doubles(self, count: int) -> np.ndarray:
        """Draw as `generate_canonical<double>`: from 0 to 1, without 1."""
        pairs, numbers = self.raw(2 * count).astype(np.float64).reshape(count, 2), self.range + 1.0
        values = (pairs[:, 0] + pairs[:, 1] * numbers) / (numbers * numbers)
        return np.minimum(values, np.nextafter(1.0, 0.0))

    def double(self, low: float = 0.0, high: float = 1.0) -> float:
        """Draw as `uniform_real_distribution<double>`: from `low` to `high`."""
        return float(self.doubles(1)[0]) * (high - low) + low

    def single(self, low: Any = 0.0, high: Any = 1.0) -> np.float32:
        """Draw as `uniform_real_distribution<float>`: as `double`, from one number and in 32 bits throughout."""
        return self.singles(1, low, high)[0]

    def singles(self, count: int, low: Any = 0.0, high: Any = 1.0) -> np.ndarray:
        """Draw ``count`` times `single`."""
        return self._as_singles(self.raw(count), low, high)

    def _as_singles(self, numbers: np.ndarray, low: Any, high: Any) -> np.ndarray:
        values = np.minimum(numbers.astype(np.float32) / np.float32(self.range + 1), _LAST_FLOAT)
        return values * (np.float32(high) - np.float32(low)) + np.float32(low)

    def chance(self, probability: Any) -> bool:
        """Draw as `bernoulli_distribution`: whether an event of this probability happens."""
        return bool(self.doubles(1)[0] < probability)

    def chances(self, probability: Any, count: int) -> np.ndarray:
        """Draw `count` times `chance`."""
        return self.doubles(count) < probability

    def normals(self, count: int) -> np.ndarray:
        """Draw as `normal_distribution<double>` of mean 0 and deviation 1, which makes two at a time and keeps the
        second.
        """
        found = [] if self._normal is None else [self._normal]
        while len(found) < count:
            x, y = (2.0 * self.doubles(2) - 1.0).tolist()
            square = x * x + y * y
            if 0.0 < square <= 1.0:
                factor = math.sqrt(-2.0 * math.log(square) / square)
                found += [y * factor, x * factor]
        self._normal = found[count] if len(found) > count else None
        return np.array(found[:count])

    def single_normals(self, count: int, deviation: float = 1.0) -> np.ndarray:
        """Draw as `normal_distribution<float>` of mean 0: as `normals`, all in 32 bits."""
        found = [np.array([] if self._normal is None else [self._normal], np.float32)]
        missing = count - len(found[0])
        while missing > 0:
            found.append(self._single_normal_pairs((missing + 1) // 2))
            missing -= len(found[-1])
        values = np.concatenate(found)
        self._normal = float(values[count]) if len(values) > count else None
        return values[:count] * np.float32(deviation)

    def _single_normal_pairs(self, count: int) -> np.ndarray:
        """Return up to ``count`` results of `single_normal_pair`, one after the other."""
        tries = self._as_singles(self._ahead(2 * (count + count // 3 + 4)), -1.0, 1.0).reshape(-1, 2)
        squares = tries[:, 0] * tries[:, 0] + tries[:, 1] * tries[:, 1]
        good = np.flatnonzero((squares > 0) & (squares <= 1))[:count]
        self._place += 2 * (int(good[-1]) + 1 if len(good) == count else len(tries))
        squares = squares[good]
        factors = np.sqrt(np.float32(-2.0) * np.log(squares.astype(np.float64)).astype(np.float32) / squares)
        return (tries[good, ::-1] * factors[:, None]).reshape(-1)

    def single_normal_pair(self) -> tuple[np.float32, np.float32]:
        """Return the pair that `normal_distribution<float>` makes at once."""
        while True:
            pair = self._single_normal_pairs(1)
            if len(pair):
                return pair[0], pair[1]

    def sample(self, size: int, count: int) -> list[int]:
        """Draw as `sample`: `count` of 0 to ``size - 1``, in order; one number decides two where possible."""
        chosen, place = [], 0
        while count and size >= 2:
            first, second = divmod(self.integer(0, size * (size - 1) - 1), size - 1)
            for draw in (first, second):
                if count and draw < count:
                    chosen.append(place)
                    count -= 1
                place, size = place + 1, size - 1
                if not count:
                    return chosen
        return [*chosen, place] if count and self.integer(0, size - 1) < count else chosen

    def exponentials(self, count: int) -> np.ndarray:
        """Draw as `exponential_distribution` of rate 1."""
        return np.array([-math.log(1.0 - value) for value in self.doubles(count).tolist()])

    def choices(self, weights: Any, count: int) -> np.ndarray:
        """Draw as `discrete_distribution`: places in `weights`, which are probabilities up to a factor."""
        return np.zeros(count, np.int64) if len(weights) < 2 else choices(weights, self.doubles(count))


class Gamma:
    """`gamma_distribution<float>` of a shape and scale 1, with a cached second normal number."""

    def __init__(self, engine: Engine, shape: float) -> None:
        self._engine, self._shape = engine, np.float32(shape)
        self._spare: list[np.float32] = []

    def draw(self) -> np.float32:
        """Return the next number."""
        one = np.float32(1)
        least = self._shape + one if self._shape < 1 else self._shape
        size = least - one / np.float32(3)
        width = one / np.sqrt(np.float32(9) * size)
        while True:
            normal = self._next_normal()
            cube = one + width * normal
            if cube <= 0:
                continue
            cube = cube * cube * cube
            draw, square = self._engine.single(), float(normal) * float(normal)
            if draw <= 1.0 - 0.0331 * square * square:
                break
            if draw and math.log(draw) <= 0.5 * square + float(size) * (1.0 - float(cube) + math.log(cube)):
                break
        if least == self._shape:
            return size * cube
        draw = np.float32(0)
        while draw == 0:
            draw = self._engine.single()
        return np.float32(math.pow(draw, one / self._shape)) * size * cube

    def _next_normal(self) -> np.float32:
        if not self._spare:
            self._spare = list(self._engine.single_normal_pair())[::-1]
        return self._spare.pop()


def choices(weights: Any, draws: Any) -> Any:
    """Return the places in `weights` for `draws`, numbers from 0 to 1."""
    probabilities = np.asarray(weights, np.float64)
    steps = np.cumsum(probabilities / np.cumsum(probabilities)[-1])  # a sum from left to right
    steps[-1] = 1.0
    return np.searchsorted(steps, draws, side="left")


def _swapped(targets: np.ndarray) -> np.ndarray:
    """Return 0, 1, … after a swap of place 1, 2, … with `targets`, none of which lies behind it.

    Without a loop over places: place k gets the content of its target. That is k' if k' was the last to move there.
    Else it is the content that the target itself got, and so on, up to a place that never moved.
    """
    here = np.arange(len(targets) + 1)
    source = np.concatenate([here[:1], targets])
    movers = _stable_order(source)
    places = source[movers]
    again = np.flatnonzero(places[1:] == places[:-1])
    value = here.copy()
    value[movers[again + 1]] = movers[again]
    source[movers[again + 1]] = movers[again + 1]
    while True:
        further = source[source]
        if np.array_equal(further, source):
            break
        source = further
    order = value[source]
    order[places] = movers  # of several the last stays
    return order


def _stable_order(values: np.ndarray) -> np.ndarray:
    """Return `argsort` of numbers below 2 ** 32, by 16 bits at a time, for which NumPy counts instead of comparing."""
    order = np.argsort(values.astype(np.uint16), kind="stable")
    if len(values) <= 1 << 16:
        return order
    return order[np.argsort((values[order] >> 16).astype(np.uint16), kind="stable")]


class MersenneTwister(Engine):
    """`std::mt19937`."""

    range = 2**32 - 1

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._engine: Any = np.random.MT19937(0)
        self._engine._legacy_seeding(seed % 2**32)

    def _more(self, count: int) -> np.ndarray:
        return self._engine.random_raw(count)


class LinearCongruential(Engine):
    """`std::minstd_rand0`, GNU's `default_random_engine`: 1 to 2 ** 31 - 2, minus one."""

    range = 2**31 - 3

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._state = seed % _MODULUS or 1

    def _more(self, count: int) -> np.ndarray:
        numbers = np.empty(count, np.uint64)
        for start in range(0, count, _STATES):
            states = self._states(min(_STATES, count - start))
            np.subtract(states, 1, out=numbers[start : start + _STATES], casting="unsafe")
        return numbers

    def _states(self, count: int) -> np.ndarray:
        """Return the next states, int64, up to a block of them."""
        states = _powers()[:count] * self._state  # below 2 ** 62, of which the modulus needs only a sum
        states = (states & _MODULUS) + (states >> 31)
        states -= (states > _MODULUS) * _MODULUS
        self._state = int(states[-1])
        return states

    def single_chances(self, probability: float, out: np.ndarray) -> None:
        """Fill ``out``, bool of one axis, with whether each following `single` is below ``probability``."""
        limit, start = _numbers_below(np.float32(probability), self.range), 0
        if self._place < len(self._numbers):
            start = min(len(out), len(self._numbers) - self._place)
            np.less(self.raw(start), limit, out=out[:start])
        for place in range(start, len(out), _STATES):
            part = out[place : place + _STATES]
            np.less_equal(self._states(len(part)), limit, out=part)


_MODULUS, _STATES = 2**31 - 1, 1 << 14


@functools.cache
def _powers() -> np.ndarray:
    """Return the first states after state 1; int64."""
    powers = np.array([16807], np.int64)
    while len(powers) < _STATES:
        powers = np.concatenate([powers, powers * powers[-1] % _MODULUS])
    return powers


@functools.lru_cache(64)
def _numbers_below(limit: np.float32, largest: int) -> int:
    """Return the number of engine values, from 0 to ``largest``, whose `single` is below the limit."""

    def value(number: int) -> np.float32:
        return min(np.float32(number) / np.float32(largest + 1), _LAST_FLOAT)

    return bisect.bisect_left(range(largest + 1), limit, key=value)


class MersenneTwister64:
    """`std::mt19937_64`, for places drawn by a shuffle buffer."""

    _SIZE, _SHIFT = 312, 156

    def __init__(self, seed: int) -> None:
        state = [seed % 2**64]
        for place in range(1, self._SIZE):
            last = state[-1]
            state.append((6364136223846793005 * (last ^ (last >> 62)) + place) % 2**64)
        self._state = np.array(state, np.uint64)
        self._numbers = np.empty(0, np.uint64)
        self._place = 0

    def remainders(self, counts: np.ndarray) -> np.ndarray:
        """Return for each of `counts` the next number modulo it, int64."""
        blocks = [self._numbers]
        while sum(map(len, blocks)) < self._place + len(counts):
            blocks.append(self._block())
        self._numbers = numbers = np.concatenate(blocks)[self._place :]
        self._place = len(counts)
        return (numbers[: len(counts)] % np.asarray(counts, np.uint64)).astype(np.int64)

    def skip(self, count: int) -> None:
        """Skip `count` numbers."""
        while count > 0:
            self.remainders(np.ones(min(count, self._SIZE), np.uint64))
            count -= self._SIZE

    def put_back(self, count: int) -> None:
        """Put the last `count` numbers, of one call, back."""
        self._place -= count

    def _block(self) -> np.ndarray:
        """Return the next 312 numbers, uint64."""
        state, half = self._state, self._SHIFT
        following = np.append(state[1:], np.uint64(0))
        self._twist(state[:half], following[:half], state[half:])  # each part reads what those before it made
        self._twist(state[half:-1], following[half:-1], state[: half - 1])
        self._twist(state[-1:], state[:1], state[half - 1 : half])
        numbers = state.copy()
        numbers ^= (numbers >> np.uint64(29)) & np.uint64(0x5555555555555555)
        numbers ^= (numbers << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        numbers ^= (numbers << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        numbers ^= numbers >> np.uint64(43)
        return numbers

    @staticmethod
    def _twist(target: np.ndarray, following: np.ndarray, far: np.ndarray) -> None:
        mixed = (target & np.uint64(0xFFFFFFFF80000000)) | (following & np.uint64(0x7FFFFFFF))
        odd = np.where(mixed & np.uint64(1), np.uint64(0xB5026F5AA96619E9), np.uint64(0))
        target[...] = far ^ (mixed >> np.uint64(1)) ^ odd
