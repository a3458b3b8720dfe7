"""Makers of what is not a picture: texts, ratings, click logs, graphs, in the files that projects read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "bags_of_words",
    "census",
    "clicks",
    "citations",
    "masked_sentences",
    "ratings",
    "ratings_u_data",
    "record",
    "reviews_in_records",
    "two_files_of_sentences",
]

WORDS = (
    "film story actor plot scene music light camera ending script role voice dance joke love war child city night "
    "dream road sea house train"
).split()
MOODS = {
    "pos": "good great fine bright warm clever funny lovely".split(),
    "neg": "bad dull weak cold slow silly boring awful".split(),
}


def sentence(label: str, seed: int, length: int = 12) -> str:
    """Words of which a third tell the label."""
    random = np.random.RandomState(seed)
    return " ".join(random.choice(MOODS[label] if place % 3 == 0 else WORDS) for place in range(length))


def two_files_of_sentences(
    folder: Path, names: Sequence[str] = ("rt-polarity.neg", "rt-polarity.pos"), each: int = 60
) -> None:
    """A sentence a line, one file for each label; the names end in the label."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        label = "neg" if "neg" in name else "pos"
        (folder / name).write_text(
            "".join(sentence(label, seed + 1000 * (label == "neg")) + " .\n" for seed in range(each))
        )


def record(
    path: Path, schema: dict[str, Any], rows: list[dict[str, Any]], shards: int = 1, index: Sequence[str] = ()
) -> None:
    """A MindRecord, written by this package in the format that real MindSpore reads."""
    from mindspore_compat.mindrecord import FileWriter

    path.parent.mkdir(parents=True, exist_ok=True)
    writer = FileWriter(str(path), shards)
    writer.add_schema(schema, "made")
    if index:
        writer.add_index(list(index))
    writer.write_raw_data(rows)
    writer.commit()


def clicks(
    folder: Path,
    lines: int = 1000,
    train: int = 2,
    test: int = 2,
    vocabulary: int = 2000,
    fields: int = 39,
    dense: int = 13,
    digits: int = 2,
    ids: int | None = None,
    values: int | None = None,
) -> None:
    """Criteo's click log as the recommenders keep it: each record holds ``lines`` lines of ids, values and labels in a
    row.
    """
    schema = {
        "feat_ids": {"type": "int32", "shape": [-1]},
        "feat_vals": {"type": "float32", "shape": [-1]},
        "label": {"type": "float32", "shape": [-1]},
    }
    for name, count, seed in (("train", train, 0), ("test", test, 1)):
        random = np.random.RandomState(seed)
        rows = []
        for _ in range(count):
            feat_ids = np.concatenate(
                [np.tile(np.arange(dense), (lines, 1)), random.randint(dense, vocabulary, (lines, fields - dense))], 1
            )
            feat_vals = np.concatenate([random.rand(lines, dense), np.ones((lines, fields - dense))], 1)
            label = (feat_ids[:, -1] % 3 == 0).astype(np.float32)
            rows.append(
                {
                    "feat_ids": feat_ids[:, -(ids or fields) :].reshape(-1).astype(np.int32),
                    "feat_vals": feat_vals[:, : values or fields].reshape(-1).astype(np.float32),
                    "label": label,
                }
            )
        record(
            folder / f"{name}_input_part.mindrecord{'0' * (digits if name == 'train' else digits - 1)}", schema, rows
        )


def ratings(folder: Path, name: str = "ml-1m", users: int = 40, items: int = 60, each: int = 20) -> None:
    """MovieLens after its download: ratings.csv, movies.csv, and the archive that stands for it."""
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    lines = [
        f"{user},{item},{1 + (user + item) % 5},{1000 + 100 * user + place}"
        for user in range(1, users + 1)
        for place, item in enumerate(random.choice(items, each, replace=False) + 1)
    ]
    (target / "ratings.csv").write_text("user_id,item_id,rating,timestamp\n" + "\n".join(lines) + "\n")
    (target / "movies.csv").write_text(
        "item_id,titles,genres\n" + "".join(f"{item},Film {item},Drama\n" for item in range(1, items + 1))
    )
    (target / f"{name}.zip").write_bytes(b"")


def ratings_u_data(path: Path, users: int = 60, items: int = 40) -> None:
    """MovieLens 100k's lines: user, item, rating, time, between tabs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    path.write_text(
        "".join(
            f"{user}\t{item}\t{random.randint(1, 6)}\t{user + item}\n"
            for user in range(1, users + 1)
            for item in range(1, items + 1)
            if random.rand() < 0.6
        )
    )


def reviews_in_records(folder: Path, count: int = 32, length: int = 500, vocabulary: int = 50, size: int = 20) -> None:
    """aclImdb as the LSTM project converts it: features and labels in MindRecords, a line of weights for each word."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    np.savetxt(folder / "weight.txt", random.randn(vocabulary, size))
    schema = {"id": {"type": "int32"}, "label": {"type": "int32"}, "feature": {"type": "int32", "shape": [-1]}}
    for name in ("train", "test"):
        rows = [
            {"id": i, "label": i % 2, "feature": random.randint(i % 2, vocabulary, length).astype(np.int32)}
            for i in range(count)
        ]
        record(folder / f"aclImdb_{name}.mindrecord", schema, rows, 4, ("id", "label"))


