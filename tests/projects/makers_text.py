"""Tiny data of texts, clicks, ratings, graphs and equations; as `makers`."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

__all__ = ["criteo", "ratings", "reviews", "schrodinger", "sentence"]

_GOOD = "great good brilliant lovely warm clever charming strong moving fresh".split()
_BAD = "dull bad tired clumsy cold stale weak boring flat empty".split()
_PLAIN = "the a film story actor scene plot music it was and with of this that one very rather quite time".split()


def sentence(label: int, seed: int, length: int = 12) -> str:
    """Words of which a third tell the label (1: good, 0: bad)."""
    random = np.random.RandomState(2 * seed + label)
    own = _GOOD if label else _BAD
    return " ".join(own[random.randint(len(own))] if random.rand() < 0.34 else _PLAIN[random.randint(len(_PLAIN))] for _ in range(length))


def reviews(folder: Path, each: int = 100) -> None:
    """rt-polarity.pos and .neg: a review a line."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, label in (("rt-polarity.pos", 1), ("rt-polarity.neg", 0)):
        (folder / name).write_text("".join(sentence(label, number) + " .\n" for number in range(each)))


def criteo(folder: Path, lines: int = 5000, values: int = 30) -> None:
    """origin_data/train.txt: label, 13 numbers and 26 categories of 8 hexadecimal digits a line, some fields empty."""
    random = np.random.RandomState(0)
    (folder / "origin_data").mkdir(parents=True, exist_ok=True)
    numbers, categories = random.randint(0, 50, (lines, 13)), random.randint(0, values, (lines, 26))
    labels = (numbers[:, 0] + categories[:, 0] + random.randint(0, 20, lines) > 50).astype(int)
    empty = random.rand(lines, 39) < 0.02
    with (folder / "origin_data/train.txt").open("w") as file:
        for row in range(lines):
            fields = [str(value) for value in numbers[row]] + [f"{17 * value + 7919 * place:08x}" for place, value in enumerate(categories[row])]
            file.write("\t".join([str(labels[row]), *("" if gone else field for gone, field in zip(empty[row], fields))]) + "\n")


def ratings(folder: Path, users: int = 6040, items: int = 3706, each: int = 21) -> None:
    """ml-1m/ratings.csv: user_id, item_id, rating, timestamp; with as many users and items as MovieLens has."""
    random = np.random.RandomState(0)
    home = folder / "ml-1m"
    home.mkdir(parents=True, exist_ok=True)
    rows = ["user_id,item_id,rating,timestamp"]
    for user in range(users):
        chosen = (user * each + np.arange(each)) % items  # all items occur, none twice for a user
        rows += [f"{user + 1},{item + 1},{random.randint(1, 6)},{1000 * user + place}" for place, item in enumerate(chosen)]
    (home / "ratings.csv").write_text("\n".join(rows) + "\n")
    (home / "movies.csv").write_text("item_id,titles,genre\n" + "".join(f"{item + 1},film {item},Drama\n" for item in range(items)))


def schrodinger(folder: Path, places: int = 64, times: int = 51) -> None:
    """NLS.mat: x, tt and the complex solution uu (a soliton)."""
    from scipy.io import savemat

    x, t = np.linspace(-5, 5, places), np.linspace(0, np.pi / 2, times)
    savemat(folder / "NLS.mat", {"x": x[None], "tt": t[None], "uu": 2 / np.cosh(x)[:, None] * np.exp(0.5j * t)[None]})


def vectors(path: Path, words: Sequence[str] = (*_GOOD, *_BAD, *_PLAIN), size: int = 50) -> None:
    """Word vectors, as GloVe's files have them."""
    random = np.random.RandomState(0)
    path.write_text("".join(f"{word} {' '.join(f'{value:.4f}' for value in random.randn(size))}\n" for word in words))
