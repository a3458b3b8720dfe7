"""Pipelines whose rows draw from several workers, and what `digests` makes of them. The expressions know `ds`, `V`, `T`,
`np` and what stands here.
"""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

import numpy as np

from tests.dataset import draw_cases

__all__ = ["CASES", "IN_PROCESSES", "OPERATIONS", "digests", "give", "operation_digests"]

SEEDS = (0, 4321)
WORKERS = (2, 3, 8)
_IMAGES = [np.random.RandomState(i).randint(0, 256, (12 + i % 3, 14 - i % 2, 3)).astype(np.uint8) for i in range(30)]


class Source:
    """Numbered images; with `draws` each with noise from the generators that all share."""

    def __init__(self, count: int, draws: bool = False, is_even: bool = False) -> None:
        self.count, self.draws, self.is_even = count, draws, is_even

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        image = _IMAGES[index][:12, :13] if self.is_even else _IMAGES[index]
        return noisy(image) if self.draws else image.copy(), np.int64(index)


class Stream:
    """The same, without numbers."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self) -> Any:
        return map(Source(self.count).__getitem__, range(self.count))


def noisy(image: Any) -> Any:
    """Draws from Python's and from NumPy's generator."""
    return image + np.uint8(random.randint(0, 9)) + np.uint8(np.random.randint(9))


def noisy_batch(images: Any, numbers: Any, info: Any) -> Any:
    """As `noisy`, of a batch."""
    return [noisy(image) for image in images], list(numbers)


def is_kept(image: Any, number: Any) -> bool:
    """For `filter`."""
    return int(number) % 3 != 1


#: operations drawn from by 2, 3 and 8 workers: those of the engine, not Python's, whose threads come in any order
OPERATIONS = [case for case in draw_cases.CASES if "ToPIL" not in case] + [
    "T.RandomApply([T.RandomChoice([V.RandomCrop(8), V.RandomHorizontalFlip()]), V.RandomCrop(4)], 0.7)",
    "T.Compose([V.RandomCrop(8), T.RandomChoice([V.RandomCrop(4), V.RandomVerticalFlip()]), V.RandomInvert()])",
    "(lambda flip: [flip, V.Invert(), flip])(V.RandomHorizontalFlip())",
]

_TEXTS = """G(10) .map(C, 'a', W3)
G(16) .map(C, 'a', W8)
G(7, shuffle=True) .map([C, F], 'a', W3) .map(F, 'a', W2)
G(5) .repeat(2) .map(C, 'a', W3)
G(5) .map(C, 'a', W3) .repeat(2)
G(4) .map(C, 'a', W3) .repeat(2) .map(F, 'a', W2) .repeat(3) .batch(5)
G(4) .map(C, 'a', W8) .repeat(2) .batch(3)
G(11) .map(C, 'a', W3) .batch(4)
G(11) .map(C, 'a', W3) .batch(4, True)
G(11) .map(C, 'a', W3) .batch(2, True) .map(F, 'a', W2) .map(F, 'a', W3)
G(9) .map(C, 'a', W3) .take(4)
G(9) .map(C, 'a', W3) .take(4) .repeat(2) .batch(3)
G(9) .map(C, 'a', W3) .skip(4)
G(9) .take(4) .map(C, 'a', W3)
G(9) .map(C, 'a', W3) .shuffle(4)
G(9) .map(C, 'a', W3) .shuffle(4) .map(F, 'a', W2) .batch(2)
G(9) .map(noisy, 'a', W1) .shuffle(4)
G(9) .map([F, noisy, C], 'a', W1) .take(5) .batch(2)
G(12) .filter(is_kept, ['a', 'b']) .map(C, 'a', W3)
G(12) .map(C, 'a', W3) .filter(is_kept, ['a', 'b']) .map(F, 'a', W2)
ds.GeneratorDataset(Stream(9), ['a', 'b']) .map(C, 'a', W3) .map(F, 'a', W2)
ds.zip((G(9) .map(C, 'a', W2), ds.NumpySlicesDataset(np.arange(5), 'z', shuffle=False)))
G(5) .map(C, 'a', W3) + G(4, shuffle=True) .map(C, 'a', W2)
(G(5) .map(C, 'a', W3) + G(4) .map(C, 'a', W2)) .map(F, 'a', W3)
G(12, num_shards=2, shard_id=1) .map(C, 'a', W3) .project(['b', 'a']) .batch(2)
G(9) .map(C, 'a', W3) .rename('a', 'c') .map(F, 'c', W2)
G(9) .map([V.ToPIL(), V.RandomHorizontalFlip(0.4), V.RandomCrop(9), np.array], 'a', W1)
G(5) .map([C, lambda image: T.RandomApply([V.RandomCrop(8), F])(image), F], 'a', W1)
G(12) .map(C, 'a', W3) .split([7, 5])[1] .batch(2)
G(12) .map(C, 'a', W3) .split([7, 5], False)[1]
ds.GeneratorDataset(Source(8, True), ['a', 'b'], shuffle=True) .take(3)
ds.GeneratorDataset(Source(8, True), ['a', 'b'], shuffle=True) .skip(3) .shuffle(3)
ds.GeneratorDataset(Source(8, True, True), ['a', 'b'], shuffle=True) .batch(3, True)"""
_IN_PROCESSES = """G(8) .map([noisy, F], 'a', W3, P)
G(8) .map([C, noisy], 'a', W1, P) .batch(3)
G(8) .map(noisy, 'a', W2, P) .map(C, 'a', W3) .map(noisy, 'a', W3, P) .batch(3, True)
G(8) .map(noisy, 'a', W3, P) .take(5)
ds.GeneratorDataset(Source(8, True), ['a', 'b'], W3, shuffle=True) .map(C, 'a', W2)
ds.GeneratorDataset(Source(8, True), ['a', 'b'], W3, shuffle=False) .take(5) .repeat(2)
ds.GeneratorDataset(Source(8, True, True), ['a', 'b'], W2, batch_sampler=[[0, 1, 2], [5, 3], [7]])
G(9) .map(V.Resize((9, 10)), 'a') .batch(2, True, W3, per_batch_map=noisy_batch, input_columns=['a', 'b'], \
python_multiprocessing=True)
G(8) .map([V.ToPIL(), V.RandomHorizontalFlip(0.4), V.RandomCrop(9)], 'a', W3, P)
G(8) .map([V.ToPIL(), T.RandomOrder([V.RandomHorizontalFlip(), V.RandomCrop((10, 12))]), np.array], 'a', W2, P)"""
IN_PROCESSES = _IN_PROCESSES.splitlines()
CASES = [*_TEXTS.splitlines(), *IN_PROCESSES]


def _digest(rows: Any) -> str:
    found = hashlib.md5()
    for row in rows:
        for value in row:
            found.update(np.ascontiguousarray(value).tobytes())
    return found.hexdigest()[:8]


def digests(ds: Any, case: str, seed: int) -> list[str]:
    """Digests of three epochs."""
    for count in (1, 2, 3, 8):
        case = case.replace(f"W{count}", f"num_parallel_workers={count}")
    names = {"ds": ds, "V": ds.vision, "T": ds.transforms, "np": np, "Source": Source, "Stream": Stream}
    names |= {"noisy": noisy, "noisy_batch": noisy_batch, "is_kept": is_kept}
    names["G"] = lambda count, shuffle=False, **more: ds.GeneratorDataset(
        Source(count), ["a", "b"], shuffle=shuffle, **more
    )
    names |= {"C": ds.vision.RandomCrop(9), "F": ds.vision.RandomHorizontalFlip()}
    ds.config.set_seed(seed)
    dataset = eval(case.replace(", P)", ", python_multiprocessing=True)").replace(" .", "."), names)
    rows = dataset.create_tuple_iterator(num_epochs=3, output_numpy=True)
    return [_digest(rows) for _ in range(3)]


def operation_digests(ds: Any, case: str, workers: int) -> list[str]:
    """Digests of two epochs of an operation."""
    epochs = draw_cases.drawn(ds, case, SEEDS[1], workers)[:2]
    return [hashlib.md5("".join(rows).encode()).hexdigest()[:8] for rows in epochs]


def give(ds: Any) -> str:
    """All of it as a JSON text."""
    found: dict[str, Any] = {case: {str(seed): digests(ds, case, seed) for seed in SEEDS} for case in CASES}
    found |= {case: {str(count): operation_digests(ds, case, count) for count in WORKERS} for case in OPERATIONS}
    lines = (f"{json.dumps(case)}: {json.dumps(value, separators=(',', ':'))}" for case, value in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
