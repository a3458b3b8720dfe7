"""Makers of what relates to what: roads, edges, triples; and of words in a row."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .tables import sentence

__all__ = ["corpus", "edge_list", "labelled_lines", "roads", "triples"]


def roads(folder: Path, name: str = "SZ-taxi", places: int = 12, times: int = 100) -> None:
    """Speeds of ``places`` roads at ``times`` times, and which roads meet: name/feature.csv and name/adj.csv."""
    random = np.random.RandomState(0)
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    speeds = 30 + 10 * np.sin(np.arange(times)[:, None] / 5 + np.arange(places)) + random.rand(times, places)
    lines = [",".join(map(str, range(places))), *(",".join(f"{speed:.3f}" for speed in row) for row in speeds)]
    (home / "feature.csv").write_text("\n".join(lines) + "\n")
    meets = np.triu(random.rand(places, places) < 0.3, 1)
    (home / "adj.csv").write_text("\n".join(",".join(str(int(one)) for one in row) for row in meets | meets.T) + "\n")


def _pairs(nodes: int, count: int) -> list[tuple[int, int]]:
    """Edges of a graph in which each node has one."""
    random = np.random.RandomState(0)
    chain = [(node, (node + 1) % nodes) for node in range(nodes)]
    return list(dict.fromkeys(chain + [(int(a), int(b)) for a, b in random.randint(0, nodes, (count, 2)) if a != b]))


def edge_list(folder: Path, nodes: int = 60, count: int = 300) -> None:
    """edges.txt: from, to and weight, with spaces between."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "edges.txt").write_text("".join(f"{a} {b} 1.0\n" for a, b in _pairs(nodes, count)))


def triples(folder: Path, entities: int = 40, relations: int = 5, count: int = 120) -> None:
    """A knowledge graph: entities.dict, relations.dict, and train.txt, valid.txt, test.txt with head, relation, tail."""
    random = np.random.RandomState(0)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "entities.dict").write_text("".join(f"{place}\te{place}\n" for place in range(entities)))
    (folder / "relations.dict").write_text("".join(f"{place}\tr{place}\n" for place in range(relations)))
    for name, rows in (("train", count), ("valid", 8), ("test", 8)):
        drawn = zip(*(random.randint(0, high, rows) for high in (entities, relations, entities)))
        (folder / f"{name}.txt").write_text("".join(f"e{head}\tr{kind}\te{tail}\n" for head, kind, tail in drawn))


def corpus(folder: Path, words: int = 1200, each: int = 6) -> None:
    """text.txt: made words in a row, each so seldom that none is left out as a frequent one."""
    folder.mkdir(parents=True, exist_ok=True)
    made = ["".join(chr(97 + number // 26**place % 26) for place in range(3)) for number in range(words)]
    (folder / "text.txt").write_text(" ".join(np.random.RandomState(0).permutation(made * each)) + "\n")


def labelled_lines(folder: Path, train: int = 240) -> None:
    """train.txt, dev.txt, test.txt: a sentence, a tab, its label; labels.txt."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, count, first in (("train", train, 0), ("dev", 16, 5000), ("test", 16, 6000)):
        moods = [("neg", "pos")[row % 2] for row in range(count)]
        lines = [f"{sentence(mood, first + row)}\t{mood}\n" for row, mood in enumerate(moods)]
        (folder / f"{name}.txt").write_text("".join(lines))
    (folder / "labels.txt").write_text("neg\npos\n")