def citations(path: Path, papers: int = 60, classes: int = 7, words: int = 1433) -> None:
    """Cora as the graph tools write it: papers with word vectors and classes, and who cites whom."""
    random = np.random.RandomState(0)
    schema = {
        "first_id": {"type": "int64"},
        "second_id": {"type": "int64"},
        "third_id": {"type": "int64"},
        "type": {"type": "int32"},
        "attribute": {"type": "string"},
        "node_feature_1": {"type": "float32", "shape": [-1]},
        "node_feature_2": {"type": "int32", "shape": [-1]},
        "node_feature_index": {"type": "int32", "shape": [-1]},
        "edge_feature_index": {"type": "int32", "shape": [-1]},
    }
    nothing = np.array([-1], np.int32)

    def row(
        kind: str, ids: tuple[int, int, int], features: np.ndarray, label: int, index: np.ndarray
    ) -> dict[str, Any]:
        return {
            "first_id": ids[0],
            "second_id": ids[1],
            "third_id": ids[2],
            "type": 0,
            "attribute": kind,
            "node_feature_1": features,
            "node_feature_2": np.array([label], np.int32),
            "node_feature_index": index,
            "edge_feature_index": nothing,
        }

    labels = np.arange(papers) % classes
    rows = [
        row(
            "n",
            (paper, 0, 0),
            (random.rand(words) < 0.1 + 0.5 * (np.arange(words) % classes == labels[paper])).astype(np.float32),
            int(labels[paper]),
            np.array([1, 2], np.int32),
        )
        for paper in range(papers)
    ]
    number = 0
    for paper in range(papers):
        for other in (paper + 1 + random.choice(papers - 1, 3, replace=False)) % papers:  # nobody cites itself
            rows.append(row("e", (number, paper, int(other)), np.zeros(1, np.float32), 0, nothing))
            number += 1
    record(path, schema, rows, 1, ("first_id", "second_id", "third_id", "attribute", "type"))


def census(folder: Path, count: int = 32, features: int = 499) -> None:
    """Census income: features of a person, and two labels in one-hot form."""
    schema = {
        "data": {"type": "float32", "shape": [features]},
        "income_labels": {"type": "float32", "shape": [2]},
        "married_labels": {"type": "float32", "shape": [2]},
    }
    random = np.random.RandomState(0)
    for name in ("train", "eval"):
        rows = []
        for i in range(count):
            rows.append(
                {
                    "data": random.rand(features).astype(np.float32),
                    "income_labels": np.eye(2, dtype=np.float32)[i % 2],
                    "married_labels": np.eye(2, dtype=np.float32)[i // 2 % 2],
                }
            )
        record(folder / f"{name}.mindrecord", schema, rows)


def masked_sentences(folder: Path, count: int = 16, length: int = 32, vocabulary: int = 200, masked: int = 5) -> None:
    """Pairs of sentences with words left out, as BERT is trained on."""
    random = np.random.RandomState(0)
    sizes = {
        "input_ids": length,
        "input_mask": length,
        "segment_ids": length,
        "masked_lm_positions": masked,
        "masked_lm_ids": masked,
        "masked_lm_weights": masked,
        "next_sentence_labels": 1,
    }
    schema = {
        name: {"type": "float32" if name == "masked_lm_weights" else "int64", "shape": [size]}
        for name, size in sizes.items()
    }
    rows = []
    for i in range(count):
        row = {
            "input_ids": random.randint(5, vocabulary, length),
            "input_mask": np.ones(length),
            "segment_ids": np.arange(length) >= length // 2,
            "masked_lm_positions": random.choice(length, masked, replace=False),
            "masked_lm_ids": random.randint(5, vocabulary, masked),
            "masked_lm_weights": np.ones(masked),
            "next_sentence_labels": np.array([i % 2]),
        }
        rows.append(
            {
                name: np.asarray(value, np.float32 if name == "masked_lm_weights" else np.int64)
                for name, value in row.items()
            }
        )
    record(folder / "pretrain.mindrecord", schema, rows)


def bags_of_words(folder: Path, count: int = 32, length: int = 64, vocabulary: int = 200, classes: int = 4) -> None:
    """Padded word numbers, how many there are, and the class, as the fastText project keeps AG's news."""
    schema = {
        "src_tokens": {"type": "int32", "shape": [-1]},
        "src_tokens_length": {"type": "int32", "shape": [-1]},
        "label_idx": {"type": "int32", "shape": [-1]},
    }
    random = np.random.RandomState(0)
    for name in ("train", "test"):
        rows = [
            {
                "src_tokens": random.randint(1 + 40 * (i % classes), 41 + 40 * (i % classes), length).astype(np.int32),
                "src_tokens_length": np.array([length], np.int32),
                "label_idx": np.array([i % classes], np.int32),
            }
            for i in range(count)
        ]
        record(folder / f"{name}_dataset_bs_{length}.mindrecord", schema, rows)
